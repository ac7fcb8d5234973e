package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.Payments.confirm;
import static org.chainwalletd.store.Payments.found;
import static org.chainwalletd.store.Payments.opening;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.intent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Payments;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.ChildJvm;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes killed while receipts replace payments: each token stays bound to its payment, or to the answer that replaced it. */
class KeptReceiptsKilledTest {
    private static final int HALTED = 137;
    private static final int PAYMENTS = 60;

    @TempDir
    Path folder;

    private SqliteStore open() {
        return SqliteStore.open(folder);
    }

    private void pay(int payments) {
        try (SqliteStore store = open()) {
            List<Intent> paid = new ArrayList<>();
            for (int i = 0; i < payments; i++) {
                Intent payment = Payments.pay(store, intent(i, "token-" + i, i));
                confirm(store, payment.txId(), 1_000 + i);
                paid.add(payment);
            }
            done(store.intents().bury(paid.stream().map(Intent::txId).toList()));
        }
    }

    private Process start(String option) throws IOException {
        return ChildJvm.of(List.of(option), KeepingProcess.class, folder)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Returns the tokens whose commits were acknowledged before the process ended, or before it was killed after {@code lines} lines. */
    private static List<String> kept(Process process, int lines) throws IOException {
        List<String> printed = ChildJvm.lines(process, lines);
        assertThat(printed).first().isEqualTo("ready");
        return printed.subList(1, printed.size());
    }

    /**
     * @return number of payments replaced by receipts so far
     */
    private int verify(int payments, List<String> acknowledged) {
        int receipts = 0;
        try (SqliteStore store = open()) {
            for (int i = 0; i < payments; i++) {
                Intent payment = intent(i, "token-" + i, i);
                String token = "token-" + i;
                Bound bound = done(store.receipts().bound(token, 0)).orElseThrow();
                assertThat(bound.digest())
                        .isEqualTo(payment.token().orElseThrow().digest());
                if (bound instanceof Bound.ToReceipt kept) {
                    receipts++;
                    assertThat(kept.txId()).isEqualTo(payment.txId());
                    assertThat(kept.answer()).isEqualTo(KeepingProcess.answerOf(payment));
                    assertThat(found(store, payment.txId())).isEmpty();
                } else if (bound instanceof Bound.ToSpend whole) {
                    assertThat(acknowledged).doesNotContain(token);
                    assertThat(whole.spend().txId()).isEqualTo(payment.txId());
                }
                assertThat(opening(store, intent(payments + i, token, payments + i)))
                        .as("it makes no other payment")
                        .isEqualTo(new Opening.TokenTaken(payment.txId()));
                assertThat(opening(store, intent(i, "token-of-another", i)))
                        .as("its transaction is no other payment's")
                        .isNotInstanceOf(Opening.Opened.class);
            }
            assertThat(done(store.receipts().fingerprints(10 * payments))).hasSize(payments);
            assertThat(told(store, 7))
                    .as("each is told once, in the order in which they were made")
                    .containsExactlyElementsOf(IntStream.range(0, payments)
                            .mapToObj(i -> intent(i, Optional.empty(), i).txId())
                            .toList());
        }
        return receipts;
    }

    private static List<Hash256> told(Store store, int page) {
        List<Hash256> told = new ArrayList<>();
        long after = 0;
        for (List<SpendHistory.PastSpend> some = done(store.history().after(after, page));
                !some.isEmpty();
                some = done(store.history().after(after, page))) {
            some.forEach(spend -> told.add(spend.txId()));
            after = some.get(some.size() - 1).number();
        }
        return told;
    }

    @Test
    void a_process_that_dies_within_the_commit_has_kept_whole_bites_only() throws IOException {
        pay(4 * KeepingProcess.BITE);
        int receipts = 0;
        for (int passage : new int[] {1, KeepingProcess.BITE + 2}) {
            Process process = start("-Dwalletd.crash-point=" + CrashPoint.RECEIPTS_IN_COMMIT + "#" + passage);
            List<String> acknowledged = kept(process, Integer.MAX_VALUE);
            assertThat(process.exitValue()).isEqualTo(HALTED);

            assertThat(acknowledged).hasSize((passage - 1) / KeepingProcess.BITE * KeepingProcess.BITE);
            receipts += acknowledged.size();
            assertThat(verify(4 * KeepingProcess.BITE, acknowledged)).isEqualTo(receipts);
        }
    }

    /** {@code -Dstore.kills=50} runs longer. */
    @Test
    void a_process_that_is_killed_at_any_moment_loses_no_token() throws IOException {
        pay(PAYMENTS);
        Random random = Seeded.random("kills while receipts are kept");
        List<String> acknowledged = new ArrayList<>();
        int receipts = 0;
        for (int round = 0; round < Integer.getInteger("store.kills", 2) && receipts < PAYMENTS; round++) {
            HangWatch.alive();
            acknowledged.addAll(kept(start("-Dunarmed=1"), 2 + random.nextInt(PAYMENTS / 3)));
            int before = receipts;
            receipts = verify(PAYMENTS, acknowledged);
            assertThat(receipts).isGreaterThanOrEqualTo(Math.max(before, acknowledged.size()));
            assertThat(receipts % KeepingProcess.BITE).isZero();
        }
    }
}
