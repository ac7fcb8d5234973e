package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.store.sql.StoreFaults;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lease on background work, between a database and the work. */
@Tag("postgres")
class DatabaseKeepingTest {
    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create();

    @TempDir
    Path folder;

    @Test
    void a_daemon_that_cannot_log_takes_no_lease_until_it_can() {
        Keeper keeper = keeper();
        try (Store store = new SharedStores().open(folder)) {
            Runnable emptied = StoreFaults.fillLogDisk(store);
            assertThatThrownBy(() -> Await.result(store.payouts().pause(true)))
                    .hasMessageContaining("sent.log cannot be written");
            try (DatabaseKeeping keeping =
                    DatabaseStore.keep(store, keeper, new SimpleMeterRegistry(), Assertions::fail)) {
                assertThat(keeping).isNotNull();
                assertThat(keeper.isRunning()).isFalse();
                emptied.run();
                Await.until("the work runs", keeper::isRunning);
            }
        }
    }

    @Test
    void a_daemon_whose_work_hangs_notices_that_another_does_it() {
        SharedStores database = new SharedStores();
        CountDownLatch goesOn = new CountDownLatch(1);
        Keeper hanging = keeper();
        ActorRef<String> work = hanging.begin(
                "work",
                Behaviors.<String>receiveMessage(message -> {
                    Await.opened(goesOn);
                    return Behaviors.same();
                }),
                message -> {});
        Keeper other = keeper();
        try (Store one = database.open(folder);
                Store two = database.open();
                DatabaseKeeping first = DatabaseStore.keep(one, hanging, new SimpleMeterRegistry(), Assertions::fail);
                DatabaseKeeping second = DatabaseStore.keep(two, other, new SimpleMeterRegistry(), Assertions::fail)) {
            assertThat(List.of(first, second)).doesNotContainNull();
            assertThat(hanging.isRunning()).isTrue();
            assertThat(other.isRunning()).isFalse();
            work.tell("hang");

            Await.until("the other does the work", other::isRunning);
            Await.until("the first has noticed", () -> !hanging.isRunning());
            goesOn.countDown();
        }
    }

    private Keeper keeper() {
        return Keeper.under(new Spawner() {
            @Override
            public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
                return kit.spawn(behavior, name);
            }
        });
    }

    @Test
    void a_daemon_that_cannot_begin_the_work_because_the_store_fails_gives_the_lease_back_and_tries_again() {
        Keeper keeper = keeper();
        AtomicInteger failures = new AtomicInteger();
        AtomicBoolean gaveUp = new AtomicBoolean();
        StoreException away = new StoreException(StoreException.Reason.UNAVAILABLE, "does not answer", null);
        keeper.add(
                "books",
                () -> failures.incrementAndGet() < 3
                        ? CompletableFuture.failedFuture(away)
                        : CompletableFuture.completedFuture(null),
                () -> CompletableFuture.completedFuture(null));
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (Store store = new SharedStores().open(folder);
                DatabaseKeeping keeping = DatabaseStore.keep(store, keeper, meters, () -> gaveUp.set(true))) {
            assertThat(keeping).isNotNull();
            Await.until("the work runs", keeper::isRunning);

            assertThat(failures).hasValue(3);
            assertThat(gaveUp).isFalse();
            assertThat(meters.get("walletd.keeper.epoch").gauge().value())
                    .as("the lease was taken anew each time")
                    .isEqualTo(3);
        }
    }
}
