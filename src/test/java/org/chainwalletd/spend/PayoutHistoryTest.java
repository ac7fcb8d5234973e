package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random histories of the queue: kills, lost and lying answers, refusals, reorganisations above the burial depth, recalls, cancels, pauses, the
 * same id through a transfer, a store that was lost. In the end each payout is on the chain once, or was cancelled and is not there.
 */
class PayoutHistoryTest {
    private static final int STEPS = 30;

    @TempDir
    Path folder;

    /** {@code -Dpayout.histories=10000} takes long. */
    @Test
    void each_payout_is_paid_once_whatever_happens_and_a_cancelled_one_never() {
        int histories = Integer.getInteger("payout.histories", 6);
        for (int i = 0; i < histories; i++) {
            Random random = Seeded.random("payout history " + i);
            try (History history = new History(folder.resolve("history-" + i), random)) {
                history.run();
            }
        }
    }

    /** One history. */
    private static final class History implements AutoCloseable {
        private final PayoutRig rig;
        private final Random random;
        private final Address payer;
        private final Set<Address> recipients = new HashSet<>();
        private final List<Integer> submitted = new ArrayList<>();
        private final Set<Integer> transferred = new HashSet<>();
        private final List<String> told = new ArrayList<>();
        private int last;

        History(Path folder, Random random) {
            this.rig = new PayoutRig(folder).start();
            this.random = random;
            this.payer = rig.spends.funded(1, 500_000, 400_000, 300_000, 200_000);
            rig.bury();
        }

        private static String id(int number) {
            return "payout-" + number;
        }

        private static Address recipient(int number) {
            return PayoutRig.recipient(number % 100);
        }

        private static long amount(int number) {
            return 1_000 + number;
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                step(random.nextInt(16));
                rig.spends.wake();
            }
            finish();
        }

        private void step(int kind) {
            told.add(String.valueOf(kind));
            switch (kind) {
                case 0, 1, 2 -> submit();
                case 3 -> quietly(() -> SpendHarness.get(rig.payouts.cancel(List.of(id(any())), Claimant.ANYBODY)));
                case 4 -> quietly(() -> SpendHarness.get(rig.payouts.pause(random.nextBoolean())));
                case 5, 6 -> mine(1);
                case 7 -> reorganise();
                case 8 -> rig.restart();
                case 9 ->
                    rig.spends.node.faults(method -> method.equals("send_raw_transaction")
                            ? LedgerNode.Fault.LOST_QUESTION
                            : LedgerNode.Fault.NONE);
                case 10 ->
                    rig.spends.node.faults(method -> method.equals("send_raw_transaction")
                            ? LedgerNode.Fault.LOST_ANSWER
                            : LedgerNode.Fault.NONE);
                case 11 -> rig.spends.node.refuseSends("Transaction validation failed: whatever");
                case 12 -> heal();
                case 13 -> recall();
                case 14 -> transfer();
                default -> {
                    rig.spends.clock.move(Duration.ofMinutes(random.nextInt(30)));
                    rig.spends.devnet.forgetMempool();
                }
            }
        }

        private int any() {
            return last == 0 ? 1 : 1 + random.nextInt(last);
        }

        private void submit() {
            int count = 1 + random.nextInt(3);
            PayoutStore.Order[] orders = new PayoutStore.Order[count];
            for (int i = 0; i < count; i++) {
                int number = ++last;
                orders[i] = PayoutRig.order(id(number), recipient(number), amount(number));
                recipients.add(recipient(number));
            }
            quietly(() -> {
                rig.submit(payer, orders);
                for (int i = 0; i < count; i++) {
                    submitted.add(last - i);
                }
            });
        }

        /** What a worker does that falls back from one method to the other. */
        private void transfer() {
            int number = random.nextBoolean() ? any() : ++last;
            recipients.add(recipient(number));
            transferred.add(number);
            quietly(() -> SpendHarness.get(rig.spends.spending.transfer(
                    SpendHarness.request(payer, recipient(number), amount(number), id(number)))));
            quietly(() -> rig.submit(payer, PayoutRig.order(id(number), recipient(number), amount(number))));
        }

        private void mine(int count) {
            rig.spends.devnet.mine(count);
        }

        private void reorganise() {
            int depth = 1 + random.nextInt(SpendHarness.BURIAL_DEPTH - 2);
            rig.spends.devnet.reorganise(depth, random.nextBoolean(), List.of());
        }

        private void recall() {
            Optional<Hash256> batch = SpendHarness.get(rig.store().list(Optional.of(State.IN_FLIGHT), 0, 10)).stream()
                    .map(payout -> payout.attempts().get(payout.attempts().size() - 1))
                    .findFirst();
            batch.ifPresent(txId -> quietly(() -> SpendHarness.get(rig.payouts.recall(txId, FeeChoice.MINIMUM))));
        }

        private void heal() {
            rig.spends.node.faults(method -> LedgerNode.Fault.NONE);
            rig.spends.node.refuseSends(null);
        }

        private static void quietly(Runnable act) {
            try {
                act.run();
            } catch (SpendException | NodeException | StoreException | RefusedException | CompletionException e) {
                // Whatever was refused is looked at in the end.
                assertThat(e).isNotNull();
            }
        }

        private void finish() {
            heal();
            SpendHarness.get(rig.payouts.pause(false));
            Await.until(told + ": all are final or cancelled", () -> {
                rig.spends.clock.move(Duration.ofSeconds(30));
                rig.spends.wake();
                if (rig.spends.isFollowed()) {
                    mine(1);
                }
                return payouts().stream()
                        .allMatch(payout -> payout.state() == State.FINAL || payout.state() == State.CANCELLED);
            });
            judge();
        }

        private List<Payout> payouts() {
            return SpendHarness.get(rig.store().list(Optional.empty(), 0, 1_000));
        }

        private void judge() {
            Map<Long, Integer> paid = rig.paid(recipients);
            Set<Integer> known = new HashSet<>();
            for (Payout payout : payouts()) {
                int number = Integer.parseInt(payout.order().payoutId().substring("payout-".length()));
                known.add(number);
                assertThat(paid.getOrDefault(amount(number), 0))
                        .as(told + ": " + payout)
                        .isEqualTo(payout.state() == State.FINAL ? 1 : 0);
            }
            assertThat(known).as("what was acknowledged is there").containsAll(submitted);
            paid.forEach((amount, times) ->
                    assertThat(times).as(told + ": " + amount).isEqualTo(1));
        }

        @Override
        public void close() {
            rig.close();
        }
    }
}
