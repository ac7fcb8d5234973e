package org.chainwalletd.spend;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;

/** Which coin is held by which spend, and how firmly. Belongs to {@link Reservations}. */
final class CoinHolds {
    /** How firmly a coin is held. */
    enum Stage {
        /** Chosen by a running spend: nothing is durable, or nobody knows yet. */
        HELD,
        /** Durable; only the rebroadcaster looks after it. */
        IN_FLIGHT,
        /** Spent in a block that is not buried yet: not selected, and not counted as in flight. */
        SPENT
    }

    record Hold(Owner owner, Stage stage) {}

    private final Map<Outpoint, Hold> holds = new HashMap<>();
    private final Map<Owner, Set<Outpoint>> byOwner = new HashMap<>();
    private final AtomicInteger inFlight;
    private int spent;

    /**
     * @param inFlight kept equal to the number of outpoints that are held or in flight
     */
    CoinHolds(AtomicInteger inFlight) {
        this.inFlight = inFlight;
        inFlight.set(0);
    }

    /** A view of all that is held. */
    Set<Outpoint> all() {
        return holds.keySet();
    }

    int inFlight() {
        return holds.size() - spent;
    }

    boolean isHeld(Outpoint outpoint) {
        return holds.containsKey(outpoint);
    }

    boolean is(Outpoint outpoint, Stage stage) {
        Hold hold = holds.get(outpoint);
        return hold != null && hold.stage() == stage;
    }

    Optional<Owner> holder(Outpoint outpoint) {
        return Optional.ofNullable(holds.get(outpoint)).map(Hold::owner);
    }

    /** Those of {@code coins} that somebody else than {@code owner} has. */
    List<Coin> takenFrom(Owner owner, List<Coin> coins) {
        return coins.stream()
                .filter(coin -> isHeld(coin.outpoint()))
                .filter(coin -> !holds.get(coin.outpoint()).owner().equals(owner))
                .toList();
    }

    Optional<Outpoint> firstSpent(List<Coin> coins) {
        return coins.stream()
                .map(Coin::outpoint)
                .filter(outpoint -> is(outpoint, Stage.SPENT))
                .findFirst();
    }

    /** Holds those that nobody holds: a coin that another spend has taken meanwhile stays with that one. */
    void holdFree(Owner owner, Stage stage, List<Coin> coins) {
        for (Coin coin : coins) {
            if (!isHeld(coin.outpoint())) {
                put(coin.outpoint(), new Hold(owner, stage));
            }
        }
        count();
    }

    /** All that {@code from} and {@code to} hold is from now on {@code to}'s. */
    void move(Owner from, Owner to, Stage stage) {
        Set<Outpoint> outpoints = new HashSet<>(byOwner.getOrDefault(to, Set.of()));
        outpoints.addAll(byOwner.getOrDefault(from, Set.of()));
        byOwner.remove(from);
        outpoints.forEach(outpoint -> put(outpoint, new Hold(to, stage)));
        count();
    }

    void release(Owner owner) {
        Set<Outpoint> outpoints = byOwner.remove(owner);
        if (outpoints != null) {
            outpoints.forEach(this::take);
            count();
        }
    }

    /** Frees those of {@code outpoints} that are in flight for {@code owner}, and says how many. */
    int releaseInFlight(Owner owner, Collection<Outpoint> outpoints) {
        int released = 0;
        for (Outpoint outpoint : outpoints) {
            if (new Hold(owner, Stage.IN_FLIGHT).equals(holds.get(outpoint))) {
                take(outpoint);
                byOwner.computeIfPresent(owner, (any, all) -> all.remove(outpoint) && all.isEmpty() ? null : all);
                released++;
            }
        }
        count();
        return released;
    }

    private void put(Outpoint outpoint, Hold hold) {
        take(outpoint);
        holds.put(outpoint, hold);
        spent += hold.stage() == Stage.SPENT ? 1 : 0;
        byOwner.computeIfAbsent(hold.owner(), owner -> new HashSet<>()).add(outpoint);
    }

    private void take(Outpoint outpoint) {
        Hold old = holds.remove(outpoint);
        spent -= old != null && old.stage() == Stage.SPENT ? 1 : 0;
    }

    private void count() {
        inFlight.set(inFlight());
    }
}
