package org.chainwalletd.spend;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.StandIns;

/**
 * Table of the held coins: which spend holds each coin, and in which stage. Coins spent in blocks that are not yet buried can be many (an
 * hour of spends), so they are stored compactly. Belongs to {@link Reservations}.
 */
final class CoinHolds {
    /** Stage of a hold. */
    enum Stage {
        /** Chosen by a running spend: there is no durable intent, or it is not yet known whether there is one. */
        HELD,
        /** Reserved in the store; only the spend monitor manages it. */
        IN_FLIGHT,
        /** Kept for the stand-in of an abandoned spend, since a block may contain either: no other spend may use it. */
        ABANDONED,
        /** Spent in a block that is not buried yet: not selected, and not counted as in flight. */
        SPENT
    }

    private record Hold(Owner owner, Stage stage) {}

    static final CompactTable.Keys<Outpoint, PackedSpend> BY_INPUT = new CompactTable.Keys<>() {
        @Override
        public int count(PackedSpend spend) {
            return spend.size();
        }

        @Override
        public long hash(PackedSpend spend, int number) {
            return spend.inputFingerprint(number);
        }

        @Override
        public long hashOf(Outpoint outpoint) {
            return PackedSpend.fingerprint(outpoint);
        }

        @Override
        public boolean has(PackedSpend spend, Outpoint outpoint) {
            return spend.spends(outpoint);
        }
    };

    private final Map<Outpoint, Hold> holds = new HashMap<>();

    private final Map<Owner, Set<Outpoint>> byOwner = new HashMap<>();
    private final CompactTable<Outpoint, PackedSpend> spentCoins = new CompactTable<>(BY_INPUT);
    private final CompactTable<Hash256, PackedSpend> spenders =
            new CompactTable<>(CompactTable.Keys.byId(Function.identity()));
    private final AtomicInteger inFlight;

    /**
     * @param inFlight kept equal to the number of outpoints that are held or in flight
     */
    CoinHolds(AtomicInteger inFlight) {
        this.inFlight = inFlight;
    }

    /**
     * Adds the reservations of the store in one step, so that a reader of the count never sees a partial count.
     *
     * @param abandoned ids of abandoned spends that keep their coins
     */
    void takeUp(List<ReservationStore.Reservation> reserved, Set<Hash256> abandoned) {
        for (ReservationStore.Reservation reservation : reserved) {
            Stage stage = abandoned.contains(reservation.txId()) ? Stage.ABANDONED : Stage.IN_FLIGHT;
            put(reservation.coin().outpoint(), new Hold(new Owner.Payment(reservation.txId()), stage));
        }
        count();
    }

    /** Adds a reservation of the store unless its coin is already held. */
    void takeUpFree(ReservationStore.Reservation reservation, boolean abandoned) {
        holdFree(
                new Owner.Payment(reservation.txId()),
                abandoned ? Stage.ABANDONED : Stage.IN_FLIGHT,
                List.of(reservation.coin()));
    }

    /** Drops the holds that only mirror reservations of the store: all except those of running spends and of intents in doubt. */
    void dropReserved() {
        holds.entrySet().removeIf(held -> {
            Hold hold = held.getValue();
            boolean repeats = hold.stage() == Stage.IN_FLIGHT || hold.stage() == Stage.ABANDONED;
            if (repeats) {
                disown(hold.owner(), held.getKey());
            }
            return repeats;
        });
        count();
    }

    /** Whether a spend of this kind may not choose the coin. */
    boolean isBarredTo(String kind, Outpoint outpoint) {
        return isHeld(outpoint) && !isKeptFor(kind, outpoint);
    }

    private boolean isKeptFor(String kind, Outpoint outpoint) {
        return StandIns.isStandIn(kind) && is(outpoint, Stage.ABANDONED);
    }

    int inFlight() {
        return holds.size();
    }

    boolean isHeld(Outpoint outpoint) {
        return holds.containsKey(outpoint) || spentCoins.get(outpoint) != null;
    }

    boolean is(Outpoint outpoint, Stage stage) {
        Hold hold = holds.get(outpoint);
        return hold == null ? stage == Stage.SPENT && spentCoins.get(outpoint) != null : hold.stage() == stage;
    }

    Optional<Owner> holder(Outpoint outpoint) {
        return Optional.ofNullable(holds.get(outpoint))
                .map(Hold::owner)
                .or(() -> Optional.ofNullable(spentCoins.get(outpoint)).map(spend -> new Owner.Payment(spend.txId())));
    }

    /** Selects those of {@code coins} that another owner holds, except coins that are kept for a spend of this kind. */
    List<Coin> takenFrom(Owner owner, String kind, List<Coin> coins) {
        return coins.stream()
                .filter(coin -> !isKeptFor(kind, coin.outpoint()))
                .filter(coin -> holder(coin.outpoint())
                        .filter(holder -> !holder.equals(owner))
                        .isPresent())
                .toList();
    }

    Optional<Outpoint> firstSpent(List<Coin> coins) {
        return coins.stream()
                .map(Coin::outpoint)
                .filter(outpoint -> is(outpoint, Stage.SPENT))
                .findFirst();
    }

    /** Holds those of the coins that are free; a coin that another spend has taken meanwhile stays with that spend. */
    void holdFree(Owner owner, Stage stage, List<Coin> coins) {
        for (Coin coin : coins) {
            if (!isHeld(coin.outpoint())) {
                put(coin.outpoint(), new Hold(owner, stage));
            }
        }
        count();
    }

    /** Marks the coins of {@code spend} as spent in a block; its earlier holds are no longer in flight. */
    void spent(PackedSpend spend) {
        release(new Owner.Payment(spend.txId()));
        spenders.add(spend);
        spentCoins.add(spend);
    }

    /** Frees the coins of all spends in blocks except those that fulfil the condition. */
    void releaseSpentUnless(Predicate<Hash256> condition) {
        for (PackedSpend spend : spenders.elements()) {
            if (!condition.test(spend.txId())) {
                removeSpent(new Owner.Payment(spend.txId()));
            }
        }
    }

    /** Makes {@code to} the owner of everything that {@code from} and {@code to} hold, at the given stage. */
    void move(Owner from, Owner to, Stage stage) {
        Set<Outpoint> outpoints = new HashSet<>(byOwner.getOrDefault(to, Set.of()));
        outpoints.addAll(byOwner.getOrDefault(from, Set.of()));
        removeSpent(to)
                .ifPresent(spend -> spend.outpoints().stream()
                        .filter(outpoint -> !holds.containsKey(outpoint))
                        .forEach(outpoints::add));
        byOwner.remove(from);
        outpoints.forEach(outpoint -> put(outpoint, new Hold(to, stage)));
        count();
    }

    void release(Owner owner) {
        Set<Outpoint> outpoints = byOwner.remove(owner);
        if (outpoints != null) {
            outpoints.forEach(holds::remove);
            count();
        }
        removeSpent(owner);
    }

    private Optional<PackedSpend> removeSpent(Owner owner) {
        Optional<PackedSpend> spend = owner instanceof Owner.Payment payment
                ? Optional.ofNullable(spenders.get(payment.txId()))
                : Optional.empty();
        spend.ifPresent(known -> {
            spenders.remove(known);
            spentCoins.remove(known);
        });
        return spend;
    }

    Set<Outpoint> inFlightOf(Owner owner) {
        Set<Outpoint> inFlight = new HashSet<>(byOwner.getOrDefault(owner, Set.of()));
        inFlight.removeIf(outpoint -> !is(outpoint, Stage.IN_FLIGHT));
        return inFlight;
    }

    /** Frees those of {@code outpoints} that are in flight for {@code owner}; returns their number. */
    int releaseInFlight(Owner owner, Collection<Outpoint> outpoints) {
        int released = 0;
        for (Outpoint outpoint : outpoints) {
            if (new Hold(owner, Stage.IN_FLIGHT).equals(holds.get(outpoint))) {
                holds.remove(outpoint);
                disown(owner, outpoint);
                released++;
            }
        }
        count();
        return released;
    }

    private void put(Outpoint outpoint, Hold hold) {
        holds.put(outpoint, hold);
        byOwner.computeIfAbsent(hold.owner(), owner -> new HashSet<>()).add(outpoint);
    }

    private void disown(Owner owner, Outpoint outpoint) {
        byOwner.computeIfPresent(owner, (any, all) -> all.remove(outpoint) && all.isEmpty() ? null : all);
    }

    private void count() {
        inFlight.set(inFlight());
    }
}
