package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two daemons that pay from one store in PostgreSQL, with the same keys. Payments are distinguished on the chain by their amounts. */
@Tag("postgres")
class PostgresSpendsTest {
    private static final int COINS = 30;
    /** Threads of the first daemon: the other one may still be at a crash point of its last payment. */
    private static final Predicate<Thread> FIRST = thread -> thread.getName().startsWith("one-");

    @TempDir
    Path folder;

    private final SharedStores stores = new SharedStores();
    private final CompletableFuture<Void> woken = new CompletableFuture<>();
    private SpendHarness one;
    private SpendHarness two;
    private Address payer;
    private Address shop;
    /** Whether the first daemon is paused between the commit of an intent and its send. */
    private volatile boolean pauses;

    @BeforeEach
    void start() throws IOException {
        one = new SpendHarness(Files.createDirectory(folder.resolve("one")));
        one.opens = stores::open;
        one.before = this::pausing;
        one.start();
        two = new SpendHarness(Files.createDirectory(folder.resolve("two")), one);
        two.opens = stores::open;
        two.start();
        shop = one.keys.add(99);
        long[] values = new long[COINS];
        Arrays.fill(values, 10_000);
        payer = one.funded(1, values);
    }

    @AfterEach
    void stop() {
        CrashPoint.watch(null);
        two.close();
        one.close();
    }

    private IntentStore pausing(IntentStore intents) {
        return Stub.of(IntentStore.class, call -> {
            Object answer = call.on(intents);
            return pauses && call.name().equals("open")
                    ? ((CompletionStage<?>) answer).thenCombineAsync(woken, (opening, now) -> opening, one.executor)
                    : answer;
        });
    }

    private CompletionStage<Receipt> pay(SpendHarness daemon, long amount, String token) {
        return daemon.spending.transfer(request(payer, shop, amount, token));
    }

    private CompletionStage<Receipt> payAndPause(long amount, String token) {
        pauses = true;
        CompletionStage<Receipt> first = pay(one, amount, token);
        Await.until(
                "its intent is durable",
                () -> !get(two.store.intents().inFlight()).isEmpty());
        return first;
    }

    /** Keeps the first daemon silent until the other one has answered. */
    private Receipt takenOver(CompletionStage<Receipt> answer) {
        Await.until("the other has taken it over", () -> {
            stores.silence(one.store);
            return answer.toCompletableFuture().isDone();
        });
        return get(answer);
    }

    private void arrived(long... amounts) {
        for (SpendHarness daemon : List.of(one, two)) {
            daemon.devnet.mine(1);
            Await.until("nothing is in flight", () -> {
                daemon.wake();
                return get(daemon.store.intents().inFlight()).isEmpty();
            });
        }
        assertThat(one.coins(shop).stream().map(coin -> coin.value().bits()))
                .containsExactlyInAnyOrder(Arrays.stream(amounts).boxed().toArray(Long[]::new));
    }

    @Test
    void a_call_waits_for_the_daemon_that_sends_its_payment_and_answers_the_same_receipt() {
        CompletionStage<Receipt> first = payAndPause(1_000, "token");
        two.node.forgetCalls();
        CompletionStage<Receipt> second = pay(two, 1_000, "token");
        refusal(SpendRefusal.TokenConflict.class, pay(two, 999, "token"));
        assertThat(second.toCompletableFuture()).isNotDone();

        woken.complete(null);

        assertThat(get(second).txId()).isEqualTo(get(first).txId());
        assertThat(two.node.calls()).doesNotContain("send_raw_transaction");
        refusal(SpendRefusal.TokenConflict.class, pay(two, 999, "token"));
        arrived(1_000);
    }

    @Test
    void a_daemon_that_wakes_after_another_has_sent_its_payment_takes_it_for_accepted() {
        CompletionStage<Receipt> first = payAndPause(1_000, "token");
        Receipt paid = takenOver(pay(two, 1_000, "token"));

        woken.complete(null);

        assertThat(get(first).txId()).isEqualTo(paid.txId());
        arrived(1_000);
    }

    @Test
    void a_payment_that_was_mined_while_its_daemon_was_paused_is_accepted_when_that_one_wakes() {
        CompletionStage<Receipt> first = payAndPause(1_000, "token");
        Receipt paid = takenOver(pay(two, 1_000, "token"));
        two.confirmAll();

        woken.complete(null);

        assertThat(get(first).txId()).isEqualTo(paid.txId());
        arrived(1_000);
    }

    @Test
    void a_payment_that_no_node_accepts_stays_open_for_both_and_is_paid_once() {
        CompletionStage<Receipt> first = payAndPause(1_000, "token");
        two.node.refuseSends("Mempool rejected transaction: mempool is full");
        CompletionStage<Receipt> second = pay(two, 1_000, "token");
        Await.until("the other has taken it over", () -> {
            stores.silence(one.store);
            return second.toCompletableFuture().isDone();
        });
        refusal(SpendRefusal.OutcomeUnknown.class, second);
        two.node.refuseSends(null);
        one.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");

        woken.complete(null);

        // It can no longer claim that the bytes never left.
        Await.until("its call has ended", first.toCompletableFuture()::isDone);
        assertThat(get(one.store.intents().inFlight()))
                .singleElement()
                .satisfies(open -> assertThat(open.state().inFlight()).isTrue());
        one.node.refuseSends(null);
        Receipt paid = get(pay(two, 1_000, "token"));
        assertThat(get(pay(one, 1_000, "token")).txId()).isEqualTo(paid.txId());
        arrived(1_000);
    }

    @Test
    void a_daemon_that_reads_all_spends_again_leaves_a_payment_that_it_is_making_to_its_call() {
        CompletionStage<Receipt> first = payAndPause(1_000, "token");
        pauses = false;
        Hash256 held = get(two.store.intents().inFlight()).get(0).txId();

        stores.forgetChanges();
        Receipt later = get(pay(one, 2_000, "token-later"));
        one.devnet.forgetMempool();
        Await.until("what was paid later is sent again", () -> {
            one.wake();
            return one.devnet.ledger().transaction(later.txId()).isPresent();
        });

        assertThat(one.devnet.ledger().transaction(held)).isEmpty();
        woken.complete(null);
        assertThat(get(first).txId()).isEqualTo(held);
        arrived(1_000, 2_000);
    }

    /** Stops one thread at a crash point, like a paused process. */
    private static final class Pause implements CrashPoint.Watcher {
        private final AtomicReference<CrashPoint> at;
        private final Predicate<Thread> only;
        private final CountDownLatch paused = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);

        Pause(CrashPoint point, Predicate<Thread> only) {
            this.at = new AtomicReference<>(point);
            this.only = only;
        }

        @Override
        public void at(CrashPoint point) {
            if (only.test(Thread.currentThread()) && at.compareAndSet(point, null)) {
                paused.countDown();
                try {
                    if (!goesOn.await(60, TimeUnit.SECONDS)) {
                        throw new AssertionError("nobody has woken it");
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private Thread writerOfOne() {
        AtomicReference<Thread> writer = new AtomicReference<>();
        CrashPoint.watch(point -> {
            if (point == CrashPoint.STORE_BEFORE_COMMIT) {
                writer.set(Thread.currentThread());
            }
        });
        SpendHarness daemon = one;
        Await.until("it has written", () -> {
            writer.set(null);
            get(daemon.store.intents().findForCertain(Hash256.ZERO));
            return writer.get() != null;
        });
        return writer.get();
    }

    @Test
    void a_daemon_that_is_paused_at_any_point_of_a_payment_and_the_one_that_takes_over_pay_once() {
        Thread writer = writerOfOne();
        List<CrashPoint> points = new ArrayList<>(List.of(
                CrashPoint.SPEND_BEFORE_INTENT,
                CrashPoint.STORE_BEFORE_COMMIT,
                CrashPoint.STORE_AFTER_COMMIT,
                CrashPoint.SPEND_AFTER_INTENT,
                CrashPoint.SPEND_AFTER_BROADCAST,
                CrashPoint.SPEND_AFTER_OUTCOME));
        Collections.shuffle(points, Seeded.random("spends.seed"));
        List<Long> amounts = new ArrayList<>();
        points.forEach(point -> {
            Predicate<Thread> only = point.name().startsWith("STORE") ? writer::equals : FIRST;
            long amount = 1_000 + point.ordinal();
            String token = "token-" + point;
            amounts.add(amount);
            Pause pause = new Pause(point, only);
            CrashPoint.watch(pause);
            CompletionStage<Receipt> first = pay(one, amount, token);
            Await.until("it is paused at " + point, () -> pause.paused.getCount() == 0);

            Receipt paid = takenOver(pay(two, amount, token));
            pause.goesOn.countDown();

            Await.until("the paused call ends", first.toCompletableFuture()::isDone);
            try {
                assertThat(get(first).txId()).isEqualTo(paid.txId());
            } catch (SpendException | StoreException e) {
                // It may also answer that it does not know; its token knows.
            }
            assertThat(get(pay(one, amount, token)).txId()).as("%s", point).isEqualTo(paid.txId());
        });
        arrived(amounts.stream().mapToLong(Long::longValue).toArray());
    }

    @Test
    void tokens_that_come_to_two_daemons_at_random_each_pay_once() {
        Random random = Seeded.random("spends.seed");
        Map<Integer, List<CompletionStage<Receipt>>> answers = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            int token = random.nextInt(20);
            SpendHarness daemon = random.nextBoolean() ? one : two;
            answers.computeIfAbsent(token, first -> new ArrayList<>())
                    .add(pay(daemon, 1_000 + token, "token-" + token));
        }
        answers.forEach((token, calls) -> {
            Hash256 paid = get(pay(one, 1_000 + token, "token-" + token)).txId();
            calls.forEach(call -> assertThat(get(call).txId()).isEqualTo(paid));
        });
        assertThat(get(one.store.intents().inFlight()))
                .allSatisfy(spend -> assertThat(spend.state()).isEqualTo(IntentState.ACCEPTED))
                .hasSize(answers.size());
        arrived(answers.keySet().stream().mapToLong(token -> 1_000 + token).toArray());
    }
}
