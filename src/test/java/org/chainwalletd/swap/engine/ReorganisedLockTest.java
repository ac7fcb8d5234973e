package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reorganisation that removes our lock from its block after the pool has also locked. */
class ReorganisedLockTest extends OneSwap {
    private static final OwnLock LOCKED = new OwnLock.Locked("lock:0", OptionalLong.empty());

    private final ShownLegs legs = new ShownLegs();

    /** Shows configured states. Once a lock exists, its slot and the quote's expiry are objections to another one. */
    private static final class ShownLegs extends IdleLegs {
        private final AtomicInteger looks = new AtomicInteger();
        private final AtomicInteger abandoned = new AtomicInteger();
        private final AtomicInteger sent = new AtomicInteger();
        private volatile OwnLock lock = new OwnLock.Absent();
        private volatile LockPermission permission = new LockPermission.Granted();

        @Override
        public CompletionStage<View> look(SwapRow row) {
            looks.incrementAndGet();
            return CompletableFuture.completedFuture(view(lock, permission, false));
        }

        @Override
        public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
            sent.incrementAndGet();
            lock = LOCKED;
            permission = new LockPermission.Refused("slot taken");
            return CompletableFuture.completedFuture("lock");
        }

        @Override
        public CompletionStage<Void> abandonLock(SwapRow row) {
            abandoned.incrementAndGet();
            return CompletableFuture.completedFuture(null);
        }
    }

    @BeforeEach
    void lock() {
        assertThat(Await.result(execute(legs))).isInstanceOf(SwapReply.Current.class);
        untilLooked();
        assertThat(status()).isEqualTo("user_locked");
    }

    private String status() {
        return rows.get(ID).status();
    }

    /** Waits for a complete round that began after this call. */
    private void untilLooked() {
        int before = legs.looks.get();
        Await.until("it was looked at", () -> legs.looks.get() > before + 2);
    }

    @Test
    void a_lock_that_comes_back_goes_on_as_if_it_had_not_been_away() {
        legs.lock = new OwnLock.Absent();
        untilLooked();
        assertThat(status()).isEqualTo("locking");
        clock.advance(Duration.ofSeconds(600));
        untilLooked();
        assertThat(legs.abandoned).hasValue(0);
        legs.lock = LOCKED;
        untilLooked();
        assertThat(status()).isEqualTo("user_locked");
        assertThat(legs.sent).hasValue(1);
    }

    @Test
    void a_lock_that_stays_away_is_given_up_after_ten_minutes() {
        legs.lock = new OwnLock.Absent();
        untilLooked();
        clock.advance(Duration.ofSeconds(601));
        Await.until("it is given up", () -> legs.abandoned.get() > 0);
        assertThat(legs.sent).hasValue(1);
    }

    /** The observations of another process are unknown, so the safe choice is made. */
    @Test
    void after_a_restart_a_lock_that_is_away_is_given_up_at_once() {
        kit.stop(engine);
        legs.lock = new OwnLock.Absent();
        start(legs, "run-2");
        Await.until("it is given up", () -> legs.abandoned.get() > 0);
    }
}
