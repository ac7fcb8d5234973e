package org.chainwalletd.boot;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.chain.Address;
import org.chainwalletd.config.Settings;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.htlc.HtlcIndex;
import org.chainwalletd.htlc.HtlcNews;
import org.chainwalletd.htlc.HtlcNews.HtlcListener;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.htlc.HtlcSpends.HtlcOwners;
import org.chainwalletd.htlc.HtlcWatch;
import org.chainwalletd.htlc.HtlcWatch.LostLocks;
import org.chainwalletd.htlc.LocalRecords;
import org.chainwalletd.htlc.MergedRecords;
import org.chainwalletd.htlc.Sightings;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.rpc.method.HtlcMethods;
import org.chainwalletd.spend.SpendService;

/**
 * HTLC services for the methods: spends and index.
 *
 * @param records the daemon's own records, without data from an indexer
 * @param sightings records of HTLC spends; also receives spends seen in mempools
 */
record Htlcs(HtlcMethods methods, LocalRecords records, Sightings sightings) {
    /** @param parties receives the addresses of the parties of open HTLCs */
    static Htlcs start(
            Resources resources,
            Follower follower,
            SpendService spending,
            HtlcListener listener,
            HtlcOwners owners,
            Consumer<List<Address>> parties) {
        Settings settings = resources.settings();
        Nodes nodes = resources.nodes();
        Keeper keeper = resources.context().keeper();
        Executor executor = resources.upstream();
        Sightings sightings =
                new Sightings(resources.books(), resources.store().intents(), Following.htlcs(settings), executor);
        HtlcSpends spends = new HtlcSpends(
                settings.chain(), nodes.chain(), resources.keyring(), spending, sightings, owners, executor);
        HtlcWatch.HtlcMetrics metrics =
                new HtlcWatch.HtlcMetrics(resources.context().meters());
        HtlcWatch watch = new HtlcWatch(
                settings.chain(),
                resources.books(),
                follower::tip,
                sightings,
                new LostLocks(nodes.client(), sightings, executor),
                spends,
                metrics,
                follower::subscribe,
                parties,
                settings.spend().autoReclaim());
        keeper.begin("htlc-index", HtlcIndex.create(watch), command -> {});
        publishNews(resources, follower, listener, sightings);
        LocalRecords own = new LocalRecords(settings.chain(), resources.books(), follower::tip, executor);
        HtlcRecords merged = resources
                .external()
                .indexer()
                .<HtlcRecords>map(indexer -> new MergedRecords(
                        settings.chain(),
                        own,
                        indexer,
                        address -> resources
                                .keyring()
                                .find(address)
                                .thenApplyAsync(entry -> entry.flatMap(KeyEntry::publicKey), executor),
                        executor))
                .orElse(own);
        return new Htlcs(
                new HtlcMethods(
                        spends,
                        merged,
                        own::forget,
                        own::count,
                        resources.workers().answers()),
                own,
                sightings);
    }

    /**
     * Publishes HTLC events. With shared books each daemon publishes to its own subscribers what any daemon has written; otherwise this is
     * background work.
     */
    private static void publishNews(
            Resources resources, Follower follower, HtlcListener listener, Sightings sightings) {
        DaemonContext context = resources.context();
        boolean shared = resources.books().isShared();
        Behavior<HtlcNews.Command> news = HtlcNews.create(
                resources.books(),
                follower::tip,
                follower::subscribe,
                sightings,
                listener,
                shared ? context.keeper()::isRunning : () -> true);
        if (shared) {
            context.guardian().spawn(news, "htlc-news");
        } else {
            context.keeper().begin("htlc-news", news, command -> {});
        }
    }
}
