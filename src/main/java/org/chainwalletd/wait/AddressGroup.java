package org.chainwalletd.wait;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;

/** Waits for payments to one address, and what was seen of it while somebody waits. Touched by {@link OpenPaymentWaits} alone. */
final class AddressGroup {
    /** Most credits that are kept; a flood makes the oldest be forgotten: a repeat beats unbounded memory. */
    private static final int MOST_CREDITS = 1_000;

    final Address address;
    final Set<PaymentWait> waits = new LinkedHashSet<>();
    /** Nodes whose push streams watch the address. */
    final Set<String> watchedBy = new LinkedHashSet<>();

    private final Map<Hash256, Credit> credits = new LinkedHashMap<>();
    private long nextNumber;
    /** Whether {@code credits} has all that is pending: it was looked at, and since then changes were told. */
    private boolean current;
    /** Confirmed balance when it was asked for last; null before. */
    Amount balance;
    /** Time at which the last wait left, in milliseconds. */
    long emptySince;

    AddressGroup(Address address) {
        this.address = address;
    }

    boolean isCurrent() {
        return current && !watchedBy.isEmpty();
    }

    /** Something has happened that was not looked at yet. */
    void outdated() {
        current = false;
    }

    /** Records a completed look-up: all pending transactions are known now. */
    void looked() {
        current = true;
    }

    /** Whether a next wait for the address would find something here. */
    boolean remembers() {
        return current || !credits.isEmpty() || balance != null;
    }

    long nextNumber() {
        return nextNumber;
    }

    /** Begins a change whose payments are told later, by {@link #confirmed}; returns its number. */
    long begin() {
        return nextNumber++;
    }

    boolean knows(Hash256 txId) {
        return credits.containsKey(txId);
    }

    /** Transactions that pay the address and were seen. */
    Set<Hash256> transactions() {
        return credits.keySet();
    }

    void seen(Hash256 txId, Amount amount) {
        if (!credits.containsKey(txId)) {
            put(txId, new Credit(begin(), amount, null));
        }
    }

    void confirmed(Hash256 txId, Amount amount, BlockPlace block) {
        confirmed(txId, amount, block, begin());
    }

    /** Records a payment that was confirmed by the change of this number. */
    void confirmed(Hash256 txId, Amount amount, BlockPlace block, long number) {
        Credit known = credits.get(txId);
        put(txId, known == null ? new Credit(number, amount, block) : known.in(block));
    }

    void disconnected(BlockPlace block) {
        credits.replaceAll((txId, credit) -> block.equals(credit.block()) ? credit.in(null) : credit);
    }

    private void put(Hash256 txId, Credit credit) {
        credits.put(txId, credit);
        if (credits.size() > MOST_CREDITS) {
            Iterator<Hash256> oldest = credits.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** The first credit that a wait asks for. */
    Optional<Map.Entry<Hash256, Credit>> newFor(PaymentWait wait) {
        return credits.entrySet().stream()
                .filter(entry -> entry.getValue().number() >= wait.since)
                .filter(entry -> wait.settled || entry.getValue().block() != null)
                .filter(entry -> entry.getValue().amount().compareTo(wait.minAmount) >= 0)
                .findFirst();
    }

    /**
     * A payment to an address that was seen.
     *
     * @param number in the order in which they were seen first
     * @param block null while it is in no block
     */
    record Credit(long number, Amount amount, BlockPlace block) {
        Credit in(BlockPlace newBlock) {
            return new Credit(number, amount, newBlock);
        }
    }
}
