package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.outpoint;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.store.StoreContract;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.testkit.RetainedBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory used by the planned coins of running sweeps, counted object by object. */
class PlannedCoinsTest {
    private static final int COINS = 10_000;
    private static final int INPUTS = 100;

    @TempDir
    Path folder;

    @Test
    void a_planned_coin_takes_less_than_160_bytes_and_nothing_once_its_sweep_has_stopped() {
        List<SweepStore.Part> parts = new ArrayList<>();
        for (int number = 0; number < COINS / INPUTS; number++) {
            int[] coins = new int[INPUTS];
            for (int i = 0; i < INPUTS; i++) {
                coins[i] = number * INPUTS + i;
            }
            parts.add(StoreContract.part(number, coins));
        }
        try (SqliteStore store = SqliteStore.open(folder)) {
            StoreContract.begun(store, "sweep", parts);
        }
        try (SqliteStore store = SqliteStore.open(folder)) {
            GroupCommitWriter.InMemory planned = ((SqlSweeps) store.sweeps()).inMemory();

            assertThat(store.reservations().isPlannedByOther(outpoint(COINS - 1), Optional.empty()))
                    .isTrue();
            long full = RetainedBytes.of(planned);
            System.out.println("bytes for each planned coin: " + full / COINS);
            assertThat(full).isLessThan(160L * COINS);

            done(store.sweeps().move("sweep", SweepStore.State.RUNNING, SweepStore.State.STOPPED, "a cap"));
            assertThat(store.reservations().isPlannedByOther(outpoint(COINS - 1), Optional.empty()))
                    .isFalse();
            assertThat(full - RetainedBytes.of(planned)).isGreaterThan(80L * COINS);
        }
    }
}
