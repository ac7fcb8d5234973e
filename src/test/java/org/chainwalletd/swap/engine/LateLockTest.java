package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lock that takes longer to make than any caller waits: it may become durable only while it has not been abandoned. */
class LateLockTest extends OneSwap {

    private final SlowLegs legs = new SlowLegs();
    private BooleanSupplier mayBegin;

    /** Never journals a lock, so an abandoned one is lost. */
    private static final class SlowLegs extends IdleLegs {
        private final AtomicInteger looks = new AtomicInteger();
        private final CompletableFuture<BooleanSupplier> asked = new CompletableFuture<>();
        private final CompletableFuture<String> wait = new CompletableFuture<>();
        private volatile LockPermission permission = new LockPermission.Granted();

        @Override
        public CompletionStage<View> look(SwapRow row) {
            looks.incrementAndGet();
            OwnLock lock = row.acts().abandoning() ? new OwnLock.Lost() : new OwnLock.Absent();
            return CompletableFuture.completedFuture(view(lock, permission, false));
        }

        @Override
        public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
            asked.complete(mayBegin);
            return wait;
        }

        @Override
        public CompletionStage<Void> abandonLock(SwapRow row) {
            return CompletableFuture.completedFuture(null);
        }
    }

    @BeforeEach
    void beginALock() {
        execute(legs);
        mayBegin = Await.result(legs.asked);
    }

    private void nobodyWaitsAnyMore() {
        legs.wait.completeExceptionally(new IllegalStateException("no outcome within 60 s"));
    }

    @Test
    void it_may_be_made_while_its_round_lasts_and_the_quote_holds() {
        assertThat(mayBegin.getAsBoolean()).isTrue();
        clock.advance(Duration.ofSeconds(
                Sample.terms(Direction.CHAIN_TO_NATIVE).offer().expiresAt() - Sample.NOW - 1));
        assertThat(mayBegin.getAsBoolean()).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(mayBegin.getAsBoolean()).as("the quote has expired").isFalse();
    }

    @Test
    void once_it_is_told_as_failed_it_is_not_made() {
        legs.permission = new LockPermission.Refused("the quote has expired");
        nobodyWaitsAnyMore();
        Await.until("it is told", () -> rows.get(ID).status().equals("failed"));
        assertThat(mayBegin.getAsBoolean()).isFalse();
    }

    @Test
    void the_next_look_ends_it_also_when_nothing_speaks_against_it() {
        int before = legs.looks.get();
        nobodyWaitsAnyMore();
        Await.until("it is looked at again", () -> legs.looks.get() > before);
        assertThat(mayBegin.getAsBoolean()).isFalse();
    }

    /** An actor that takes over the swap would not know of the lock. */
    @Test
    void the_end_of_its_actor_ends_it() {
        kit.stop(engine);
        Await.until("it is ended", () -> !mayBegin.getAsBoolean());
    }
}
