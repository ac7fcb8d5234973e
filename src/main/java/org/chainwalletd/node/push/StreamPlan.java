package org.chainwalletd.node.push;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;

/**
 * Chooses the stream to open next, so that the wanted addresses are watched, the most urgent first. Pure. The addresses of an open stream are
 * fixed; a change needs a new stream that replaces the old one.
 *
 * @param addressesPerStream maximum number that fits into a request's head
 * @param maxStreams maximum number of streams for the wanted addresses
 */
record StreamPlan(int addressesPerStream, int maxStreams) {
    /** Open or opening stream. */
    interface Open {
        Set<Address> addresses();
    }

    /** @param replaces stream that ends when the new one is open; empty to add one */
    record Step<S extends Open>(Set<Address> addresses, Optional<S> replaces) {}

    /**
     * Returns the next step.
     *
     * @param wanted most urgent first
     * @param streams all that are open or opening, and are not being replaced
     * @param replaceable subset of {@code streams} that may be replaced now
     * @return empty if nothing is to be done, or can be done now
     */
    <S extends Open> Optional<Step<S>> next(Collection<Address> wanted, List<S> streams, List<S> replaceable) {
        Set<Address> reachable = firstOf(wanted, addressesPerStream * maxStreams);
        Set<Address> missing = new LinkedHashSet<>(reachable);
        streams.forEach(stream -> missing.removeAll(stream.addresses()));
        if (missing.isEmpty()) {
            return Optional.empty();
        }
        Optional<S> emptiest =
                replaceable.stream().min(Comparator.comparingInt(stream -> stillWanted(stream, reachable)));
        boolean hasRoom = emptiest.isPresent() && stillWanted(emptiest.get(), reachable) < addressesPerStream;
        if (hasRoom) {
            Set<Address> next = new LinkedHashSet<>(emptiest.get().addresses());
            next.retainAll(reachable);
            fill(next, missing);
            return Optional.of(new Step<>(next, emptiest));
        }
        if (streams.size() >= maxStreams || streams.size() > replaceable.size()) {
            return Optional.empty();
        }
        Set<Address> next = new LinkedHashSet<>();
        fill(next, missing);
        return Optional.of(new Step<>(next, Optional.empty()));
    }

    private void fill(Set<Address> next, Set<Address> missing) {
        for (Address address : missing) {
            if (next.size() == addressesPerStream) {
                return;
            }
            next.add(address);
        }
    }

    private static int stillWanted(Open stream, Set<Address> reachable) {
        return (int) stream.addresses().stream().filter(reachable::contains).count();
    }

    private static Set<Address> firstOf(Collection<Address> wanted, int most) {
        Set<Address> first = new LinkedHashSet<>();
        for (Address address : wanted) {
            if (first.size() == most) {
                break;
            }
            first.add(address);
        }
        return first;
    }
}
