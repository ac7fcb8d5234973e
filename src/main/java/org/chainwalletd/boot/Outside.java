package org.chainwalletd.boot;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.config.Settings;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.RpcUpstream;
import org.chainwalletd.swap.pool.Pool;

/**
 * Whom the daemon asks: the chain's nodes, indexers, the pool. The account chain's endpoints are with their key, in {@link Accounts}.
 *
 * @param peers the way to all of them
 * @param devnet the embedded development node, if there is one
 */
record Outside(
        HttpPeers peers, Nodes nodes, Optional<IndexerClient> indexer, Optional<Pool> pool, Optional<Devnet> devnet) {
    /**
     * @param console lines for the operator
     * @throws IOException when the pinned genesis or the development chain cannot be read
     */
    static Outside start(Ground ground, Closers closers, Consumer<String> console) throws IOException {
        Settings settings = ground.settings();
        Nodes.Way way = openWay(ground, closers);
        GenesisFile genesis = new GenesisFile(settings.datadir());
        // Refuses a damaged one before anything listens.
        genesis.read();
        Optional<Devnet> devnet = startDevnet(settings, closers, console);
        Nodes nodes = Nodes.start(
                ground.guardian(),
                devnet.map(node -> settings.node().withUrls(List.of(node.uri())))
                        .orElse(settings.node()),
                settings.identity().genesis(),
                settings.identity().network(),
                genesis,
                way,
                ground.workers().disk());
        Optional<Pool> pool = settings.swaps()
                .partner()
                .map(swap -> SwapPool.open(
                        way.peers(),
                        ground.heldForPeers(),
                        settings,
                        swap,
                        ground.workers().answers()));
        return new Outside(way.peers(), nodes, indexer(ground, way, devnet), pool, devnet);
    }

    private static Nodes.Way openWay(Ground ground, Closers closers) {
        HttpPeers peers = HttpPeers.start(
                ground.system(), ground.workers().upstream(), () -> ground.threadEnded("the thread of connections"));
        closers.add("connections", peers::close);
        return new Nodes.Way(
                peers,
                ground.heldForPeers().within(ByteBudget.ofHeap(Nodes.HEAP_SHARE).limit()),
                ground.workers().upstream(),
                ground.meters());
    }

    private static Optional<Devnet> startDevnet(Settings settings, Closers closers, Consumer<String> console)
            throws IOException {
        if (settings.devnet().isEmpty()) {
            return Optional.empty();
        }
        Devnet node = DevelopmentNode.start(settings, settings.devnet().get());
        closers.add("development node", node::close);
        console.accept("development node on " + node.uri() + " with its indexer on " + node.indexerUri());
        return Optional.of(node);
    }

    /** The development chain's own, unless the operator names another one. */
    private static Optional<IndexerClient> indexer(Ground ground, Nodes.Way way, Optional<Devnet> devnet) {
        Settings.Node node = ground.settings().node();
        return node.indexer()
                .or(() -> devnet.map(chain -> new Settings.Indexer(List.of(chain.indexerUri()), Optional.empty())))
                .map(indexer -> new IndexerClient(
                        RpcUpstream.toIndexers(ground.guardian(), node.withUrls(indexer.urls()), indexer.token(), way),
                        ground.workers().answers()));
    }

    Optional<URI> devnetUri() {
        return devnet.map(Devnet::uri);
    }
}
