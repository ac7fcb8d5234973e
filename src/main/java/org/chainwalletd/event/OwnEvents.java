package org.chainwalletd.event;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.htlc.HtlcNews.HtlcListener;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.rpc.method.HtlcMethods;
import org.chainwalletd.rpc.method.SwapMethods;
import org.chainwalletd.rpc.method.SwapWords;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.ObservedIntentStore.IntentListener;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.RawJson;
import org.chainwalletd.wire.U32;

/** Publishers for the daemon's own spends, payouts, HTLCs and swaps, one class for each kind of event. */
public final class OwnEvents {
    private OwnEvents() {}

    /** Publishes {@code spend}: each state change of a spend. */
    public static final class SpendEvents implements IntentListener {
        private static final String KIND = "spend";
        /** Cuts the reason, because a node's error text may be long. */
        private static final int REASON = 500;

        /**
         * @param method RPC method that requested the spend
         * @param state {@code prepared}, {@code accepted}, {@code confirmed}, {@code refused}, {@code conflicted}, {@code abandoned} or {@code
         *     contested}
         * @param reason present only for the last four states
         */
        private record View(
                Hash256 txId,
                Optional<String> clientToken,
                String method,
                Address from,
                String state,
                Optional<String> reason) {}

        private final EventHub hub;

        public SpendEvents(EventHub hub) {
            this.hub = hub;
        }

        @Override
        public boolean isListening() {
            return hub.hasListeners();
        }

        @Override
        public void changed(Intent intent, IntentState state, String reason) {
            hub.publish(
                    KIND,
                    new View(
                            intent.txId(),
                            intent.token().map(TokenBinding::token).filter(TokenBinding::isOfCaller),
                            intent.kind(),
                            intent.from(),
                            state.name().toLowerCase(Locale.ROOT),
                            Optional.of(reason.substring(0, Math.min(REASON, reason.length())))
                                    .filter(text -> !text.isEmpty())));
        }
    }

    /**
     * Publishes {@code payout}. Payouts that changed together are one event, which names the first of them: a batch has up to 2,000 payouts, and
     * one event for each would cut the streams of all readers.
     */
    public static final class PayoutEvents implements Consumer<List<Payout>> {
        private static final String KIND = "payout";

        /** Key by which changed payouts are grouped into one event. */
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
         * @param payoutId of the first payout of the group
         * @param count number of payouts in the group
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
            if (!hub.hasListeners()) {
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

    /** Publishes {@code htlc}: each change of a record, in the format of {@code htlc_status}. */
    public static final class HtlcEvents implements HtlcListener {
        private static final String KIND = "htlc";

        /** @param state null: a reorganisation removed the block of the lock, and no other source shows the lock */
        private record Removed(
                Hash256 lockTxId,
                @U32 long outputIndex,
                @OrNull Htlcs.State state) {}

        private final EventHub hub;

        public HtlcEvents(EventHub hub) {
            this.hub = hub;
        }

        @Override
        public boolean isListening() {
            return hub.hasListeners();
        }

        @Override
        public void changed(HtlcRecord record) {
            hub.publish(KIND, HtlcMethods.htlc(record));
        }

        @Override
        public void removed(Outpoint lock) {
            hub.publish(KIND, new Removed(lock.txId(), lock.index(), null));
        }
    }

    /** Publishes {@code swap}: each change of a swap, in the format of {@code swap_status}, and alarms for the operator. */
    public static final class SwapEvents implements Consumer<SwapRow> {
        private static final String KIND = "swap";

        private final EventHub hub;
        private final Function<SwapRow, RawJson> format;

        public SwapEvents(EventHub hub, SwapWords words) {
            this.hub = hub;
            this.format = SwapMethods.telling(words);
        }

        @Override
        public void accept(SwapRow row) {
            if (hub.hasListeners()) {
                hub.publish(KIND, format.apply(row));
            }
        }

        /** Alarm for the operator. Not a swap record: the alarm may concern a swap that has none. */
        private record AlarmRecord(String alarm, Optional<Hash256> hashlock, Optional<String> swapId, String error) {}

        public void alarm(SwapAlarm alarm) {
            if (hub.hasListeners()) {
                hub.publish(
                        KIND, new AlarmRecord(alarm.kind().word(), alarm.hashLock(), alarm.swap(), alarm.message()));
            }
        }
    }
}
