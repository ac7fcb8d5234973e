package org.chainwalletd.boot;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.coins.LedgerSpends;
import org.chainwalletd.coins.OutputSource;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.config.Settings;
import org.chainwalletd.event.OwnEvents.PayoutEvents;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.PermittedSends;
import org.chainwalletd.payout.PayoutEnvironment;
import org.chainwalletd.payout.Payouts;
import org.chainwalletd.spend.SpendEnvironment;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.ObservedIntentStore.IntentListener;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.sweep.Sweeps;

/** Startup of spending, the only path by which money leaves, of the queue of payouts and of the sweeps. */
final class Spending {
    /** Delay before a part of a sweep that could not be sent is retried. */
    private static final Duration SWEEP_PAUSE = Duration.ofSeconds(5);

    private static final Duration OPENING_TIMEOUT = Duration.ofMinutes(2);

    private Spending() {}

    /**
     * Starts spending; blocks until the spends in flight have been resumed.
     *
     * @param listener notified of each change of a spend
     */
    static SpendService start(Resources resources, Following following, IntentListener listener) {
        DaemonContext context = resources.context();
        SpendEnvironment environment = environment(resources, following, outputs(resources, following), listener);
        CompletableFuture<SpendService> started = new CompletableFuture<>();
        Guardian.spawn(context.system(), SpendService.create(environment, context.keeper(), started), "spending");
        return Futures.await(started, OPENING_TIMEOUT, "taking up the spends in flight");
    }

    /** Starts the queue of payouts as background work. */
    static Payouts payouts(
            Resources resources, Following following, SpendService spending, NamedTokens named, PayoutEvents events) {
        DaemonContext context = resources.context();
        Store store = resources.store();
        Settings.Spend settings = context.settings().spend();
        PayoutEnvironment.Rules rules = new PayoutEnvironment.Rules(
                settings.payouts().most(),
                settings.payouts().delay(),
                new FeeChoice.Rate(settings.payouts().feeRate()),
                settings.payouts().coins(),
                new AllowanceStore.Limits(settings.capPerTx(), settings.capPerPeriod(), settings.capPeriod()),
                PayoutEnvironment.Rules.CHECK_EVERY);
        return Payouts.start(
                new PayoutEnvironment(
                        store.payouts(),
                        store.intents(),
                        spending,
                        following.ledger(),
                        following.spends()::tip,
                        tokens(context, named),
                        rules,
                        () -> resources.nodes().seen().get().answering(),
                        events,
                        context.clock(),
                        new PayoutEnvironment.Threads(
                                context.workers().blocking("payout-calls"),
                                context.workers().blocking("payouts")),
                        resources.upstream()),
                context.keeper());
    }

    /** Starts sweeps as background work. */
    static Sweeps sweeps(Resources resources, Following following, SpendService spending, NamedTokens named) {
        DaemonContext context = resources.context();
        Store store = resources.store();
        Nodes nodes = resources.nodes();
        return Sweeps.start(
                new Sweeps.Environment(
                        context.settings().chain(),
                        store.sweeps(),
                        store.reservations(),
                        spending,
                        following.ledger(),
                        resources.keyring()::owns,
                        () -> nodes.seen().get().answering(),
                        name -> hasEnded(context, named, name),
                        SWEEP_PAUSE,
                        context.clock(),
                        new Sweeps.Threads(
                                context.workers().blocking("sweeps"),
                                context.workers().blocking("sweep-reads"),
                                context.workers().blocking("sweep-parts"))),
                context.keeper());
    }

    private static PayoutEnvironment.Tokens tokens(DaemonContext context, NamedTokens named) {
        return new PayoutEnvironment.Tokens() {
            @Override
            public boolean hasEnded(String name) {
                return Spending.hasEnded(context, named, name);
            }

            @Override
            public Optional<Amount> capPerTx(String name) {
                return named.row(name).flatMap(row -> row.policy().mostPerTransaction());
            }
        };
    }

    /** Whether a token must not pay any more: a named token has ended, or the classic one, {@link PayoutStore#CLASSIC}, is disabled. */
    private static boolean hasEnded(DaemonContext context, NamedTokens named, String name) {
        return name.equals(PayoutStore.CLASSIC)
                ? !context.settings().http().access().classicTokens().contains(PayoutStore.CLASSIC)
                : named.hasEnded(name);
    }

    private static VerifiedOutputs outputs(Resources resources, Following following) {
        ChainProfile chain = resources.settings().chain();
        return new VerifiedOutputs(
                chain,
                List.of(
                        OutputSource.ofIntents(chain, resources.store().intents(), resources.upstream()),
                        following.books()::verified),
                resources.nodes().client(),
                resources.upstream(),
                resources.context().meters());
    }

    private static SpendEnvironment environment(
            Resources resources, Following following, VerifiedOutputs outputs, IntentListener listener) {
        DaemonContext context = resources.context();
        Settings settings = context.settings();
        Nodes nodes = resources.nodes();
        Store store = resources.store();
        NodeClient sends = settings.database().isPresent()
                ? new PermittedSends(nodes.client(), store::maySend, resources.upstream())
                : nodes.client();
        LedgerSpends node =
                new LedgerSpends(sends, following.ledger(), settings.follow().ledgerFirst(), resources.upstream());
        return SpendEnvironment.of(
                settings,
                node,
                outputs,
                nodes.chain(),
                nodes.seen(),
                following.spends(),
                resources.keyring(),
                store,
                listener,
                context.meters(),
                context.clock(),
                resources.upstream());
    }
}
