package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/** Wallet that submits transactions directly, not over HTTP: the other party of a swap, or a third party. */
public final class EvmWallet {
    private static final BigInteger GWEI = BigInteger.valueOf(1_000_000_000);
    private static final long GAS = 200_000;

    private final EvmLedger ledger;
    private final EvmAddress contract;
    private final SecretBytes secret;
    private final EvmAddress address;

    EvmWallet(EvmLedger ledger, EvmAddress contract, SecretBytes secret) {
        this.ledger = ledger;
        this.contract = contract;
        this.secret = secret;
        this.address = EvmAddress.ofSecret(secret);
    }

    public EvmAddress address() {
        return address;
    }

    public SecretBytes secret() {
        return secret.duplicate();
    }

    /** Locks {@code wei} in the chain's contract; returns the hash of the transaction, which is not mined yet. */
    public Hash256 lock(Hash256 hashLock, EvmAddress recipient, long deadline, BigInteger wei) {
        return send(contract, wei, SwapContract.lock(hashLock, recipient, deadline));
    }

    public Hash256 claim(byte[] preimage) {
        return send(contract, BigInteger.ZERO, SwapContract.claim(preimage));
    }

    public Hash256 refund(Hash256 hashLock) {
        return send(contract, BigInteger.ZERO, SwapContract.refund(hashLock));
    }

    public Hash256 pay(EvmAddress to, BigInteger wei) {
        return send(to, wei, Bytes.EMPTY);
    }

    /** Sends a transaction with the next free nonce, a tip of one gwei, and a maximum fee of twice the base fee. */
    public Hash256 send(EvmAddress to, BigInteger wei, Bytes data) {
        BigInteger most = ledger.baseFee().add(ledger.baseFee()).add(GWEI);
        return send(ledger.nextNonce(address), GWEI, most, GAS, Optional.of(to), wei, data);
    }

    public Hash256 send(
            long nonce,
            BigInteger tip,
            BigInteger maxFee,
            long gas,
            Optional<EvmAddress> to,
            BigInteger wei,
            Bytes data) {
        return ledger.submit(SignedTransaction.sign(secret, ledger.chainId(), nonce, tip, maxFee, gas, to, wei, data));
    }
}
