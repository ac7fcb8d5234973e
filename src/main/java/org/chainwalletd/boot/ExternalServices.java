package org.chainwalletd.boot;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.chainwalletd.config.HeapShares;
import org.chainwalletd.config.Settings;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeer;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.RpcUpstream;
import org.chainwalletd.swap.pool.HttpPool;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.swap.pool.PoolCertificate;
import org.chainwalletd.swap.pool.PoolWords;

/**
 * External services of the daemon: nodes of the chain, indexers and the pool. The endpoints of the account chain are in {@link Accounts}.
 *
 * @param peers HTTP access to all of them
 * @param devnet embedded development node, if there is one
 */
record ExternalServices(
        HttpPeers peers, Nodes nodes, Optional<IndexerClient> indexer, Optional<Pool> pool, Optional<Devnet> devnet) {
    private static final Duration POOL_TIMEOUT = Duration.ofSeconds(15);

    /**
     * @param genesis file that pins the genesis
     * @param console receives lines for the operator
     * @throws IOException when the pinned genesis or the development chain cannot be read
     */
    static ExternalServices start(
            DaemonContext context, GenesisFile genesis, ShutdownSequence shutdown, Consumer<String> console)
            throws IOException {
        Settings settings = context.settings();
        Nodes.Transport transport = openTransport(context, shutdown);
        // Refuses a damaged file before anything listens.
        genesis.read();
        Optional<Devnet> devnet = startDevnet(settings, shutdown, console);
        Nodes nodes = Nodes.start(
                context.guardian(),
                devnet.map(node -> settings.node().withUrls(List.of(node.uri())))
                        .orElse(settings.node()),
                settings.identity().genesis(),
                settings.identity().network(),
                genesis,
                transport,
                context.workers().disk());
        Optional<Pool> pool = settings.swaps()
                .partner()
                .map(swap -> pool(
                        transport.peers(),
                        context.heldForPeers(),
                        settings,
                        swap,
                        context.workers().answers()));
        return new ExternalServices(transport.peers(), nodes, indexer(context, transport, devnet), pool, devnet);
    }

    private static Nodes.Transport openTransport(DaemonContext context, ShutdownSequence shutdown) {
        HttpPeers peers = HttpPeers.start(
                context.system(), context.workers().upstream(), () -> context.threadEnded("the thread of connections"));
        shutdown.add("connections", peers::close);
        return new Nodes.Transport(
                peers,
                context.heldForPeers().within(HeapShares.ofThisProcess().peersOfOneKind()),
                context.workers().upstream(),
                context.meters());
    }

    private static Optional<Devnet> startDevnet(Settings settings, ShutdownSequence shutdown, Consumer<String> console)
            throws IOException {
        if (settings.devnet().isEmpty()) {
            return Optional.empty();
        }
        Devnet node = DevnetSetup.start(settings, settings.devnet().get());
        shutdown.add("development node", node::close);
        console.accept("development node on " + node.uri() + " with its indexer on " + node.indexerUri());
        return Optional.of(node);
    }

    /** Chooses the indexer: the configured one, otherwise that of the development chain. */
    private static Optional<IndexerClient> indexer(
            DaemonContext context, Nodes.Transport transport, Optional<Devnet> devnet) {
        Settings.Node node = context.settings().node();
        return node.indexer()
                .or(() -> devnet.map(chain -> new Settings.Indexer(List.of(chain.indexerUri()), Optional.empty())))
                .map(indexer -> new IndexerClient(
                        RpcUpstream.toIndexers(
                                context.guardian(), node.withUrls(indexer.urls()), indexer.token(), transport),
                        context.workers().answers()));
    }

    Optional<URI> devnetUri() {
        return devnet.map(Devnet::uri);
    }

    /** @throws StartupException when the file contains no certificate */
    private static Pool pool(
            HttpPeers peers, ByteBudget heldForPeers, Settings settings, Settings.Swap swap, Executor executor) {
        Settings.EvmWords evm = settings.account().words();
        PoolWords words = new PoolWords(settings.chain().brand(), evm.brand(), evm.nativeAsset());
        HttpPeer peer =
                trust(swap).map(own -> peers.trustedBy(swap.pool(), own)).orElseGet(() -> peers.to(swap.pool()));
        return new HttpPool(peer, words, POOL_TIMEOUT, heldForPeers.within(HttpPool.MOST_HELD), executor);
    }

    private static Optional<SSLContext> trust(Settings.Swap swap) {
        try {
            return swap.poolCa().map(PoolCertificate::trustOnly);
        } catch (IllegalArgumentException e) {
            throw new StartupException("--swap-pool-ca: " + e.getMessage());
        }
    }
}
