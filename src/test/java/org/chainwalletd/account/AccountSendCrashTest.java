package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.chainwalletd.account.FatedJournal.Fate;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The process may end before and after each write of the journal: each reference still makes one payment. */
@Tag("long")
class AccountSendCrashTest {
    private static final int WRITES = 4;

    @TempDir
    Path folder;

    @AutoClose
    private AccountRig rig;

    @BeforeEach
    void start() {
        rig = new AccountRig(folder);
    }

    private static Stream<Arguments> deaths() {
        return IntStream.rangeClosed(1, WRITES)
                .boxed()
                .flatMap(write -> Stream.of(Arguments.of(write, Fate.NOT_DONE), Arguments.of(write, Fate.DONE)));
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void a_death_at_any_write_neither_loses_the_payment_nor_makes_a_second_one(int write, Fate fate) {
        BigInteger before = rig.received();

        dieAt(write, fate);

        SendRecord again = rig.send("one", 7);
        rig.chain.clock().advance(AccountRig.PACE.resend());
        rig.awaitNonce(1, Duration.ZERO);
        rig.chain.mine(5);
        rig.await("one", SendState.Final.class);
        assertThat(rig.received().subtract(before)).isEqualTo(7);
        assertThat(rig.chain.nonce(rig.own)).isEqualTo(1);
        assertThat(rig.find("one").hashes()).containsAll(again.hashes());
        assertThat(rig.chain.waiting()).noneMatch(tx -> tx.nonce() > 0);
    }

    private void dieAt(int write, Fate fate) {
        FatedJournal journal = new FatedJournal(write, fate);
        rig.restartWith(journal::over);
        CompletionStage<SendRecord> sent = rig.sends.send(rig.request("one", BigInteger.valueOf(7)));
        journal.orUntil(() -> sent.toCompletableFuture().isDone());
        if (!journal.isDead()) {
            CompletionStage<SendRecord> raised = rig.sends.raise("one");
            journal.orUntil(() -> raised.toCompletableFuture().isDone());
        }
        if (!journal.isDead()) {
            rig.chain.mine(6);
            journal.orUntil(() -> false);
        }
        assertThat(journal.isDead()).isTrue();
        rig.crash();
    }

    @Test
    void a_full_disk_keeps_the_transaction_from_leaving_and_uses_no_nonce() {
        rig.restartWith(new FatedJournal(1, Fate.REFUSED)::over);

        assertThatThrownBy(() -> rig.send("one", 7))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        why -> assertThat(why.reason()).isEqualTo(StoreException.Reason.UNAVAILABLE));
        assertThat(rig.chain.waiting()).isEmpty();
        assertThat(rig.send("two", 7).nonce()).isZero();
    }

    @Test
    void what_the_store_has_written_without_being_able_to_say_so_is_followed_nevertheless() {
        rig.restartWith(new FatedJournal(1, Fate.UNKNOWN)::over);

        failsInDoubt("one");
        rig.await("one", SendState.Sent.class);
        assertThat(rig.send("one", 7).nonce()).isZero();
        assertThat(rig.send("two", 7).nonce()).isEqualTo(1);
    }

    private void failsInDoubt(String reference) {
        assertThatThrownBy(() -> rig.send(reference, 7))
                .isInstanceOfSatisfying(
                        StoreException.class, why -> assertThat(why.reason()).isEqualTo(StoreException.Reason.UNKNOWN));
    }

    /** Returns a journal whose listing of open rows is replaced by {@code listing}. */
    private static AccountSendStore listing(
            AccountSendStore real, UnaryOperator<CompletionStage<List<AccountSend>>> listing) {
        return Stub.of(
                AccountSendStore.class,
                call -> FatedJournal.isListing(call)
                        ? listing.apply(real.open((BigInteger) call.arguments()[0]))
                        : call.on(real));
    }

    @Test
    void what_a_commit_in_doubt_has_written_leaves_although_the_journal_cannot_be_read_at_first() {
        AtomicInteger readsInVain = new AtomicInteger();
        FatedJournal fated = new FatedJournal(1, Fate.UNKNOWN);
        rig.restartWith(real -> fated.over(listing(
                real,
                rows -> fated.isBeyond() && readsInVain.incrementAndGet() < 4
                        ? FatedJournal.failed(StoreException.Reason.UNAVAILABLE)
                        : rows)));

        failsInDoubt("one");

        rig.await("one", SendState.Sent.class);
        assertThat(rig.send("two", 7).nonce()).isEqualTo(1);
    }

    @Test
    void what_a_commit_in_doubt_has_written_leaves_although_it_can_be_read_only_later() {
        AtomicInteger reads = new AtomicInteger();
        FatedJournal fated = new FatedJournal(1, Fate.UNKNOWN_YET);
        rig.restartWith(real -> fated.over(listing(real, rows -> {
            done(rows);
            reads.addAndGet(fated.isBeyond() ? 1 : 0);
            return rows;
        })));

        failsInDoubt("one");
        Await.until("the journal was read again", () -> reads.get() > 0);
        fated.settle();

        rig.await("one", SendState.Sent.class);
        assertThat(rig.send("two", 7).nonce()).isEqualTo(1);
    }

    @Test
    void what_the_store_writes_after_the_wait_for_it_has_ended_leaves_nevertheless() {
        rig.restartWith(new FatedJournal(1, Fate.UNANSWERED_YET)::over);

        failsInDoubt("one");

        rig.await("one", SendState.Sent.class);
        assertThat(rig.send("two", 7).nonce()).isEqualTo(1);
    }

    @Test
    void an_open_row_that_the_watch_has_never_seen_is_followed_once_anybody_asks_for_it() {
        List<Consumer<String>> questions = List.of(
                reference -> rig.sends.pursue(reference, OptionalLong.empty()),
                reference -> rig.send(reference, 7),
                reference -> rig.sends.push(reference),
                reference -> rig.sends.raise(reference));
        for (int i = 0; i < questions.size(); i++) {
            String reference = "send-" + i;
            rig.send(reference, 7);
            rig.restartWith(real ->
                    listing(real, rows -> rows.thenApplyAsync(open -> List.<AccountSend>of(), rig.executor)));

            questions.get(i).accept(reference);

            rig.chain.mine();
            rig.await(reference, SendState.Mined.class);
            rig.chain.mine(5);
            rig.await(reference, SendState.Final.class);
        }
    }

    @Test
    void a_send_is_raised_again_after_a_version_that_a_commit_in_doubt_has_written_late() {
        rig.restartWith(new FatedJournal(3, Fate.UNKNOWN_YET)::over);
        rig.send("one", 7);
        rig.await("one", SendState.Sent.class);

        assertThatThrownBy(() -> done(rig.sends.raise("one"))).isInstanceOf(StoreException.class);

        Await.until("it is raised", () -> done(rig.sends.raise("one")).hashes().size() > 2);
    }

    @Test
    void a_version_that_the_journal_tells_of_before_its_maker_does_counts_once() {
        AtomicBoolean refusesTheState = new AtomicBoolean(true);
        AtomicBoolean isReread = new AtomicBoolean();
        CompletableFuture<Void> written = new CompletableFuture<>();
        CompletableFuture<Void> told = new CompletableFuture<>();
        rig.restartWith(real -> Stub.of(AccountSendStore.class, call -> {
            if (call.name().equals("enter") && refusesTheState.compareAndSet(true, false)) {
                return FatedJournal.failed(StoreException.Reason.UNAVAILABLE);
            }
            if (call.name().equals("find") && !refusesTheState.get() && isReread.compareAndSet(false, true)) {
                return written.thenComposeAsync(done -> real.find((String) call.arguments()[0]), rig.executor);
            }
            Object answer = call.on(real);
            if (call.name().equals("addVersion") && !written.isDone()) {
                done((CompletionStage<?>) answer);
                written.complete(null);
                return told.thenComposeAsync(done -> (CompletionStage<?>) answer, rig.executor);
            }
            return answer;
        }));
        rig.send("one", 7);
        Await.until("the journal is asked", isReread::get);
        CompletionStage<SendRecord> raised = rig.sends.raise("one");
        Await.until(
                "the journal has told",
                () -> done(rig.sends.open(rig.own)).get(0).hashes().size() == 2);

        told.complete(null);

        assertThat(done(raised).hashes()).hasSize(2);
        assertThat(done(rig.sends.raise("one")).hashes()).hasSize(3);
    }

    @Test
    void a_send_whose_last_state_was_written_by_a_commit_in_doubt_is_open_no_more() {
        AtomicBoolean isCertain = new AtomicBoolean(true);
        List<SendState> heard = new CopyOnWriteArrayList<>();
        rig.restartWith(real -> Stub.of(AccountSendStore.class, call -> {
            Object answer = call.on(real);
            boolean isFinal = call.name().equals("enter") && call.arguments()[2] == AccountSend.State.FINAL;
            if (isFinal && isCertain.compareAndSet(true, false)) {
                done((CompletionStage<?>) answer);
                return FatedJournal.failed(StoreException.Reason.UNKNOWN);
            }
            return answer;
        }));
        rig.sends.onChange(record -> heard.add(record.state()));
        rig.send("one", 7);
        rig.chain.mine(6);

        Await.until("it is open no more", () -> done(rig.sends.open(rig.own)).isEmpty());
        assertThat(heard.get(heard.size() - 1)).isInstanceOf(SendState.Final.class);
    }

    @Test
    void a_row_whose_state_the_journal_neither_takes_nor_tells_is_read_until_it_does() {
        AtomicBoolean refusesTheState = new AtomicBoolean(true);
        AtomicBoolean refusesToTell = new AtomicBoolean();
        AtomicBoolean askedInVain = new AtomicBoolean();
        rig.restartWith(real -> Stub.of(AccountSendStore.class, call -> {
            boolean isFinal = call.name().equals("enter") && call.arguments()[2] == AccountSend.State.FINAL;
            if (isFinal && refusesTheState.compareAndSet(true, false)) {
                refusesToTell.set(true);
                return FatedJournal.failed(StoreException.Reason.UNAVAILABLE);
            }
            if (call.name().equals("find") && refusesToTell.compareAndSet(true, false)) {
                askedInVain.set(true);
                return FatedJournal.failed(StoreException.Reason.UNAVAILABLE);
            }
            return call.on(real);
        }));
        rig.send("one", 7);
        rig.chain.mine(6);

        Await.until("the journal was asked in vain", askedInVain::get);

        Await.until(
                "it is durable",
                () -> done(rig.journal.find("one")).orElseThrow().state() == AccountSend.State.FINAL);
    }
}
