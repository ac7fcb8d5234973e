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
 * The waits for payments that are open, what is new to each of them, and how each ends: with the first payment that it asks for, with its
 * time-out, or because its caller left (interface.md, section 4.6). Touched by {@link PaymentWaits} alone, which brings it what blocks and
 * nodes tell.
 */
final class OpenPaymentWaits {
    /** A look that begins later after the call than this is no baseline: what it sees may have come after the call. */
    private static final long PROMPT_MILLIS = 1_000;

    private final ChainProfile profile;
    private final AddressGroups groups;
    private final Consumer<Address> deserted;
    private final LongSupplier clock;
    private final WaitMetrics metrics;
    private final TimerWheel<PaymentWait> deadlines;
    /** Height of the block up to which the chain was told; -1 before any was. */
    private long followed = -1;

    private long nodeTip;

    /**
     * @param watch is told which addresses to watch
     * @param deserted told of addresses that nobody waits for any more
     */
    OpenPaymentWaits(WaitSetup setup, AddressWatch watch, Consumer<Address> deserted, WaitMetrics metrics) {
        this.profile = setup.profile();
        this.clock = setup.clock();
        this.groups = new AddressGroups(watch, clock);
        this.deserted = deserted;
        this.metrics = metrics;
        this.deadlines = new TimerWheel<>(clock);
    }

    /**
     * Knowledge when a look at mempools begins.
     *
     * @param prompt waits for which it is the baseline
     */
    record BeforeLook(Set<PaymentWait> prompt, Set<Map.Entry<Address, Hash256>> known) {
        boolean knows(Address address, Hash256 txId) {
            return known.contains(Map.entry(address, txId));
        }
    }

    boolean isEmpty() {
        return deadlines.size() == 0;
    }

    boolean isWaitedFor(Address address) {
        return groups.isWaitedFor(address);
    }

    /** Addresses, of the given ones, that somebody waits for. */
    List<Address> waitedFor(Collection<Address> addresses) {
        return addresses.stream().filter(groups::isWaitedFor).toList();
    }

    /** Addresses with open waits. */
    List<Address> waitedFor() {
        return groups.waitedFor(group -> true);
    }

    /** Addresses whose changes no source reports: they are looked at with each new tip. */
    List<Address> unwatched() {
        return groups.waitedFor(group -> group.watchedBy.isEmpty());
    }

    /** Returns whether a look has to tell first what was pending before the call. */
    boolean begin(PaymentWait wait) {
        metrics.began();
        AddressGroup group = groups.of(wait.address);
        group.waits.add(wait);
        wait.since = group.nextNumber();
        wait.settled = group.isCurrent();
        deadlines.add(wait, wait.due);
        return !wait.settled;
    }

    /** Ends a wait at once that asks only for the present state, or that came too late. */
    void endAtOnce(PaymentWait wait) {
        metrics.began();
        timeOut(wait);
    }

    /** Removes a wait whose caller has disconnected. */
    void leave(PaymentWait wait) {
        if (remove(wait)) {
            metrics.gone(clock.getAsLong() - wait.began);
        }
    }

    /** Removes a wait; false when it was no longer open. */
    private boolean remove(PaymentWait wait) {
        if (!groups.remove(wait)) {
            return false;
        }
        deadlines.remove(wait);
        if (!groups.isWaitedFor(wait.address)) {
            deserted.accept(wait.address);
        }
        return true;
    }

    /**
     * Blocks that were passed without being told one by one, and those who waited when they were.
     *
     * @param from height of the lowest block
     * @param to height of the highest block
     */
    record Passed(long from, long to, Map<Address, Waiting> waiting) {
        /** @param change number of what was passed, for the address */
        record Waiting(long change, List<PaymentWait> waits) {}

        List<Address> addresses() {
            return List.copyOf(waiting.keySet());
        }
    }

    /**
     * The followed chain stands at this height.
     *
     * @return height of the lowest block that was passed without being told; empty when none was
     */
    OptionalLong stands(long height) {
        long before = followed;
        followed = height;
        return before < 0 || before >= height ? OptionalLong.empty() : OptionalLong.of(before + 1);
    }

    /**
     * Passed blocks in which payments have to be looked up for those who wait now, in parts.
     *
     * @param from height of the lowest block
     * @param most addresses of one part
     */
    List<Passed> passed(long from, int most) {
        List<Passed> parts = new ArrayList<>();
        if (from > followed) {
            return parts;
        }
        Map<Address, Passed.Waiting> part = new HashMap<>();
        for (Address address : waitedFor()) {
            groups.with(
                    address, group -> part.put(address, new Passed.Waiting(group.begin(), List.copyOf(group.waits))));
            if (part.size() == most) {
                parts.add(new Passed(from, followed, Map.copyOf(part)));
                part.clear();
            }
        }
        if (!part.isEmpty()) {
            parts.add(new Passed(from, followed, Map.copyOf(part)));
        }
        return parts;
    }

    /** Takes what blocks paid that were passed. */
    void paid(Passed passed, List<CreditFeed.Confirmed> payments) {
        for (CreditFeed.Confirmed payment : payments) {
            Passed.Waiting waiting = passed.waiting().get(payment.address());
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

    /** Returns whether the nodes name another tip than before, and the followed chain is not there. */
    boolean nodesAreAt(long height) {
        boolean news = height != nodeTip;
        nodeTip = height;
        return news && isLagging();
    }

    private boolean isLagging() {
        return followed < 0 || Long.compareUnsigned(followed, nodeTip) < 0;
    }

    void watchedBy(String node, Collection<Address> addresses) {
        groups.each(addresses, group -> group.watchedBy.add(node));
    }

    void unwatchedBy(String node, Collection<Address> addresses) {
        groups.each(addresses, group -> group.watchedBy.remove(node));
    }

    /** Something has happened to these addresses that was not looked at yet. */
    void outdated(Collection<Address> addresses) {
        groups.each(addresses, AddressGroup::outdated);
    }

    /** A look at mempools begins. */
    BeforeLook beforeLook(List<Address> addresses) {
        long now = clock.getAsLong();
        BeforeLook before = new BeforeLook(new HashSet<>(), new HashSet<>());
        Predicate<PaymentWait> prompt = wait -> now - wait.began <= PROMPT_MILLIS;
        groups.each(addresses, group -> {
            group.looked();
            group.waits.stream().filter(prompt).forEach(before.prompt::add);
            group.waits.stream()
                    .filter(wait -> !wait.settled && !prompt.test(wait))
                    .forEach(wait -> settle(wait, wait.since));
            group.transactions().forEach(txId -> before.known.add(Map.entry(group.address, txId)));
        });
        return before;
    }

    /** Takes the findings of a look. */
    void found(List<Address> addresses, BeforeLook before, MempoolLook.Found found) {
        metrics.looked();
        groups.each(addresses, group -> {
            seen(group, found);
            group.waits.stream()
                    .filter(wait -> !wait.settled && before.prompt.contains(wait))
                    .forEach(wait -> settle(wait, group.nextNumber()));
            answer(group);
        });
    }

    /** Takes transactions that an earlier look could not fetch. */
    void fetched(List<Address> addresses, MempoolLook.Found found) {
        groups.each(addresses, group -> {
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

    /** Handles the lack of a first look-up in time: whatever is seen from now on counts as new. */
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

    /** A larger balance is a payment whose transaction nobody names; told only while no block can tell better. */
    void balance(Address address, Amount now) {
        groups.with(address, group -> {
            Amount before = group.balance;
            group.balance = now;
            for (PaymentWait wait : List.copyOf(group.waits)) {
                boolean grown = wait.settled && before != null && now.compareTo(before) > 0;
                Amount gained = grown ? Amount.ofUnsigned(now.bits() - before.bits()) : Amount.ofUnsigned(0);
                if (grown && isLagging() && gained.compareTo(wait.minAmount) >= 0) {
                    received(wait, Optional.empty(), gained, 1);
                } else if (!wait.settled) {
                    settle(wait, wait.since);
                }
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

    /** @param block null while the payment is in none */
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

    /** Ends those whose deadline has come. */
    void timePassed() {
        deadlines.advance().forEach(this::giveUp);
    }

    private void giveUp(PaymentWait wait) {
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

    /** Ends all with their time-out answer. */
    void endAll() {
        groups.waits().forEach(this::giveUp);
        groups.forgetAll();
    }

    /**
     * The addresses that somebody waits for, and for a short time those that somebody has waited for, each watched at the nodes for as long. What
     * was never looked at and never paid is forgotten with its last wait: callers who come and go with ever new addresses leave nothing here. Touched
     * by {@link OpenPaymentWaits} alone.
     */
    private static final class AddressGroups {
        /** Time for which findings about an address are kept for the next wait for it. */
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

        /** Addresses of such groups that somebody waits for. */
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
}
