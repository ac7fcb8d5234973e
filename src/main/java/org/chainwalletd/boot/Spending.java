package org.chainwalletd.boot;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.coins.IntentOutputs;
import org.chainwalletd.coins.LedgerOutputs;
import org.chainwalletd.coins.LedgerSpends;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.spend.SpendEnvironment;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.store.HeardIntents.IntentListener;
import org.chainwalletd.store.Store;

/** Starts the one way that money leaves. */
final class Spending {
    private static final Duration OPENING = Duration.ofMinutes(2);

    private Spending() {}

    /**
     * Blocks until what is in flight has been taken up.
     *
     * @param listener hears of each change of a spend
     */
    static SpendService start(
            DaemonContext context,
            Nodes nodes,
            Following following,
            Keyring keyring,
            Store store,
            IntentListener listener) {
        VerifiedOutputs outputs = outputs(context, nodes, following, store);
        SpendEnvironment environment = environment(context, nodes, following, keyring, store, outputs);
        CompletableFuture<SpendService> started = new CompletableFuture<>();
        Guardian.spawn(
                context.system(),
                SpendService.create(environment.heardBy(listener), context.keeper(), started),
                "spending");
        return Futures.await(started, OPENING, "taking up the spends in flight");
    }

    private static VerifiedOutputs outputs(DaemonContext context, Nodes nodes, Following following, Store store) {
        Workers workers = context.workers();
        return new VerifiedOutputs(
                context.settings().chain(),
                List.of(
                        new IntentOutputs(context.settings().chain(), store.intents(), workers.upstream()),
                        new LedgerOutputs(following.books(), workers.upstream())),
                nodes.client(),
                workers.upstream(),
                context.meters());
    }

    private static SpendEnvironment environment(
            DaemonContext context,
            Nodes nodes,
            Following following,
            Keyring keyring,
            Store store,
            VerifiedOutputs outputs) {
        Settings settings = context.settings();
        LedgerSpends node = new LedgerSpends(
                nodes.client(),
                following.ledger(),
                settings.follow().ledgerFirst(),
                context.workers().upstream());
        return SpendEnvironment.of(
                settings,
                node,
                outputs,
                nodes.chain(),
                nodes.seen(),
                following.spends(),
                keyring,
                store,
                context.meters(),
                context.workers().upstream());
    }
}
