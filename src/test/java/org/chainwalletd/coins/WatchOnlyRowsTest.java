package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.store.WatchStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.Spawners;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows of watched addresses that several daemons change, each of which learns of keys later. */
@Timeout(120)
class WatchOnlyRowsTest {
    private static final Address COLD = new Party(41).address;

    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create();

    private final Map<Address, WatchStore.WatchOnly> rows = new ConcurrentHashMap<>();
    private final Set<Address> owned = ConcurrentHashMap.newKeySet();

    private final class Rows implements WatchStore {
        private Runnable told = () -> {};

        @Override
        public CompletionStage<Void> put(WatchOnly watched) {
            rows.put(watched.address(), watched);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> remove(List<Address> addresses) {
            addresses.forEach(rows::remove);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Optional<WatchOnly>> find(Address address) {
            return CompletableFuture.completedFuture(Optional.ofNullable(rows.get(address)));
        }

        @Override
        public void whenOthersChange(Runnable listener) {
            told = listener;
        }

        @Override
        public CompletionStage<List<WatchOnly>> all() {
            return CompletableFuture.completedFuture(List.copyOf(rows.values()));
        }
    }

    private final Rows store = new Rows();

    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newSingleThreadExecutor();

    private WatchOnly start() {
        return WatchOnly.start(
                Spawners.of(kit),
                List.of(),
                store,
                (births, unwatched) -> CompletableFuture.completedFuture(null),
                owned::contains,
                threads);
    }

    @Test
    void a_row_that_came_after_its_key_was_deleted_elsewhere_stays_when_the_deletion_is_reported() {
        owned.add(COLD);
        WatchOnly watchOnly = start();
        rows.put(COLD, new WatchStore.WatchOnly(COLD, Optional.of("cold storage"), OptionalLong.empty()));
        store.told.run();
        Address other = new Party(42).address;
        Await.result(watchOnly.watch(new WatchStore.WatchOnly(other, Optional.empty(), OptionalLong.empty())));

        owned.remove(COLD);
        watchOnly.removed(Set.of(COLD));
        assertThat(Await.result(watchOnly.unwatch(other))).isTrue();
        assertThat(watchOnly.has(COLD)).isTrue();
        assertThat(rows).containsOnlyKeys(COLD);

        owned.add(COLD);
        Await.result(watchOnly.added(List.of(new OwnKey(COLD, Optional.empty(), OptionalLong.empty()))));
        assertThat(rows).as("its key is here").isEmpty();
    }
}
