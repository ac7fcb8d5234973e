package org.chainwalletd.payout;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.FeeChoice;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.PayoutStore;

/**
 * What payouts stand on.
 *
 * @param nodes how many there are
 * @param executor for continuations; never blocks
 */
public record PayoutEnvironment(
        PayoutStore store,
        IntentStore intents,
        SpendService spending,
        OwnCoins coins,
        Tip tip,
        Tokens tokens,
        AllowanceStore.Limits limits,
        Rules rules,
        IntSupplier nodes,
        Clock clock,
        Executor executor) {
    /**
     * How payouts are made.
     *
     * @param most unfinished payouts
     * @param delay after which the oldest payout of a batch closes it
     * @param usableCoins that each paying address is to have
     */
    public record Rules(long most, Duration delay, FeeChoice fee, int usableCoins) {}

    /** What is known of a named token. */
    public interface Tokens {
        /** Whether it was revoked, has expired, or is not known. */
        boolean hasEnded(String name);

        /** Most that one of its transactions may spend. */
        Optional<Amount> capPerTx(String name);

        /** Nobody has named a token. */
        Tokens NONE = new Tokens() {
            @Override
            public boolean hasEnded(String name) {
                return true;
            }

            @Override
            public Optional<Amount> capPerTx(String name) {
                return Optional.empty();
            }
        };
    }

    /** Confirmed coins of an address whose values were read from bytes; empty while the books do not cover it. */
    @FunctionalInterface
    public interface OwnCoins {
        CompletionStage<Optional<NodeClient.UtxoListing>> of(Address address);
    }

    /** The end of the followed chain. */
    @FunctionalInterface
    public interface Tip {
        Optional<BlockPlace> place();
    }

    Optional<String> stopped() {
        return spending.stopped();
    }

    long height() {
        return tip.place().map(BlockPlace::height).orElse(0L);
    }

    Optional<Amount> capOf(Optional<String> owner) {
        return owner.flatMap(tokens::capPerTx);
    }
}
