package org.chainwalletd.swap.engine;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.Legs;

/** Counts observations, has every step judged by what is durable before it, and takes none after the end of its run. */
public final class WitnessedLegs implements Legs {
    private record Looks(AtomicInteger begun, AtomicInteger newestDone) {}

    private final Legs legs;
    private final Life life;
    private final SwapTruth truth;
    private final Executor executor;
    private final Map<String, Looks> looks = new ConcurrentHashMap<>();

    WitnessedLegs(Legs legs, Life life, SwapTruth truth, Executor executor) {
        this.legs = legs;
        this.life = life;
        this.truth = truth;
        this.executor = executor;
    }

    /** Returns the number of observations begun, per swap. */
    Map<String, Integer> looksBegun() {
        return looks.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().begun().get()));
    }

    /** Tests whether an observation of each of these swaps has begun and ended since; or this run is over. */
    boolean hasLookedSince(Set<String> ids, Map<String, Integer> before) {
        return life.isOver()
                || ids.stream()
                        .allMatch(id -> Optional.ofNullable(looks.get(id))
                                .filter(of -> of.newestDone().get() > before.getOrDefault(id, 0))
                                .isPresent());
    }

    @Override
    public CompletionStage<View> look(SwapRow row) {
        Looks of = looks.computeIfAbsent(row.id(), id -> new Looks(new AtomicInteger(), new AtomicInteger()));
        int number = of.begun().incrementAndGet();
        return life.step("LOOK", () -> legs.look(row))
                .whenCompleteAsync((view, failure) -> of.newestDone().set(number), executor);
    }

    @Override
    public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
        return life.step("SEND_LOCK", () -> {
            truth.locks(row);
            return legs.sendLock(row, mayBegin);
        });
    }

    @Override
    public CompletionStage<Void> abandonLock(SwapRow row) {
        return life.step("ABANDON_LOCK", () -> {
            truth.givesUp(row);
            return legs.abandonLock(row);
        });
    }

    @Override
    public CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
        return life.step("PUSH_CLAIM", () -> {
            truth.pushes(row);
            return legs.pushClaim(row, secret, mayBegin);
        });
    }

    @Override
    public CompletionStage<String> takeBack(SwapRow row) {
        return life.step("TAKE_BACK", () -> {
            truth.takesBack(row);
            return legs.takeBack(row);
        });
    }
}
