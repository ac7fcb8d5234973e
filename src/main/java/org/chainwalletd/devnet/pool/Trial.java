package org.chainwalletd.devnet.pool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.evm.EvmAddress;

/**
 * Everything outside the daemon that a swap on development chains needs: the hash time lock deployed on the account chain, and a pool with
 * money on both chains. The account chain must be one for development, with chain id 31337 and unlocked rich accounts, as {@code anvil} is.
 */
public final class Trial implements AutoCloseable {
    public static final long CHAIN_ID = 31_337;

    private static final String ETHER = "0x3635c9adc5dea00000"; // 1,000 native coins in wei
    private static final long POOL_COINS = 20_000_000_000L;
    private static final Duration PACE = Duration.ofMillis(500);
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final long LOOK_NANOS = 50_000_000L;
    private static final int SECRET_LENGTH = 32;

    private final EvmRpc evm;
    private final String rich;
    private final Pool pool;
    private final EvmAddress contract;
    private final Hash256 codeHash;

    private Trial(EvmRpc evm, String rich, Pool pool, EvmAddress contract, Hash256 codeHash) {
        this.evm = evm;
        this.rich = rich;
        this.pool = pool;
        this.contract = contract;
        this.codeHash = codeHash;
    }

    /**
     * Deploys the contract, funds the pool and starts it. Mines a block on the chain to confirm the pool's coins.
     *
     * @throws IOException when the account chain does not answer, is none for development, or mines nothing for half a minute
     */
    public static Trial start(Devnet devnet, URI evmRpc) throws IOException {
        EvmRpc evm = new EvmRpc(evmRpc);
        if (!EvmRpc.number(evm.call("eth_chainId")).equals(BigInteger.valueOf(CHAIN_ID))) {
            throw new IOException(
                    "the account chain at " + evmRpc + " is none for development: its chain id is not " + CHAIN_ID);
        }
        String rich = evm.call("eth_accounts").path(0).asText();
        JsonNode deployed = sent(evm, Map.of("from", rich, "data", "0x" + initCode(), "gas", "0x100000"));
        EvmAddress contract = EvmAddress.parse(deployed.path("contractAddress").asText());
        Bytes code = EvmRpc.bytes(evm.call("eth_getCode", contract.toString(), "latest"));
        SecureRandom random = new SecureRandom();
        Pool pool = Pool.start(
                PoolConfig.development(evmRpc, contract).withInterval(PACE),
                devnet.ledger(),
                SecretBytes.random(SECRET_LENGTH, random),
                SecretBytes.random(SECRET_LENGTH, random));
        try {
            sent(evm, Map.of("from", rich, "to", pool.evmAddress().toString(), "value", ETHER));
            devnet.faucet(pool.chainAddress(), Amount.of(POOL_COINS));
            devnet.mine(1);
        } catch (IOException | RuntimeException e) {
            pool.close();
            throw e;
        }
        return new Trial(evm, rich, pool, contract, Hash256.of(Keccak256.of(code.toArray())));
    }

    /** Sends from an unlocked account; returns the receipt. */
    private static JsonNode sent(EvmRpc evm, Map<String, String> transaction) throws IOException {
        JsonNode hash = evm.call("eth_sendTransaction", transaction);
        long began = System.nanoTime();
        JsonNode receipt = evm.call("eth_getTransactionReceipt", hash.asText());
        while (receipt.isNull()) {
            if (System.nanoTime() - began > PATIENCE_NANOS) {
                throw new IOException("the account chain has mined no block for half a minute");
            }
            LockSupport.parkNanos(LOOK_NANOS);
            receipt = evm.call("eth_getTransactionReceipt", hash.asText());
        }
        if (!receipt.path("status").asText().equals("0x1")) {
            throw new IOException("the account chain refused a transaction of the trial");
        }
        return receipt;
    }

    private static String initCode() throws IOException {
        try (InputStream in = Trial.class.getResourceAsStream("HashTimeLock.json")) {
            return new ObjectMapper().readTree(in).required("bytecode").textValue();
        }
    }

    public Pool pool() {
        return pool;
    }

    /**
     * Pays from a rich account of the account chain; when this returns, a further block is on top of the payment's.
     *
     * @throws IOException when the account chain does not do it within half a minute
     */
    public void give(EvmAddress to, BigInteger wei) throws IOException {
        sent(evm, Map.of("from", rich, "to", to.toString(), "value", "0x" + wei.toString(16)));
        // Mined by a later block, since the first one is over.
        sent(evm, Map.of("from", rich, "to", rich, "value", "0x0"));
    }

    /** Address of the contract with the hash time locks. */
    public EvmAddress contract() {
        return contract;
    }

    /** Keccak-256 of its code. */
    public Hash256 codeHash() {
        return codeHash;
    }

    @Override
    public void close() {
        pool.close();
    }
}
