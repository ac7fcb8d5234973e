package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.accept;
import static org.chainwalletd.store.Payments.bury;
import static org.chainwalletd.store.Payments.confirm;
import static org.chainwalletd.store.Payments.fail;
import static org.chainwalletd.store.Payments.failSent;
import static org.chainwalletd.store.Payments.inFlight;
import static org.chainwalletd.store.Payments.opening;
import static org.chainwalletd.store.Payments.pay;
import static org.chainwalletd.store.Payments.payment;
import static org.chainwalletd.store.Payments.reserved;
import static org.chainwalletd.store.Payments.spend;
import static org.chainwalletd.store.Payments.spendOfToken;
import static org.chainwalletd.store.Payments.told;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;
import static org.chainwalletd.store.StoreSample.raw;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.WatchStore;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that has forgotten payments is completed from the log, so that no token pays again. */
@Walks({CrashPoint.RESTORE_ENTERED, CrashPoint.RESTORE_TOLD})
class StoreRestoreTest {
    @TempDir
    Path folder;

    @TempDir
    Path elsewhere;

    private Path file;
    private Path log;
    private Path backup;
    private SqliteStore store;

    @AfterEach
    void close() {
        store.close();
    }

    @BeforeEach
    void open() {
        file = folder.resolve(SqliteStore.FILE_NAME);
        log = folder.resolve(SentLog.FILE_NAME);
        backup = elsewhere.resolve("backup");
        store = SqliteStore.open(folder);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private void restart() {
        store.close();
        store = SqliteStore.open(folder);
    }

    private void backUp() throws IOException {
        store.close();
        copy(file, backup);
        restart();
    }

    private void putBack() throws IOException {
        store.close();
        copy(backup, file);
    }

    private void lose() throws IOException {
        store.close();
        Files.delete(file);
    }

    /** Restores the store from its log, and opens it. */
    private StoreRestore.Restored restore(Optional<CommitMark> books, boolean without) {
        store.close();
        StoreRestore.Restored restored = SqliteStore.restore(folder, books, without, mark -> {});
        store = SqliteStore.open(folder, Optional.of(restored.mark()));
        return restored;
    }

    private StoreRestore.Restored restore() {
        return restore(Optional.empty(), false);
    }

    private static List<Coin> held(Store store, int number) {
        return reserved(store).stream()
                .filter(reserved -> reserved.txId().equals(hash(number)))
                .map(ReservationStore.Reservation::coin)
                .toList();
    }

    /** Copies the store after payment 1, so that payments 2 to 7 are only in the log. */
    private Optional<CommitMark> loseMost() throws IOException {
        pay(store, 1);
        backUp();
        pay(store, 2);
        accept(store, 2);
        pay(store, 3);
        pay(store, 4);
        failSent(store, hash(4), IntentState.REFUSED, 60);
        pay(store, 5);
        accept(store, 5);
        done(store.intents().confirm(hash(5), IntentState.ACCEPTED, new BlockPlace(9, hash(9)), 70));
        pay(store, 6);
        done(store.intents().abandon(hash(6), "by the operator", 80));
        done(store.intents().failSent(hash(1), IntentState.PREPARED, IntentState.CONFLICTED, "lost", 90));
        Optional<CommitMark> books = store.confirmed();
        putBack();
        return books;
    }

    @Test
    void what_a_node_has_accepted_is_in_flight_again_and_what_nobody_knows_of_waits_for_its_token() throws IOException {
        Optional<CommitMark> books = loseMost();

        StoreRestore.Restored restored = restore(books, false);

        assertThat(restored.complete()).isTrue();
        assertThat(restored.inFlight()).extracting(Intent::txId).containsExactly(hash(2), hash(5));
        assertThat(restored.doubtful()).extracting(Intent::txId).containsExactly(hash(3));
        assertThat(store.stopped()).isEmpty();
        assertThat(store.isForgetful()).isFalse();
        assertThat(spend(store, 2).state()).isEqualTo(IntentState.ACCEPTED);
        assertThat(spend(store, 5).state()).isEqualTo(IntentState.ACCEPTED);
        assertThat(spend(store, 3).state()).isEqualTo(IntentState.ABANDONED);
        assertThat(spend(store, 3).reason()).isEqualTo(StoreRestore.DOUBTFUL);
        assertThat(held(store, 3)).isEqualTo(payment(3).inputs());
        assertThat(spend(store, 4).state()).isEqualTo(IntentState.REFUSED);
        assertThat(held(store, 4)).isEmpty();
        assertThat(spend(store, 6).state()).isEqualTo(IntentState.ABANDONED);
        assertThat(spend(store, 1).state()).isEqualTo(IntentState.CONFLICTED);
        assertThat(held(store, 1)).isEmpty();
        for (int number = 1; number <= 6; number++) {
            assertThat(spend(store, number).transaction())
                    .isEqualTo(payment(number).transaction());
            assertThat(opening(store, intent(20 + number, "token-" + number, 40 + number)))
                    .isEqualTo(new Opening.TokenTaken(hash(number)));
        }
    }

    /** The caller cannot repeat it, and may have received success before the log recorded that a node has it. */
    @Test
    void a_payment_without_a_token_that_may_have_been_acknowledged_is_sent_again() throws IOException {
        pay(store, 1);
        backUp();
        pay(store, intent(2, Optional.empty(), 2));
        putBack();

        StoreRestore.Restored restored = restore();

        assertThat(restored.inFlight()).extracting(Intent::txId).containsExactly(hash(2));
        assertThat(restored.doubtful()).isEmpty();
        assertThat(spend(store, 2).state()).isEqualTo(IntentState.PREPARED);
        assertThat(inFlight(store)).extracting(Intent::txId).contains(hash(2));
        assertThat(held(store, 2)).isEqualTo(intent(2, Optional.empty(), 2).inputs());
    }

    /** The caller may have received an answer that the disk failed and nothing was sent. */
    @Test
    void a_payment_without_a_token_of_a_commit_that_may_not_have_been_made_is_not_sent() throws IOException {
        pay(store, 1);
        CommitMark last = store.confirmed().orElseThrow();
        store.close();
        try (SentLog other = SentLog.open(folder)) {
            for (int number : new int[] {2, 3}) {
                SentLog.Lines lines = new SentLog.Lines();
                lines.add(new SentLine.Spend(
                        intent(number, Optional.empty(), number), SpendRow.Held.ALL, OptionalLong.empty()));
                other.announce(new CommitMark(last.store(), last.opening(), last.number() + number), lines);
            }
        }

        StoreRestore.Restored restored = restore();

        assertThat(restored.inFlight()).extracting(Intent::txId).containsExactly(hash(2));
        assertThat(restored.doubtful()).extracting(Intent::txId).containsExactly(hash(3));
    }

    @Test
    void a_store_that_is_gone_is_made_from_its_log() throws IOException {
        Optional<CommitMark> books = loseMost();
        lose();

        StoreRestore.Restored restored = restore(books, false);

        assertThat(restored.inFlight()).extracting(Intent::txId).containsExactly(hash(2), hash(5));
        assertThat(restored.doubtful()).extracting(Intent::txId).containsExactly(hash(3));
        assertThat(store.stopped()).isEmpty();
        assertThat(spend(store, 1).state()).isEqualTo(IntentState.CONFLICTED);
    }

    /** Covers each place at which the process dies, and what the next restore finds. */
    @Test
    void a_restore_that_is_broken_off_is_begun_again_in_the_same_way() throws IOException {
        Optional<CommitMark> old = loseMost();
        for (CrashPoint death : List.of(CrashPoint.RESTORE_ENTERED, CrashPoint.RESTORE_TOLD)) {
            Path place = elsewhere.resolve(death.name());
            Map<String, byte[]> files = new TreeMap<>();
            List<Optional<CommitMark>> books = new ArrayList<>(List.of(old));
            CrashPoint.watch(point -> {
                if (point == death) {
                    files.putAll(photograph());
                }
            });
            try {
                SqliteStore.restore(folder, old, false, mark -> {
                    if (death == CrashPoint.RESTORE_TOLD) {
                        books.set(0, Optional.of(mark));
                    }
                });
            } finally {
                CrashPoint.watch(null);
            }
            Files.createDirectories(place);
            for (Map.Entry<String, byte[]> each : files.entrySet()) {
                Files.write(place.resolve(each.getKey()), each.getValue());
            }
            try (SqliteStore store = SqliteStore.open(place, books.get(0))) {
                assertThat(store.stopped()).isPresent();
            }

            StoreRestore.Restored again =
                    SqliteStore.restore(place, books.get(0), false, mark -> books.set(0, Optional.of(mark)));

            assertThat(again.complete()).isTrue();
            assertThat(again.inFlight()).as("it was entered before").isEmpty();
            try (SqliteStore store = SqliteStore.open(place, books.get(0))) {
                assertThat(store.stopped()).isEmpty();
                assertThat(spend(store, 2).state()).isEqualTo(IntentState.ACCEPTED);
                assertThat(spend(store, 3).reason()).isEqualTo(StoreRestore.DOUBTFUL);
            }
            Files.copy(backup, file, StandardCopyOption.REPLACE_EXISTING);
            Files.write(log, files.get(SentLog.FILE_NAME));
        }
    }

    private Map<String, byte[]> photograph() {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                files.put(each.getFileName().toString(), Files.readAllBytes(each));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    @Test
    void a_log_that_does_not_know_what_is_missing_has_to_be_abandoned_by_name() throws IOException {
        Optional<CommitMark> books = loseMost();
        byte[] whole = Files.readAllBytes(log);
        byte[] damaged = whole.clone();
        damaged[whole.length / 2] ^= 1;
        Files.write(log, damaged);
        assertRefused(books, "is damaged");
        Files.delete(log);
        assertRefused(books, "is missing");
        backUp();

        StoreRestore.Restored restored = restore(books, true);

        assertThat(restored.complete()).isFalse();
        assertThat(store.stopped()).isEmpty();
        assertThat(store.isForgetful()).isTrue();
        assertThat(spendOfToken(store, "token-2")).isEmpty();
    }

    private void assertRefused(Optional<CommitMark> books, String words) {
        assertThatThrownBy(() -> restore(books, false))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(words)
                .hasMessageContaining("--without sent.log");
        try (SqliteStore store = SqliteStore.open(folder, books)) {
            assertThat(store.stopped()).isPresent();
        }
    }

    @Test
    void a_store_that_has_forgotten_nothing_is_not_restored() {
        pay(store, 1);

        assertThatThrownBy(() -> restore())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("nothing to be restored");
    }

    @Test
    void of_two_payments_of_one_token_that_may_both_have_left_none_is_sent() throws IOException {
        pay(store, 1);
        CommitMark last = store.confirmed().orElseThrow();
        backUp();
        store.close();
        try (SentLog other = SentLog.open(folder)) {
            for (int number : new int[] {2, 3}) {
                SentLog.Lines lines = new SentLog.Lines();
                lines.add(new SentLine.Spend(
                        intent(number, "token-of-both", number), SpendRow.Held.ALL, OptionalLong.empty()));
                other.announce(new CommitMark(last.store(), last.opening(), last.number() + number), lines);
            }
            other.made();
        }

        StoreRestore.Restored restored = restore();

        assertThat(restored.doubtful()).extracting(Intent::txId).containsExactly(hash(2), hash(3));
        Intent bound = spendOfToken(store, "token-of-both").orElseThrow();
        assertThat(bound.state()).isEqualTo(IntentState.CONTESTED);
        assertThat(spend(store, 2).state()).isEqualTo(IntentState.ABANDONED);
    }

    private static Optional<PayoutStore.Submission.Taken> taken(Store store, String token) {
        PayoutStore.Order order = new PayoutStore.Order(
                token, spend(store, 2).from(), Amount.of(1_000), Optional.empty(), Optional.empty());
        PayoutStore.Submission submission =
                done(store.payouts().submit(List.of(order), List.of(order.to()), Optional.empty(), 9, 5));
        return submission instanceof PayoutStore.Submission.Taken taken ? Optional.of(taken) : Optional.empty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_token_of_an_erased_payment_is_bound_to_it_although_only_the_base_of_the_log_knows_it(boolean older)
            throws IOException {
        pay(store, 1);
        pay(store, 2);
        backUp();
        confirm(store, hash(1), 70);
        bury(store, hash(1));
        assertThat(done(store.intents().forget(100, 10))).isEqualTo(1);
        assertThat(done(store.history().erase(100, 10))).isEqualTo(1);
        assertThat(taken(store, "token-1"))
                .hasValueSatisfying(taken -> assertThat(taken.txId()).contains(hash(1)));
        writeLogAnew();
        if (older) {
            putBack();
        } else {
            lose();
        }

        restore();
        writeLogAnew();
        if (!older) {
            lose();
            restore();
        } else {
            restart();
        }

        assertThat(taken(store, "token-1"))
                .hasValueSatisfying(taken -> assertThat(taken.txId()).contains(hash(1)));
        assertThat(taken(store, "token-3")).isEmpty();
        pay(store, 4);
        assertThat(done(store.history().after(0, 9)))
                .filteredOn(spend -> spend.txId().equals(hash(4)))
                .allMatch(spend -> spend.number() > 2);
    }

    @Test
    void the_token_of_a_refused_payment_stays_bound_when_another_token_has_made_the_same_transaction()
            throws IOException {
        pay(store, 1);
        fail(store, hash(1), IntentState.REFUSED, 60);
        backUp();
        pay(store, intent(1, "another", 1));
        pay(store, 2);
        putBack();

        restore();

        assertThat(taken(store, "token-1"))
                .hasValueSatisfying(taken -> assertThat(taken.txId()).contains(hash(1)));
    }

    /** It must not be paid beside others because the window has moved past its first opening, whichever lines of the log record its reopening. */
    @ParameterizedTest
    @EnumSource(LogOfReopening.class)
    void a_spend_that_was_opened_again_counts_against_the_caps_from_then_on(LogOfReopening known) throws IOException {
        long first = 600_000;
        long again = first + Duration.ofHours(2).toMillis();
        Intent payment = payment(1).with(new Intent.Details(Optional.of("worker"), Optional.empty(), Optional.empty()));
        done(store.intents().open(payment, 0, false, () -> first));
        if (known == LogOfReopening.STATE_OF_ONE_THAT_HAD_GIVEN_BACK) {
            fail(store, hash(1), IntentState.REFUSED, first);
        }
        backUp();
        if (known != LogOfReopening.STATE_OF_ONE_THAT_HAD_GIVEN_BACK) {
            failSent(store, hash(1), IntentState.REFUSED, first);
        }
        assertThat(done(store.intents().reopen(spend(store, 1), false, () -> again)))
                .isInstanceOf(Opening.Opened.class);
        if (known == LogOfReopening.BASE) {
            writeLogAnew();
        }
        putBack();

        restore();

        govern(again + 60_000);
        assertThat(store.allowance().spent()).isEqualTo(payment.allowance());
        assertThat(done(store.allowance().spentSince(0)))
                .filteredOn(minute -> minute.amount().signum() > 0)
                .containsExactly(
                        new AllowanceStore.Minute(again, payment.allowance().toBigInteger()));
        assertThat(done(store.allowance().remainingOf("worker"))).contains(Amount.MAX.minus(payment.allowance()));
    }

    private void govern(long now) {
        done(store.allowance()
                .govern(
                        new AllowanceStore.Limits(Optional.empty(), Optional.of(Amount.MAX), Duration.ofHours(1)),
                        Clock.fixed(Instant.ofEpochMilli(now), ZoneOffset.UTC),
                        () -> OptionalLong.of(now)));
        store.allowance().governTokens(name -> Optional.of(Amount.MAX));
    }

    /** Forms in which the log records a spend that was reopened after the backup. */
    private enum LogOfReopening {
        STATE,
        STATE_OF_ONE_THAT_HAD_GIVEN_BACK,
        BASE
    }

    /** Kept rows do not contain when they used the allowance; in the base of the log the sums of the minutes do. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_settled_payment_counts_against_the_caps_although_only_the_base_of_the_log_knows_it(boolean older)
            throws IOException {
        Intent payment = payment(1).with(new Intent.Details(Optional.of("worker"), Optional.empty(), Optional.empty()));
        pay(store, 2);
        backUp();
        long at = 600_000;
        store.allowance().governTokens(name -> Optional.of(Amount.MAX));
        done(store.intents().open(payment, 0, false, () -> at));
        confirm(store, hash(1), 70);
        bury(store, hash(1));
        assertThat(done(store.receipts().keep(Map.of(hash(1), Bytes.EMPTY)))).isEqualTo(1);
        done(store.intents().open(payment(3), 0, false, () -> at));
        writeLogAnew();
        if (older) {
            putBack();
        } else {
            lose();
        }

        restore();

        BigInteger both =
                payment.allowance().toBigInteger().add(payment(3).allowance().toBigInteger());
        govern(at + 60_000);
        assertThat(done(store.allowance().spentSince(at))).containsExactly(new AllowanceStore.Minute(at, both));
        assertThat(done(store.allowance().remainingOf("worker"))).contains(Amount.MAX.minus(payment.allowance()));
    }

    private static List<PayoutStore.Payout> payouts(Store store) {
        return done(store.payouts().list(Optional.empty(), 0, 100)).stream()
                .sorted(Comparator.comparing(payout -> payout.order().payoutId()))
                .toList();
    }

    /** Returns all values of a submitted payout. */
    private static List<Object> submitted(PayoutStore.Payout payout) {
        return List.of(payout.order(), payout.owner(), payout.from(), payout.submittedAt());
    }

    /** Forms in which the log records payouts that were submitted after the backup. */
    private enum LogOfPayouts {
        LINES,
        BASE,
        BASE_WITHOUT_A_BACKUP
    }

    @ParameterizedTest
    @EnumSource(LogOfPayouts.class)
    void payouts_that_were_acknowledged_are_held_and_those_that_were_sent_or_cancelled_are_not(LogOfPayouts known)
            throws IOException {
        pay(store, 1);
        backUp();
        List<PayoutStore.Payout> first = PayoutSample.submit(store, Optional.empty(), 1, 2, 3, 6);
        PayoutSample.submit(store, Optional.of("worker"), 4, 5);
        done(store.payouts().cancel(List.of("payout-2"), PayoutStore.Claimant.ANYBODY, 60));
        PayoutSample.open(store, 7, first.get(2));
        Intent lost = PayoutSample.open(store, 8, first.get(3));
        done(store.intents().loseForGood(lost.txId(), IntentState.PREPARED, "its coin was spent elsewhere", 70));
        List<PayoutStore.Payout> before = payouts(store);
        if (known != LogOfPayouts.LINES) {
            writeLogAnew();
        }
        if (known == LogOfPayouts.BASE_WITHOUT_A_BACKUP) {
            lose();
        } else {
            putBack();
        }

        StoreRestore.Restored restored = restore();

        assertThat(restored.held()).isEqualTo(4);
        List<PayoutStore.Payout> after = payouts(store);
        assertThat(after)
                .extracting(PayoutStore.Payout::state)
                .containsExactly(
                        PayoutStore.State.HELD,
                        PayoutStore.State.CANCELLED,
                        PayoutStore.State.IN_FLIGHT,
                        PayoutStore.State.HELD,
                        PayoutStore.State.HELD,
                        PayoutStore.State.HELD);
        for (int waiting : List.of(0, 3, 4, 5)) {
            assertThat(submitted(after.get(waiting))).isEqualTo(submitted(before.get(waiting)));
        }
        assertThat(after.get(5).attempts()).isEqualTo(before.get(5).attempts());
        assertThat(PayoutSample.submit(store, Optional.empty(), 1))
                .as("submitted again, it is the same payout")
                .containsExactly(after.get(0));
    }

    private static WatchStore.WatchOnly watched(int number) {
        return new WatchStore.WatchOnly(
                Address.of(hash(number).toArray()),
                number % 2 == 0 ? Optional.of("cold \u00fc") : Optional.empty(),
                number % 2 == 0 ? OptionalLong.of(number) : OptionalLong.empty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_address_that_is_watched_without_its_key_is_watched_again_and_one_that_is_not_any_more_is_not(boolean anew)
            throws IOException {
        pay(store, 1);
        done(store.watchOnly().put(watched(1)));
        backUp();
        done(store.watchOnly().put(watched(2)));
        done(store.watchOnly().put(watched(3)));
        done(store.watchOnly().put(watched(4)));
        done(store.watchOnly().remove(List.of(watched(4).address(), watched(5).address())));
        if (!anew) {
            done(store.watchOnly().remove(List.of(watched(1).address())));
        }
        List<WatchStore.WatchOnly> all = done(store.watchOnly().all());
        if (anew) {
            writeLogAnew();
        }
        putBack();

        restore();

        assertThat(done(store.watchOnly().all())).isEqualTo(all);
    }

    private void writeLogAnew() throws IOException {
        store.close();
        try (SqlSession session = Sqlite.connect(file)) {
            StoreRestore.writeLog(folder, session);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    /** Announces lines that the store then lacks, like a store that went back in time. */
    private void forget(CommitMark last, SentLine... forgotten) throws IOException {
        store.close();
        try (SentLog other = SentLog.open(folder)) {
            SentLog.Lines lines = new SentLog.Lines();
            List.of(forgotten).forEach(lines::add);
            other.announce(new CommitMark(last.store(), last.opening(), last.number() + 1), lines);
            other.made();
        }
    }

    private static byte[] coins(int inputs, int... held) {
        BitSet bits = new BitSet();
        for (int input : held) {
            bits.set(input);
        }
        return SpendRow.Held.of(bits, inputs);
    }

    private static List<Coin> inputs(Intent intent, int... numbers) {
        return IntStream.of(numbers).mapToObj(intent.inputs()::get).toList();
    }

    @Test
    void a_spend_holds_those_of_its_coins_that_the_log_tells_and_others_have_the_rest() throws IOException {
        Intent first = intent(1, "token-1", 1, 2, 3, 4);
        Intent second = intent(2, "token-2", 1, 3);
        pay(store, second);
        failSent(store, hash(2), IntentState.REFUSED, 60);
        pay(store, first);
        accept(store, 1);
        assertThat(held(store, 1)).isEqualTo(first.inputs());
        CommitMark last = store.confirmed().orElseThrow();
        forget(last, new SentLine.Held(hash(1), coins(4, 1)), new SentLine.Held(hash(2), SpendRow.Held.ALL));

        restore();

        assertThat(held(store, 1)).isEqualTo(inputs(first, 1));
        assertThat(held(store, 2)).isEqualTo(second.inputs());
        assertThat(opening(store, intent(3, Optional.empty(), 2))).isInstanceOf(Opening.CoinTaken.class);
        pay(store, intent(3, Optional.empty(), 4));
    }

    @Test
    void a_spend_holds_no_coin_that_another_one_has_although_the_log_tells_so() throws IOException {
        Intent first = intent(1, "token-1", 1, 2, 3);
        Intent second = intent(2, "token-2", 2);
        pay(store, first);
        failSent(store, hash(1), IntentState.REFUSED, 60);
        pay(store, second);
        accept(store, 2);
        CommitMark last = store.confirmed().orElseThrow();
        forget(last, new SentLine.Held(hash(1), SpendRow.Held.ALL));

        restore();

        assertThat(held(store, 1)).isEqualTo(inputs(first, 0, 2));
        assertThat(held(store, 2)).isEqualTo(second.inputs());
        assertThat(done(store.reservations().end(hash(1), IntentState.REFUSED))).isNotNull();
        assertThat(held(store, 1)).isEmpty();
        assertThat(held(store, 2)).isEqualTo(second.inputs());
    }

    @Test
    void what_was_passed_on_comes_back_under_its_number_with_what_became_of_it() throws IOException {
        pay(store, 1);
        done(store.rawSends().begin(raw(8), 50));
        backUp();
        done(store.rawSends().end(done(store.rawSends().begin(raw(8), 60)).orElseThrow(), IntentState.ACCEPTED, 70));
        pay(store, 2);
        done(store.rawSends().begin(raw(9), 80));
        PastSpend first = told(store, 8);
        PastSpend second = told(store, 9);
        Optional<CommitMark> books = store.confirmed();
        putBack();

        assertThat(restore(books, false).ended()).as("payments").isZero();

        assertThat(told(store, 8)).isEqualTo(first);
        assertThat(told(store, 8).state()).isEqualTo(IntentState.ACCEPTED);
        assertThat(told(store, 9)).isEqualTo(second);
        writeLogAnew();
        lose();
        restore();
        assertThat(told(store, 8)).isEqualTo(first);
        assertThat(told(store, 9)).isEqualTo(second);
    }
}
