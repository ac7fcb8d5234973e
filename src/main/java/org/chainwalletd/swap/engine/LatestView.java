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
 * Latest observation of both chains for one swap, and the time for which it may be used. Confined to one {@link SwapActor}; keeps nothing from an
 * earlier actor of the same swap.
 */
public final class LatestView {
    /** Maximum age of an observation that may be acted on; an observation that took longer is repeated. */
    private static final long GOOD_SECONDS = 60;
    /** Time for which a lock removed by a reorganisation is expected to be mined again from the mempools without action by the daemon. */
    private static final long REORGANISATION_SECONDS = 600;

    private long began;
    /** Number of the current observation; read on any thread by the suppliers of {@link #gateStillCounts} and {@link #lockStillCounts}. */
    private final AtomicLong number = new AtomicLong();

    private Legs.View view;
    /** Time at which our lock was last observed in a block, Unix seconds. */
    private OptionalLong lastMinedAt = OptionalLong.empty();

    void begin(long now) {
        number.incrementAndGet();
        began = now;
    }

    /** Withdraws all permissions of this observation, because the swap's next actor does not know of it. */
    void end() {
        number.incrementAndGet();
    }

    void observed(Legs.View seen, long now) {
        if (seen.observation()
                .ownLock()
                .filter(OwnLock.Locked.class::isInstance)
                .isPresent()) {
            lastMinedAt = OptionalLong.of(now);
        }
        view = seen.permission() instanceof LockPermission.Refused against && wasRecentlyMined(now)
                ? seen.with(new LockPermission.Unjudged(
                        "our lock was in a block a moment ago and may come back; " + against.why()))
                : seen;
    }

    /** Tests whether our lock was in a block recently. It is then neither sent nor abandoned, because an honest pool may already have locked. */
    private boolean wasRecentlyMined(long now) {
        return lastMinedAt.isPresent() && distance(now, lastMinedAt.getAsLong()) <= REORGANISATION_SECONDS;
    }

    private static long distance(long now, long then) {
        return Math.abs(Math.subtractExact(now, then));
    }

    Legs.View view() {
        return view;
    }

    /** Tests whether an observation exists and covers both chains. */
    boolean isComplete() {
        return view != null && view.isComplete();
    }

    /**
     * Tests whether the observation that permits an irreversible step is fresh. Guards against a slow chain and against a wall clock that was set.
     */
    private boolean isFresh(long now) {
        return distance(now, began) <= GOOD_SECONDS;
    }

    /**
     * Returns a check whether an open gate still counts. It is repeated immediately before a claim becomes durable, which may be long after the
     * observation. It fails once a newer observation has begun.
     */
    BooleanSupplier gateStillCounts(SwapSetup setup) {
        long since = began;
        long look = number.get();
        return () -> look == number.get()
                && distance(setup.now(), since) <= GOOD_SECONDS
                && !setup.stopping().getAsBoolean();
    }

    /**
     * Returns a check whether our lock may still be made. It is repeated immediately before the lock becomes durable, which may be long after the
     * caller stopped waiting. It fails once a newer observation has begun, because that one may have abandoned the lock and reported so.
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

    /** Returns the reason, as human-readable text, why waiting cannot help any more. */
    Optional<String> hopeless() {
        return view.gate().filter(GateVerdict::hopeless).flatMap(GateVerdict::closed);
    }
}
