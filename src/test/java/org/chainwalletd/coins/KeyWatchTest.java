package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEvents;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The books watch the existing keys, even when they could not be written at once. */
@Timeout(120)
class KeyWatchTest {
    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create();

    private final Set<Address> watched = ConcurrentHashMap.newKeySet();
    private final Map<Address, Long> births = new ConcurrentHashMap<>();
    private final AtomicInteger diskFull = new AtomicInteger();
    private final AtomicInteger unreadable = new AtomicInteger();
    private final AtomicInteger tries = new AtomicInteger();
    private final AtomicReference<List<Address>> newest = new AtomicReference<>(List.of());
    private final CompletableFuture<KeyEvents> listening = new CompletableFuture<>();

    private KeyEvents start(OwnKey... keys) {
        kit.spawn(KeyWatch.create(new KeyWatch.Setup(
                this::watched,
                this::settle,
                listener -> {
                    listening.complete(listener);
                    return CompletableFuture.completedFuture(List.of(keys));
                },
                newest::set,
                Duration.ofMillis(5))));
        return Await.result(listening);
    }

    private CompletionStage<Set<Address>> watched() {
        return unreadable.getAndDecrement() > 0
                ? CompletableFuture.failedFuture(new IllegalStateException("the database is away"))
                : CompletableFuture.completedFuture(Set.copyOf(watched));
    }

    private CompletionStage<Void> settle(Map<Address, Long> added, List<Address> gone) {
        tries.incrementAndGet();
        if (diskFull.getAndDecrement() > 0) {
            return CompletableFuture.failedFuture(new IllegalStateException("no space left"));
        }
        watched.addAll(added.keySet());
        births.putAll(added);
        gone.forEach(watched::remove);
        return CompletableFuture.completedFuture(null);
    }

    @Test
    void a_key_whose_books_could_not_be_written_is_watched_as_soon_as_they_can() {
        KeyEvents events = start();
        diskFull.set(3);

        assertThat(events.added(List.of(key(1)))).isCompleted();

        Await.until("the key is watched", () -> watched.contains(address(1)));
        assertThat(tries.get()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void a_key_that_was_left_unwatched_by_an_earlier_process_is_watched() {
        watched.add(address(1));

        start(key(1), key(2), new OwnKey(address(3), Optional.empty(), OptionalLong.of(7)));

        Await.until("the others are watched too", () -> watched.containsAll(Set.of(address(2), address(3))));
        assertThat(births)
                .as("a key of unknown birth may be of any age")
                .isEqualTo(Map.of(address(2), 0L, address(3), 7L));
    }

    @Test
    void a_key_is_watched_although_the_books_could_not_be_read_at_first() {
        unreadable.set(3);

        start(key(1));

        Await.until("the key is watched", () -> watched.contains(address(1)));
    }

    @Test
    void a_key_that_is_gone_is_watched_no_more_even_if_its_addition_was_not_written_yet() {
        watched.add(address(1));
        KeyEvents events = start(key(1));
        diskFull.set(2);
        events.added(List.of(key(2)));
        events.removed(Set.of(address(1), address(2)));
        events.added(List.of(key(3)));

        Await.until("all is written", () -> watched.equals(Set.of(address(3))));
    }

    @Test
    void the_newest_keys_are_told_the_newest_first() {
        KeyEvents events = start(
                new OwnKey(address(1), Optional.empty(), OptionalLong.of(5)),
                new OwnKey(address(2), Optional.empty(), OptionalLong.of(7)),
                key(3));
        Await.until("the first are told", () -> newest.get().equals(List.of(address(2), address(1), address(3))));

        events.added(List.of(key(4)));
        events.removed(Set.of(address(2)));

        Await.until("the changes are told", () -> newest.get().equals(List.of(address(4), address(1), address(3))));
    }

    private static OwnKey key(int number) {
        return new OwnKey(address(number), Optional.empty(), OptionalLong.empty());
    }

    private static Address address(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) number;
        return Address.of(bytes);
    }
}
