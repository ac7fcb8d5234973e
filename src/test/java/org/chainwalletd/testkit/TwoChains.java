package org.chainwalletd.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.ledger.Genesis;
import org.chainwalletd.devnet.pool.Pool;
import org.chainwalletd.devnet.pool.PoolConduct;
import org.chainwalletd.devnet.pool.PoolConfig;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;

/**
 * Everything that a swap needs outside of the daemon: the chain, the account chain and a pool with money on both, with a common clock that the test
 * moves. Nothing happens automatically: {@link #round} mines a block on either chain and lets the pool work.
 */
public final class TwoChains implements AutoCloseable {
    private static final int FIRST_BLOCKS = 20;
    private static final long POOL_COINS = 20_000_000_000L;
    private static final BigInteger POOL_WEI = BigInteger.TEN.pow(21);
    /** The time between blocks is limited; from this time on the chain's own time is the clock's. */
    private static final Instant SOON_AFTER_GENESIS = Instant.parse("2026-03-20T08:00:00Z");

    private static final Duration BLOCK = Duration.ofSeconds(10);

    private final ManualClock clock;
    private final Devnet chain;
    private final EvmDevnet evm;
    private final Pool pool;

    private TwoChains(Instant from, PoolConduct conduct, UnaryOperator<PoolConfig> change) throws IOException {
        clock = new ManualClock(from);
        chain = Devnet.start(DevnetConfig.onDemand(ChainProfile.of("chain"))
                .withFirstBlocks(Math.max(FIRST_BLOCKS, blocksUntil(from)))
                .withClock(clock));
        evm = EvmDevnet.start(clock);
        PoolConfig config =
                change.apply(PoolConfig.development(evm.uri(), evm.contract()).withClock(clock));
        pool = Pool.start(config, chain.ledger(), secret(0x61), secret(0x62), conduct);
        chain.faucet(pool.chainAddress(), Amount.of(POOL_COINS));
        chain.mine(1);
        evm.fund(pool.evmAddress(), POOL_WEI);
    }

    /** A block is at most a week after its parent, so this many blocks lead from the genesis block to a clock. */
    private static int blocksUntil(Instant clock) {
        long weeks = Duration.between(Instant.ofEpochSecond(Genesis.TIMESTAMP), clock)
                        .toDays()
                / 7;
        return Math.toIntExact(weeks + 2);
    }

    /** Starts the chains with an honest pool. */
    public static TwoChains start() {
        return start(PoolConduct.HONEST);
    }

    public static TwoChains start(PoolConduct conduct) {
        return start(conduct, config -> config);
    }

    public static TwoChains start(PoolConduct conduct, UnaryOperator<PoolConfig> change) {
        return start(SOON_AFTER_GENESIS, conduct, change);
    }

    /** Starts with a clock that begins at this machine's time, for a daemon that uses the machine's clock. */
    public static TwoChains startNow(PoolConduct conduct, UnaryOperator<PoolConfig> change) {
        return start(Instant.now().truncatedTo(ChronoUnit.SECONDS), conduct, change);
    }

    private static TwoChains start(Instant from, PoolConduct conduct, UnaryOperator<PoolConfig> change) {
        try {
            return new TwoChains(from, conduct, change);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SecretBytes secret(int everyByte) {
        byte[] secret = new byte[32];
        Arrays.fill(secret, (byte) everyByte);
        return SecretBytes.takeOver(secret);
    }

    public ManualClock clock() {
        return clock;
    }

    public Devnet chain() {
        return chain;
    }

    public EvmDevnet evm() {
        return evm;
    }

    /**
     * Returns the flags, with values, of a daemon that swaps here.
     *
     * @param second second endpoint of the account chain
     */
    public List<String> flags(EvmEndpoint second) {
        return List.of(
                "--swap-pool",
                poolUri().toString(),
                "--swap-contract",
                evm.contract().toString(),
                "--swap-contract-code-hash",
                "0x" + evm.codeHash().hex(),
                "--evm-rpc",
                evm.uri() + "," + second.uri(),
                "--evm-chain-id",
                "31337",
                "--expect-genesis",
                chain.genesisId().hex());
    }

    public Pool pool() {
        return pool;
    }

    public URI poolUri() {
        return pool.uri();
    }

    /** Lets ten seconds pass, mines a block on either chain, then lets the pool work. */
    public void round() {
        clock.advance(BLOCK);
        chain.mine(1);
        evm.mine();
        pool.work();
    }

    public void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round();
        }
    }

    @Override
    public void close() {
        pool.close();
        evm.close();
        chain.close();
    }
}
