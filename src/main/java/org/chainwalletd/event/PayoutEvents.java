package org.chainwalletd.event;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.State;

/**
 * Publishes {@code payout}: payouts that have changed together are one event, which names the first of them. A batch has up to 2,000 payouts: an
 * event for each would cut the streams of all readers.
 */
public final class PayoutEvents implements Consumer<List<Payout>> {
    private static final String KIND = "payout";

    /** Key by which payouts are told in one event. */
    private record Group(State state, Optional<Hash256> txId, Optional<String> tokenName) {
        static Group of(Payout payout) {
            List<Hash256> attempts = payout.attempts();
            boolean carried = payout.outputIndex().isPresent();
            return new Group(
                    payout.state(),
                    carried ? Optional.of(attempts.get(attempts.size() - 1)) : Optional.empty(),
                    payout.owner());
        }
    }

    /**
     * @param payoutId of the first one
     * @param count of the payouts
     * @param txId of the transaction that carries them
     */
    private record View(
            String payoutId, long count, String state, Optional<Hash256> txId, Optional<String> tokenName) {}

    private final EventHub hub;

    public PayoutEvents(EventHub hub) {
        this.hub = hub;
    }

    @Override
    public void accept(List<Payout> changed) {
        if (!hub.isHeard()) {
            return;
        }
        Map<Group, View> events = new LinkedHashMap<>();
        for (Payout payout : changed) {
            Group group = Group.of(payout);
            events.merge(
                    group,
                    new View(
                            payout.order().payoutId(),
                            1,
                            group.state().name().toLowerCase(Locale.ROOT),
                            group.txId(),
                            group.tokenName()),
                    (first, next) -> new View(
                            first.payoutId(), first.count() + 1, first.state(), first.txId(), first.tokenName()));
        }
        events.values().forEach(event -> hub.publish(KIND, event));
    }
}
