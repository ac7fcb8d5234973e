package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.accept;
import static org.chainwalletd.store.Payments.asked;
import static org.chainwalletd.store.Payments.assertAnswer;
import static org.chainwalletd.store.Payments.assertBound;
import static org.chainwalletd.store.Payments.assertFails;
import static org.chainwalletd.store.Payments.pay;
import static org.chainwalletd.store.Payments.payment;
import static org.chainwalletd.store.Payments.spend;
import static org.chainwalletd.store.Payments.told;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;
import static org.chainwalletd.store.StoreSample.raw;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.KeyringRow;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.WatchStore;
import org.chainwalletd.store.sql.KeyringTable;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.store.sql.StoreFaults;
import org.chainwalletd.store.sql.StoreRestore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log of each daemon of a PostgreSQL store: databases that have forgotten payments, copied datadirs, and logs that cannot be written. */
@Tag("postgres")
class PostgresSentLogTest {
    private static final PostgresRestore.Step NOTHING = new PostgresRestore.Step(Optional.empty(), List.of());

    @TempDir
    Path folder;

    @AutoClose
    private final SharedStores database = new SharedStores();
    /** References of the payments left out by the last restore. */
    private List<String> leftOut = List.of();

    private Path datadir(String name) {
        return folder.resolve(name);
    }

    private PostgresStore open(String name) {
        return open(name, Optional.empty(), SentLog.LEAST_TO_PRUNE);
    }

    private PostgresStore open(String name, Optional<CommitMark> books, long leastToPrune) {
        return database.keep(database.open(datadir(name), books, leastToPrune));
    }

    /** Opens the store as if there had been no heartbeat of other daemons for long, although they run. */
    private PostgresStore openOfSilent(String name) {
        for (int attempt = 0; attempt < 100; attempt++) {
            database.run("UPDATE daemons SET beaten = beaten - 60000");
            try {
                return open(name);
            } catch (StoreException e) {
                assertThat(e.reason()).isEqualTo(StoreException.Reason.BUSY);
            }
        }
        throw new AssertionError("there was a heartbeat each time");
    }

    private void end(PostgresStore... running) {
        database.end(running);
    }

    /** Ends these daemons and sets the database back. */
    private void setBack(PostgresStore... running) {
        database.end(running);
        database.putBack();
    }

    private PostgresRestore.Step restore(String name, String... without) {
        return database.restore(datadir(name), Optional.empty(), without);
    }

    private StoreRestore.Restored restored(String name, String... without) {
        return restore(name, without).restored().orElseThrow();
    }

    /** Restores the log of a datadir, and asserts that only this log is still needed. */
    private void assertNeeds(String name, String log) {
        assertThat(restore(name).missing())
                .extracting(PostgresRestore.Log::name)
                .containsExactly(log);
    }

    private void copyDatadir(String from, String to) throws IOException {
        Files.createDirectories(datadir(to));
        Files.copy(SentLog.in(datadir(from)), SentLog.in(datadir(to)), StandardCopyOption.REPLACE_EXISTING);
    }

    private String logOf(String name) throws IOException {
        return SentLog.read(datadir(name)).orElseThrow().shared().orElseThrow().name();
    }

    private void awaitStopped(PostgresStore store) {
        Await.until("it has noticed", () -> store.stopped().isPresent());
    }

    /** Runs two daemons; payment 1 is in the backup, all others are only in their logs. */
    private void loseMost() {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        pay(one, 1);
        pay(two, 11);
        database.backUp();
        pay(one, 2);
        accept(one, 2);
        pay(one, 3);
        pay(two, 12);
        accept(two, 12);
        pay(two, 13);
        done(one.intents().failSent(hash(1), IntentState.PREPARED, IntentState.CONFLICTED, "lost", 90));
        database.putBack();
        awaitStopped(one);
        awaitStopped(two);
        assertThat(one.stopped().orElseThrow())
                .contains("payments may be forgotten")
                .contains("store restored");
        assertFails(asked(two, 90), StoreException.Reason.STOPPED);
        end(one, two);
    }

    @Test
    void a_database_that_was_restored_from_a_snapshot_is_completed_by_the_logs_of_all_daemons() throws IOException {
        loseMost();
        for (String name : List.of("two", "one", "new")) {
            PostgresStore stopped = open(name);
            assertThat(stopped.stopped()).isPresent();
            end(stopped);
        }

        PostgresRestore.Step first = restore("one");
        assertThat(first.restored()).isEmpty();
        assertThat(first.missing())
                .containsExactly(new PostgresRestore.Log(
                        logOf("two"), datadir("two").toAbsolutePath().toString()));
        assertThat(restore("one").missing()).as("again").hasSize(1);
        PostgresStore waiting = open("two");
        assertThat(waiting.stopped()).isPresent();

        StoreRestore.Restored restored = restored("two");

        assertThat(restored.complete()).isTrue();
        assertThat(restored.inFlight()).extracting(Intent::txId).containsExactly(hash(2), hash(12));
        assertThat(restored.doubtful()).extracting(Intent::txId).containsExactly(hash(3), hash(13));
        for (String name : List.of("one", "two", "new")) {
            PostgresStore store = open(name);
            assertThat(store.stopped()).isEmpty();
            assertThat(store.isForgetful()).isFalse();
            assertBound(store, List.of(1, 2, 3, 11, 12, 13));
            assertThat(spend(store, 2).state()).isEqualTo(IntentState.ACCEPTED);
            assertThat(spend(store, 3).reason()).isEqualTo(StoreRestore.DOUBTFUL);
            assertThat(done(store.intents().open(intent(80, Optional.empty(), 13), 0)))
                    .isEqualTo(new Opening.CoinTaken(payment(13).inputs().get(0), hash(13)));
        }
        assertThat(spend(waiting, 1).state()).isEqualTo(IntentState.CONFLICTED);
        assertThat(restore("one")).as("nothing is missing").isEqualTo(NOTHING);
        assertThatThrownBy(() -> restore("one", logOf("two"))).hasMessageContaining("nothing to be restored");
        assertThatThrownBy(() -> restore("mistyped")).hasMessageContaining("name the one of a daemon");
    }

    /** Commits of one daemon are lost; the other daemon's log is used only once it is known that some are missing. */
    @Test
    void the_logs_are_taken_in_any_order_and_as_often_as_they_are_given() throws IOException {
        PostgresStore two = open("two");
        pay(two, 11);
        end(two);
        PostgresStore one = open("one");
        pay(one, 1);
        database.backUp();
        pay(one, 2);
        setBack(one);

        assertThat(restore("two")).as("it lacks nothing").isEqualTo(NOTHING);
        for (int attempt = 0; attempt < 2; attempt++) {
            assertNeeds("one", logOf("two"));
        }
        assertThat(restored("two").doubtful()).extracting(Intent::txId).containsExactly(hash(2));
        for (String name : List.of("one", "two")) {
            assertThat(restore(name)).isEqualTo(NOTHING);
        }
        assertBound(open("two"), List.of(1, 2, 11));
        assertBound(open("one"), List.of(1, 2, 11));
    }

    @Test
    void a_daemon_that_slept_through_a_restore_writes_nothing_any_more() {
        PostgresStore sleeper = open("one");
        pay(sleeper, 1);
        database.backUp();
        pay(sleeper, 2);
        database.putBack();
        assertThat(restore("one").restored()).isPresent();

        assertFails(asked(sleeper, 3), StoreException.Reason.STOPPED);
        assertBound(open("one"), List.of(1, 2));
    }

    @Test
    void a_log_that_is_lost_is_named_and_abandoned_by_name() throws IOException {
        loseMost();
        String lost = logOf("two");
        Files.delete(SentLog.in(datadir("two")));
        assertNeeds("one", lost);
        assertThatThrownBy(() -> restore("one", "0123")).hasMessageContaining("no daemon has a log with the name 0123");

        StoreRestore.Restored restored = restore("one", lost).restored().orElseThrow();

        assertThat(restored.complete()).isFalse();
        PostgresStore store = open("two");
        assertThat(store.stopped()).isEmpty();
        assertThat(store.isForgetful()).isTrue();
        assertBound(store, List.of(1, 2, 3, 11));
        assertThat(done(store.receipts().find("token-12", 0))).isEmpty();
        assertThat(logOf("two")).isNotEqualTo(lost);
    }

    /** The backup does not contain the third daemon, but the logs of the other daemons do. */
    @Test
    void a_daemon_that_joined_after_the_snapshot_is_known_from_the_logs_of_the_others() throws IOException {
        PostgresStore one = open("one");
        pay(one, 1);
        database.backUp();
        PostgresStore three = open("three");
        pay(three, 3);
        pay(one, 2);
        database.putBack();
        end(one, three);
        assertThat(open("one").stopped()).isPresent();

        assertNeeds("one", logOf("three"));
        assertThat(restore("three").restored()).isPresent();
        assertBound(open("one"), List.of(1, 2, 3));
        assertBound(open("three"), List.of(1, 2, 3));
    }

    /** The log of one daemon contains the end of another daemon's spend, so the logs are consistent only in commit order. */
    @Test
    void the_logs_are_entered_in_the_order_of_the_commits_whichever_daemon_made_them() throws IOException {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        database.backUp();
        Intent first = intent(1, Optional.of("token-again"), 1, 2);
        Intent second = intent(2, Optional.of("token-again"), 2, 3);
        assertAnswer(one.intents().open(first, 0), Opening.Opened.class);
        end(one);
        byte[] log = Files.readAllBytes(SentLog.in(datadir("one")));
        assertAnswer(
                two.intents().failSent(first.txId(), IntentState.PREPARED, IntentState.CONFLICTED, "spent", 50),
                IntentStore.Transition.Made.class);
        one = open("one");
        assertAnswer(one.intents().open(second, 0), Opening.Opened.class);
        assertThat(Files.readAllBytes(SentLog.in(datadir("one")))).startsWith(log);
        accept(two, 2);
        database.putBack();
        end(one, two);

        assertThat(restore("two").restored()).isEmpty();
        StoreRestore.Restored restored = restored("one");

        assertThat(restored.doubtful()).isEmpty();
        PostgresStore store = open("one");
        assertThat(spend(store, 1).state()).isEqualTo(IntentState.CONFLICTED);
        assertThat(done(store.receipts().find("token-again", 0)).map(Intent::txId))
                .contains(second.txId());
        assertThat(spend(store, 2).state()).isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void a_spend_that_a_daemon_takes_over_is_in_its_log_before_it_sends_it() throws IOException {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        database.backUp();
        pay(one, 1);
        Await.until("its heartbeat has lapsed", () -> {
            database.run("UPDATE daemons SET beaten = 0 WHERE start = " + one.start());
            return done(two.intents().adopt(hash(1))) instanceof IntentStore.Adoption.Ours;
        });
        String lost = logOf("one");
        setBack(one, two);

        assertThat(restore("two", lost).restored()).isPresent();
        assertBound(open("two"), List.of(1));
    }

    @Test
    void a_copied_datadir_is_refused_alone_and_an_equal_one_once_its_daemon_is_silent_takes_its_place()
            throws IOException {
        PostgresStore one = open("one");
        pay(one, 1);
        copyDatadir("one", "old");
        pay(one, 2);
        pay(one, 7);
        assertThatThrownBy(() -> open("old"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is a copy")
                .hasMessageContaining("move sent.log away");
        pay(one, 3);
        assertThat(one.stopped()).isEmpty();

        copyDatadir("one", "same");
        assertThatThrownBy(() -> open("same")).hasMessageContaining("which has this datadir or a copy of it");
        pay(one, 6);
        copyDatadir("one", "same");
        PostgresStore same = openOfSilent("same");
        pay(same, 4);
        assertFails(asked(one, 5), StoreException.Reason.STOPPED);
        assertThat(one.stopped().orElseThrow()).contains("another process has opened the store");
        assertThat(same.stopped()).isEmpty();
        assertThat(done(same.intents().find(hash(5)))).isEmpty();
        end(one);
        assertThatThrownBy(() -> open("one")).hasMessageContaining("is a copy");
    }

    /** The machine may lose power when the database has a commit whose record is not on disk yet, and the next start may end at once. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_log_that_lacks_only_the_newest_commit_is_used_and_tells_all_again(boolean endsAtOnce) throws IOException {
        PostgresStore one = open("one");
        database.backUp();
        pay(one, 1);
        copyDatadir("one", "before");
        pay(one, 2);
        end(one);
        copyDatadir("before", "one");
        Object lacking = file(SentLog.in(datadir("one")));
        if (endsAtOnce) {
            end(open("one"));
        }

        PostgresStore again = open("one");
        assertBound(again, List.of(1, 2));
        AtomicInteger number = new AtomicInteger(100);
        Await.until("the log is written anew", () -> {
            pay(again, number.incrementAndGet());
            return !file(SentLog.in(datadir("one"))).equals(lacking);
        });
        setBack(again);
        end(open("one"));
        restore("one");
        assertBound(open("one"), List.of(1, 2));
    }

    /** A daemon joins when there are keys, and ends before its log contains them. */
    @Test
    void the_log_of_a_daemon_that_joined_later_contains_the_keys_although_its_first_start_ended_at_once()
            throws IOException {
        PostgresStore one = open("one");
        database.backUp();
        KeyringRow.Head head = new KeyringRow.Head(7, Map.of());
        done(one.write(session -> {
            KeyringTable.set(session, head);
            return null;
        }));
        end(open("two"));
        PostgresStore two = open("two");
        payUntilPruned(two, "two", 100);
        String lost = logOf("one");
        setBack(one, two);

        assertThat(restore("two", lost).restored()).isPresent();
        assertThat(open("two").keys().head()).contains(head);
    }

    /** Ends these daemons, sets the database back, lets a daemon find it stopped, and restores it from both logs. */
    private StoreRestore.Restored restoredFromBoth(PostgresStore... running) {
        setBack(running);
        assertThat(open("two").stopped()).isPresent();
        restore("one");
        return restored("two");
    }

    private static Object file(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The COMMIT of the first payment does not arrive, so that another daemon pays for its token. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_payment_whose_commit_was_not_made_takes_no_token_of_a_later_one(boolean kept) throws IOException {
        PostgresStore two = open("two");
        Intent first = intent(1, Optional.of("token-again"), 1);
        Intent second = intent(2, Optional.of("token-again"), 2);
        if (!kept) {
            database.backUp();
        }
        loseCommit(one -> done(one.intents().open(first, 0)));
        assertAnswer(two.intents().open(second, 0), Opening.Opened.class);
        accept(two, 2);
        if (kept) {
            database.backUp();
        }
        pay(two, 3);

        restoredFromBoth(two);

        PostgresStore store = open("two");
        assertThat(done(store.receipts().find("token-again", 0)).map(Intent::txId))
                .contains(second.txId());
        assertThat(spend(store, 2).state()).isEqualTo(IntentState.ACCEPTED);
        assertThat(done(store.intents().find(first.txId()))
                        .filter(spend -> spend.state().inFlight()))
                .isEmpty();
        assertBound(store, List.of(3));
    }

    @Test
    void a_batch_whose_commit_was_not_made_is_not_sent_when_another_pays_its_payouts() throws IOException {
        PostgresStore two = open("two");
        List<PayoutStore.Payout> payouts = PayoutSample.submit(two, Optional.empty(), 1, 2);
        database.backUp();
        loseCommit(one -> PayoutSample.open(one, 8, payouts.get(0)));
        Intent second = PayoutSample.open(two, 7, payouts.get(0));

        StoreRestore.Restored restored = restoredFromBoth(two);

        assertThat(restored.inFlight()).extracting(Intent::txId).containsExactly(second.txId());
        assertThat(payout(open("two"), 1).state()).isEqualTo(PayoutStore.State.IN_FLIGHT);
    }

    @Test
    void a_cancellation_whose_commit_was_not_made_cancels_no_payout_that_another_daemon_has_paid() throws IOException {
        PostgresStore two = open("two");
        List<PayoutStore.Payout> payouts = PayoutSample.submit(two, Optional.empty(), 1);
        database.backUp();
        loseCommit(
                "UPDATE payouts",
                one -> done(one.payouts()
                        .cancel(List.of(payouts.get(0).order().payoutId()), PayoutStore.Claimant.ANYBODY, 60)));
        Intent paid = PayoutSample.open(two, 7, payouts.get(0));
        done(two.intents().accept(paid.txId(), Set.of(IntentState.PREPARED), 61));

        restoredFromBoth(two);

        PostgresStore restored = open("two");
        assertThat(payout(restored, 1).state()).isEqualTo(PayoutStore.State.IN_FLIGHT);
        assertThat(done(restored.intents().find(paid.txId())).orElseThrow().state())
                .isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void a_submission_whose_commit_was_not_made_takes_no_id_of_a_payment_or_of_another_payout() throws IOException {
        PostgresStore two = open("two");
        database.backUp();
        loseCommit("INSERT INTO payouts", one -> PayoutSample.submit(one, Optional.empty(), 1, 2, 3));
        Intent payment = intent(1, Optional.of("payout-1"), 1);
        done(two.intents().open(payment, 0));
        PayoutSample.submit(two, Optional.of("worker"), 2);

        StoreRestore.Restored step = restoredFromBoth(two);

        PostgresStore restored = open("two");
        assertThat(done(restored.payouts().find("payout-1"))).isEmpty();
        assertThat(done(restored.history().everBound("payout-1"))).contains(payment.txId());
        assertThat(payout(restored, 2).owner()).contains("worker");
        assertThat(payout(restored, 3).state())
                .as("nobody knows whether it was acknowledged")
                .isEqualTo(PayoutStore.State.HELD);
        assertThat(step.held()).isEqualTo(2);
    }

    @Test
    void an_account_payment_whose_commit_was_not_made_takes_no_nonce_of_one_that_was_made() throws IOException {
        PostgresStore two = open("two");
        database.backUp();
        AccountSend made = AccountSendSample.send(1, AccountSend.State.JOURNALLED);
        AccountSend lost = AccountSendSample.renamed(made, "token/another-one");
        loseCommit("INSERT INTO account_sends", one -> done(one.accountSends().open(List.of(lost))));
        done(two.accountSends().open(List.of(made)));

        restoredFromBoth(two);

        PostgresStore restored = open("two");
        assertThat(done(restored.accountSends().find(made.order().reference()))).isPresent();
        assertThat(done(restored.accountSends().find(lost.order().reference()))).isEmpty();
    }

    /** A daemon loses the commit of payments, another continues, and the database is set back to an earlier state and restored. */
    private PostgresStore restoredAfterLoss(boolean arrives, List<AccountSend> lost, Consumer<PostgresStore> other) {
        PostgresStore two = open("two");
        database.backUp();
        loseCommit(
                arrives,
                "one",
                "INSERT INTO account_sends",
                one -> done(one.accountSends().open(lost)));
        other.accept(two);
        setBack(two);
        List<PostgresRestore.Step> steps = List.of(restore("one"), restore("two"));
        leftOut = steps.stream()
                .flatMap(step -> step.restored().stream())
                .flatMap(restored -> restored.unnamed().stream())
                .map(AccountSend::reference)
                .toList();
        return open("two");
    }

    private static final AccountSend UNNAMED =
            AccountSendSample.renamed(AccountSendSample.send(1, AccountSend.State.JOURNALLED), "send/ab");

    private static Optional<AccountSend> found(Store store, AccountSend send) {
        return done(store.accountSends().find(send.reference()));
    }

    /** Records that a daemon has seen the payment in a block. */
    private static void mined(Store store, AccountSend send) {
        assertThat(done(store.accountSends()
                        .enter(
                                found(store, send).orElseThrow().id(),
                                AccountSend.State.JOURNALLED,
                                AccountSend.State.MINED,
                                Optional.of(
                                        new AccountSend.Outcome(send.newest().hash(), 7, StoreSample.hash(77), true)),
                                StoreSample.BEGUN + 9)))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_account_payment_keeps_its_state_when_an_earlier_commit_of_it_was_in_doubt(boolean arrives)
            throws IOException {
        AccountSend send = AccountSendSample.send(1, AccountSend.State.JOURNALLED);
        PostgresStore restored = restoredAfterLoss(arrives, List.of(send), two -> {
            if (!arrives) {
                done(two.accountSends().open(List.of(send)));
            }
            mined(two, send);
        });
        assertThat(found(restored, send).orElseThrow().state()).isEqualTo(AccountSend.State.MINED);
    }

    @Test
    void an_account_payment_without_a_name_whose_commit_was_not_made_is_never_sent() throws IOException {
        assertThat(found(restoredAfterLoss(false, List.of(UNNAMED), two -> {}), UNNAMED))
                .isEmpty();
        assertThat(leftOut).containsExactly("send/ab");
    }

    @Test
    void an_account_payment_without_a_name_is_known_when_a_later_one_shows_that_its_commit_was_made()
            throws IOException {
        AccountSend later = AccountSendSample.send(2, AccountSend.State.JOURNALLED);
        assertThat(found(
                        restoredAfterLoss(
                                true,
                                List.of(UNNAMED),
                                two -> done(two.accountSends().open(List.of(later)))),
                        UNNAMED))
                .isPresent();
    }

    @Test
    void an_account_payment_without_a_name_below_one_with_a_name_leaves_no_hole_in_the_line_of_nonces()
            throws IOException {
        AccountSend named = AccountSendSample.send(2, AccountSend.State.JOURNALLED);
        PostgresStore restored = restoredAfterLoss(false, List.of(UNNAMED, named), two -> {});
        assertThat(found(restored, named)).isPresent();
        assertThat(found(restored, UNNAMED)).isPresent();
        assertThat(leftOut).isEmpty();
    }

    @Test
    void an_account_payment_without_a_name_is_known_when_a_change_of_it_was_in_doubt_too() throws IOException {
        PostgresStore restored = restoredAfterLoss(true, List.of(UNNAMED), two -> {
            end(two);
            loseCommit(true, "two", "UPDATE account_sends", store -> mined(store, UNNAMED));
        });
        assertThat(found(restored, UNNAMED)).isPresent();
        assertThat(leftOut).isEmpty();
    }

    @Test
    void an_account_payment_whose_commit_was_not_made_takes_no_token_of_a_transfer() throws IOException {
        AccountSend send = AccountSendSample.renamed(
                AccountSendSample.send(1, AccountSend.State.JOURNALLED), AccountSendStore.reference("token-1"));
        assertThat(found(restoredAfterLoss(false, List.of(send), two -> pay(two, 1)), send))
                .isEmpty();
    }

    /** A daemon passes a transaction on, another sends it again, and a third commit, for another transaction, is not made. */
    @Test
    void what_was_passed_on_comes_back_and_in_a_commit_that_was_not_made_it_takes_no_number_of_a_payment()
            throws IOException {
        PostgresStore two = open("two");
        database.backUp();
        PostgresStore one = open("one");
        done(one.rawSends().begin(raw(8), 50));
        end(one);
        done(two.rawSends().end(done(two.rawSends().begin(raw(8), 60)).orElseThrow(), IntentState.ACCEPTED, 70));
        loseCommit("INSERT INTO kept_spends", lost -> done(lost.rawSends().begin(raw(9), 80)));
        pay(two, 2);
        PastSpend passedOn = told(two, 8);
        long paid = told(two, 2).number();

        restoredFromBoth(two);

        PostgresStore store = open("two");
        assertThat(told(store, 8)).isEqualTo(passedOn);
        assertThat(told(store, 2).number()).isEqualTo(paid);
        assertThat(told(store, 9).state()).isEqualTo(IntentState.PREPARED);
        assertThat(told(store, 9).number()).isNotIn(paid, passedOn.number());
    }

    private void loseCommit(Consumer<Store> spend) {
        loseCommit("INSERT INTO spends", spend);
    }

    private void loseCommit(String statement, Consumer<Store> spend) {
        loseCommit(false, "one", statement, spend);
    }

    /** Makes a daemon lose the COMMIT of a transaction with this statement, or only its response if it arrives, and ends the daemon. */
    private void loseCommit(boolean arrives, String name, String statement, Consumer<Store> spend) {
        try (PostgresProxy cutter = new PostgresProxy(database, arrives);
                PostgresStore one = cutter.open(datadir(name))) {
            cutter.cutNext(statement);
            assertThatThrownBy(() -> spend.accept(one))
                    .cause()
                    .isInstanceOf(StoreException.class)
                    .hasFieldOrPropertyWithValue("reason", StoreException.Reason.UNKNOWN);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_datadir_of_another_store_is_refused_alone() throws IOException {
        SqliteStore.open(datadir("sqlite")).close();
        assertThatThrownBy(() -> open("sqlite")).hasMessageContaining("has worked with another store");
        PostgresStore one = open("one");
        pay(one, 1);
        byte[] log = Files.readAllBytes(SentLog.in(datadir("one")));
        Files.createDirectories(datadir("damaged"));
        log[log.length / 2] ^= 1;
        Files.write(SentLog.in(datadir("damaged")), log);
        assertThatThrownBy(() -> open("damaged")).hasMessageContaining("is damaged at byte");
        assertThat(PostgresStore.look(datadir("one"), Optional.empty(), database, new PostgresMember(Map.of())))
                .isEmpty();
        pay(one, 2);
        assertThat(one.stopped()).isEmpty();
    }

    @Test
    void a_database_that_was_recreated_is_refused_until_it_is_restored() {
        PostgresStore one = open("one");
        pay(one, 1);
        CommitMark books = one.confirmed().orElseThrow();
        database.empty();
        end(one);
        assertThatThrownBy(() -> open("one")).hasMessageContaining("made anew");

        assertThat(restored("one").doubtful()).hasSize(1);
        assertBound(open("one", Optional.of(books), SentLog.LEAST_TO_PRUNE), List.of(1));
    }

    @Test
    void books_that_know_a_later_commit_than_the_log_stop_the_store_too() throws IOException {
        PostgresStore one = open("one");
        pay(one, 1);
        database.backUp();
        end(one);
        copyDatadir("one", "old");
        one = open("one");
        pay(one, 2);
        Optional<CommitMark> books = one.confirmed();
        setBack(one);
        copyDatadir("old", "one");

        PostgresStore stopped = open("one", books, SentLog.LEAST_TO_PRUNE);
        assertThat(stopped.stopped().orElseThrow()).contains("books");
        assertThatThrownBy(() -> restore("one", books))
                .hasMessageContaining("is older than the payments that are missing");
        assertThat(open("one").stopped()).isPresent();
    }

    /** The books record a commit by its number among those of all daemons, but not which daemon made it. */
    @Test
    void any_log_may_have_the_commit_that_the_books_know_and_all_are_refused_only_when_none_has_it()
            throws IOException {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        pay(one, 1);
        database.backUp();
        pay(one, 2);
        pay(two, 12);
        // While running, it follows other daemons with empty commits of its own, one of which may be the newest.
        end(one, two);
        copyDatadir("two", "old");
        two = open("two");
        pay(two, 13);
        Optional<CommitMark> books = two.confirmed();
        end(two);
        copyDatadir("two", "new");
        database.putBack();
        copyDatadir("old", "two");

        assertThat(restore("one", books).missing()).hasSize(1);
        assertThatThrownBy(() -> restore("two", books))
                .hasMessageContaining("is older than the payments that are missing");
        copyDatadir("new", "two");
        assertThat(restore("two", books).restored().orElseThrow().complete()).isTrue();
        assertBound(open("one"), List.of(1, 2, 12, 13));
    }

    /** Each log names the commits of the others that it follows, so the newest log of an idle daemon cannot hide that another log is outdated. */
    @Test
    void an_outdated_log_is_refused_although_that_of_another_daemon_is_newer_until_it_is_replaced_or_abandoned()
            throws IOException {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        pay(one, 1);
        database.backUp();
        copyDatadir("one", "old");
        pay(one, 2);
        pay(one, 3);
        pay(two, 12);
        end(one, two);
        copyDatadir("one", "new");
        database.putBack();
        copyDatadir("old", "one");

        assertThat(restore("two").missing()).hasSize(1);
        assertThatThrownBy(() -> restore("one"))
                .hasMessageContaining("sent.log in " + datadir("one") + " lacks commits of its daemon that another");
        copyDatadir("new", "one");
        assertThat(restored("one").complete()).isTrue();
        assertBound(open("one"), List.of(1, 2, 3, 12));
    }

    @Test
    void an_outdated_log_that_was_copied_before_another_tells_of_it_can_still_be_abandoned() throws IOException {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        PostgresStore three = open("three");
        database.backUp();
        pay(one, 1);
        copyDatadir("one", "old");
        pay(one, 2);
        pay(one, 3);
        pay(two, 12);
        setBack(one, two, three);
        copyDatadir("old", "one");

        assertThat(restore("one").missing()).hasSize(2);
        assertThat(restore("three").missing()).hasSize(1);
        assertThatThrownBy(() -> restore("two"))
                .hasMessageContaining("sent.log in " + datadir("one") + " lacks commits");
        assertThat(restore("one", "sent.log").missing()).hasSize(1);
        assertThat(restored("two").complete()).isFalse();
        assertBound(open("two"), List.of(1, 12));
    }

    /** An abandoned copy that is run last has the same effect as one that is run first, and completes the store as far as it reaches. */
    @Test
    void an_abandoned_outdated_log_completes_the_store_and_is_not_continued() throws IOException {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        database.backUp();
        pay(one, 1);
        copyDatadir("one", "old");
        pay(one, 2);
        pay(one, 3);
        pay(two, 12);
        setBack(one, two);
        copyDatadir("old", "one");

        assertThat(restore("two").missing()).hasSize(1);
        assertThatThrownBy(() -> restore("one")).hasMessageContaining("sent.log in " + datadir("one") + " lacks");
        assertThat(restored("one", "sent.log").complete()).isFalse();
        assertThatThrownBy(() -> open("one")).hasMessageContaining("is a copy, or was restored from one");
        Files.delete(SentLog.in(datadir("one")));
        assertBound(open("one"), List.of(1, 12));
    }

    /** A transaction that was rolled back has recorded nothing: the next one names the commits of the other daemons again. */
    @Test
    void commits_of_others_are_named_by_the_next_commit_that_is_made() throws IOException {
        PostgresStore two = open("two");
        database.backUp();
        PostgresStore one = open("one");
        pay(one, 1);
        end(one);
        Runnable room = StoreFaults.fillLogDisk(two);
        assertFails(asked(two, 12), StoreException.Reason.UNAVAILABLE);
        room.run();
        pay(two, 13);
        setBack(two);

        assertNeeds("two", logOf("one"));
    }

    /** The standby that is promoted lacks the newest commits, and assigns their numbers to a daemon that joins. */
    @Test
    void a_daemon_whose_commits_have_the_numbers_of_lost_ones_is_named_by_the_logs_of_the_others() throws IOException {
        database.act();
        PostgresStore one = database.keep(PostgresStore.open(
                datadir("one"), Optional.empty(), database.acting(), Optional.empty(), false, SentLog.LEAST_TO_PRUNE));
        pay(one, 1);
        database.warnOf("commits", 0);
        database.backUp();
        database.run("UPDATE warnings SET remaining = 20");
        for (int lost = 10; lost < 20; lost++) {
            assertFails(asked(one, lost), StoreException.Reason.UNKNOWN);
        }
        database.putBack();
        PostgresStore three = open("three");
        pay(three, 3);
        end(three);
        database.act("timeline", "2");
        pay(one, 4);
        setBack(one);

        assertNeeds("one", logOf("three"));
    }

    /** An abandoned log belongs to no daemon any more, and is not requested again. */
    @Test
    void a_log_that_was_abandoned_is_named_by_no_later_commit() throws IOException {
        loseMost();
        String lost = logOf("two");
        Files.delete(SentLog.in(datadir("two")));
        restore("one");
        assertThat(restore("one", lost).restored().orElseThrow().complete()).isFalse();
        database.backUp();
        PostgresStore one = open("one");
        pay(one, 4);
        setBack(one);

        assertThat(restored("one").complete()).isTrue();
    }

    private PostgresRestore.Step restore(String name, Optional<CommitMark> books) {
        return database.restore(datadir(name), books);
    }

    @Test
    void a_daemon_whose_log_finds_no_room_opens_nothing_and_leaves_its_spends_to_others() {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        pay(one, 1);
        Runnable room = StoreFaults.fillLogDisk(one);
        assertFails(asked(one, 2), StoreException.Reason.UNAVAILABLE);
        assertThat(done(two.intents().find(hash(2)))).isEmpty();
        pay(two, 3);

        Await.until(
                "another may run what it has not sent",
                () -> done(two.intents().adopt(hash(1))) instanceof IntentStore.Adoption.Ours);
        Await.until("it relies on no earlier permission to send", () -> {
            CompletableFuture<Void> permission = one.maySend().toCompletableFuture();
            Await.until("an answer", permission::isDone);
            return permission.isCompletedExceptionally();
        });
        database.whileLocked("store", () -> assertFails(one.maySend(), StoreException.Reason.UNAVAILABLE));
        room.run();
        pay(one, 2);
        done(one.maySend());
        assertBound(two, List.of(1, 2, 3));
        end(one);
        assertBound(open("one"), List.of(1, 2, 3));
    }

    @Test
    void a_commit_whose_log_record_the_disk_has_lost_is_in_doubt_and_logged_once_more() {
        PostgresStore one = open("one");
        database.backUp();
        pay(one, 1);
        Runnable losing = StoreFaults.loseLogWrites(one);
        assertFails(asked(one, 2), StoreException.Reason.UNKNOWN);
        losing.run();
        assertThat(done(asked(one, 2))).isEqualTo(new Opening.TokenTaken(hash(2)));
        setBack(one);

        restore("one");
        assertBound(open("one"), List.of(1, 2));
    }

    @Test
    void a_commit_whose_answer_is_lost_is_in_the_log_as_what_became_of_it() throws Exception {
        PostgresStore backed = open("one");
        pay(backed, 50);
        end(backed);
        database.backUp();
        for (boolean arrives : List.of(true, false)) {
            int number = arrives ? 1 : 2;
            try (PostgresProxy cutter = new PostgresProxy(database, arrives);
                    PostgresStore store = cutter.open(datadir("one"))) {
                pay(store, 10 + number);
                cutter.cutNext("INSERT INTO spends");
                assertFails(asked(store, number), StoreException.Reason.UNKNOWN);
                assertThat(done(store.intents().findForCertain(hash(number))).isPresent())
                        .isEqualTo(arrives);
                pay(store, 20 + number);
            }
        }
        database.putBack();

        assertThat(open("one").stopped()).isPresent();
        restore("one");
        PostgresStore store = open("one");
        assertBound(store, List.of(1, 11, 12, 21, 22, 50));
        assertThat(done(store.intents().find(hash(2)))).as("was never made").isEmpty();
    }

    /**
     * The database and the log contain everything acknowledged, and the log contains everything in the database, so it can complete an older one.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "STORE_LOGGED#1",
                "STORE_LOGGED#4",
                "STORE_BEFORE_COMMIT#3",
                "STORE_AFTER_COMMIT#1",
                "STORE_AFTER_COMMIT#5"
            })
    void what_was_acknowledged_is_in_database_and_log_wherever_the_process_died(String point) throws IOException {
        PostgresStore before = open("one");
        pay(before, 1_000_000);
        end(before);
        database.backUp();
        List<Integer> acknowledged =
                WriterProcess.killedAt(point, datadir("one"), "1", PostgresServer.port(), database.name());
        acknowledged.add(1_000_000);

        PostgresStore after = open("one");
        assertThat(after.stopped()).isEmpty();
        assertBound(after, acknowledged);
        setBack(after);
        PostgresStore stopped = open("one");
        assertThat(stopped.stopped()).isPresent();
        end(stopped);
        assertThat(restore("one").restored()).isPresent();
        assertBound(open("one"), acknowledged);
    }

    @Test
    void a_pruned_log_completes_an_older_database_with_its_own_spends_and_the_ends_of_others() throws IOException {
        PostgresStore one = open("one", Optional.empty(), 20_000);
        PostgresStore two = open("two");
        database.backUp();
        pay(two, 900);
        PayoutSample.submit(one, Optional.empty(), 2);
        pay(one, 902);
        done(one.intents().fail(hash(902), IntentState.PREPARED, IntentState.REFUSED, "no", 50));
        done(one.intents().forget(1_000, 100));
        assertThat(done(one.history().erase(1_000, 100))).isEqualTo(1);
        done(one.intents().open(payment(903), 0, false, () -> 600_000));
        done(one.intents().confirm(hash(903), IntentState.PREPARED, new BlockPlace(3, hash(3)), 60));
        done(one.intents().bury(List.of(hash(903))));
        assertThat(done(one.receipts().keep(Map.of(hash(903), Bytes.EMPTY)))).isEqualTo(1);
        long longest = 0;
        int number = 1;
        boolean pruned = false;
        for (; number < 600 && !pruned; number++) {
            pay(one, number);
            done(one.intents().fail(hash(number), IntentState.PREPARED, IntentState.REFUSED, "no", 50));
            done(one.intents().forget(1_000, 100));
            long length = Files.size(SentLog.in(datadir("one")));
            pruned = length < longest;
            longest = Math.max(longest, length);
        }
        assertThat(pruned).isTrue();
        pay(one, 901);
        accept(one, 901);
        WatchStore.WatchOnly watched =
                new WatchStore.WatchOnly(Address.of(hash(904).toArray()), Optional.of("cold"), OptionalLong.of(7));
        done(two.watchOnly().put(watched));
        PayoutSample.submit(two, Optional.empty(), 1);
        setBack(one, two);

        restore("two");
        StoreRestore.Restored restored = restored("one");

        assertThat(restored.inFlight()).extracting(Intent::txId).containsExactly(hash(901));
        PostgresStore again = open("one");
        assertBound(again, List.of(900, 901));
        assertBound(open("two"), List.of(900, 901));
        assertThat(done(again.history().everBound("token-902")))
                .as("although its payment is erased")
                .contains(hash(902));
        assertThat(done(again.watchOnly().all())).containsExactly(watched);
        assertThat(done(again.payouts().list(Optional.of(PayoutStore.State.HELD), 0, 9)))
                .extracting(payout -> payout.order().payoutId())
                .containsExactlyInAnyOrder("payout-1", "payout-2");
        assertThat(done(again.allowance().spentSince(600_000)))
                .as("although its payment is only told since it was settled")
                .containsExactly(new AllowanceStore.Minute(
                        600_000, payment(903).allowance().toBigInteger()));
    }

    /** The log of the daemon that opened the payment still has the spend, and the log of the other one only has what is kept of it. */
    @Test
    void a_payment_that_was_taken_over_and_settled_comes_back_from_a_log_that_was_pruned_since() {
        PostgresStore one = open("one");
        PostgresStore two = open("two", Optional.empty(), 20_000);
        database.backUp();
        pay(one, 1);
        Await.until("its heartbeat has lapsed", () -> {
            database.silence(one);
            return done(two.intents().adopt(hash(1))) instanceof IntentStore.Adoption.Ours;
        });
        done(two.intents().confirm(hash(1), IntentState.PREPARED, new BlockPlace(3, hash(3)), 60));
        done(two.intents().bury(List.of(hash(1))));
        assertThat(done(two.receipts().keep(Map.of(hash(1), Bytes.EMPTY)))).isEqualTo(1);
        payUntilPruned(two, "two", 100);
        setBack(one, two);

        restore("one");
        StoreRestore.Restored restored = restored("two");

        assertThat(restored.ended()).isEqualTo(1);
        PostgresStore again = open("one");
        assertThat(told(again, 1).state()).isEqualTo(IntentState.CONFIRMED);
        assertAnswer(asked(again, 1), Opening.TokenTaken.class);
    }

    /** The server has no connection left for the pruning when that begins, or the process no memory. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_log_that_could_not_be_pruned_is_pruned_later_without_a_restart(boolean memory) {
        AtomicInteger refused = new AtomicInteger();
        Postgres.Connector full = database.through(() -> {
            if (Thread.currentThread().getName().equals("sent-log-pruning") && refused.getAndIncrement() == 0) {
                if (memory) {
                    throw new OutOfMemoryError("thrown by the test");
                }
                throw new SQLException("too many connections", "53300");
            }
            return database.connect();
        });
        PostgresStore one = database.keep(
                PostgresStore.open(datadir("one"), Optional.empty(), full, Optional.empty(), false, 3_000));
        AtomicInteger number = new AtomicInteger();
        Await.until("the pruning has begun", () -> {
            pay(one, number.incrementAndGet());
            return refused.get() > 0;
        });
        StoreFaults.awaitPruning(one);

        payUntilPruned(one, "one", number.get() + 1);
    }

    /** Pays, from this number on, until the log of the daemon has been replaced. */
    private void payUntilPruned(PostgresStore store, String name, int first) {
        Object before = file(SentLog.in(datadir(name)));
        int number = first;
        while (file(SentLog.in(datadir(name))).equals(before)) {
            assertThat(number).isLessThan(first + 300);
            pay(store, number++);
            // Otherwise the payments could be over before another thread has written the successor of the log.
            StoreFaults.awaitPruning(store);
        }
    }

    @Test
    void a_restored_store_holds_payouts_and_has_those_that_a_batch_of_any_daemon_carries() {
        PostgresStore one = open("one");
        PostgresStore two = open("two");
        List<PayoutStore.Payout> payouts = PayoutSample.submit(one, Optional.empty(), 1, 2, 3);
        database.backUp();
        Intent batch = PayoutSample.open(two, 7, payouts.get(0));
        done(one.payouts().cancel(List.of("payout-3"), PayoutStore.Claimant.ANYBODY, 60));

        StoreRestore.Restored restored = restoredFromBoth(one, two);

        assertThat(restored.inFlight()).extracting(Intent::txId).containsExactly(batch.txId());
        PostgresStore store = open("one");
        assertThat(payout(store, 1).state()).isEqualTo(PayoutStore.State.IN_FLIGHT);
        assertThat(payout(store, 1).attempts()).containsExactly(batch.txId());
        assertThat(payout(store, 2).state()).isEqualTo(PayoutStore.State.HELD);
        assertThat(payout(store, 3).state()).isEqualTo(PayoutStore.State.CANCELLED);
    }

    /** A paid payout keeps its mark: holding it would write every payout ever paid. */
    @Test
    void a_restore_holds_what_may_still_be_queued_again_and_leaves_what_was_paid_for_good() {
        PostgresStore one = open("one");
        List<PayoutStore.Payout> payouts = PayoutSample.submit(one, Optional.empty(), 1, 2, 3);
        Intent confirmed = PayoutSample.open(one, 7, payouts.get(0));
        Intent paid = PayoutSample.open(one, 8, payouts.get(1));
        for (Intent batch : List.of(confirmed, paid)) {
            done(one.intents().confirm(batch.txId(), IntentState.PREPARED, new BlockPlace(3, hash(3)), 60));
        }
        done(one.intents().bury(List.of(paid.txId())));
        database.backUp();
        pay(one, 1);
        setBack(one);
        assertThat(restored("one").held()).isEqualTo(1);

        assertThat(database.number("SELECT count(*) FROM payouts WHERE mark = 'HELD'"))
                .isEqualTo(2);
        assertThat(database.number("SELECT count(*) FROM payouts WHERE mark = 'QUEUED' AND payout_id = 'payout-2'"))
                .isEqualTo(1);
        assertThat(payout(open("one"), 2).state()).isEqualTo(PayoutStore.State.FINAL);
    }

    @Test
    void a_statement_of_a_restore_may_take_minutes() {
        PostgresStore one = open("one");
        pay(one, 1);
        database.empty();
        end(one);
        AtomicInteger patience = new AtomicInteger();
        Postgres.Connector impatient = database.through(() -> {
            Connection connection = database.connect();
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                        if (method.getName().equals("setNetworkTimeout")) {
                            patience.set((int) values[1]);
                        }
                        return method.invoke(connection, values);
                    });
        });

        assertThat(PostgresStore.restore(datadir("one"), Optional.empty(), Set.of(), impatient)
                        .restored())
                .isPresent();
        assertThat(patience).hasValue(600_000);
    }

    private static PayoutStore.Payout payout(Store store, int number) {
        return done(store.payouts().find("payout-" + number)).orElseThrow();
    }

    @Test
    void the_successor_on_the_same_machine_signs_off_the_process_that_has_died() {
        PostgresStore dead = open("one");
        pay(dead, 1);
        PostgresStore successor = open("one");
        PostgresStore other = open("two");

        assertThat(done(other.intents().abandon(hash(1), "by hand", 9))).isEqualTo(new IntentStore.Transition.Made());
        assertThat(successor.stopped()).isEmpty();
        assertFails(asked(dead, 2), StoreException.Reason.STOPPED);
    }

    /** Three daemons open, accept, close, rebuild and take over payments and are restarted, while databases are set back. */
    @Test
    void no_token_pays_twice_whatever_daemons_did_before_the_database_was_set_back_and_restored() throws IOException {
        Random random = Seeded.random("store.seed");
        History history = new History(random);
        int steps = Integer.getInteger("store.steps", 150);
        int backUp = 0;
        for (int step = 1; step <= steps; step++) {
            history.step();
            if (step % 50 == 10 + backUp) {
                database.backUp();
            }
            if (step % 50 == 0) {
                backUp = random.nextInt(30);
                history.setBack();
            }
        }
        history.check();
    }

    private final class History {
        private final Random random;
        private final Map<String, PostgresStore> daemons = new TreeMap<>();
        /** Payments of each token, newest last. */
        private final List<List<Integer>> tokens = new ArrayList<>();

        private final Map<Integer, String> openedBy = new HashMap<>();
        private final Set<Integer> accepted = new HashSet<>();
        private int next = 1;

        History(Random random) {
            this.random = random;
            for (String name : List.of("one", "two", "three")) {
                start(name);
            }
        }

        private void start(String name) {
            // The log of one daemon is pruned continually.
            daemons.put(name, open(name, Optional.empty(), name.equals("three") ? 3_000 : SentLog.LEAST_TO_PRUNE));
        }

        private PostgresStore any() {
            return List.copyOf(daemons.values()).get(random.nextInt(daemons.size()));
        }

        /** Returns a payment that shares a coin with the previous one and has a unique number. */
        private Intent intentOf(int number, int token, boolean again) {
            return intent(
                    number,
                    Optional.of("token-of-" + token),
                    again ? 10_000 + token : 20_000 + number,
                    30_000 + number);
        }

        private boolean made(CompletionStage<IntentStore.Transition> transition) {
            try {
                return done(transition) instanceof IntentStore.Transition.Made;
            } catch (CompletionException e) {
                assertThat(e.getCause()).hasMessageContaining("may still be sent by start");
                return false;
            }
        }

        void step() {
            int choice = random.nextInt(10);
            if (tokens.isEmpty() || choice < 4) {
                List<Integer> payments = new ArrayList<>(List.of(next));
                tokens.add(payments);
                pay(tokens.size() - 1, next++);
                return;
            }
            int token = random.nextInt(tokens.size());
            int number = tokens.get(token).get(tokens.get(token).size() - 1);
            if (choice < 7) {
                if (made(any().intents().accept(hash(number), Set.of(IntentState.PREPARED), 50))) {
                    accepted.add(number);
                }
            } else if (choice == 7) {
                close(token, number);
            } else if (choice == 8) {
                String name = openedBy.get(number);
                database.run("UPDATE daemons SET beaten = 0 WHERE log = '" + logName(name) + "'");
                done(any().intents().adopt(hash(number)));
            } else {
                String name = List.copyOf(daemons.keySet()).get(random.nextInt(daemons.size()));
                end(daemons.get(name));
                start(name);
            }
        }

        private String logName(String name) {
            try {
                return logOf(name);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        private void pay(int token, int number) {
            String name = List.copyOf(daemons.keySet()).get(random.nextInt(daemons.size()));
            openedBy.put(number, name);
            assertAnswer(daemons.get(name).intents().open(intentOf(number, token, true), 0), Opening.Opened.class);
        }

        private void close(int token, int number) {
            IntentState before = accepted.contains(number) ? IntentState.ACCEPTED : IntentState.PREPARED;
            if (!made(daemons.get(openedBy.get(number))
                    .intents()
                    .failSent(hash(number), before, IntentState.CONFLICTED, "spent", 60))) {
                return;
            }
            accepted.remove(number);
            if (random.nextBoolean()) {
                tokens.get(token).add(next);
                pay(token, next++);
            }
        }

        void setBack() throws IOException {
            database.putBack();
            List<String> names = new ArrayList<>(daemons.keySet());
            Collections.shuffle(names, random);
            daemons.values().forEach(database::end);
            Optional<StoreRestore.Restored> restored = Optional.empty();
            for (String name : names) {
                PostgresStore stopped = open(name);
                if (stopped.stopped().isPresent() || !restored.isEmpty()) {
                    end(stopped);
                } else {
                    // The daemon has lost nothing, and continues until another one notices.
                    end(stopped);
                    database.run("UPDATE store SET stopped = 'by another' WHERE stopped IS NULL");
                }
                restored = restore(name).restored();
            }
            assertThat(restored).isPresent();
            names.forEach(this::start);
            check();
        }

        void check() {
            for (int token = 0; token < tokens.size(); token++) {
                int probe = next++;
                Opening answer = done(any().intents().open(intentOf(probe, token, false), 0));
                assertThat(answer).isInstanceOf(Opening.TokenTaken.class);
                assertThat(tokens.get(token).stream().map(StoreSample::hash))
                        .contains(((Opening.TokenTaken) answer).by());
                for (int number : tokens.get(token)) {
                    assertThat(spend(any(), number).transaction())
                            .isEqualTo(intentOf(number, token, true).transaction());
                }
            }
            for (int number : accepted) {
                assertThat(spend(any(), number).state().inFlight())
                        .as("payment " + number + " is in flight")
                        .isTrue();
            }
        }
    }
}
