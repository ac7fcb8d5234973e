package org.chainwalletd.payout;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.NodeClient;
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
 * @param nodes number of nodes
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
        AllowanceStore.Limits limits,
        Rules rules,
        IntSupplier nodes,
        Consumer<List<PayoutStore.Payout>> listener,
        Clock clock,
        Executor executor) {
    /**
     * Rules of the queue.
     *
     * @param most maximum number of unfinished payouts
     * @param delay age of the oldest payout at which its batch closes
     * @param usableCoins target number of coins of each paying address
     * @param checkEvery pause between the checks of ended tokens, unfinished recalls and vanished inputs
     */
    public record Rules(long most, Duration delay, FeeChoice fee, int usableCoins, Duration checkEvery) {
        public static final Duration CHECK_EVERY = Duration.ofSeconds(2);
    }

    /** Rights of access tokens, by name; {@link PayoutStore#CLASSIC} stands for the classic token. */
    public interface Tokens {
        /** Whether the token was revoked, was switched off, has expired, or is unknown. */
        boolean hasEnded(String name);

        /** Maximum amount that one transaction of the token may spend. */
        Optional<Amount> capPerTx(String name);
    }

    /** Confirmed coins whose values were read from bytes; the answers are empty while the books do not cover the address. */
    public interface OwnCoins {
        /** Lists the coins of an address; if there are very many, the most valuable ones. */
        CompletionStage<Optional<NodeClient.UtxoListing>> of(Address address);

        /** Finds those of {@code wanted} that are coins of the address, however many it has. */
        CompletionStage<Optional<Set<Outpoint>>> unspent(Address address, Set<Outpoint> wanted);

        /**
         * Finds the heights of the blocks that contain these transactions, in the same order; only for those that pay own or watched
         * addresses.
         */
        CompletionStage<List<OptionalLong>> heights(List<Hash256> txIds);
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
