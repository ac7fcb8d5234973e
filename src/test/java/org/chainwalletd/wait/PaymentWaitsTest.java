package org.chainwalletd.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class PaymentWaitsTest {
    private static final Duration LONG = Duration.ofSeconds(600);
    private static final Address SHOP = WaitRig.address(1);

    @AutoClose
    private final WaitRig rig = new WaitRig();

    @Test
    void a_payment_is_reported_when_it_is_pending() throws Exception {
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(SHOP, 1);
        Hash256 txId = rig.pend(rig.payment(SHOP, 300, 200));
        rig.nudge(SHOP);

        PaymentOutcome.Received received = (PaymentOutcome.Received) Await.outcome(waiting);
        assertThat(received.txId()).contains(txId);
        assertThat(received.amount()).isEqualTo(Amount.of(500));
        assertThat(received.confirmations()).isZero();
        assertThat(received.tipHeight()).isEqualTo(100);
    }

    @Test
    void what_was_pending_at_the_call_does_not_count_also_when_it_confirms() throws Exception {
        Transaction before = rig.payment(SHOP, 500);
        rig.pend(before);
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(SHOP, 1);
        rig.connect(before);
        Transaction after = rig.payment(SHOP, 700);
        rig.connect(after);

        PaymentOutcome.Received received = (PaymentOutcome.Received) Await.outcome(waiting);
        assertThat(received.txId()).contains(WaitRig.id(after));
        assertThat(received.confirmations()).isEqualTo(1);
    }

    @Test
    void a_payment_that_comes_straight_in_a_block_is_reported_without_a_question() throws Exception {
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(SHOP, 1);
        Transaction tx = rig.payment(SHOP, 500);
        rig.connect(tx);

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(WaitRig.id(tx));
        assertThat(rig.asked("transaction")).isZero();
    }

    @Test
    void the_least_amount_is_asked_of_one_transaction() throws Exception {
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(SHOP, 500);
        rig.connect(rig.payment(SHOP, 499));
        rig.connect(rig.payment(SHOP, 499));
        Transaction enough = rig.payment(SHOP, 250, 250);
        rig.connect(enough);

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(WaitRig.id(enough));
    }

    @Test
    void change_is_no_payment_and_hides_none() throws Exception {
        PublicKey own = WaitRig.key(7);
        Address address = WaitRig.PROFILE.addressOf(own);
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(address, 1);
        Transaction change = rig.payment(own, address, 900);
        Transaction payment = rig.payment(address, 40);
        rig.pend(change);
        rig.nudge(address);
        rig.connect(change, payment);

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(WaitRig.id(payment));
    }

    @Test
    void an_amount_that_only_the_listing_names_is_not_believed() throws Exception {
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(SHOP, 1);
        // Listed under an id that does not match its bytes.
        Hash256 lie = Hash256.of(new byte[] {
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
            30, 31, 32
        });
        rig.pendAs(lie, rig.payment(SHOP, 1_000_000));
        rig.nudge(SHOP);
        Await.until("it was fetched", () -> rig.asked("transaction") > 0);
        Transaction real = rig.payment(SHOP, 5);
        rig.connect(real);

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(WaitRig.id(real));
    }

    @Test
    void a_pending_payment_whose_bytes_do_not_come_at_once_is_asked_for_again_without_a_scan() throws Exception {
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(SHOP, 1);
        Transaction payment = rig.payment(SHOP, 500);
        rig.unanswered.put(WaitRig.id(payment), new AtomicInteger(2));
        int scans = rig.asked("addressMempools");
        rig.pend(payment);
        rig.nudge(SHOP);

        PaymentOutcome.Received received = (PaymentOutcome.Received) Await.outcome(waiting);
        assertThat(received.txId()).contains(WaitRig.id(payment));
        assertThat(received.confirmations()).isZero();
        assertThat(rig.asked("addressMempools")).isEqualTo(scans + 1);
    }

    @Test
    void a_pending_payment_that_nobody_waits_for_is_asked_for_again_too() {
        Transaction payment = rig.payment(SHOP, 500);
        rig.unanswered.put(WaitRig.id(payment), new AtomicInteger(1));
        rig.pend(payment);
        rig.nudge(SHOP);

        Await.until("it is sighted", () -> rig.sighted.contains(WaitRig.id(payment)));
    }

    @Test
    void many_pending_payments_to_one_address_hide_none_to_another() throws Exception {
        Address flooded = WaitRig.address(2);
        CompletableFuture<PaymentOutcome> first = waitWithBaseline(flooded, 1);
        CompletableFuture<PaymentOutcome> second = waitWithBaseline(SHOP, 1);
        pendMany(flooded);
        Hash256 txId = rig.pend(rig.payment(SHOP, 500));
        rig.nudge(flooded);
        rig.nudge(SHOP);

        assertThat(((PaymentOutcome.Received) Await.outcome(second)).txId()).contains(txId);
        assertThat(Await.outcome(first)).isInstanceOf(PaymentOutcome.Received.class);
    }

    @Test
    void pending_payments_that_were_too_many_for_one_look_are_looked_for_by_the_next_wait() throws Exception {
        CompletableFuture<PaymentOutcome> first = waitWithBaseline(SHOP, 1);
        rig.watching(SHOP);
        pendMany(SHOP);
        rig.nudge(SHOP);
        assertThat(Await.outcome(first)).isInstanceOf(PaymentOutcome.Received.class);

        waitWithBaseline(SHOP, 1);
    }

    @Test
    void a_payment_behind_more_than_are_asked_for_again_is_found_while_its_wait_is_open() throws Exception {
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(SHOP, 1_000);
        pendMany(SHOP);
        Hash256 last = rig.pend(rig.payment(SHOP, 1_000));
        rig.nudge(SHOP);

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(last);
    }

    private void pendMany(Address address) {
        for (int i = 0; i < 600; i++) {
            rig.pend(rig.payment(address, 500));
        }
    }

    @Test
    void a_transaction_that_does_not_exist_is_asked_for_some_times_only() {
        MempoolLook.MissingBodies missing = new MempoolLook.MissingBodies();
        List<Hash256> named = Stream.iterate(1, number -> number + 1)
                .limit(1_000)
                .map(number -> WaitRig.id(rig.payment(SHOP, number)))
                .toList();
        missing.add(List.of(SHOP), named);
        int questions = 0;
        while (missing.isDue()) {
            questions += missing.ask().txIds().size();
            assertThat(missing.isDue()).isFalse();
            missing.failed();
        }
        assertThat(questions).isEqualTo(500);
    }

    @Test
    void more_pending_payments_than_are_asked_for_again_are_looked_up_again() {
        waitWithBaseline(SHOP, 1_000_000);
        List<Hash256> payments = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Transaction payment = rig.payment(SHOP, 500);
            rig.unanswered.put(WaitRig.id(payment), new AtomicInteger(i == 0 ? 0 : 1));
            payments.add(rig.pend(payment));
        }
        rig.nudge(SHOP);

        Await.until("all are sighted", () -> rig.sighted.containsAll(payments));
    }

    @Test
    void listed_payments_whose_bytes_never_come_cause_no_further_look_up() {
        waitWithBaseline(SHOP, 1_000_000);
        List<Hash256> payments = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Transaction payment = rig.payment(SHOP, 500);
            rig.unanswered.put(WaitRig.id(payment), new AtomicInteger(Integer.MAX_VALUE));
            payments.add(rig.pend(payment));
        }
        rig.nudge(SHOP);

        Await.until("some are requested again", () -> payments.stream().anyMatch(id -> rig.askedFor(id) == 3));
        assertThat(payments).filteredOn(id -> rig.askedFor(id) == 1).hasSize(10);
    }

    @Test
    void only_requests_that_were_made_count_as_attempts() {
        MempoolLook.MissingBodies missing = new MempoolLook.MissingBodies();
        Hash256 requested = WaitRig.id(rig.payment(SHOP, 1));
        Hash256 unrequested = WaitRig.id(rig.payment(SHOP, 2));
        assertThat(missing.add(List.of(SHOP), List.of(requested, unrequested))).isTrue();
        for (int i = 0; i < 20; i++) {
            List<Hash256> asked = missing.ask().txIds();
            missing.answered(new MempoolLook.Found(List.of(SHOP), Map.of(), Map.of(), asked, Set.of(unrequested)));
        }

        assertThat(missing.ask().txIds()).containsExactly(unrequested);
    }

    @Test
    void a_thousand_waits_on_ten_addresses_cost_one_scan_for_their_baseline_and_none_for_the_block() throws Exception {
        rig.hold();
        List<CompletableFuture<PaymentOutcome>> waiting = new ArrayList<>();
        List<Transaction> payments = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(rig.forPayment(WaitRig.address(1 + i % 10), 1, LONG));
        }
        for (int i = 0; i < 10; i++) {
            payments.add(rig.payment(WaitRig.address(1 + i), 500));
        }
        Await.until("all wait", () -> rig.open("payment") == 1_000);
        rig.letGo();
        rig.connect(payments.toArray(Transaction[]::new));
        for (CompletableFuture<PaymentOutcome> one : waiting) {
            assertThat(Await.outcome(one)).isInstanceOf(PaymentOutcome.Received.class);
        }

        assertThat(rig.asked("addressMempools")).isLessThanOrEqualTo(2);
        assertThat(rig.asked("transaction")).isZero();
    }

    @Test
    void what_is_known_of_a_watched_address_is_the_baseline_of_the_next_wait() throws Exception {
        CompletableFuture<PaymentOutcome> first = waitWithBaseline(SHOP, 1);
        rig.watching(SHOP);
        rig.nudge(SHOP);
        Await.until("it was looked at while watched", () -> rig.looks() == 2);
        rig.connect(rig.payment(SHOP, 500));
        assertThat(Await.outcome(first)).isInstanceOf(PaymentOutcome.Received.class);

        CompletableFuture<PaymentOutcome> second = rig.forPayment(SHOP, 1, LONG);
        Await.until("it waits", () -> rig.open("payment") == 1);
        Transaction tx = rig.payment(SHOP, 600);
        rig.pend(tx);
        rig.nudge(SHOP);

        assertThat(((PaymentOutcome.Received) Await.outcome(second)).txId()).contains(WaitRig.id(tx));
        assertThat(rig.asked("addressMempools")).isEqualTo(3);
    }

    @Test
    void without_a_baseline_in_time_what_is_seen_first_later_counts() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        rig.failWith(() -> calls.incrementAndGet() < 1_000 ? new NodeException.Unreachable("gone") : null);
        CompletableFuture<PaymentOutcome> waiting = rig.forPayment(SHOP, 1, LONG);
        Await.until("it was asked for in vain", () -> calls.get() > 0);
        Transaction tx = rig.payment(SHOP, 500);
        rig.connect(tx);

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(WaitRig.id(tx));
    }

    @Test
    void what_a_late_look_sees_counts_because_it_may_have_come_after_the_call() throws Exception {
        AtomicInteger failures = new AtomicInteger(2);
        rig.failWith(() -> failures.decrementAndGet() >= 0 ? new NodeException.Unreachable("gone") : null);
        CompletableFuture<PaymentOutcome> waiting = rig.forPayment(SHOP, 1, LONG);
        Await.until("it was asked for in vain", () -> failures.get() <= 1);
        Hash256 txId = rig.pend(rig.payment(SHOP, 500));

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(txId);
    }

    @Test
    void without_mempool_look_ups_a_larger_balance_tells_while_the_followed_chain_lags() throws Exception {
        rig.withoutMempool();
        rig.balance(SHOP, 1_000);
        CompletableFuture<PaymentOutcome> waiting = rig.forPayment(SHOP, 200, LONG);
        Await.until("the balance was asked for", () -> rig.asked("balances") == 1);
        rig.balance(SHOP, 1_250);
        rig.nodesTip(rig.height() + 3);

        PaymentOutcome.Received received = (PaymentOutcome.Received) Await.outcome(waiting);
        assertThat(received.txId()).isEqualTo(Optional.empty());
        assertThat(received.amount()).isEqualTo(Amount.of(250));
        assertThat(received.confirmations()).isEqualTo(1);
    }

    @Test
    void a_node_without_mempool_look_ups_hides_no_payment_that_another_node_has() throws Exception {
        rig.nodesWithoutMempool.set(1);
        CompletableFuture<PaymentOutcome> waiting = waitWithBaseline(SHOP, 1);
        Hash256 txId = rig.pend(rig.payment(SHOP, 500));
        rig.nudge(SHOP);

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(txId);
        assertThat(rig.asked("balances")).isZero();
    }

    @Test
    void a_balance_that_only_one_of_several_nodes_names_is_no_payment() throws Exception {
        try (WaitRig two = new WaitRig(2)) {
            two.withoutMempool();
            two.balance(SHOP, 1_000);
            CompletableFuture<PaymentOutcome> waiting = two.forPayment(SHOP, 200, LONG);
            Await.until("the balance was asked for", () -> two.secondAskedForBalances.get() == 1);
            two.secondBalances.put(SHOP, Amount.of(1_000));
            two.balance(SHOP, 1_250);
            two.nodesTip(two.height() + 1);
            Await.until("it was asked for again", () -> two.secondAskedForBalances.get() == 2);
            awaitAnswers(two);
            Transaction real = two.payment(SHOP, 300);
            two.connect(real);

            assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId())
                    .contains(WaitRig.id(real));
        }
    }

    @Test
    void a_balance_that_two_nodes_name_is_a_payment() throws Exception {
        try (WaitRig two = new WaitRig(2)) {
            two.withoutMempool();
            two.balance(SHOP, 1_000);
            CompletableFuture<PaymentOutcome> waiting = two.forPayment(SHOP, 200, LONG);
            Await.until("the balance was asked for", () -> two.secondAskedForBalances.get() == 1);
            two.secondBalances.put(SHOP, Amount.of(1_250));
            two.balance(SHOP, 9_000);
            two.nodesTip(two.height() + 1);

            PaymentOutcome.Received received = (PaymentOutcome.Received) Await.outcome(waiting);
            assertThat(received.txId()).isEmpty();
            assertThat(received.amount()).isEqualTo(Amount.of(250));
        }
    }

    @Test
    void no_balance_counts_for_an_address_of_the_books() throws Exception {
        rig.booked.add(SHOP);
        rig.withoutMempool();
        CompletableFuture<PaymentOutcome> waiting = rig.forPayment(SHOP, 200, LONG);
        Await.until("the balance was asked for", () -> rig.asked("balances") == 1);
        rig.balance(SHOP, 1_250);
        rig.nodesTip(rig.height() + 1);
        Await.until("it was asked for again", () -> rig.asked("balances") == 2);
        awaitAnswers(rig);
        Transaction real = rig.payment(SHOP, 300);
        rig.connect(real);

        assertThat(((PaymentOutcome.Received) Await.outcome(waiting)).txId()).contains(WaitRig.id(real));
    }

    @Test
    void an_address_is_watched_while_somebody_waits() {
        rig.forPayment(SHOP, 1, LONG);

        Await.until("it is watched", () -> rig.watched.contains(SHOP));
    }

    @Test
    void no_time_is_a_time_out_at_once_without_a_question() throws Exception {
        assertThat(Await.outcome(rig.forPayment(SHOP, 1, Duration.ZERO))).isEqualTo(new PaymentOutcome.TimedOut(0));
        assertThat(rig.asked("addressMempools")).isZero();
    }

    @Test
    void who_leaves_is_forgotten_at_once() {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        rig.waits.forPayment(SHOP, Amount.of(1), LONG, gone);
        Await.until("it waits", () -> rig.open("payment") == 1);
        gone.complete(null);

        Await.until("it has left", () -> rig.open("payment") == 0);
        assertThat(rig.ended("payment", "gone")).isEqualTo(1);
    }

    @Test
    void who_comes_and_goes_with_ever_new_addresses_leaves_nothing_behind() {
        rig.failWith(() -> new NodeException.Unreachable("gone"));
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            callers.add(new CompletableFuture<>());
            rig.waits.forPayment(WaitRig.address(i), Amount.of(1), LONG, callers.get(i));
        }
        Await.until("all wait", () -> rig.open("payment") == 2_000 && rig.watched.size() == 2_000);
        callers.forEach(gone -> gone.complete(null));

        Await.until("all have left", () -> rig.open("payment") == 0);
        assertThat(rig.watched).isEmpty();
    }

    @Test
    void sixteen_thousand_waits_on_one_address_end_with_their_time_out_answer_at_shutdown() throws Exception {
        List<CompletableFuture<PaymentOutcome>> waiting = new ArrayList<>();
        for (int i = 0; i < 16_384; i++) {
            waiting.add(rig.forPayment(SHOP, 1, LONG));
        }
        Await.until("all wait", () -> rig.open("payment") == 16_384);
        Await.result(rig.waits.end());

        assertThat(waiting).allMatch(one -> one.getNow(null) instanceof PaymentOutcome.TimedOut);
        assertThat(rig.open("payment")).isZero();
    }

    /** Waits until the answers to all counted requests are handled: the first poll ends after they were received, the second after they were handled. */
    private static void awaitAnswers(WaitRig rig) throws Exception {
        for (int i = 0; i < 2; i++) {
            Await.outcome(rig.forPayment(SHOP, 1, Duration.ZERO));
        }
    }

    private CompletableFuture<PaymentOutcome> waitWithBaseline(Address address, long least) {
        double before = rig.looks();
        CompletableFuture<PaymentOutcome> waiting = rig.forPayment(address, least, LONG);
        Await.until("the baseline was taken", () -> rig.looks() > before);
        return waiting;
    }
}
