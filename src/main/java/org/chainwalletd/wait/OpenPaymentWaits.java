package org.chainwalletd.wait;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.node.push.PushFeed.WatchReason;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.CreditFeed;

/**
 * Open waits for payments, with what is new to each. A wait ends with the first payment that satisfies it, by time-out, or because its caller has
 * disconnected (interface.md, section 4.6). Used only by {@link PaymentWaits}, which passes on events of blocks and nodes.
 */
final class OpenPaymentWaits {
    /**
     * Maximum delay between a call and the start of the look-up that serves as its baseline. A later one may already see payments made after the
     * call.
     */
    private static final long PROMPT_MILLIS = 1_000;

    private final ChainProfile profile;
    private final AddressGroups groups;
    private final Consumer<Address> noLongerAwaited;
    private final LongSupplier clock;
    private final WaitMetrics metrics;
    private final TimerWheel<PaymentWait> deadlines;
    /** Height of the highest block of the chain as followed so far; -1 before the first. */
    private long followed = -1;

    private long nodeTip;

    /**
     * @param watch registers addresses to be watched
     * @param noLongerAwaited called with addresses that have no open waits any more
     */
    OpenPaymentWaits(WaitSetup setup, AddressWatch watch, Consumer<Address> noLongerAwaited, WaitMetrics metrics) {
        this.profile = setup.profile();
        this.clock = setup.clock();
        this.groups = new AddressGroups(watch, clock);
        this.noLongerAwaited = noLongerAwaited;
        this.metrics = metrics;
        this.deadlines = new TimerWheel<>(clock);
    }

    /**
     * State at the start of a mempool look-up.
     *
     * @param prompt waits for which the look-up is the baseline
     */
    record BeforeLook(Set<PaymentWait> prompt, Set<Map.Entry<Address, Hash256>> known) {
        boolean knows(Address address, Hash256 txId) {
            return known.contains(Map.entry(address, txId));
        }
    }

    boolean isEmpty() {
        return deadlines.size() == 0;
    }

    boolean isAwaited(Address address) {
        return groups.isAwaited(address);
    }

    /** Returns those of the addresses that have open waits. */
    List<Address> awaited(Collection<Address> addresses) {
        return addresses.stream().filter(groups::isAwaited).toList();
    }

    /** Returns those of the addresses that have open waits and of which more pending payments can be known. */
    List<Address> incomplete(Collection<Address> addresses) {
        return groups.awaited(group -> group.hasRoom() && addresses.contains(group.address));
    }

    /** Returns the addresses with open waits. */
    List<Address> awaited() {
        return groups.awaited(group -> true);
    }

    /** Returns the addresses that no node watches: they are looked up with each new tip. */
    List<Address> unwatched() {
        return groups.awaited(group -> group.watchedBy.isEmpty());
    }

    /** Adds a wait. Returns whether a look-up is needed first to know what was already pending. */
    boolean begin(PaymentWait wait) {
        metrics.began();
        AddressGroup group = groups.of(wait.address);
        group.waits.add(wait);
        wait.since = group.nextNumber();
        wait.settled = group.isCurrent();
        deadlines.add(wait, wait.due);
        return !wait.settled;
    }

    /** Ends a wait at once, because it only asks for the present state or the daemon is stopping. */
    void endAtOnce(PaymentWait wait) {
        metrics.began();
        timeOut(wait);
    }

    /** Removes a wait whose caller has disconnected. */
    void leave(PaymentWait wait) {
        if (remove(wait)) {
            metrics.left(clock.getAsLong() - wait.began);
        }
    }

    /** Removes a wait; returns false if it was no longer open. */
    private boolean remove(PaymentWait wait) {
        if (!groups.remove(wait)) {
            return false;
        }
        deadlines.remove(wait);
        if (!groups.isAwaited(wait.address)) {
            noLongerAwaited.accept(wait.address);
        }
        return true;
    }

    /**
     * Blocks that the tip jumped over without an event for each, and the waits that were open then.
     *
     * @param from height of the lowest block
     * @param to height of the highest block
     */
    record SkippedBlocks(long from, long to, Map<Address, Waiting> waiting) {
        /** @param change number of the change for the address, see {@link AddressGroup#begin} */
        record Waiting(long change, List<PaymentWait> waits) {}

        List<Address> addresses() {
            return List.copyOf(waiting.keySet());
        }
    }

    /**
     * Sets the height of the followed chain after a jump.
     *
     * @return height of the lowest block that was jumped over; empty if none was
     */
    OptionalLong jumpTo(long height) {
        long before = followed;
        followed = height;
        return before < 0 || before >= height ? OptionalLong.empty() : OptionalLong.of(before + 1);
    }

    /**
     * Returns the skipped blocks with the waits open now, in parts, to look up their payments.
     *
     * @param from height of the lowest block
     * @param most maximum number of addresses per part
     */
    List<SkippedBlocks> skipped(long from, int most) {
        List<SkippedBlocks> parts = new ArrayList<>();
        if (from > followed) {
            return parts;
        }
        Map<Address, SkippedBlocks.Waiting> part = new HashMap<>();
        for (Address address : awaited()) {
            groups.with(
                    address,
                    group -> part.put(address, new SkippedBlocks.Waiting(group.begin(), List.copyOf(group.waits))));
            if (part.size() == most) {
                parts.add(new SkippedBlocks(from, followed, Map.copyOf(part)));
                part.clear();
            }
        }
        if (!part.isEmpty()) {
            parts.add(new SkippedBlocks(from, followed, Map.copyOf(part)));
        }
        return parts;
    }

    /** Handles the payments of skipped blocks. */
    void paid(SkippedBlocks skipped, List<CreditFeed.Confirmed> payments) {
        for (CreditFeed.Confirmed payment : payments) {
            SkippedBlocks.Waiting waiting = skipped.waiting().get(payment.address());
            groups.with(payment.address(), group -> {
                boolean unknown = !group.knows(payment.txId());
                group.confirmed(payment.txId(), payment.amount(), payment.block(), waiting.change());
                if (unknown) {
                    waiting.waits().stream()
                            .filter(group.waits::contains)
                            .filter(wait -> payment.amount().compareTo(wait.minAmount) >= 0)
                            .toList()
                            .forEach(wait -> received(
                                    wait,
                                    Optional.of(payment.txId()),
                                    payment.amount(),
                                    confirmations(payment.block())));
                }
                answer(group);
            });
        }
    }

    void connected(List<ChainTransaction> transactions, BlockPlace block) {
        followed = block.height();
        transactions.forEach(mined -> mined(mined, block));
    }

    private void mined(ChainTransaction mined, BlockPlace block) {
        if (mined.decoded().isEmpty() || groups.isEmpty()) {
            return;
        }
        Payments.of(profile, mined.decoded().get(), groups::has)
                .forEach((address, amount) -> groups.with(address, group -> {
                    group.confirmed(mined.id(), amount, block);
                    answer(group);
                }));
    }

    void disconnected(BlockPlace block) {
        followed = block.height() - 1;
        groups.all().forEach(group -> group.disconnected(block));
    }

    /** Sets the height of the nodes. Returns whether it is new and the followed chain lags behind it. */
    boolean nodesAreAt(long height) {
        boolean news = height != nodeTip;
        nodeTip = height;
        return news && isLagging();
    }

    private boolean isLagging() {
        return isAhead(nodeTip);
    }

    private boolean isAhead(long height) {
        return followed < 0 || Long.compareUnsigned(followed, height) < 0;
    }

    void watchedBy(String node, Collection<Address> addresses) {
        groups.each(addresses, group -> group.watchedBy.add(node));
    }

    void unwatchedBy(String node, Collection<Address> addresses) {
        groups.each(addresses, group -> group.watchedBy.remove(node));
    }

    /** Records changes of these addresses that were not looked up yet. */
    void outdated(Collection<Address> addresses) {
        groups.each(addresses, AddressGroup::outdated);
    }

    /**
     * Prepares a look-up: returns the state for {@link #found}, marks the addresses as looked up, and settles waits for which it is too late as a
     * baseline.
     */
    BeforeLook beforeLook(List<Address> addresses) {
        long now = clock.getAsLong();
        BeforeLook before = new BeforeLook(new HashSet<>(), new HashSet<>());
        Predicate<PaymentWait> prompt = wait -> now - wait.began <= PROMPT_MILLIS;
        groups.each(addresses, group -> {
            group.lookStarted();
            group.waits.stream().filter(prompt).forEach(before.prompt::add);
            group.waits.stream()
                    .filter(wait -> !wait.settled && !prompt.test(wait))
                    .forEach(wait -> settle(wait, wait.since));
            group.transactions().forEach(txId -> before.known.add(Map.entry(group.address, txId)));
        });
        return before;
    }

    /** Handles the result of a look-up. */
    void found(BeforeLook before, MempoolLook.Found found) {
        metrics.looked();
        groups.each(found.addresses(), group -> {
            seen(group, found);
            group.waits.stream()
                    .filter(wait -> !wait.settled && before.prompt.contains(wait))
                    .forEach(wait -> settle(wait, group.nextNumber()));
            answer(group);
        });
    }

    /** Handles transactions that an earlier look-up could not fetch. */
    void fetched(MempoolLook.Found found) {
        groups.each(found.addresses(), group -> {
            seen(group, found);
            answer(group);
        });
    }

    private static void seen(AddressGroup group, MempoolLook.Found found) {
        found.paid().forEach((txId, amounts) -> {
            if (amounts.containsKey(group.address)) {
                group.seen(txId, amounts.get(group.address));
            }
        });
    }

    /** Handles a missing baseline: everything seen from now on counts as new. */
    void baselineOver(PaymentWait wait) {
        groups.with(wait.address, group -> {
            if (!wait.settled && group.waits.contains(wait)) {
                settle(wait, wait.since);
                answer(group);
            }
        });
    }

    /** Starts the wait with the change of this number; earlier ones are ignored. */
    private static void settle(PaymentWait wait, long since) {
        wait.settled = true;
        wait.since = since;
    }

    /** Starts the waits for addresses whose mempools no node can look up: everything seen since their calls counts as new. */
    void withoutBaseline(List<Address> addresses) {
        groups.each(
                addresses,
                group -> group.waits.stream().filter(wait -> !wait.settled).forEach(wait -> settle(wait, wait.since)));
    }

    /**
     * Handles the balances of an address at each node; empty where a node did not answer. Growth that enough nodes show is a payment by an unknown
     * transaction; it is reported only while the followed chain lags, since blocks tell more.
     */
    void balances(Address address, List<Optional<Amount>> byNode) {
        groups.with(address, group -> {
            group.balances.read(byNode, group.begin(), nodeTip);
            for (PaymentWait wait : List.copyOf(group.waits)) {
                group.balances
                        .growth(byNode.size(), wait.since, this::isAhead)
                        .filter(growth -> isLagging() && growth.compareTo(wait.minAmount) >= 0)
                        .ifPresent(growth -> received(wait, Optional.empty(), growth, 1));
            }
        });
    }

    private void answer(AddressGroup group) {
        for (PaymentWait wait : List.copyOf(group.waits)) {
            group.newFor(wait)
                    .ifPresent(entry -> received(
                            wait,
                            Optional.of(entry.getKey()),
                            entry.getValue().amount(),
                            confirmations(entry.getValue().block())));
        }
    }

    /** @param block null while the payment is unconfirmed */
    private long confirmations(BlockPlace block) {
        return block == null ? 0 : Math.max(1, followed - block.height() + 1);
    }

    private void received(PaymentWait wait, Optional<Hash256> txId, Amount amount, long confirmations) {
        remove(wait);
        long now = clock.getAsLong();
        metrics.answered(now - wait.began);
        wait.reply.complete(new PaymentOutcome.Received(txId, amount, confirmations, tipHeight(), wait.seconds(now)));
    }

    private long tipHeight() {
        return isLagging() ? nodeTip : followed;
    }

    /** Ends the waits whose deadline has passed. */
    void timePassed() {
        deadlines.advance().forEach(this::endByTimeOut);
    }

    private void endByTimeOut(PaymentWait wait) {
        if (remove(wait)) {
            timeOut(wait);
        }
    }

    private void timeOut(PaymentWait wait) {
        long now = clock.getAsLong();
        metrics.timedOut(now - wait.began);
        wait.reply.complete(new PaymentOutcome.TimedOut(wait.seconds(now)));
    }

    void forgetOld() {
        groups.forgetOld();
    }

    /** Ends all waits with their time-out answer. */
    void endAll() {
        groups.waits().forEach(this::endByTimeOut);
        groups.forgetAll();
    }

    /**
     * Groups of the addresses that have open waits, or had some recently; each is watched at the nodes as long as its group exists. A group without
     * findings is dropped with its last wait, so that callers who wait for ever new addresses leave nothing behind. Used only by {@link
     * OpenPaymentWaits}.
     */
    private static final class AddressGroups {
        /** Time for which findings about an address are kept for a later wait. */
        private static final long MEMORY_MILLIS = 120_000;

        private final Map<Address, AddressGroup> groups = new HashMap<>();
        private final AddressWatch watch;
        private final LongSupplier clock;

        /** @param clock monotonic milliseconds */
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

        boolean isAwaited(Address address) {
            AddressGroup group = groups.get(address);
            return group != null && !group.waits.isEmpty();
        }

        Collection<AddressGroup> all() {
            return groups.values();
        }

        /** Returns the addresses with open waits whose group satisfies a condition. */
        List<Address> awaited(Predicate<AddressGroup> condition) {
            return groups.values().stream()
                    .filter(group -> !group.waits.isEmpty() && condition.test(group))
                    .map(group -> group.address)
                    .toList();
        }

        List<PaymentWait> waits() {
            List<PaymentWait> waits = new ArrayList<>();
            groups.values().forEach(group -> waits.addAll(group.waits));
            return waits;
        }

        /** Returns the group of an address, creating it if necessary. */
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

        /** Removes a wait; returns whether it was present. */
        boolean remove(PaymentWait wait) {
            AddressGroup group = groups.get(wait.address);
            if (group == null || !group.waits.remove(wait)) {
                return false;
            }
            if (group.waits.isEmpty()) {
                group.emptySince = clock.getAsLong();
                if (!group.isWorthKeeping()) {
                    forget(group);
                }
            }
            return true;
        }

        /** Drops groups that have had no open wait for a while. */
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
}
