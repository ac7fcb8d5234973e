package org.chainwalletd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreTest {
    @TempDir
    Path folder;

    private SqliteStore store;

    @BeforeEach
    void open() {
        store = SqliteStore.open(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void an_intent_comes_back_as_it_was_with_every_u64() {
        Intent intent = intent(1, Optional.of("token-one"), 7, 8);

        done(store.intents().open(intent, 0));
        restart();

        assertThat(done(store.intents().find(intent.txId()))).contains(intent);
        assertThat(done(store.intents().inFlight())).containsExactly(intent);
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE))).contains(intent);
        assertThat(done(store.reservations().all()))
                .extracting(ReservationStore.Reservation::coin)
                .containsExactlyInAnyOrderElementsOf(intent.inputs());
        assertThat(done(store.allowance().spentSince(0)).open())
                .containsExactly(new AllowanceStore.Use(intent.txId(), intent.allowance(), intent.createdAt()));
    }

    @Test
    void an_intent_whose_coin_is_taken_leaves_nothing_behind() {
        done(store.intents().open(intent(1, Optional.empty(), 7), 0));

        assertThat(done(store.intents().open(intent(2, Optional.of("token-two"), 8, 7), 0)))
                .isEqualTo(new Opening.CoinTaken(new Coin(outpoint(7), Amount.MAX), hash(1)));

        assertThat(done(store.intents().find(hash(2)))).isEmpty();
        assertThat(done(store.receipts().find("token-two", 0))).isEmpty();
        assertThat(done(store.reservations().all())).hasSize(1);
        assertThat(used()).isEqualTo(1);
    }

    @Test
    void a_refused_unit_does_not_spoil_the_others_of_its_batch() {
        List<CompletableFuture<Opening>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(store.intents()
                    .open(intent(100 + i, Optional.empty(), i / 2), 0)
                    .toCompletableFuture());
        }

        long refused = answers.stream()
                .filter(answer -> answer.join() instanceof Opening.CoinTaken)
                .count();

        assertThat(refused).isEqualTo(25);
        assertThat(done(store.reservations().all())).hasSize(25);
    }

    @Test
    void a_full_disk_fails_the_whole_unit_and_the_store_recovers() throws Exception {
        long pages = done(store.write(session ->
                session.queryOne("PRAGMA page_count", row -> row.getLong(1)).orElseThrow()));
        done(store.write(session -> {
            session.query("PRAGMA max_page_count = " + (pages + 2), row -> row.getLong(1));
            return null;
        }));
        Intent large = intent(1, Optional.of("token-large"), Bytes.wrap(new byte[200_000]), 7);

        assertThatThrownBy(() -> done(store.intents().open(large, 0)))
                .hasCauseInstanceOf(StoreException.class)
                .hasMessageContaining("full");

        done(store.write(session -> {
            session.query("PRAGMA max_page_count = 1000000", row -> row.getLong(1));
            return null;
        }));
        assertThat(done(store.receipts().find("token-large", 0))).isEmpty();
        done(store.intents().open(large, 0));
        assertThat(done(store.receipts().find("token-large", 0))).contains(large);
    }

    @Test
    void a_failed_spend_gives_its_coins_and_its_allowance_back() {
        Intent intent = intent(1, Optional.of("token-one"), 7);
        done(store.intents().open(intent, 0));

        done(store.intents()
                .fail(intent.txId(), IntentState.PREPARED, IntentState.REFUSED, "node error -32602: no", 50));

        assertThat(done(store.reservations().all())).isEmpty();
        assertThat(used()).isZero();
        assertThat(done(store.receipts().find("token-one", 0)))
                .contains(intent.in(IntentState.REFUSED, "node error -32602: no", 50));
    }

    @Test
    void a_confirmed_spend_frees_its_coins_and_keeps_its_allowance() {
        Intent intent = intent(1, Optional.empty(), 7);
        done(store.intents().open(intent, 0));

        done(store.intents().confirm(intent.txId(), IntentState.PREPARED, new BlockPlace(9, hash(9)), 50));

        assertThat(done(store.reservations().all())).isEmpty();
        assertThat(used()).isEqualTo(1);
        assertThat(done(store.intents().inFlight())).isEmpty();
    }

    @Test
    void a_confirmed_spend_keeps_its_block_until_it_is_buried() {
        Intent intent = intent(1, Optional.empty(), 7);
        done(store.intents().open(intent, 0));
        done(store.intents().confirm(intent.txId(), IntentState.PREPARED, new BlockPlace(9, hash(9)), 50));
        done(store.intents().confirm(intent.txId(), IntentState.CONFIRMED, new BlockPlace(10, hash(10)), 60));
        restart();

        assertThat(done(store.intents().unburied()))
                .containsExactly(
                        new ConfirmedSpend(intent.txId(), intent.inputs(), Optional.of(new BlockPlace(10, hash(10)))));
        assertThat(done(store.intents().find(intent.txId())).orElseThrow().changedAt())
                .as("another block is no new confirmation")
                .isEqualTo(50);
        done(store.intents().bury(List.of(intent.txId())));
        assertThat(done(store.intents().unburied())).isEmpty();
    }

    @Test
    void a_spend_that_left_the_chain_is_in_flight_again_with_all_coins_that_nobody_else_has() {
        Intent intent = intent(1, Optional.of("token-one"), 7, 8);
        done(store.intents().open(intent, 0));
        done(store.intents().confirm(intent.txId(), IntentState.PREPARED, new BlockPlace(9, hash(9)), 50));
        done(store.intents().open(intent(2, Optional.empty(), 8), 0));

        Intent again = ((Unconfirmation.BackInFlight) done(store.intents().unconfirm(intent.txId(), 70))).intent();
        restart();

        assertThat(again).isEqualTo(intent.in(IntentState.ACCEPTED, "", 70));
        assertThat(done(store.receipts().find("token-one", 0))).contains(again);
        assertThat(done(store.intents().inFlight())).contains(again);
        assertThat(done(store.intents().unburied())).isEmpty();
        assertThat(used()).isEqualTo(2);
        assertThat(done(store.reservations().all()))
                .extracting(ReservationStore.Reservation::coin, ReservationStore.Reservation::txId)
                .containsExactlyInAnyOrder(
                        tuple(new Coin(outpoint(7), Amount.MAX), hash(1)),
                        tuple(new Coin(outpoint(8), Amount.MAX), hash(2)));
        assertThat(done(store.intents().unconfirm(intent.txId(), 80)))
                .isEqualTo(new Unconfirmation.NotConfirmed(Optional.of(IntentState.ACCEPTED)));
    }

    @Test
    void a_refused_spend_can_be_opened_again_unless_its_coin_is_taken() {
        Intent first = intent(1, Optional.of("token-one"), 7);
        done(store.intents().open(first, 0));
        done(store.intents().fail(first.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 50));
        assertThat(done(store.intents().reopen(first.in(IntentState.REFUSED, "no", 50), 60)))
                .isEqualTo(new Opening.Opened());
        assertThat(done(store.intents().inFlight())).hasSize(1);
        done(store.intents().fail(first.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 70));
        done(store.intents().open(intent(2, Optional.empty(), 7), 0));

        assertThat(done(store.intents().reopen(first.in(IntentState.REFUSED, "no", 70), 80)))
                .isEqualTo(new Opening.CoinTaken(first.inputs().get(0), hash(2)));

        assertThat(done(store.intents().find(first.txId())).orElseThrow().state())
                .isEqualTo(IntentState.REFUSED);
    }

    @Test
    void the_same_transaction_belongs_to_one_token_only() {
        Intent first = intent(1, Optional.of("token-one"), 7);
        done(store.intents().open(first, 0));
        assertThat(done(store.intents().open(intent(1, Optional.of("token-two"), 7), 0)))
                .isEqualTo(new Opening.SameTransaction(first));
        done(store.intents().fail(first.txId(), IntentState.PREPARED, IntentState.REFUSED, "no", 50));

        Intent second = intent(1, Optional.of("token-two"), 7);
        done(store.intents().open(second, 0));

        assertThat(done(store.receipts().find("token-one", 0))).isEmpty();
        assertThat(done(store.receipts().find("token-two", 0))).contains(second);
        assertThat(done(store.intents().reopen(first.in(IntentState.REFUSED, "no", 50), 80)))
                .isEqualTo(new Opening.SameTransaction(second));
    }

    @Test
    void a_token_expires_only_after_its_spend_is_closed() {
        Intent first = intent(1, Optional.of("token-one"), 7);
        done(store.intents().open(first, 0));
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE))).isPresent();
        done(store.intents().confirm(first.txId(), IntentState.PREPARED, new BlockPlace(9, hash(9)), 50));
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE)))
                .as("not buried")
                .isPresent();
        assertThat(done(store.intents().forget(Long.MAX_VALUE, 100))).isZero();
        done(store.intents().bury(List.of(first.txId())));
        assertThat(done(store.receipts().find("token-one", 50))).isPresent();
        assertThat(done(store.receipts().find("token-one", 51))).isEmpty();
        assertThat(done(store.intents().open(intent(2, Optional.of("token-one"), 8), 50)))
                .isInstanceOf(Opening.TokenTaken.class);

        done(store.intents().open(intent(2, Optional.of("token-one"), 8), 51));

        assertThat(done(store.receipts().find("token-one", 51)).orElseThrow().txId())
                .isEqualTo(hash(2));
        assertThat(done(store.intents().forget(51, 100))).isEqualTo(1);
        assertThat(done(store.receipts().find("token-one", 51))).isPresent();
    }

    @Test
    void an_abandoned_outpoint_is_free_and_its_spend_is_no_longer_in_flight() {
        Intent intent = intent(1, Optional.empty(), 7, 8);
        done(store.intents().open(intent, 0));

        done(store.reservations().abandon(List.of(outpoint(7)), 90));

        assertThat(done(store.reservations().all()))
                .extracting(reservation -> reservation.coin().outpoint())
                .containsExactly(outpoint(8));
        assertThat(done(store.intents().find(intent.txId())).orElseThrow().state())
                .isEqualTo(IntentState.ABANDONED);
        assertThat(used()).isEqualTo(1);
        assertThat(done(store.intents().inFlight())).as("still holds a coin").hasSize(1);
        done(store.reservations().abandon(List.of(outpoint(8)), 91));
        assertThat(done(store.intents().inFlight())).isEmpty();
    }

    @Test
    void a_spend_that_was_abandoned_in_part_keeps_its_token_as_long_as_it_holds_a_coin() {
        Intent intent = intent(1, Optional.of("token-one"), 7, 8);
        done(store.intents().open(intent, 0));
        done(store.reservations().abandon(List.of(outpoint(7)), 90));

        assertThat(done(store.intents().forget(Long.MAX_VALUE, 100))).isZero();
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE))).isPresent();
        assertThat(done(store.intents().open(intent(2, Optional.of("token-one"), 9), Long.MAX_VALUE)))
                .isInstanceOf(Opening.TokenTaken.class);

        done(store.reservations().end(intent.txId(), IntentState.ABANDONED));
        assertThat(done(store.receipts().find("token-one", Long.MAX_VALUE))).isEmpty();
        assertThat(done(store.intents().forget(Long.MAX_VALUE, 100))).isEqualTo(1);
    }

    @Test
    void what_the_operator_gave_up_stays_given_up_when_a_mempool_is_found_to_have_it() {
        Intent intent = intent(1, Optional.empty(), 7);
        done(store.intents().open(intent, 0));
        done(store.reservations().abandon(List.of(outpoint(7)), 90));

        done(store.intents().accept(intent.txId(), IntentState.PREPARED, 91));

        assertThat(done(store.intents().find(intent.txId())).orElseThrow().state())
                .isEqualTo(IntentState.ABANDONED);
    }

    @Test
    void a_spend_in_flight_concerns_who_pays_and_who_is_paid_until_it_is_settled() {
        Intent spend = StoreSample.intents().get(0);
        Address paid = Address.parse("b2".repeat(32));
        done(store.intents().open(spend, 0));

        assertThat(done(store.intents().openSpendOf(spend.from()))).contains(spend.txId());
        assertThat(done(store.intents().openSpendOf(paid))).contains(spend.txId());
        assertThat(done(store.intents().openSpendOf(Address.parse("c3".repeat(32)))))
                .isEmpty();
        done(store.intents().confirm(spend.txId(), IntentState.PREPARED, new BlockPlace(9, hash(9)), 50));
        assertThat(done(store.intents().openSpendOf(paid))).isEmpty();
    }

    @Test
    void the_file_belongs_to_its_owner_alone() throws IOException {
        done(store.intents().open(intent(1, Optional.empty(), 7), 0));

        try (var files = Files.list(folder)) {
            assertThat(files)
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void a_damaged_file_stops_the_start_and_stays_as_it_is() throws IOException {
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        byte[] damaged =
                "this is no database, whatever its name says; it is long enough to have a header of 100 bytes ....."
                        .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        Files.write(file, damaged);

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());

        assertThat(Files.readAllBytes(file)).isEqualTo(damaged);
    }

    @Test
    void a_file_with_a_damaged_page_stops_the_start() throws IOException {
        for (int i = 0; i < 40; i++) {
            done(store.intents().open(intent(i + 1, Optional.of("token-" + i), i), 0));
        }
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        byte[] content = Files.readAllBytes(file);
        java.util.Arrays.fill(content, 4096, 4096 + 2048, (byte) 0x5a);
        Files.write(file, content);

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());
    }

    /** SQLite takes an empty file for a new one: every token in it would pay again. */
    @Test
    void a_file_that_was_emptied_stops_the_start() throws IOException {
        done(store.intents().open(intent(1, Optional.of("token-one"), 7), 0));
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        Files.write(file, new byte[0]);

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file + " is empty")
                .hasMessageContaining("backup");

        assertThat(file).isEmptyFile();
    }

    @Test
    void a_file_whose_end_is_missing_stops_the_start_and_stays_as_it_is() throws IOException {
        done(store.intents().open(intent(1, Optional.of("token-one"), 7), 0));
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        byte[] whole = Files.readAllBytes(file);
        for (int missing : List.of(1, 100, 4_095, 4_096, 2 * 4_096 + 7)) {
            byte[] cut = java.util.Arrays.copyOf(whole, whole.length - missing);
            Files.write(file, cut);

            assertThatThrownBy(() -> SqliteStore.open(folder))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("backup");

            assertThat(Files.readAllBytes(file)).isEqualTo(cut);
        }
        Files.write(file, whole);
        open();
        assertThat(done(store.receipts().find("token-one", 0))).isPresent();
    }

    /** A full disk, a wrong owner or mode: who puts an old copy back then has tokens that pay again. */
    @Test
    void a_file_that_cannot_be_opened_is_not_called_damaged() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path inTheWay = Files.createDirectory(elsewhere.resolve(SqliteStore.FILE_NAME));

        assertThatThrownBy(() -> SqliteStore.open(elsewhere))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(StoreException.Reason.UNAVAILABLE))
                .hasMessageContaining(inTheWay.toString())
                .hasMessageContaining("leave the file where it is");
    }

    /** A process that died left its log: a new file in the place of the lost one would forget every token. */
    @Test
    void a_file_that_is_gone_from_beside_its_log_stops_the_start() throws IOException {
        store.close();
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        Path log = folder.resolve(SqliteStore.FILE_NAME + "-wal");
        Files.delete(file);
        Files.writeString(log, "frames");

        assertThatThrownBy(() -> SqliteStore.open(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file + " is missing although its log " + log + " is there");
        assertThat(file).doesNotExist();
        assertThat(log).hasContent("frames");
    }

    @Test
    void a_file_of_a_newer_release_is_refused() {
        done(store.write(session -> {
            session.execute("PRAGMA user_version = 99");
            return null;
        }));
        store.close();

        assertThatThrownBy(() -> SqliteStore.open(folder)).hasMessageContaining("newer release");
    }

    @Test
    void a_unit_that_takes_long_is_answered_before_the_next_is_applied() {
        CompletableFuture<Void> first = store.write(session -> {
                    long until = System.nanoTime() + 5_000_000;
                    while (System.nanoTime() < until) {
                        Thread.onSpinWait();
                    }
                    return (Void) null;
                })
                .toCompletableFuture();
        CompletableFuture<Boolean> second =
                store.write(session -> first.isDone()).toCompletableFuture();

        assertThat(second.join()).isTrue();
    }

    @Test
    void all_that_is_queued_is_written_in_its_order_before_the_store_is_closed() {
        List<CompletableFuture<Integer>> written = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            int number = i;
            written.add(store.write(session -> {
                        session.update("UPDATE intents SET reason = ? WHERE tx_id = ?", "", "none");
                        order.add(number);
                        return number;
                    })
                    .toCompletableFuture());
        }

        store.close();

        assertThat(written).allMatch(CompletableFuture::isDone);
        assertThat(order).isSorted().hasSize(2_000);
    }

    @Test
    void nothing_is_taken_after_the_store_is_closed() {
        store.close();

        assertThatThrownBy(() -> done(store.intents().open(intent(1, Optional.empty(), 7), 0)))
                .hasCauseInstanceOf(StoreException.class);
        assertThatThrownBy(() -> done(store.intents().find(hash(1)))).hasCauseInstanceOf(StoreException.class);
    }

    private void restart() {
        store.close();
        store = SqliteStore.open(folder);
    }

    /** How many spends count against the allowance. */
    private int used() {
        return StoreSample.used(store)
                .divide(intent(1, Optional.empty(), 1).allowance().toBigInteger())
                .intValueExact();
    }

    private static <T> T done(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    static Intent intent(int id, Optional<String> token, int... coins) {
        return intent(id, token, Bytes.parse("0102"), coins);
    }

    private static Intent intent(int id, Optional<String> token, Bytes transaction, int... coins) {
        List<Coin> inputs = new ArrayList<>();
        for (int coin : coins) {
            inputs.add(new Coin(outpoint(coin), Amount.MAX));
        }
        return new Intent(
                hash(id),
                "transfer",
                Address.parse("ab".repeat(32)),
                transaction,
                inputs,
                -2,
                id % 2 == 0 ? OptionalInt.empty() : OptionalInt.of(3),
                token.map(word -> new TokenBinding(word, hash(77))),
                Amount.ofUnsigned(-3),
                40,
                40,
                IntentState.PREPARED,
                "");
    }

    private static Outpoint outpoint(int n) {
        return new Outpoint(hash(1_000_000 + n), 0xffff_ffffL - n);
    }

    private static Hash256 hash(int n) {
        return Hash256.sha256(new byte[] {(byte) (n >> 24), (byte) (n >> 16), (byte) (n >> 8), (byte) n});
    }
}
