package org.chainwalletd.store;

import static org.chainwalletd.store.StoreSample.done;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.Submission;

/**
 * Sample with a payout and a sweep in every state and a watched address, and its text form; for the samples under {@code frozen} from version 19 on.
 */
public final class PayoutSample {
    private static final Address PAYER = Address.parse("a7".repeat(32));
    private static final Address PAID = Address.parse("b7".repeat(32));
    private static final long AT = StoreSample.BEGUN + 1_000;
    private static final Optional<String> WORKER = Optional.of("worker");

    private PayoutSample() {}

    /** Writes the sample as the daemon would. */
    public static void write(Store store) {
        done(store.watchOnly()
                .put(new WatchStore.WatchOnly(
                        Address.parse("c7".repeat(32)), Optional.of("cold \u00fc"), OptionalLong.of(12))));
        List<Payout> payouts = submit(store, Optional.empty(), 0, 1, 2, 3, 4, 5, 6);
        submit(store, WORKER, 7, 8);
        done(store.payouts().cancel(List.of("payout-1"), PayoutStore.Claimant.ANYBODY, AT + 1));
        store.payouts().endedTokens(Set.of(WORKER.get())::contains);
        done(store.payouts().holdEnded(Set.of(WORKER.get()), AT + 2));

        open(store, 0, payouts.get(2), payouts.get(3));
        Intent confirmed = open(store, 1, payouts.get(4));
        confirm(store, confirmed, 120);
        Intent buried = open(store, 2, payouts.get(5));
        confirm(store, buried, 110);
        done(store.intents().bury(List.of(buried.txId())));
        Intent lost = open(store, 3, payouts.get(6));
        done(store.intents().loseForGood(lost.txId(), IntentState.PREPARED, "its coin was spent elsewhere", AT + 6));
        done(store.payouts().pause(true));

        begin(store, "sweep-waiting", 0);
        begin(store, "sweep-stopped", 10);
        done(store.sweeps().move("sweep-stopped", SweepStore.State.RUNNING, SweepStore.State.STOPPED, "a cap \u00fc"));
        begin(store, "sweep-done", 20);
        SweepStore.Sweep sweep = done(store.sweeps().find("sweep-done")).orElseThrow();
        Intent part = part(sweep, sweep.parts().get(0).part());
        done(store.intents().open(part, 0));
        confirm(store, part, 121);
        done(store.sweeps().endUnopened("sweep-done", 1));
        done(store.sweeps().move("sweep-done", SweepStore.State.RUNNING, SweepStore.State.DONE, ""));
    }

    private static Order order(int number) {
        return new Order(
                "payout-" + number,
                PAID,
                number == 0 ? Amount.ofUnsigned(-80_000) : Amount.of(1_000 + number),
                number % 2 == 0 ? Optional.of(Bytes.parse("0" + number)) : Optional.empty(),
                number % 3 == 0 ? Optional.of("invoice \u00fc " + number) : Optional.empty());
    }

    public static List<Payout> submit(Store store, Optional<String> owner, int... numbers) {
        List<Order> orders = new ArrayList<>();
        for (int number : numbers) {
            orders.add(order(number));
        }
        return ((Submission.Accepted) done(store.payouts().submit(orders, List.of(PAYER), owner, 100, AT))).payouts();
    }

    public static Intent open(Store store, int number, Payout... payouts) {
        List<TxOutput> outputs = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        for (Payout payout : payouts) {
            outputs.add(payout.order().output());
            numbers.add(payout.number());
        }
        outputs.add(TxOutput.toAddress(PAYER, Amount.of(700)));
        Intent batch = intent(
                StandIns.PAYOUT_BATCH,
                TokenBinding.ofDaemon("batch-" + number),
                List.of(coin(number)),
                outputs,
                OptionalInt.of(payouts.length));
        done(store.intents().openBatch(batch, numbers, 0, () -> AT + 3));
        return batch;
    }

    private static void confirm(Store store, Intent spend, long height) {
        done(store.intents().confirm(spend.txId(), IntentState.PREPARED, new BlockPlace(height, Hash256.ZERO), AT + 5));
    }

    private static void begin(Store store, String token, int firstCoin) {
        List<SweepStore.Part> parts = new ArrayList<>();
        for (int number = 0; number < 2; number++) {
            parts.add(new SweepStore.Part(
                    number,
                    Amount.of(300 + number),
                    List.of(
                            new SweepStore.OwnedCoin(PAYER, coin(100 + firstCoin + 2 * number)),
                            new SweepStore.OwnedCoin(PAID, coin(101 + firstCoin + 2 * number)))));
        }
        SweepStore.Order order = new SweepStore.Order(
                token,
                firstCoin == 10 ? WORKER : Optional.empty(),
                Hash256.sha256(new byte[] {5, (byte) firstCoin}),
                List.of(PAYER, PAID),
                Address.parse("d7".repeat(32)),
                Amount.of(61),
                firstCoin == 0 ? Optional.of("quarter \u00fc") : Optional.empty());
        done(store.sweeps().begin(order, StoreContract.cutter(parts), AT + firstCoin));
    }

    private static Intent part(SweepStore.Sweep sweep, SweepStore.Part part) {
        return intent(
                SweepStore.KIND,
                SweepStore.partToken(sweep.id(), part.number()),
                part.coins().stream().map(SweepStore.OwnedCoin::coin).toList(),
                List.of(TxOutput.toAddress(sweep.order().to(), Amount.of(10_000))),
                OptionalInt.empty());
    }

    private static Intent intent(
            String kind, String token, List<Coin> coins, List<TxOutput> outputs, OptionalInt change) {
        return StoreSample.signed(
                kind, PAYER, coins, outputs, change, txId -> Optional.of(new TokenBinding(token, txId)), AT + 3);
    }

    private static Coin coin(int number) {
        Hash256 made = Hash256.sha256(new byte[] {7, (byte) number});
        return new Coin(new Outpoint(made, number), Amount.of(100_000 + number));
    }

    /** Returns all readable data, one line each, except sweep ids, which are random, and the tokens of their parts. */
    public static String read(Store store) {
        StringBuilder lines = new StringBuilder();
        done(store.payouts().list(Optional.empty(), 0, 100))
                .forEach(payout -> lines.append(words(payout)).append('\n'));
        if (done(store.payouts().isPaused())) {
            lines.append("paused\n");
        }
        for (String token : List.of("sweep-waiting", "sweep-stopped", "sweep-done")) {
            done(store.sweeps().find(token))
                    .ifPresent(sweep -> lines.append(token + " " + words(sweep)).append('\n'));
        }
        done(store.watchOnly().all()).forEach(watched -> lines.append(watched).append('\n'));
        return lines.toString();
    }

    private static String words(Payout payout) {
        Order order = payout.order();
        return String.join(
                " ",
                List.of(
                        "payout",
                        Long.toString(payout.number()),
                        order.payoutId(),
                        order.to().hex(),
                        order.amount().toString(),
                        order.datum().toString(),
                        order.memo().toString(),
                        payout.state().name(),
                        payout.owner().toString(),
                        payout.from().toString(),
                        payout.attempts().toString(),
                        payout.outputIndex().toString(),
                        payout.height().toString(),
                        payout.feeShare().toString(),
                        Long.toString(payout.submittedAt()),
                        Long.toString(payout.changedAt())));
    }

    private static String words(SweepStore.Sweep sweep) {
        SweepStore.Order order = sweep.order();
        return String.join(
                " ",
                List.of(
                        order.owner().toString(),
                        order.digest().hex(),
                        order.from().toString(),
                        order.to().hex(),
                        order.minValue().toString(),
                        order.memo().toString(),
                        sweep.state().name(),
                        sweep.reason(),
                        Long.toString(sweep.createdAt()),
                        sweep.parts().stream().map(PayoutSample::told).toList().toString()));
    }

    private static String told(SweepStore.PartState part) {
        return "PartState[part=" + part.part() + ", spend=" + part.spend() + ", ended=" + part.ended() + "]";
    }
}
