package org.chainwalletd.devnet.pool;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/** The pool's key and money on the account chain. Blocks its caller, which is the pool's own thread. */
final class EvmLeg {
    private static final BigInteger TIP = BigInteger.valueOf(1_000_000_000);
    private static final BigInteger GAS = BigInteger.valueOf(200_000);

    private final EvmRpc rpc;
    private final EvmAddress contract;
    private final SecretBytes secret;
    private final EvmAddress address;
    private final BigInteger chainId;

    /** @param secret taken over */
    EvmLeg(URI endpoint, EvmAddress contract, SecretBytes secret) throws IOException {
        rpc = new EvmRpc(endpoint);
        this.contract = contract;
        this.secret = secret;
        this.address = EvmAddress.ofSecret(secret);
        this.chainId = EvmRpc.number(rpc.call("eth_chainId"));
    }

    EvmAddress address() {
        return address;
    }

    BigInteger balance() throws IOException {
        return EvmRpc.number(rpc.call("eth_getBalance", address.toString(), "latest"));
    }

    long height() throws IOException {
        return EvmRpc.number(rpc.call("eth_blockNumber")).longValueExact();
    }

    /** Time of the newest block, Unix seconds. */
    long time() throws IOException {
        return EvmRpc.number(rpc.call("eth_getBlockByNumber", "latest", false).path("timestamp"))
                .longValueExact();
    }

    /** Reads a hash lock from the contract at the tip. */
    SwapContract.Swap swap(Hash256 hashLock) throws IOException {
        return swap(hashLock, "latest");
    }

    /** Reads a hash lock {@code blocks} blocks below the tip. */
    SwapContract.Swap swapBelow(Hash256 hashLock, long blocks) throws IOException {
        return swap(hashLock, "0x" + Long.toHexString(Math.max(0, height() - blocks)));
    }

    private SwapContract.Swap swap(Hash256 hashLock, String block) throws IOException {
        Map<String, String> call = Map.of("to", contract.toString(), "data", "0x" + SwapContract.getSwap(hashLock));
        return SwapContract.swap(EvmRpc.bytes(rpc.call("eth_call", call, block)));
    }

    /** A signed call of the contract with the next free nonce; does not send it. */
    DynamicFeeTransaction.Signed sign(BigInteger wei, Bytes data) throws IOException {
        BigInteger base =
                EvmRpc.number(rpc.call("eth_getBlockByNumber", "latest", false).path("baseFeePerGas"));
        return new DynamicFeeTransaction(
                        chainId,
                        EvmRpc.number(rpc.call("eth_getTransactionCount", address.toString(), "pending")),
                        TIP,
                        base.multiply(BigInteger.valueOf(3)).add(TIP),
                        GAS,
                        contract,
                        wei,
                        data)
                .sign(secret);
    }

    /** Sends or resends. Ignores a refusal: the outcome of the call is read from the contract. */
    void send(DynamicFeeTransaction.Signed signed) throws IOException {
        try {
            rpc.call("eth_sendRawTransaction", "0x" + signed.raw());
        } catch (EvmRpc.RefusedException known) {
            // Already pending, mined, or its nonce is used: the next read of the contract shows which.
        }
    }

    /** Whether the chain has the transaction, in a block or waiting. */
    boolean isKnown(DynamicFeeTransaction.Signed signed) throws IOException {
        JsonNode known =
                rpc.call("eth_getTransactionByHash", "0x" + signed.hash().hex());
        return !known.isNull();
    }

    /** The secret from a direct {@code claim} in blocks from {@code from} on, with the transaction that showed it. */
    Optional<Shown> claimSince(long from, Hash256 hashLock) throws IOException {
        String claim =
                "0x" + Bytes.wrap(SwapContract.claim(new byte[Hash256.LENGTH]).slice(0, 4));
        long to = height();
        for (long number = from; number <= to; number++) {
            JsonNode block = rpc.call("eth_getBlockByNumber", "0x" + Long.toHexString(number), true);
            for (JsonNode tx : block.path("transactions")) {
                String input = tx.path("input").asText();
                boolean direct = tx.path("to").asText().equalsIgnoreCase(contract.toString())
                        && input.startsWith(claim)
                        && input.length() == claim.length() + 2 * Hash256.LENGTH;
                if (direct) {
                    Bytes preimage = Bytes.parse(input.substring(claim.length()));
                    if (Hash256.sha256(preimage.toArray()).equals(hashLock)) {
                        return Optional.of(new Shown(preimage, tx.path("hash").asText()));
                    }
                }
            }
        }
        return Optional.empty();
    }

    record Shown(Bytes preimage, String transaction) {}

    void close() {
        secret.close();
    }
}
