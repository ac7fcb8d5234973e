package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.hash;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.StoreSample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disk space per remembered token, counted in pages: 86,400 payments a day for 30 days are 2.6 million tokens. */
class BytesPerTokenTest {
    private static final int TOKENS = 2_000;
    /** Size of a transaction with two inputs and two outputs. */
    private static final int TRANSACTION_BYTES = 362;

    private static final int ANSWER_BYTES = 211;
    private static final long GOAL = 600;
    private static final long GOAL_OF_SHORT = 260;

    @TempDir
    Path folder;

    private static Intent intent(int number) {
        return StoreSample.intent(
                4 * number + 1,
                Optional.of("payout-2026-11-22-%018d".formatted(number)),
                Bytes.wrap(new byte[TRANSACTION_BYTES]),
                2 * number,
                2 * number + 1);
    }

    private static <T> void all(List<CompletionStage<T>> stages) {
        stages.forEach(StoreSample::done);
        stages.clear();
    }

    /** Returns the size of the table or index with this name, and of all whose names start with it. */
    private static long bytes(SqliteStore store, String name) {
        return done(store.read(session -> session.queryOne(
                        "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name GLOB ? || '*'",
                        row -> row.getLong(1),
                        name)
                .orElseThrow()));
    }

    @Test
    void a_token_whose_payment_is_buried_takes_less_than_600_bytes_where_its_spend_took_1000_and_260_in_the_end() {
        try (SqliteStore store = SqliteStore.open(folder)) {
            List<CompletionStage<Opening>> opened = new ArrayList<>();
            List<CompletionStage<Transition>> confirmed = new ArrayList<>();
            Map<Hash256, Bytes> answers = new LinkedHashMap<>();
            for (int i = 0; i < TOKENS; i++) {
                opened.add(store.intents().open(intent(i), 0));
                answers.put(hash(4 * i + 1), Bytes.wrap(new byte[ANSWER_BYTES]));
                if (opened.size() == 250) {
                    all(opened);
                }
            }
            answers.keySet()
                    .forEach(txId -> confirmed.add(store.intents()
                            .confirm(
                                    txId,
                                    IntentState.PREPARED,
                                    new BlockPlace(1_000_001, hash(-1)),
                                    StoreSample.BEGUN)));
            all(confirmed);
            done(store.intents().bury(List.copyOf(answers.keySet())));
            assertThat(bytes(store, "spends") / TOKENS).isGreaterThan(1_000);

            assertThat(done(store.receipts().keep(answers))).isEqualTo(TOKENS);

            assertThat(bytes(store, "kept_spends") / TOKENS).isLessThan(GOAL);
            assertThat(bytes(store, "spends"))
                    .as("an empty page of the table and of each index")
                    .isLessThan(16 * 1024);

            assertThat(done(store.receipts().forgetKept(Long.MAX_VALUE, TOKENS)))
                    .isEqualTo(TOKENS);
            assertThat(done(store.history()
                            .shorten(
                                    Long.MAX_VALUE,
                                    TOKENS,
                                    spend -> new SpendHistory.Amounts(
                                            Optional.of(Amount.of(5_000)), Optional.of(Amount.of(10))))))
                    .isEqualTo(TOKENS);
            assertThat(bytes(store, "kept_spends") / TOKENS).isLessThan(GOAL_OF_SHORT);
        }
    }
}
