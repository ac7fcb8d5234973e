package org.chainwalletd.payout;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.node.OwnCoins;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PayoutStore;

/**
 * Dependencies and settings of payouts.
 *
 * @param tip tip of the followed chain
 * @param nodes number of nodes that can be paid through now
 * @param listener receives the payouts that have changed since the queue was loaded, in the order of their changes
 * @param executor runs continuations; never blocks
 */
public record PayoutEnvironment(
        PayoutStore store,
        IntentStore intents,
        SpendService spending,
        OwnCoins coins,
        Supplier<Optional<BlockPlace>> tip,
        Tokens tokens,
        Rules rules,
        IntSupplier nodes,
        Consumer<List<PayoutStore.Payout>> listener,
        Clock clock,
        Threads threads,
        Executor executor) {
    /**
     * Threads that wait for the store, the books and spends, none of which may depend on these threads.
     *
     * @param calls for callers, of which there may be many, waiting for a long time
     * @param upkeep for the queue, so that calls that wait for a node do not delay it
     */
    public record Threads(Executor calls, Executor upkeep) {}

    /**
     * Rules of the queue.
     *
     * @param most maximum number of unfinished payouts
     * @param delay age of the oldest payout at which its batch closes
     * @param usableCoins target number of coins of each paying address
     * @param limits operator's limits of all spends
     * @param checkEvery pause between the checks of ended tokens, unfinished recalls and vanished inputs
     */
    public record Rules(
            long most,
            Duration delay,
            FeeChoice fee,
            int usableCoins,
            AllowanceStore.Limits limits,
            Duration checkEvery) {
        public static final Duration CHECK_EVERY = Duration.ofSeconds(2);
    }

    /** Rights of access tokens, by name; {@link PayoutStore#CLASSIC} stands for the classic token. */
    public interface Tokens {
        /** Whether the token was revoked, was switched off, has expired, or is unknown. */
        boolean hasEnded(String name);

        /** Maximum amount that one transaction of the token may spend. */
        Optional<Amount> capPerTx(String name);
    }

    Optional<String> stopped() {
        return spending.stopped();
    }

    long height() {
        return tip.get().map(BlockPlace::height).orElse(0L);
    }

    Optional<Amount> capOf(Optional<String> owner) {
        return owner.flatMap(tokens::capPerTx);
    }
}
