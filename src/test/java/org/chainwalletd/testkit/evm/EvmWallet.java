package org.chainwalletd.testkit.evm;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/** Somebody with a key who sends transactions past the network: the other side of a swap, or a stranger. */
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

    /** Locks {@code wei} in the chain's contract; the hash of the transaction, which waits for a block. */
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

    /** With the next free nonce, one gwei of tip and enough for twice the base fee. */
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
