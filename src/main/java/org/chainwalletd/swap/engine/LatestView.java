package org.chainwalletd.swap.engine;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.legs.Legs;

/**
 * Latest observation of both chains for one swap, and the time for which it may be used. Belongs to the {@link SwapActor}, which alone touches it;
 * keeps nothing of an earlier actor of the swap.
 */
public final class LatestView {
    /** Time within which a look may be acted on; a look that took longer is repeated. */
    private static final long GOOD_SECONDS = 60;
    /** Time for which a lock that a reorganisation removed is expected back from the mempools without our doing. */
    private static final long REORGANISATION_SECONDS = 600;

    private long began;
    /** Read by whoever asks {@link #gateStillCounts} or {@link #lockStillCounts}, on any thread. */
    private final AtomicLong number = new AtomicLong();

    private Legs.View view;
    /** Time at which our lock was last seen in a block, Unix seconds. */
    private OptionalLong stoodAt = OptionalLong.empty();

    void begin(long now) {
        number.incrementAndGet();
        began = now;
    }

    /** Withdraws all permissions of this look, because the swap's next actor does not know of it. */
    void end() {
        number.incrementAndGet();
    }

    void saw(Legs.View seen, long now) {
        if (seen.observation()
                .ownLock()
                .filter(OwnLock.Locked.class::isInstance)
                .isPresent()) {
            stoodAt = OptionalLong.of(now);
        }
        view = seen.permission() instanceof LockPermission.Refused against && hasJustStood(now)
                ? seen.with(new LockPermission.Unjudged(
                        "our lock was in a block a moment ago and may come back; " + against.why()))
                : seen;
    }

    /** Tests whether our lock was just in a block. It is then neither sent nor abandoned: an honest pool may have locked already. */
    private boolean hasJustStood(long now) {
        return stoodAt.isPresent() && distance(now, stoodAt.getAsLong()) <= REORGANISATION_SECONDS;
    }

    private static long distance(long now, long then) {
        return Math.abs(Math.subtractExact(now, then));
    }

    Legs.View view() {
        return view;
    }

    /** Tests whether there was a look and it has seen both chains. */
    boolean isComplete() {
        return view != null && view.isComplete();
    }

    /** Requires that the look which lets something leave is fresh: both for a chain that answers slowly and for a clock that was set. */
    private boolean isFresh(long now) {
        return distance(now, began) <= GOOD_SECONDS;
    }

    /**
     * Whether an open gate still counts; asked again in the moment before a claim becomes durable, which may be long after the look. It does
     * not from the next look on.
     */
    BooleanSupplier gateStillCounts(SwapSetup setup) {
        long since = began;
        long look = number.get();
        return () -> look == number.get()
                && distance(setup.now(), since) <= GOOD_SECONDS
                && !setup.stopping().getAsBoolean();
    }

    /**
     * Whether our lock may still be made; asked again in the moment before it becomes durable, which may be long after the wait for it was given
     * up. It may not from the next look on, which may have given the lock up, and told so.
     */
    BooleanSupplier lockStillCounts(SwapSetup setup, SwapRow row) {
        long look = number.get();
        return () -> look == number.get() && setup.now() < row.terms().offer().expiresAt();
    }

    Decision.Known known(SwapSetup setup) {
        boolean fresh = isFresh(setup.now());
        boolean open = fresh && !setup.stopping().getAsBoolean();
        return new Decision.Known(
                setup.run(),
                setup.now(),
                view.isComplete(),
                fresh ? view.permission() : new LockPermission.Unjudged("the look at both chains took too long"),
                view.refundDue(),
                open ? view.gate() : Optional.empty());
    }

    /** Returns the reason, as text for people, why waiting cannot help any more. */
    Optional<String> hopeless() {
        return view.gate().filter(GateVerdict::hopeless).flatMap(GateVerdict::closed);
    }
}
