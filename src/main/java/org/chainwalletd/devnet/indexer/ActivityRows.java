package org.chainwalletd.devnet.indexer;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxOutput;

/** Payments from and to each address, by transaction: from plain outputs and from the outputs that inputs spend. */
final class ActivityRows {
    /** The two rows that a transaction can make for an address, in their order. */
    enum Direction {
        INPUT,
        OUTPUT
    }

    /**
     * @param counterparties addresses of the other side without the address itself; none for a coinbase
     */
    record Activity(Direction direction, BigInteger amount, boolean coinbase, List<Address> counterparties) {}

    private final Map<Address, NavigableMap<Place, Activity>> rows = new HashMap<>();

    void apply(Hash256 txId, long height, boolean coinbase, List<TxOutput> spent, List<TxOutput> created, Undo undo) {
        Map<Address, BigInteger> paying = sums(spent);
        Map<Address, BigInteger> paid = sums(created);
        put(Direction.INPUT, txId, height, coinbase, paying, paid, undo);
        put(Direction.OUTPUT, txId, height, coinbase, paid, paying, undo);
    }

    private void put(
            Direction direction,
            Hash256 txId,
            long height,
            boolean coinbase,
            Map<Address, BigInteger> side,
            Map<Address, BigInteger> other,
            Undo undo) {
        Place place = new Place(height, txId, direction.ordinal());
        side.forEach((address, amount) -> {
            List<Address> counterparties = new ArrayList<>(other.keySet());
            counterparties.remove(address);
            rows.computeIfAbsent(address, any -> new TreeMap<>())
                    .put(place, new Activity(direction, amount, coinbase, List.copyOf(counterparties)));
            undo.add(() -> rows.get(address).remove(place));
        });
    }

    private static Map<Address, BigInteger> sums(List<TxOutput> outputs) {
        Map<Address, BigInteger> sums = new LinkedHashMap<>();
        for (TxOutput output : outputs) {
            output.address()
                    .ifPresent(address -> sums.merge(address, output.value().toBigInteger(), BigInteger::add));
        }
        return sums;
    }

    NavigableMap<Place, Activity> of(Address address) {
        return rows.getOrDefault(address, new TreeMap<>());
    }
}
