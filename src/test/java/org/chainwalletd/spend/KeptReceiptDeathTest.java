package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.OwnFiles;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon dies while receipts replace payments: before the commit, at each payment within it, and after it. A kill is modelled by the
 * contents of the files at that moment; {@code KeptReceiptsKilledTest} kills real processes.
 */
@Walks({CrashPoint.RECEIPTS_BEFORE_COMMIT, CrashPoint.RECEIPTS_IN_COMMIT, CrashPoint.RECEIPTS_AFTER_COMMIT})
class KeptReceiptDeathTest extends SpendCase {
    private static final int PAYMENTS = 3;

    /** Files of the daemon as left by each death. */
    @TempDir
    Path left;

    private final List<Receipt> receipts = new ArrayList<>();

    KeptReceiptDeathTest() {
        super(10_000, 20_000, 30_000);
    }

    @BeforeEach
    void payAll() {
        for (int i = 0; i < PAYMENTS; i++) {
            receipts.add(pay(1_000 + i, "token-" + i));
        }
        spends.confirmAll();
        spends.devnet.mine(SpendHarness.BURIAL_DEPTH);
        spends.awaitBuried();
        spends.clock.advance(SpendHarness.RECEIPT_TTL.dividedBy(2).plusMillis(1));
    }

    @AfterEach
    void watchNothing() {
        CrashPoint.watch(null);
    }

    private static boolean isOurs(CrashPoint point) {
        return List.of(KeptReceiptDeathTest.class.getAnnotation(Walks.class).value())
                .contains(point);
    }

    private boolean isReceipt(int number) {
        return get(spends.store.receipts().bound("token-" + number, 0))
                .filter(Bound.ToReceipt.class::isInstance)
                .isPresent();
    }

    private void awaitReceipts() {
        Await.until(
                "only answers are left",
                () -> Stream.iterate(0, number -> number + 1).limit(PAYMENTS).allMatch(this::isReceipt));
    }

    private void assertThatAllTokensAnswer(String death) {
        for (int i = 0; i < PAYMENTS; i++) {
            assertThat(pay(1_000 + i, "token-" + i)).as(death).isEqualTo(receipts.get(i));
            refusal(SpendRefusal.TokenConflict.class, transfer(1_001 + i, "token-" + i));
        }
        assertThat(spends.pending(payer)).as(death).isZero();
        assertThat(spends.coins(shop)).as(death).hasSize(PAYMENTS);
    }

    @Test
    void no_token_is_lost_or_pays_again_wherever_the_daemon_dies_while_receipts_take_the_places_of_payments() {
        Map<CrashPoint, Integer> passages = new EnumMap<>(CrashPoint.class);
        List<Path> deaths = Collections.synchronizedList(new ArrayList<>());
        CrashPoint.watch(point -> {
            if (isOurs(point)) {
                synchronized (passages) {
                    Path copy = left.resolve(point + "-" + passages.merge(point, 1, Integer::sum));
                    copy(spends.folder(), copy);
                    deaths.add(copy);
                }
            }
        });
        spends.restart();
        awaitReceipts();
        Await.until("it has gone on", () -> deaths.size() == 2 + PAYMENTS);
        CrashPoint.watch(null);
        assertThat(passages)
                .isEqualTo(Map.of(
                        CrashPoint.RECEIPTS_BEFORE_COMMIT, 1,
                        CrashPoint.RECEIPTS_IN_COMMIT, PAYMENTS,
                        CrashPoint.RECEIPTS_AFTER_COMMIT, 1));

        for (Path death : deaths) {
            spends.crash();
            spends.startOver(death);
            assertThatAllTokensAnswer(death.getFileName().toString());
            awaitReceipts();
            spends.restart();
            spends.awaitFollowed();
            assertThatAllTokensAnswer(death.getFileName() + ", and another start");
        }
    }

    /** Copies in the order of the names, so that the datadir's record of its store is never newer than the store. */
    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.list(from).sorted()) {
            Files.createDirectories(to);
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
            OwnFiles.of(to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
