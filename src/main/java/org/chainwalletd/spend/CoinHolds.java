package org.chainwalletd.spend;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.StandIns;

/**
 * Which coin is held by which spend, and how firmly. Of what is spent in blocks there is an hour's worth, so that is kept in few bytes.
 * Belongs to {@link Reservations}.
 */
final class CoinHolds {
    /** How firmly a coin is held. */
    enum Stage {
        /** Chosen by a running spend: nothing is durable, or nobody knows yet. */
        HELD,
        /** Durable; only the spend monitor looks after it. */
        IN_FLIGHT,
        /** The spend was given up for the sake of another of its coins, and a block may take either: only that other one may spend it. */
        GIVEN_UP,
        /** Spent in a block that is not buried yet: not selected, and not counted as in flight. */
        SPENT
    }

    private record Hold(Owner owner, Stage stage) {}

    static final CompactTable.Keys<Hash256, PackedSpend> BY_ID = new CompactTable.Keys<>() {
        @Override
        public int count(PackedSpend spend) {
            return 1;
        }

        @Override
        public long hash(PackedSpend spend, int number) {
            return spend.fingerprint();
        }

        @Override
        public long hashOf(Hash256 txId) {
            return PackedSpend.fingerprint(txId);
        }

        @Override
        public boolean has(PackedSpend spend, Hash256 txId) {
            return spend.hasId(txId);
        }
    };

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

    /** All that is held or in flight. */
    private final Map<Outpoint, Hold> holds = new HashMap<>();

    private final Map<Owner, Set<Outpoint>> byOwner = new HashMap<>();
    private final CompactTable<Outpoint, PackedSpend> spentCoins = new CompactTable<>(BY_INPUT);
    private final CompactTable<Hash256, PackedSpend> spenders = new CompactTable<>(BY_ID);
    private final AtomicInteger inFlight;

    /**
     * @param inFlight kept equal to the number of outpoints that are held or in flight
     */
    CoinHolds(AtomicInteger inFlight) {
        this.inFlight = inFlight;
    }

    /**
     * Goes on with what the store has; who reads the number meanwhile never sees a part of it.
     *
     * @param givenUp spends that keep their coins although they were given up
     */
    void takeUp(List<ReservationStore.Reservation> reserved, Set<Hash256> givenUp) {
        for (ReservationStore.Reservation reservation : reserved) {
            Stage stage = givenUp.contains(reservation.txId()) ? Stage.GIVEN_UP : Stage.IN_FLIGHT;
            put(reservation.coin().outpoint(), new Hold(new Owner.Payment(reservation.txId()), stage));
        }
        count();
    }

    /**
     * A view of all that is held and that a spend of this kind may not choose; says only of one outpoint after the other whether it is so.
     */
    Set<Outpoint> barredTo(String kind) {
        return new AbstractSet<>() {
            @Override
            public boolean contains(Object outpoint) {
                return outpoint instanceof Outpoint coin && isHeld(coin) && !isKeptFor(kind, coin);
            }

            @Override
            public int size() {
                return holds.size() + spentCoins.size() - keptFor(kind);
            }

            @Override
            public Iterator<Outpoint> iterator() {
                Set<Outpoint> copy = new HashSet<>(holds.keySet());
                spenders.elements().forEach(spend -> copy.addAll(spend.outpoints()));
                copy.removeIf(outpoint -> isKeptFor(kind, outpoint));
                return copy.iterator();
            }
        };
    }

    private boolean isKeptFor(String kind, Outpoint outpoint) {
        return StandIns.isStandIn(kind) && is(outpoint, Stage.GIVEN_UP);
    }

    private int keptFor(String kind) {
        return StandIns.isStandIn(kind)
                ? (int) holds.values().stream()
                        .filter(hold -> hold.stage() == Stage.GIVEN_UP)
                        .count()
                : 0;
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

    /** Those of {@code coins} that somebody else than {@code owner} has, and not for the sake of a spend of this kind. */
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

    /** Holds those that nobody holds: a coin that another spend has taken meanwhile stays with that one. */
    void holdFree(Owner owner, Stage stage, List<Coin> coins) {
        for (Coin coin : coins) {
            if (!isHeld(coin.outpoint())) {
                put(coin.outpoint(), new Hold(owner, stage));
            }
        }
        count();
    }

    /** {@code spend} is in a block: its coins are spent, and what it held before is no longer in flight. */
    void spent(PackedSpend spend) {
        release(new Owner.Payment(spend.txId()));
        spenders.add(spend);
        spentCoins.add(spend);
    }

    /** All that {@code from} and {@code to} hold is from now on {@code to}'s. */
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

    /** What is in flight for {@code owner}. */
    Set<Outpoint> inFlightOf(Owner owner) {
        Set<Outpoint> inFlight = new HashSet<>(byOwner.getOrDefault(owner, Set.of()));
        inFlight.removeIf(outpoint -> !is(outpoint, Stage.IN_FLIGHT));
        return inFlight;
    }

    /** Frees those of {@code outpoints} that are in flight for {@code owner}, and says how many. */
    int releaseInFlight(Owner owner, Collection<Outpoint> outpoints) {
        int released = 0;
        for (Outpoint outpoint : outpoints) {
            if (new Hold(owner, Stage.IN_FLIGHT).equals(holds.get(outpoint))) {
                holds.remove(outpoint);
                byOwner.computeIfPresent(owner, (any, all) -> all.remove(outpoint) && all.isEmpty() ? null : all);
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

    private void count() {
        inFlight.set(inFlight());
    }
}
