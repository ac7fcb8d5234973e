package org.chainwalletd.wait;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.node.push.WatchReason;

/**
 * The addresses that somebody waits for, and for a short time those that somebody has waited for, each watched at the nodes for as long. What
 * was never looked at and never paid is forgotten with its last wait: callers who come and go with ever new addresses leave nothing here. Touched
 * by {@link OpenPaymentWaits} alone.
 */
final class AddressGroups {
    /** What was seen of an address is kept for the next wait for it. */
    private static final long MEMORY_MILLIS = 120_000;

    private final Map<Address, AddressGroup> groups = new HashMap<>();
    private final AddressWatch watch;
    private final LongSupplier clock;

    /** @param clock milliseconds that never go back */
    AddressGroups(AddressWatch watch, LongSupplier clock) {
        this.watch = watch;
        this.clock = clock;
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    boolean has(Address address) {
        return groups.containsKey(address);
    }

    boolean isWaitedFor(Address address) {
        AddressGroup group = groups.get(address);
        return group != null && !group.waits.isEmpty();
    }

    Collection<AddressGroup> all() {
        return groups.values();
    }

    /** Those of such groups that somebody waits for. */
    List<Address> waitedFor(Predicate<AddressGroup> such) {
        return groups.values().stream()
                .filter(group -> !group.waits.isEmpty() && such.test(group))
                .map(group -> group.address)
                .toList();
    }

    List<PaymentWait> waits() {
        List<PaymentWait> waits = new ArrayList<>();
        groups.values().forEach(group -> waits.addAll(group.waits));
        return waits;
    }

    /** The group of an address, which there is from now on. */
    AddressGroup of(Address address) {
        return groups.computeIfAbsent(address, added -> {
            watch.want(WatchReason.WAIT, added);
            return new AddressGroup(added);
        });
    }

    void with(Address address, Consumer<AddressGroup> act) {
        AddressGroup group = groups.get(address);
        if (group != null) {
            act.accept(group);
        }
    }

    void each(Collection<Address> addresses, Consumer<AddressGroup> act) {
        addresses.forEach(address -> with(address, act));
    }

    /** Returns whether it was there. */
    boolean remove(PaymentWait wait) {
        AddressGroup group = groups.get(wait.address);
        if (group == null || !group.waits.remove(wait)) {
            return false;
        }
        if (group.waits.isEmpty()) {
            group.emptySince = clock.getAsLong();
            if (!group.remembers()) {
                forget(group);
            }
        }
        return true;
    }

    /** Forgets addresses that nobody has waited for in a while. */
    void forgetOld() {
        long now = clock.getAsLong();
        groups.values().stream()
                .filter(group -> group.waits.isEmpty() && now - group.emptySince >= MEMORY_MILLIS)
                .toList()
                .forEach(this::forget);
    }

    private void forget(AddressGroup group) {
        groups.remove(group.address);
        watch.unwant(WatchReason.WAIT, group.address);
    }

    void forgetAll() {
        groups.keySet().forEach(address -> watch.unwant(WatchReason.WAIT, address));
        groups.clear();
    }
}
