package org.chainwalletd.blackbox;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.pool.PoolConduct;
import org.chainwalletd.devnet.pool.PoolSwap;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmEndpoint;

/** Both chains and a pool, in the test's own process, which outlives every daemon that trades on them. Blocks are mined when a test waits. */
final class SwapGround implements AutoCloseable {
    /** Duration of a seller's lock: more blocks than are mined even on a busy machine. */
    static final int SELLERS_BLOCKS = 4_200;

    private static final long LOOK_MILLIS = 100;

    private final Doors doors = new Doors();
    private final TwoChains chains =
            TwoChains.startNow(doors, config -> config.withLocks(SELLERS_BLOCKS, 28_800, 7_200, 1_440));
    private final EvmEndpoint second = chains.evm().newEndpoint();

    /** Honest pool whose locks can be delayed. */
    private static final class Doors implements PoolConduct {
        private volatile boolean sells = true;
        private volatile boolean buys = true;

        @Override
        public boolean locks(PoolSwap swap) {
            return swap.isSell() ? sells : buys;
        }
    }

    SwapGround() {
        rounds(4);
    }

    TwoChains chains() {
        return chains;
    }

    /** Returns the options of a daemon that trades here. */
    String[] options() {
        return new String[] {
            "--swap-pool",
            chains.poolUri().toString(),
            "--swap-contract",
            chains.evm().contract().toString(),
            "--swap-contract-code-hash",
            "0x" + chains.evm().codeHash().hex(),
            "--swap-chain-confirmations",
            "2",
            "--evm-rpc",
            chains.evm().uri() + "," + second.uri(),
            "--evm-chain-id",
            "31337",
            "--expect-genesis",
            chains.chain().genesisId().hex()
        };
    }

    /** Sets whether the pool responds to locks of sellers, or of buyers, with its own lock. */
    void poolLocks(boolean inSells, boolean yes) {
        if (inSells) {
            doors.sells = yes;
        } else {
            doors.buys = yes;
        }
    }

    /** Pays coins of a million units or more each, and wei. */
    synchronized void fund(String address, List<Long> coins, String account, BigInteger wei) {
        coins.forEach(coin -> chains.chain().faucet(Address.parse(address), Amount.of(coin)));
        chains.evm().fund(EvmAddress.parse(account), wei);
        // Locks are paid only from the settled balance.
        chains.evm().mine(4);
        round();
    }

    /** Mines a block on either chain, then lets the pool work. The chains' clock is the machine's, by which the daemon checks quotes. */
    synchronized void round() {
        Duration behind = Duration.between(chains.clock().instant(), Instant.now());
        chains.clock().advance(behind.isNegative() ? Duration.ZERO : behind);
        chains.chain().mine(1);
        chains.evm().mine();
        chains.pool().work();
    }

    void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round();
        }
    }

    /**
     * Runs a round if the daemon has followed the last one, so that no lock expires while a machine is busy; then gives the daemon a moment to see
     * it.
     */
    void roundFor(DaemonProcess daemon) {
        if (isFollowedBy(daemon)) {
            round();
        }
        Await.pause(LOOK_MILLIS);
    }

    boolean isFollowedBy(DaemonProcess daemon) {
        long height = height();
        try {
            return daemon.call("get_follower_status", Map.of())
                            .path("last_indexed_height")
                            .asLong()
                    >= height;
        } catch (WalletdException notNow) {
            return false;
        }
    }

    synchronized void mineChain(int blocks) {
        chains.chain().mine(blocks);
    }

    long height() {
        return chains.chain().tip().height();
    }

    @Override
    public void close() {
        chains.close();
    }
}
