package org.chainwalletd.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class TxWaitsTest {
    private static final Duration LONG = Duration.ofSeconds(600);

    @AutoClose
    private final WaitRig rig = new WaitRig();

    private final Transaction tx = rig.payment(WaitRig.address(1), 500);
    private final Hash256 txId = WaitRig.id(tx);

    @Test
    void a_transaction_is_confirmed_by_the_block_that_has_it() throws Exception {
        CompletableFuture<TxOutcome> waiting = rig.forTx(txId, 1, LONG);
        rig.pend(tx);
        rig.connect();
        BlockPlace place = rig.connect(tx).place();

        assertThat(Await.outcome(waiting)).isEqualTo(new TxOutcome.Confirmed(place, 1));
    }

    @Test
    void depth_is_counted_from_the_block_upwards() throws Exception {
        CompletableFuture<TxOutcome> waiting = rig.forTx(txId, 3, LONG);
        BlockPlace place = rig.connect(tx).place();
        CompletableFuture<TxOutcome> shallow = rig.forTx(txId, 1, LONG);
        assertThat(Await.outcome(shallow)).isEqualTo(new TxOutcome.Confirmed(place, 1));
        assertThat(waiting).isNotDone();
        rig.connect();
        rig.connect();

        assertThat(Await.outcome(waiting)).isEqualTo(new TxOutcome.Confirmed(place, 3));
    }

    @Test
    void a_reorganisation_below_the_depth_starts_the_count_again() throws Exception {
        CompletableFuture<TxOutcome> waiting = rig.forTx(txId, 2, LONG);
        rig.connect(tx);
        rig.disconnect();
        rig.connect();
        rig.connect();
        BlockPlace place = rig.connect(tx).place();
        rig.connect();

        assertThat(Await.outcome(waiting)).isEqualTo(new TxOutcome.Confirmed(place, 2));
    }

    @Test
    void an_old_transaction_is_looked_up() throws Exception {
        rig.connect(tx);
        BlockPlace place = rig.connect().place();
        Transaction old = rig.payment(WaitRig.address(2), 500);
        rig.confirmedBefore(WaitRig.id(old), place);

        // That block's transactions are known from following, and this one is not among them: the node's claim is
        // false.
        assertThat(Await.outcome(rig.forTx(WaitRig.id(old), 1, Duration.ZERO))).isEqualTo(new TxOutcome.TimedOut(0));
        assertThat(Await.outcome(rig.forTx(txId, 1, Duration.ZERO))).isInstanceOf(TxOutcome.Confirmed.class);
    }

    @Test
    void a_wait_of_no_time_tells_what_is_so_now() throws Exception {
        assertThat(Await.outcome(rig.forTx(txId, 1, Duration.ZERO))).isEqualTo(new TxOutcome.TimedOut(0));
        BlockPlace place = rig.connect(tx).place();

        assertThat(Await.outcome(rig.forTx(txId, 1, Duration.ZERO))).isEqualTo(new TxOutcome.Confirmed(place, 1));
        assertThat(Await.outcome(rig.forTx(txId, 2, Duration.ZERO))).isEqualTo(new TxOutcome.TimedOut(0));
    }

    @Test
    void a_thousand_waits_on_a_transaction_cost_one_question() throws Exception {
        List<CompletableFuture<TxOutcome>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(rig.forTx(txId, 1, LONG));
        }
        rig.connect(tx);
        for (CompletableFuture<TxOutcome> one : waiting) {
            assertThat(Await.outcome(one)).isInstanceOf(TxOutcome.Confirmed.class);
        }

        assertThat(rig.asked("transaction")).isEqualTo(1);
        assertThat(rig.open("tx")).isZero();
        assertThat(rig.ended("tx", "answered")).isEqualTo(1_000);
    }

    @Test
    void a_lost_node_is_asked_again_until_it_answers() throws Exception {
        AtomicInteger failures = new AtomicInteger(3);
        rig.failWith(() -> failures.decrementAndGet() >= 0 ? new NodeException.Unreachable("gone") : null);
        BlockPlace place = rig.connectUnheard(tx).place();
        rig.jump();

        assertThat(Await.outcome(rig.forTx(txId, 1, LONG))).isEqualTo(new TxOutcome.Confirmed(place, 1));
        assertThat(rig.asked("transaction")).isEqualTo(4);
    }

    @Test
    void however_many_have_come_while_no_node_answered_they_ask_once_more() throws Exception {
        Transaction other = rig.payment(WaitRig.address(2), 500);
        rig.connectUnheard(other);
        rig.jump();
        AtomicInteger unanswered = new AtomicInteger(Integer.MAX_VALUE);
        rig.unanswered.put(txId, unanswered);
        rig.forTx(txId, 1, LONG);
        while (rig.askedFor(txId) < 100) {
            Await.outcome(rig.forTx(txId, 1, Duration.ZERO));
        }
        unanswered.set(0);
        int before = rig.askedFor(txId);

        // The other one is found by its second retry, which comes after the retries of the first two look-ups.
        rig.unanswered.put(WaitRig.id(other), new AtomicInteger(2));
        Await.outcome(rig.forTx(WaitRig.id(other), 1, LONG));

        assertThat(rig.askedFor(WaitRig.id(other))).isEqualTo(3);
        assertThat(rig.askedFor(txId) - before).isLessThanOrEqualTo(1);
    }

    @Test
    void a_deadline_ends_a_wait_and_nothing_is_left_of_it() throws Exception {
        assertThat(Await.outcome(rig.forTx(txId, 1, Duration.ofMillis(200)))).isEqualTo(new TxOutcome.TimedOut(0));

        assertThat(rig.open("tx")).isZero();
        assertThat(rig.ended("tx", "timed_out")).isEqualTo(1);
    }

    @Test
    void who_leaves_is_forgotten_at_once() {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        CompletableFuture<TxOutcome> waiting =
                rig.waits.forTransaction(txId, 1, LONG, gone).toCompletableFuture();
        Await.until("it waits", () -> rig.open("tx") == 1);
        gone.complete(null);

        Await.until("it has left", () -> rig.open("tx") == 0);
        assertThat(rig.ended("tx", "gone")).isEqualTo(1);
        assertThat(waiting).isNotDone();
    }

    @Test
    void at_the_end_all_waits_get_their_time_out_answer_and_later_ones_at_once() throws Exception {
        CompletableFuture<TxOutcome> waiting = rig.forTx(txId, 1, LONG);
        CompletableFuture<PaymentOutcome> payment = rig.forPayment(WaitRig.address(1), 1, LONG);
        Await.result(rig.waits.end());

        assertThat(Await.outcome(waiting)).isEqualTo(new TxOutcome.TimedOut(0));
        assertThat(Await.outcome(payment)).isEqualTo(new PaymentOutcome.TimedOut(0));
        assertThat(Await.outcome(rig.forTx(txId, 1, LONG))).isEqualTo(new TxOutcome.TimedOut(0));
        assertThat(Await.outcome(rig.forPayment(WaitRig.address(1), 1, LONG)))
                .isEqualTo(new PaymentOutcome.TimedOut(0));
    }

    @Test
    void what_was_asked_before_the_chain_jumped_does_not_hide_what_the_jump_brought() throws Exception {
        CompletableFuture<Void> older = rig.holdTransactions();
        CompletableFuture<TxOutcome> waiting = rig.forTx(txId, 1, LONG);
        Await.until("it was asked for", () -> rig.asked("transaction") == 1);
        rig.answerTransactions();
        BlockPlace place = rig.connectUnheard(tx).place();
        rig.jump();
        older.complete(null);

        assertThat(Await.outcome(waiting)).isEqualTo(new TxOutcome.Confirmed(place, 1));
    }

    @Test
    void who_comes_after_the_end_is_answered_at_once_also_when_the_waits_began_again_since() throws Exception {
        Thread caller = Thread.currentThread();
        AtomicBoolean breaks = new AtomicBoolean();
        try (WaitRig broken = new WaitRig(1, () -> {
            if (Thread.currentThread() != caller && breaks.getAndSet(false)) {
                throw new IllegalStateException("a fault of the test");
            }
            return System.nanoTime() / 1_000_000;
        })) {
            Await.result(broken.waits.end());
            breaks.set(true);
            broken.forTx(txId, 1, LONG);
            Await.until("the waits for transactions begin anew", () -> !breaks.get());
            breaks.set(true);
            broken.forPayment(WaitRig.address(1), 1, LONG);
            Await.until("the waits for payments begin anew", () -> !breaks.get());

            assertThat(Await.outcome(broken.forTx(txId, 1, LONG))).isEqualTo(new TxOutcome.TimedOut(0));
            assertThat(Await.outcome(broken.forPayment(WaitRig.address(1), 1, LONG)))
                    .isEqualTo(new PaymentOutcome.TimedOut(0));
        }
    }

    @Test
    void while_the_followed_chain_lags_a_nodes_tip_is_a_reason_to_ask() throws Exception {
        CompletableFuture<TxOutcome> waiting = rig.forTx(txId, 1, LONG);
        Await.until("it was asked for", () -> rig.asked("transaction") == 1);
        rig.nodesTip(rig.height() + 5);

        Await.until("it was asked for again", () -> rig.asked("transaction") == 2);
        waiting.cancel(true);
    }

    @Test
    void while_the_followed_chain_lags_no_word_of_nodes_makes_a_block_deeper_than_one() throws Exception {
        try (WaitRig two = new WaitRig(2)) {
            two.secondKnows = true;
            BlockPlace ahead = two.connectUnheard(tx).place();
            CompletableFuture<TxOutcome> deep = two.forTx(txId, 2, LONG);
            two.nodesTip(ahead.height() + 100);

            assertThat(Await.outcome(two.forTx(txId, 1, LONG))).isEqualTo(new TxOutcome.Confirmed(ahead, 1));
            assertThat(deep).isNotDone();
            deep.cancel(true);
        }
    }

    @Test
    void above_the_followed_tip_the_word_of_the_only_node_confirms_nothing_until_its_block_is_followed()
            throws Exception {
        ChainBlock ahead = rig.connectUnheard(tx);
        rig.nodesTip(ahead.height());
        CompletableFuture<TxOutcome> waiting = rig.forTx(txId, 1, LONG);
        assertThat(Await.outcome(rig.forTx(txId, 1, Duration.ZERO))).isEqualTo(new TxOutcome.TimedOut(0));
        assertThat(waiting).isNotDone();

        rig.hear(ahead);

        assertThat(Await.outcome(waiting)).isEqualTo(new TxOutcome.Confirmed(ahead.place(), 1));
    }

    @Test
    void a_block_below_that_only_one_node_names_has_to_be_shown_by_bytes() throws Exception {
        BlockPlace place = rig.connectUnheard(tx).place();
        rig.jump();
        Transaction unmined = rig.payment(WaitRig.address(3), 500);
        rig.confirmedBefore(WaitRig.id(unmined), place);
        rig.listing(WaitRig.id(unmined));

        assertThat(Await.outcome(rig.forTx(WaitRig.id(unmined), 1, Duration.ZERO)))
                .isEqualTo(new TxOutcome.TimedOut(0));
        assertThat(Await.outcome(rig.forTx(txId, 1, Duration.ZERO))).isEqualTo(new TxOutcome.Confirmed(place, 1));
    }

    @Test
    void a_block_that_nodes_have_named_and_that_was_not_followed_then_counts_no_confirmations() throws Exception {
        try (WaitRig two = new WaitRig(2)) {
            two.secondKnows = true;
            two.connect();
            BlockPlace named = two.connectUnheard(tx).place();
            two.nodesTip(named.height());
            CompletableFuture<TxOutcome> deep = two.forTx(txId, 3, LONG);
            assertThat(Await.outcome(two.forTx(txId, 1, LONG))).isEqualTo(new TxOutcome.Confirmed(named, 1));

            two.replaceUnheard();
            two.connect();
            two.connect();
            two.connect();
            BlockPlace place = two.connect(tx).place();
            two.connect();
            two.connect();

            assertThat(Await.outcome(deep)).isEqualTo(new TxOutcome.Confirmed(place, 3));
        }
    }

    @Test
    void the_first_wait_after_a_quiet_time_lasts_as_long_as_it_was_asked_for() throws Exception {
        AtomicLong now = new AtomicLong(5_000);
        try (WaitRig quiet = new WaitRig(1, now::get)) {
            now.addAndGet(900_000);
            CompletableFuture<TxOutcome> minute = quiet.forTx(txId, 1, Duration.ofSeconds(60));
            CompletableFuture<PaymentOutcome> payment = quiet.forPayment(WaitRig.address(1), 1, Duration.ofSeconds(60));
            Hash256 another = WaitRig.id(quiet.payment(WaitRig.address(2), 1));
            CompletableFuture<TxOutcome> moment = quiet.forTx(another, 1, Duration.ofMillis(50));
            CompletableFuture<PaymentOutcome> paymentNow =
                    quiet.forPayment(WaitRig.address(2), 1, Duration.ofMillis(50));
            Await.until("all wait", () -> quiet.open("tx") + quiet.open("payment") == 4);
            now.addAndGet(100);
            assertThat(Await.outcome(moment)).isEqualTo(new TxOutcome.TimedOut(0));
            assertThat(Await.outcome(paymentNow)).isEqualTo(new PaymentOutcome.TimedOut(0));
            assertThat(minute).isNotDone();
            assertThat(payment).isNotDone();
        }
    }

    @Test
    void what_the_follower_has_not_seen_two_nodes_have_to_name() throws Exception {
        try (WaitRig two = new WaitRig(2)) {
            Transaction old = two.payment(WaitRig.address(2), 500);
            ChainBlock ahead = two.connectUnheard(old);
            two.nodesTip(ahead.height());
            assertThat(Await.outcome(two.forTx(WaitRig.id(old), 1, Duration.ZERO)))
                    .isEqualTo(new TxOutcome.TimedOut(0));

            two.secondKnows = true;

            assertThat(Await.outcome(two.forTx(WaitRig.id(old), 1, LONG)))
                    .isEqualTo(new TxOutcome.Confirmed(ahead.place(), 1));
        }
    }

    @Test
    void two_nodes_that_agree_are_enough_while_a_third_is_silent() throws Exception {
        try (WaitRig three = new WaitRig(3)) {
            three.secondKnows = true;
            BlockPlace place = three.connectUnheard(tx).place();
            three.jump();

            for (int i = 0; i < 9; i++) {
                assertThat(Await.outcome(three.forTx(txId, 1, Duration.ZERO)))
                        .isEqualTo(new TxOutcome.Confirmed(place, 1));
            }
        }
    }

    @Test
    void a_place_that_the_followed_chain_proves_needs_no_answer_of_a_node_that_hangs() throws Exception {
        try (WaitRig three = new WaitRig(3)) {
            BlockPlace place = three.connectUnheard(tx).place();
            three.jump();

            assertThat(Await.outcome(three.forTx(txId, 1, LONG))).isEqualTo(new TxOutcome.Confirmed(place, 1));
        }
    }

    @Test
    void a_node_whose_answer_comes_after_two_have_agreed_is_asked_nothing_more() throws Exception {
        try (WaitRig three = new WaitRig(3)) {
            three.secondKnows = true;
            three.connectUnheard(tx);
            three.jump();
            Await.outcome(three.forTx(txId, 1, Duration.ZERO));
            three.third.complete(three.transaction(txId));

            assertThat(three.askedThird).containsExactly("transaction");
        }
    }

    @Test
    void a_node_that_is_known_to_be_silent_is_not_waited_for() throws Exception {
        try (WaitRig three = new WaitRig(3)) {
            three.silentNodeIsKnown = true;
            BlockPlace place = three.connectUnheard(tx).place();
            three.jump();

            assertThat(Await.outcome(three.forTx(txId, 1, Duration.ZERO))).isEqualTo(new TxOutcome.Confirmed(place, 1));
        }
    }

    @Test
    void a_node_that_was_silent_is_asked_when_it_answers_again() throws Exception {
        try (WaitRig two = new WaitRig(2)) {
            two.secondKnows = true;
            two.firstKnowsNothing = true;
            two.silentNodeIsKnown = true;
            BlockPlace place = two.connectUnheard(tx).place();
            two.jump();
            CompletableFuture<TxOutcome> waiting = two.forTx(txId, 1, LONG);
            assertThat(Await.outcome(two.forTx(txId, 1, Duration.ZERO))).isEqualTo(new TxOutcome.TimedOut(0));
            assertThat(waiting).isNotDone();
            two.silentNodeIsKnown = false;

            assertThat(Await.outcome(waiting)).isEqualTo(new TxOutcome.Confirmed(place, 1));
        }
    }

    @Test
    void one_of_two_nodes_is_not_believed_when_the_other_is_silent() throws Exception {
        try (WaitRig two = new WaitRig(2)) {
            two.secondIsSilent = true;
            two.connectUnheard(tx);
            assertThat(Await.outcome(two.forTx(txId, 1, Duration.ZERO))).isEqualTo(new TxOutcome.TimedOut(0));
        }
    }

    @Test
    void a_node_that_knows_nothing_of_an_old_transaction_hides_it_from_nobody() throws Exception {
        try (WaitRig two = new WaitRig(2)) {
            BlockPlace place = two.connectUnheard(tx).place();
            two.jump();
            two.firstKnowsNothing = true;
            two.secondKnows = true;

            assertThat(Await.outcome(two.forTx(txId, 1, LONG))).isEqualTo(new TxOutcome.Confirmed(place, 1));
        }
    }

    @Test
    void ten_minutes_are_the_longest_and_none_of_them_is_missing() throws Exception {
        AtomicLong now = new AtomicLong(5_000);
        try (WaitRig slow = new WaitRig(1, now::get)) {
            CompletableFuture<TxOutcome> longest = slow.forTx(txId, 1, Duration.ofDays(1));
            CompletableFuture<PaymentOutcome> payment = slow.forPayment(WaitRig.address(1), 1, LONG);
            Await.until("both wait", () -> slow.open("tx") + slow.open("payment") == 2);
            now.addAndGet(599_900);
            Hash256 another = WaitRig.id(slow.payment(WaitRig.address(2), 1));
            assertThat(Await.outcome(slow.forTx(another, 1, Duration.ZERO))).isEqualTo(new TxOutcome.TimedOut(0));
            assertThat(Await.outcome(slow.forPayment(WaitRig.address(2), 1, Duration.ZERO)))
                    .isEqualTo(new PaymentOutcome.TimedOut(0));
            assertThat(longest).isNotDone();
            assertThat(payment).isNotDone();
            now.addAndGet(100);

            assertThat(Await.outcome(longest)).isEqualTo(new TxOutcome.TimedOut(600));
            assertThat(Await.outcome(payment)).isEqualTo(new PaymentOutcome.TimedOut(600));
        }
    }

    @Test
    void sixteen_thousand_waits_go_through_a_reorganisation_below_their_depth_and_who_left_meanwhile_is_not_there()
            throws Exception {
        int many = 16_384;
        List<CompletableFuture<Void>> leaving = new ArrayList<>();
        List<CompletableFuture<TxOutcome>> staying = new ArrayList<>();
        for (int i = 0; i < many / 2; i++) {
            staying.add(rig.forTx(txId, 2, LONG));
            leaving.add(new CompletableFuture<>());
            rig.waits.forTransaction(txId, 2, LONG, leaving.get(i));
        }
        Await.until("all wait", () -> rig.open("tx") == many);
        rig.connect(tx);
        rig.disconnect();
        leaving.forEach(gone -> gone.complete(null));
        rig.connect();
        BlockPlace place = rig.connect(tx).place();
        Await.until("half of them have left", () -> rig.ended("tx", "gone") == many / 2);
        assertThat(staying).noneMatch(CompletableFuture::isDone);
        rig.connect();
        for (CompletableFuture<TxOutcome> one : staying) {
            assertThat(Await.outcome(one)).isEqualTo(new TxOutcome.Confirmed(place, 2));
        }

        assertThat(rig.open("tx")).isZero();
        assertThat(rig.asked("transaction")).isEqualTo(1);
    }
}
