package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.confirm;
import static org.chainwalletd.store.Payments.opening;
import static org.chainwalletd.store.Payments.payment;
import static org.chainwalletd.store.Payments.reasonOf;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;
import static org.chainwalletd.store.StoreSample.intent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Payments;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disk failures while receipts replace payments: either all of them are replaced or none, and no token is unbound at any time. */
class KeptReceiptFaultsTest {
    private static final int PAYMENTS = 4;
    private static final int ATTEMPTS = 50;
    private static final Bytes ANSWER = Bytes.parse("0badcafe");

    @TempDir
    Path folder;

    private Path place;
    private SqliteStore store;

    @BeforeEach
    void begin() {
        place = folder;
        pay();
    }

    private void pay() {
        store = SqliteStore.open(place);
        for (int i = 0; i < PAYMENTS; i++) {
            Payments.pay(store, payment(i));
            confirm(store, hash(i), 50);
        }
        done(store.intents()
                .bury(IntStream.range(0, PAYMENTS).mapToObj(StoreSample::hash).toList()));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static Map<Hash256, Bytes> answers(Bytes answer) {
        Map<Hash256, Bytes> answers = new LinkedHashMap<>();
        IntStream.range(0, PAYMENTS).forEach(i -> answers.put(hash(i), answer));
        return answers;
    }

    private List<Class<?>> bounds() {
        return IntStream.range(0, PAYMENTS)
                .<Class<?>>mapToObj(i -> done(store.receipts().bound("token-" + i, 0))
                        .orElseThrow()
                        .getClass())
                .toList();
    }

    private void assertAllAre(Class<? extends Bound> kind) {
        assertThat(bounds()).hasSize(PAYMENTS).containsOnly(kind);
        for (int i = 0; i < PAYMENTS; i++) {
            assertThat(opening(store, intent(100 + i, "token-" + i, 100 + i)))
                    .isEqualTo(new Opening.TokenTaken(hash(i)));
        }
    }

    private void most(long pages) {
        done(store.write(session -> {
            session.query("PRAGMA max_page_count = " + pages, row -> row.getLong(1));
            return null;
        }));
    }

    @Test
    void a_full_disk_leaves_every_payment_whole_and_once_there_is_room_the_receipts_take_their_places() {
        long pages = done(store.write(session ->
                session.queryOne("PRAGMA page_count", row -> row.getLong(1)).orElseThrow()));
        most(pages + 2);

        assertThat(reasonOf(store.receipts().keep(answers(Bytes.wrap(new byte[20_000])))))
                .isEqualTo(StoreException.Reason.UNAVAILABLE);

        assertAllAre(Bound.ToSpend.class);
        assertThat(done(store.receipts().settled(100, 100))).hasSize(PAYMENTS);
        most(1_000_000);
        assertThat(done(store.receipts().keep(answers(Bytes.wrap(new byte[20_000])))))
                .isEqualTo(PAYMENTS);
        assertAllAre(Bound.ToReceipt.class);
    }

    /**
     * Writes the receipts together with other units in a commit that fails. A writer thread that was not scheduled for a while commits each unit
     * separately; the receipts are then complete, and another store is tried.
     */
    private StoreException.Reason keptInACommitThatFails(boolean noMoreAfterIt) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            CompletableFuture<Void> together = new CompletableFuture<>();
            store.write(session -> Await.result(together));
            CompletionStage<Integer> kept = store.receipts().keep(answers(ANSWER));
            CompletableFuture<Void> spoilt = store.write(session -> cannotBeCommitted(session, noMoreAfterIt));
            together.complete(null);
            assertThatThrownBy(() -> Await.result(spoilt)).hasCauseInstanceOf(StoreException.class);
            Await.until(
                    "the receipts are answered",
                    () -> kept.toCompletableFuture().isDone());
            if (kept.toCompletableFuture().isCompletedExceptionally()) {
                return reasonOf(kept);
            }
            assertThat(bounds()).containsOnly(Bound.ToReceipt.class);
            store.close();
            place = Files.createDirectory(folder.resolve("attempt-" + attempt));
            pay();
        }
        throw new AssertionError("no commit of " + ATTEMPTS + " was of both");
    }

    private static Void cannotBeCommitted(SqlSession session, boolean noMoreAfterIt) throws SQLException {
        StoreFaults.cannotBeCommitted(session);
        if (noMoreAfterIt) {
            session.execute("PRAGMA query_only = ON");
        }
        return null;
    }

    @Test
    void a_commit_that_fails_leaves_every_payment_whole_and_the_next_one_keeps_the_receipts() throws IOException {
        assertThat(keptInACommitThatFails(false)).isEqualTo(StoreException.Reason.UNAVAILABLE);

        assertAllAre(Bound.ToSpend.class);
        store.close();
        store = SqliteStore.open(place);
        assertAllAre(Bound.ToSpend.class);
        assertThat(done(store.receipts().keep(answers(ANSWER)))).isEqualTo(PAYMENTS);
        assertAllAre(Bound.ToReceipt.class);
    }

    @Test
    void a_commit_of_which_nobody_knows_whether_it_was_made_is_whole_or_none_after_the_next_start() throws IOException {
        assertThat(keptInACommitThatFails(true)).isEqualTo(StoreException.Reason.UNKNOWN);
        assertThat(bounds()).hasSize(PAYMENTS);

        store.close();
        store = SqliteStore.open(place);

        assertThat(bounds().stream().distinct()).hasSize(1);
        done(store.receipts().keep(answers(ANSWER)));
        assertAllAre(Bound.ToReceipt.class);
    }
}
