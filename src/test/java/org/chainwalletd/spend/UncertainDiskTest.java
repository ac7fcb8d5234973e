package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.chainwalletd.spend.SpendHarness.get;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.AllowanceStore.Limits;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A commit is judged by the caps before the disk can fail: a commit left in the log must not exceed them. */
class UncertainDiskTest {
    private static final Limits CAPS =
            new Limits(Optional.empty(), Optional.of(Amount.of(1_000)), Duration.ofHours(24));

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock(Instant.ofEpochMilli(1_800_000_000_000L));
    private final UncertainDisk disk = new UncertainDisk(leavingAll(), () -> CAPS, clock);

    /** Leaves every failing commit in the log. */
    private static Random leavingAll() {
        return new Random() {
            @Override
            public int nextInt(int bound) {
                return 2 % bound;
            }
        };
    }

    private static Hash256 id(int number) {
        return Hash256.sha256(new byte[] {(byte) number});
    }

    private Intent spending(int number, long amount) {
        return new Intent(
                id(number),
                "transfer",
                new TestKeys(SpendHarness.PROFILE).add(1),
                Bytes.wrap(new byte[300]),
                List.of(new Coin(new Outpoint(id(100 + number), 0), Amount.of(5_000))),
                1,
                OptionalInt.empty(),
                Optional.empty(),
                Amount.of(amount),
                clock.millis(),
                Intent.Progress.prepared(clock.millis()));
    }

    private void govern(SqliteStore store) {
        get(store.allowance().govern(CAPS, clock, () -> OptionalLong.of(clock.millis())));
    }

    /** Opens the first and leaves the second one in the log; then the process dies. */
    private void openAndLeave(long first, long second) {
        try (SqliteStore store = SqliteStore.open(folder)) {
            govern(store);
            assertThat(get(disk.before(store.intents()).open(spending(1, first), 0, true, clock::millis)))
                    .isInstanceOf(Opening.Opened.class);
            disk.fails(100);
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(
                            () -> get(disk.before(store.intents()).open(spending(2, second), 0, true, clock::millis)));
        }
    }

    private List<Hash256> openAfterTheNextStart() {
        try (SqliteStore store = SqliteStore.open(folder)) {
            disk.recover(store);
            govern(store);
            return get(store.intents().inFlight()).stream().map(Intent::txId).toList();
        }
    }

    @Test
    void what_was_left_in_the_log_is_there_after_the_next_start() {
        openAndLeave(600, 400);

        assertThat(openAfterTheNextStart()).containsExactly(id(1), id(2));
        try (SqliteStore store = SqliteStore.open(folder)) {
            govern(store);
            assertThat(store.allowance().spent()).isEqualTo(Amount.of(1_000));
        }
    }

    @Test
    void what_the_cap_refused_is_not_left_in_the_log() {
        openAndLeave(600, 401);

        assertThat(openAfterTheNextStart()).containsExactly(id(1));
    }

    @Test
    void the_cap_has_refused_it_by_the_clock_as_it_was_and_not_as_it_is_at_the_next_start() {
        openAndLeave(600, 401);
        clock.advance(CAPS.period().multipliedBy(2));

        assertThat(openAfterTheNextStart()).containsExactly(id(1));
    }

    @Test
    void what_was_left_counts_from_when_it_was_judged() {
        openAndLeave(600, 400);
        clock.advance(CAPS.period().multipliedBy(2));

        assertThat(openAfterTheNextStart()).containsExactly(id(1), id(2));
        try (SqliteStore store = SqliteStore.open(folder)) {
            govern(store);
            assertThat(store.allowance().spent()).isEqualTo(Amount.ZERO);
        }
    }
}
