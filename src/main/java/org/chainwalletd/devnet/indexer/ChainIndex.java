package org.chainwalletd.devnet.indexer;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.devnet.ledger.Coin;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;

/**
 * Rows extracted from the best chain. Each query first reads the new blocks, and all blocks again after a reorganisation, so every answer
 * is consistent with one chain. Thread-safe: queries are serialised.
 */
final class ChainIndex {
    static final int QUOTE_ID_BYTES = 16;

    private final Ledger ledger;
    /** The last block that was read; null before the first. */
    private ConnectedBlock tip;

    private final NavigableMap<Outpoint, Htlc> htlcs = new TreeMap<>();
    private final Map<Address, NavigableMap<Place, Activity>> activities = new HashMap<>();
    /** Inline datums of 16 bytes. */
    private final NavigableMap<Outpoint, Bytes> quotes = new TreeMap<>();
    /** Outputs with only the hash of a datum. */
    private final Set<Outpoint> unhonorable = new HashSet<>();

    ChainIndex(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Position of a row in lists that ascend by height, transaction id and a number that distinguishes the rows of one transaction.
     *
     * @param number output index, or 0 and 1 for what an address paid and was paid
     */
    record Place(long height, Hash256 txId, long number) implements Comparable<Place> {
        private static final Comparator<Place> ORDER = Comparator.comparingLong(Place::height)
                .thenComparing(Place::txId)
                .thenComparingLong(Place::number);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * A hash time-locked output.
     *
     * @param settlement null while it is unspent
     */
    record Htlc(Outpoint outpoint, HtlcParams params, Amount amount, long lockHeight, Settlement settlement) {
        /**
         * Spend of the HTLC.
         *
         * @param preimage null for a reclaim
         */
        record Settlement(Hash256 txId, long inputIndex, long height, Bytes preimage) {
            boolean isClaim() {
                return preimage != null;
            }
        }

        Place place() {
            return new Place(lockHeight, outpoint.txId(), outpoint.index());
        }

        /** State as in the recorded indexer: set when the record changes, not derived from the present height. */
        String state() {
            if (settlement != null) {
                return settlement.isClaim() ? "claimed" : "reclaimed";
            }
            return params.reclaimableInBlock(lockHeight) ? "locked_expired" : "locked";
        }

        /** Height of the last change of this record. */
        long lastIndexedHeight() {
            return settlement == null ? lockHeight : settlement.height();
        }
    }

    /** Settlement from the point of view of one of the two parties. */
    record Seen(Address observer, Address counterparty, Htlc htlc) {}

    /** The two rows that a transaction can make for an address, in their order. */
    enum Direction {
        INPUT,
        OUTPUT
    }

    /**
     * Sum that an address paid or received in a transaction, in plain outputs.
     *
     * @param counterparties addresses of the other side without the address itself; none for a coinbase
     */
    record Activity(Direction direction, BigInteger amount, boolean coinbase, List<Address> counterparties) {}

    /** Runs a query after catching up with the chain. */
    synchronized <T> T ask(Supplier<T> question) {
        catchUp();
        return question.get();
    }

    private void catchUp() {
        while (true) {
            if (tip != null && !isBest(tip)) {
                clear();
            }
            Optional<ConnectedBlock> next = ledger.blockAt(tip == null ? 0 : tip.height() + 1);
            if (next.isEmpty()) {
                return;
            }
            // The chain may have been reorganised since the last block was read.
            if (tip == null || next.get().block().header().previousId().equals(tip.id())) {
                read(next.get());
            }
        }
    }

    private boolean isBest(ConnectedBlock block) {
        return ledger.blockAt(block.height()).map(ConnectedBlock::id).equals(Optional.of(block.id()));
    }

    private void clear() {
        tip = null;
        htlcs.clear();
        activities.clear();
        quotes.clear();
        unhonorable.clear();
    }

    private void read(ConnectedBlock block) {
        int consumed = 0;
        List<Transaction> transactions = block.block().transactions();
        for (int i = 0; i < transactions.size(); i++) {
            Transaction tx = transactions.get(i);
            int inputs = tx.isCoinbase() ? 0 : tx.inputs().size();
            List<TxOutput> spent = block.spent().subList(consumed, consumed + inputs).stream()
                    .map(Coin::output)
                    .toList();
            consumed += inputs;
            read(tx, block.txIds().get(i), block.height(), spent);
        }
        tip = block;
    }

    private void read(Transaction tx, Hash256 txId, long height, List<TxOutput> spent) {
        for (int i = 0; i < spent.size(); i++) {
            settle(tx.inputs().get(i), tx.witnesses().get(i), txId, i, height);
        }
        Map<Address, BigInteger> paying = sums(spent);
        Map<Address, BigInteger> paid = sums(tx.outputs());
        addActivities(Direction.INPUT, txId, height, tx.isCoinbase(), paying, paid);
        addActivities(Direction.OUTPUT, txId, height, tx.isCoinbase(), paid, paying);
        for (int i = 0; i < tx.outputs().size(); i++) {
            Outpoint outpoint = new Outpoint(txId, i);
            TxOutput output = tx.outputs().get(i);
            HtlcScript.recognise(output.script())
                    .ifPresent(params -> htlcs.put(outpoint, new Htlc(outpoint, params, output.value(), height, null)));
            Bytes datum = output.datum();
            if (datum != null && datum.length() == QUOTE_ID_BYTES) {
                quotes.put(outpoint, datum);
            } else if (datum == null && output.datumHash() != null) {
                unhonorable.add(outpoint);
            }
        }
    }

    /** Records the spend of an output by either encoding of the selector; does nothing when the output is not an HTLC. */
    private void settle(Outpoint outpoint, Witness witness, Hash256 by, long inputIndex, long height) {
        Htlc locked = htlcs.get(outpoint);
        if (locked == null) {
            return;
        }
        HtlcWitness.classify(witness).ifPresent(spend -> {
            Bytes preimage = spend instanceof HtlcSpend.Claim claim ? claim.preimage() : null;
            Htlc.Settlement how = new Htlc.Settlement(by, inputIndex, height, preimage);
            htlcs.put(outpoint, new Htlc(outpoint, locked.params(), locked.amount(), locked.lockHeight(), how));
        });
    }

    private void addActivities(
            Direction direction,
            Hash256 txId,
            long height,
            boolean coinbase,
            Map<Address, BigInteger> side,
            Map<Address, BigInteger> other) {
        side.forEach((address, amount) -> {
            List<Address> counterparties = new ArrayList<>(other.keySet());
            counterparties.remove(address);
            activities
                    .computeIfAbsent(address, any -> new TreeMap<>())
                    .put(
                            new Place(height, txId, direction.ordinal()),
                            new Activity(direction, amount, coinbase, List.copyOf(counterparties)));
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

    /** The last block that was read; for a query, which runs after the first was. */
    ConnectedBlock tip() {
        return tip;
    }

    /** Returns the HTLC at the outpoint, or null. */
    Htlc htlc(Outpoint outpoint) {
        return htlcs.get(outpoint);
    }

    NavigableMap<Place, Htlc> htlcs() {
        return htlcs.values().stream().collect(Collectors.toMap(Htlc::place, htlc -> htlc, (a, b) -> a, TreeMap::new));
    }

    /** HTLCs by hash lock, each list in the order of the outpoints. */
    NavigableMap<Hash256, List<Htlc>> htlcsByHashLock() {
        return htlcs.values().stream()
                .collect(Collectors.groupingBy(htlc -> htlc.params().hashLock(), TreeMap::new, Collectors.toList()));
    }

    NavigableMap<Place, Seen> settlementsOf(Address observer) {
        NavigableMap<Place, Seen> seen = new TreeMap<>();
        for (Htlc htlc : htlcs.values()) {
            if (htlc.settlement() == null) {
                continue;
            }
            Address sender = ledger.profile().addressOf(htlc.params().sender());
            Address receiver = ledger.profile().addressOf(htlc.params().receiver());
            if (observer.equals(sender) || observer.equals(receiver)) {
                Address counterparty = observer.equals(sender) ? receiver : sender;
                Place lock = htlc.place();
                seen.put(
                        new Place(htlc.settlement().height(), lock.txId(), lock.number()),
                        new Seen(observer, counterparty, htlc));
            }
        }
        return seen;
    }

    NavigableMap<Place, Activity> activitiesOf(Address address) {
        return activities.getOrDefault(address, new TreeMap<>());
    }

    /** Returns the quote id of the output, or null. */
    Bytes quoteOf(Outpoint outpoint) {
        return quotes.get(outpoint);
    }

    /** Outputs with this quote id, in their order. */
    Stream<Outpoint> quotedBy(Bytes quoteId) {
        return quotes.entrySet().stream()
                .filter(quote -> quote.getValue().equals(quoteId))
                .map(Map.Entry::getKey);
    }

    boolean isUnhonorable(Outpoint outpoint) {
        return unhonorable.contains(outpoint);
    }
}
