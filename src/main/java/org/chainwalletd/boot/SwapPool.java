package org.chainwalletd.boot;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import org.chainwalletd.config.Settings;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeer;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.swap.pool.HttpPool;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.swap.pool.PoolCertificate;
import org.chainwalletd.swap.pool.PoolWords;

/** The client of the pool that is configured. */
final class SwapPool {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private SwapPool() {}

    /** @throws StartupException for a file that holds no certificate */
    static Pool open(
            HttpPeers peers, ByteBudget heldForPeers, Settings settings, Settings.Swap swap, Executor executor) {
        Settings.EvmWords evm = settings.account().words();
        PoolWords words = new PoolWords(settings.chain().brand(), evm.brand(), evm.nativeAsset());
        HttpPeer peer =
                trust(swap).map(own -> peers.trustedBy(swap.pool(), own)).orElseGet(() -> peers.to(swap.pool()));
        return new HttpPool(peer, words, PATIENCE, heldForPeers.within(HttpPool.MOST_HELD), executor);
    }

    private static Optional<SSLContext> trust(Settings.Swap swap) {
        try {
            return swap.poolCa().map(PoolCertificate::trustOnly);
        } catch (IllegalArgumentException e) {
            throw new StartupException("--swap-pool-ca: " + e.getMessage());
        }
    }
}
