package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.engine.SwapBook;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

/** Among several daemons on a store, only the one with the background work decides from memory who owns a lock. */
class SwapOwnersTest {
    private static final Hash256 LOCK = Hash256.sha256(new byte[] {1});

    private final SwapBook book = new SwapBook();
    private volatile boolean running;
    private volatile Optional<SwapEntry> row = Optional.empty();

    private SwapOwners owners(boolean isConfigured) {
        SwapStore rows = Stub.of(SwapStore.class, call -> switch (call.name()) {
            case "newest" -> CompletableFuture.completedFuture(row);
            case "ofHashLock" ->
                CompletableFuture.completedFuture(
                        row.filter(entry -> entry.hashLock().equals(call.arguments()[0])));
            default -> throw new AssertionError(call.method());
        });
        return new SwapOwners(book, () -> running, isConfigured, rows, ForkJoinPool.commonPool());
    }

    private void swap(boolean watched) {
        row = Optional.of(new SwapEntry(1, "swap", 0, "pool", LOCK, "locked", watched, Bytes.wrap(new byte[] {1}), 1));
    }

    private static void assertRefused(CompletionStage<Void> known) {
        assertThatThrownBy(() -> Await.result(known)).matches(Background::isStopped, "is not known here");
    }

    @Test
    void without_background_work_nothing_is_judged_where_swaps_are_configured_or_have_been() {
        assertRefused(owners(true).known(LOCK));
        assertRefused(owners(true).known());
        assertThat(Await.result(owners(false).known(LOCK))).isNull();
        swap(false);
        assertRefused(owners(false).known(LOCK));
        assertRefused(owners(false).known());
    }

    @Test
    void with_it_the_book_is_asked_once_it_was_read() {
        running = true;
        book.leaveToEngine();
        book.outdate();
        assertThatThrownBy(() -> Await.result(owners(true).known(LOCK)))
                .matches(why ->
                        Causes.of(why) instanceof StoreException store && store.reason() == StoreException.Reason.BUSY);
        book.reading();
        book.read(List.of());
        assertThat(Await.result(owners(true).known(LOCK))).isNull();
        swap(false);
        assertThat(Await.result(owners(true).known(LOCK))).isNull();
    }

    /** Another daemon has run it in the meantime, and has started a swap. */
    @Test
    void a_daemon_that_was_paused_and_does_not_know_of_a_swap_asks_the_store() {
        running = true;
        book.leaveToEngine();
        swap(true);
        assertRefused(owners(true).known(LOCK));
        assertThat(Await.result(owners(true).known(Hash256.ZERO))).isNull();
    }
}
