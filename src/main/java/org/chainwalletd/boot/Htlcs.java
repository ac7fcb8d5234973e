package org.chainwalletd.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
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
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.rpc.method.HtlcMethods;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.books.Books;

/**
 * HTLC services for the methods: spends and index.
 *
 * @param records the daemon's own records, without data from an indexer
 * @param sightings records of HTLC spends; also receives spends seen in mempools
 */
record Htlcs(HtlcMethods.Services methods, HtlcRecords records, Sightings sightings) {
    /** Dependencies of the HTLC services. */
    record Parts(
            Settings settings,
            Nodes nodes,
            Keyring keyring,
            Store store,
            Books books,
            Follower follower,
            SpendService spending,
            Optional<IndexerClient> indexer,
            HtlcListener listener,
            HtlcOwners owners,
            Consumer<List<Address>> parties) {}

    static Htlcs start(
            Parts parts,
            Background background,
            Spawner spawner,
            BooleanSupplier isKeeper,
            MeterRegistry meters,
            Executor executor) {
        Settings settings = parts.settings();
        Sightings sightings =
                new Sightings(parts.books(), parts.store().intents(), Following.htlcs(settings), executor);
        HtlcSpends spends = new HtlcSpends(
                settings.chain(),
                parts.nodes().chain(),
                parts.keyring(),
                parts.spending(),
                sightings,
                parts.owners(),
                executor);
        HtlcWatch.HtlcMetrics metrics = new HtlcWatch.HtlcMetrics(meters);
        HtlcWatch watch = new HtlcWatch(
                settings.chain(),
                parts.books(),
                parts.follower()::tip,
                sightings,
                new LostLocks(parts.nodes().client(), sightings, executor),
                spends,
                metrics,
                parts.follower()::subscribe,
                parts.parties(),
                settings.spend().autoReclaim());
        background.begin("htlc-index", HtlcIndex.create(watch), command -> {});
        publishNews(parts, sightings, background, spawner, isKeeper);
        LocalRecords own = new LocalRecords(settings.chain(), parts.books(), parts.follower()::tip, executor);
        HtlcRecords merged = parts.indexer()
                .<HtlcRecords>map(indexer -> new MergedRecords(
                        settings.chain(),
                        own,
                        indexer,
                        address -> parts.keyring()
                                .find(address)
                                .thenApplyAsync(entry -> entry.flatMap(KeyEntry::publicKey), executor),
                        executor))
                .orElse(own);
        return new Htlcs(new HtlcMethods.Services(spends, merged, own::forget, own::count), own, sightings);
    }

    /**
     * Publishes HTLC events. With shared books each daemon publishes to its own subscribers what any daemon has written; otherwise this is
     * background work.
     */
    private static void publishNews(
            Parts parts, Sightings sightings, Background background, Spawner spawner, BooleanSupplier isKeeper) {
        boolean shared = parts.books().isShared();
        Behavior<HtlcNews.Command> news = HtlcNews.create(
                parts.books(),
                parts.follower()::tip,
                parts.follower()::subscribe,
                sightings,
                parts.listener(),
                shared ? isKeeper : () -> true);
        if (shared) {
            spawner.spawn(news, "htlc-news");
        } else {
            background.begin("htlc-news", news, command -> {});
        }
    }
}
