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

/** Open waits for payments to one address, and the payments seen while there were any. Used only by {@link OpenPaymentWaits}. */
final class AddressGroup {
    /** Maximum number of credits kept. Beyond it the oldest is forgotten: a repeated notice is better than unbounded memory. */
    private static final int MOST_CREDITS = 1_000;

    final Address address;
    final Set<PaymentWait> waits = new LinkedHashSet<>();
    /** Nodes whose push streams watch the address. */
    final Set<String> watchedBy = new LinkedHashSet<>();

    private final Map<Hash256, Credit> credits = new LinkedHashMap<>();
    private long nextNumber;
    /** Whether {@code credits} includes everything pending: it was looked up, and all changes reported since then were too. */
    private boolean current;
    /** Confirmed balances; empty before the first request. */
    final NodeBalances balances = new NodeBalances();
    /** Time at which the last wait left, in milliseconds. */
    long emptySince;

    AddressGroup(Address address) {
        this.address = address;
    }

    boolean isCurrent() {
        return current && !watchedBy.isEmpty();
    }

    /** Records that something has changed that was not looked up yet. */
    void outdated() {
        current = false;
    }

    /** Records that a look-up starts, after which all pending transactions are known. */
    void lookStarted() {
        current = true;
    }

    /** Returns whether the group is worth keeping for a later wait for the address. */
    boolean isWorthKeeping() {
        return current || !credits.isEmpty() || !balances.isEmpty();
    }

    long nextNumber() {
        return nextNumber;
    }

    /** Starts a change whose payments are added later by {@link #confirmed}; returns its number. */
    long begin() {
        return nextNumber++;
    }

    boolean knows(Hash256 txId) {
        return credits.containsKey(txId);
    }

    /** Returns the ids of the transactions seen that pay the address. */
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

    /** Records a payment that was confirmed by the change with this number. */
    void confirmed(Hash256 txId, Amount amount, BlockPlace block, long number) {
        Credit known = credits.get(txId);
        put(txId, known == null ? new Credit(number, amount, block) : known.in(block));
    }

    void disconnected(BlockPlace block) {
        credits.replaceAll((txId, credit) -> block.equals(credit.block()) ? credit.in(null) : credit);
    }

    boolean hasRoom() {
        return credits.size() < MOST_CREDITS;
    }

    private void put(Hash256 txId, Credit credit) {
        credits.put(txId, credit);
        if (credits.size() > MOST_CREDITS) {
            Iterator<Hash256> oldest = credits.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Returns the first credit that satisfies a wait. */
    Optional<Map.Entry<Hash256, Credit>> newFor(PaymentWait wait) {
        return credits.entrySet().stream()
                .filter(entry -> entry.getValue().number() >= wait.since)
                .filter(entry -> wait.settled || entry.getValue().block() != null)
                .filter(entry -> entry.getValue().amount().compareTo(wait.minAmount) >= 0)
                .findFirst();
    }

    /**
     * A payment to the address.
     *
     * @param number in the order in which payments were first seen
     * @param block null while unconfirmed
     */
    record Credit(long number, Amount amount, BlockPlace block) {
        Credit in(BlockPlace newBlock) {
            return new Credit(number, amount, newBlock);
        }
    }
}
