package org.chainwalletd.store.sql;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Change;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Order;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.PayoutStore.Submission;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.SweepStore.Beginning;
import org.chainwalletd.store.SweepStore.Ending;
import org.chainwalletd.store.SweepStore.PartSpend;
import org.chainwalletd.store.SweepStore.PartState;
import org.chainwalletd.store.TokenBinding;

/**
 * Payouts and sweeps according to the rules, implemented as simply as possible with maps and loops. Positions in the change feed are not modelled.
 */
final class QueueModel {
    static final String RESTORED = "the store was restored since it began";

    /** Spend; its number is that of its opening. */
    static final class Spend {
        Intent intent;
        final long number;
        final Set<Coin> held = new HashSet<>();
        Optional<BlockPlace> place = Optional.empty();
        boolean buried;
        /** Whether only the spend's existence is still known. */
        boolean forgotten;
        /** Newest state that has a line in the log since the backup. */
        Optional<IntentState> logged = Optional.of(IntentState.PREPARED);
        /**
         * Whether, since the backup, a block contained the spend and was disconnected: its return to flight is in no line, only in a later base of
         * the log.
         */
        boolean returned;

        private Spend(Intent intent, long number) {
            this.intent = intent;
            this.number = number;
        }

        boolean isBatch() {
            return intent.kind().equals(StandIns.PAYOUT_BATCH);
        }

        boolean isClosed() {
            return held.isEmpty() && buried && (intent.state().failed() || intent.state() == IntentState.CONFIRMED);
        }

        private void enter(IntentState state, String reason, long now) {
            intent = intent.in(state, reason, now);
        }

        private void enterLogged(IntentState state, String reason, long now) {
            enter(state, reason, now);
            logged = Optional.of(state);
        }
    }

    private static final class Entry {
        private long number;
        private Order order;
        private Optional<String> owner = Optional.empty();
        private List<Address> from = List.of();
        private String mark = PayoutTable.QUEUED;
        private boolean released;
        private Optional<Spend> spend = Optional.empty();
        private int index;
        private final Set<Spend> lost = new HashSet<>();
        private long submittedAt;
        private long changedAt;
        private long change;

        private boolean isWaiting() {
            return spend.isEmpty() && !mark.equals(PayoutTable.CANCELLED);
        }

        private State state() {
            if (spend.isEmpty()) {
                return State.valueOf(mark);
            }
            if (spend.get().intent.state() != IntentState.CONFIRMED) {
                return State.IN_FLIGHT;
            }
            return spend.get().buried ? State.FINAL : State.CONFIRMED;
        }

        private boolean isUnfinished() {
            return isWaiting()
                    || spend.isPresent()
                            && state() != State.FINAL
                            && spend.get().intent.state() != IntentState.CONFLICTED;
        }

        private Payout told() {
            List<Hash256> attempts = Stream.concat(
                            lost.stream().sorted(Comparator.comparingLong(each -> each.number)), spend.stream())
                    .map(each -> each.intent.txId())
                    .toList();
            return new Payout(
                    number,
                    order,
                    state(),
                    owner,
                    from,
                    attempts,
                    spend.isPresent() ? OptionalInt.of(index) : OptionalInt.empty(),
                    spend.flatMap(each -> each.place).stream()
                            .mapToLong(BlockPlace::height)
                            .findFirst(),
                    spend.map(each -> PayoutStore.feeShare(
                            feeOf(each.intent), each.intent.changeIndex().orElseThrow(), index)),
                    submittedAt,
                    changedAt,
                    PayoutStore.BEGINNING);
        }

        private static Amount feeOf(Intent batch) {
            Amount fee = Amount.ZERO;
            for (Coin coin : batch.inputs()) {
                fee = fee.plus(coin.value());
            }
            for (TxOutput output :
                    TransactionCodec.decode(batch.transaction().toArray()).outputs()) {
                fee = fee.minus(output.value());
            }
            return fee;
        }
    }

    private static final class Sweep {
        private final SweepStore.Sweep begun;
        private final Map<Integer, Ending> ended = new HashMap<>();
        private SweepStore.State state = SweepStore.State.RUNNING;
        private String reason = "";

        private Sweep(SweepStore.Sweep begun) {
            this.begun = begun;
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Map<Hash256, Spend> spends = new LinkedHashMap<>();
    private final Map<String, Sweep> sweeps = new LinkedHashMap<>();
    /** Coins that running sweeps plan to spend, with the tokens of the parts. */
    private final Map<Outpoint, String> planned = new HashMap<>();

    private final Set<String> changed = new HashSet<>();
    final Set<String> ended = new HashSet<>();
    boolean paused;
    private long changes;
    private long lastNumber;

    private void change(Entry entry, long now, long change) {
        entry.changedAt = now;
        entry.change = change;
        changed.add(entry.order.payoutId());
    }

    private boolean mustBeHeld(Entry entry) {
        return !entry.released && ended.contains(entry.owner.orElse(PayoutStore.CLASSIC));
    }

    Submission submit(List<Order> orders, List<Address> from, Optional<String> owner, long most, long now) {
        List<Order> fresh = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < orders.size(); i++) {
            String id = orders.get(i).payoutId();
            Entry there = entries.get(id);
            if (there != null && !(there.order.paysAs(orders.get(i)) && there.owner.equals(owner))) {
                return new Submission.Taken(i, id, Optional.empty(), Optional.of(there.told()));
            }
            if (there == null && sweeps.containsKey(id)) {
                return new Submission.Taken(i, id, Optional.empty());
            }
            Optional<Hash256> bearer = bearer(id);
            if (there == null && bearer.isPresent()) {
                return new Submission.Taken(i, id, bearer);
            }
            if (!ids.add(id)) {
                return new Submission.Taken(i, id, Optional.empty());
            }
            if (there == null) {
                fresh.add(orders.get(i));
            }
        }
        if (!fresh.isEmpty() && unfinished() + fresh.size() > most) {
            return new Submission.Full(unfinished(), most);
        }
        for (Order order : fresh) {
            Entry entry = new Entry();
            entry.number = ++lastNumber;
            entry.order = order;
            entry.owner = owner;
            entry.from = from;
            entry.mark = ended.contains(owner.orElse(PayoutStore.CLASSIC)) ? PayoutTable.HELD : PayoutTable.QUEUED;
            entry.submittedAt = now;
            entries.put(order.payoutId(), entry);
            change(entry, now, ++changes);
        }
        return new Submission.Accepted(orders.stream()
                .map(order -> find(order.payoutId()).orElseThrow())
                .toList());
    }

    /** Finds a spend that ever had the token: a live one, or else the one forgotten last. */
    private Optional<Hash256> bearer(String token) {
        return spends.values().stream()
                .filter(spend -> hasToken(spend, token))
                .max(Comparator.<Spend, Boolean>comparing(spend -> !spend.forgotten)
                        .thenComparing(spend -> spend.number))
                .map(spend -> spend.intent.txId());
    }

    /** Accepts any spend that ever had the token. */
    Hash256 bearer(Hash256 named, String token) {
        return hasToken(spends.get(named), token) ? bearer(token).orElseThrow() : named;
    }

    private static boolean hasToken(Spend spend, String token) {
        return spend.intent.token().filter(bound -> bound.token().equals(token)).isPresent();
    }

    /** An older copy may restore a forgotten spend; the token belongs to the newest. */
    private Optional<Spend> bound(String token) {
        return spends.values().stream()
                .filter(spend -> hasToken(spend, token) && !spend.forgotten)
                .max(Comparator.comparingLong(spend -> spend.number));
    }

    long unfinished() {
        return entries.values().stream().filter(Entry::isUnfinished).count();
    }

    Optional<Payout> find(String id) {
        return Optional.ofNullable(entries.get(id)).map(Entry::told);
    }

    List<Payout> list(Predicate<Payout> wanted, long after, int most) {
        return entries.values().stream()
                .filter(entry -> entry.number > after)
                .sorted(Comparator.comparingLong(entry -> entry.number))
                .map(Entry::told)
                .filter(wanted)
                .limit(most)
                .toList();
    }

    List<Payout> all() {
        return list(any -> true, 0, Integer.MAX_VALUE);
    }

    private List<Payout> inOrderOfChanges(Predicate<Entry> wanted) {
        return entries.values().stream()
                .filter(wanted)
                .sorted(Comparator.<Entry>comparingLong(entry -> entry.change).thenComparingLong(entry -> entry.number))
                .map(Entry::told)
                .toList();
    }

    List<Payout> feed() {
        return inOrderOfChanges(any -> true);
    }

    /** Lists the payouts that have changed since the last call. */
    List<Payout> news() {
        List<Payout> news = inOrderOfChanges(entry -> changed.contains(entry.order.payoutId()));
        changed.clear();
        return news;
    }

    private interface Step {
        void apply(Entry entry);
    }

    private Change change(List<String> ids, Claimant claimant, Step step) {
        for (String id : ids) {
            Entry entry = entries.get(id);
            if (entry == null) {
                return new Change.Unknown(id);
            }
            if (!claimant.mayChange(entry.owner)) {
                return new Change.Foreign(id);
            }
        }
        ids.stream().distinct().forEach(id -> step.apply(entries.get(id)));
        return new Change.Done(ids.stream().map(id -> find(id).orElseThrow()).toList());
    }

    Change cancel(List<String> ids, Claimant claimant, long now) {
        return change(ids, claimant, entry -> {
            if (entry.isWaiting()) {
                entry.mark = PayoutTable.CANCELLED;
                change(entry, now, ++changes);
            }
        });
    }

    Change release(List<String> ids, Claimant claimant, long now) {
        return change(ids, claimant, entry -> {
            if (entry.isWaiting() && entry.mark.equals(PayoutTable.HELD)) {
                entry.mark = PayoutTable.QUEUED;
                entry.released = true;
                change(entry, now, ++changes);
            }
        });
    }

    int holdEnded(Set<String> owners, long now) {
        List<Entry> held = entries.values().stream()
                .filter(entry -> entry.isWaiting() && entry.mark.equals(PayoutTable.QUEUED))
                .filter(entry -> owners.contains(entry.owner.orElse(PayoutStore.CLASSIC)) && mustBeHeld(entry))
                .sorted(Comparator.comparingLong(entry -> entry.number))
                .toList();
        for (Entry entry : held) {
            entry.mark = PayoutTable.HELD;
            change(entry, now, ++changes);
        }
        return held.size();
    }

    Set<String> waitingFrom(Address address) {
        Set<String> ids = new HashSet<>();
        entries.values().stream()
                .filter(entry -> entry.isWaiting() && entry.from.contains(address))
                .forEach(entry -> ids.add(entry.order.payoutId()));
        return ids;
    }

    Opening openBatch(Intent batch, List<String> ids) {
        List<TxOutput> outputs =
                TransactionCodec.decode(batch.transaction().toArray()).outputs();
        boolean payable = !paused && !ids.isEmpty() && new HashSet<>(ids).size() == ids.size();
        for (int i = 0; payable && i < ids.size(); i++) {
            Entry entry = entries.get(ids.get(i));
            payable = entry.isWaiting()
                    && entry.mark.equals(PayoutTable.QUEUED)
                    && !mustBeHeld(entry)
                    && entry.from.contains(batch.from())
                    && entry.order.output().equals(outputs.get(i));
        }
        if (!payable) {
            return new Opening.PayoutsMoved();
        }
        Opening opening = open(batch);
        if (opening instanceof Opening.Opened) {
            long change = ++changes;
            for (int i = 0; i < ids.size(); i++) {
                Entry entry = entries.get(ids.get(i));
                entry.spend = Optional.of(spends.get(batch.txId()));
                entry.index = i;
                change(entry, batch.createdAt(), change);
            }
        }
        return opening;
    }

    Opening open(Intent intent) {
        Optional<String> token = intent.token().map(TokenBinding::token);
        if (intent.kind().equals(SweepStore.KIND) && hasEnded(token.orElseThrow())) {
            return new Opening.Ended();
        }
        if (token.filter(id -> entries.containsKey(id) || sweeps.containsKey(id))
                .isPresent()) {
            return new Opening.TokenTaken(Hash256.ZERO);
        }
        Optional<Spend> bound = token.flatMap(this::bound);
        if (bound.isPresent()) {
            return new Opening.TokenTaken(bound.get().intent.txId());
        }
        for (Coin coin : intent.inputs()) {
            Optional<Spend> holder = holder(coin);
            if (holder.isPresent() && !StandIns.mayTake(intent.kind(), holder.get().intent)) {
                return new Opening.CoinTaken(coin, holder.get().intent.txId());
            }
        }
        for (Coin coin : intent.inputs()) {
            String part = planned.get(coin.outpoint());
            if (part != null && !token.equals(Optional.of(part)) && !StandIns.isStandIn(intent.kind())) {
                return new Opening.CoinTaken(coin, Hash256.ZERO);
            }
        }
        token.ifPresent(part -> planned.values().removeIf(part::equals));
        Spend spend = new Spend(intent, spends.size());
        spends.put(intent.txId(), spend);
        holdFree(spend);
        return new Opening.Opened(false);
    }

    private Optional<Spend> holder(Coin coin) {
        return spends.values().stream()
                .filter(spend -> spend.held.contains(coin))
                .findFirst();
    }

    private void holdFree(Spend spend) {
        for (Coin coin : spend.intent.inputs()) {
            if (holder(coin).isEmpty()) {
                spend.held.add(coin);
            }
        }
    }

    private void followed(Spend spend, long now) {
        if (spend.isBatch()) {
            long change = ++changes;
            entries.values().stream()
                    .filter(entry -> entry.spend.filter(spend::equals).isPresent())
                    .forEach(entry -> change(entry, now, change));
        }
    }

    private Transition stale(Spend spend) {
        return new Transition.Stale(Optional.of(spend.intent.state()));
    }

    Transition confirm(Spend spend, IntentState before, BlockPlace place, long now) {
        if (!before.isStill(spend.intent.state())) {
            return stale(spend);
        }
        if (spend.intent.state() != IntentState.CONFIRMED) {
            spend.enter(IntentState.CONFIRMED, "", now);
        }
        spend.held.clear();
        spend.place = Optional.of(place);
        spend.buried = false;
        followed(spend, now);
        return new Transition.Made();
    }

    void unconfirm(Spend spend, long now) {
        spend.enter(isRecalled(spend) ? IntentState.ABANDONED : IntentState.ACCEPTED, "", now);
        spend.place = Optional.empty();
        spend.buried = false;
        spend.returned = true;
        holdFree(spend);
        followed(spend, now);
    }

    void bury(Spend spend) {
        if (!spend.intent.state().inFlight() && spend.held.isEmpty()) {
            spend.buried = true;
            followed(spend, spend.intent.changedAt());
        }
    }

    boolean isRecalled(Spend batch) {
        return bound(StandIns.recallToken(batch.intent.txId())).isPresent();
    }

    private boolean hasLiveRecall(Spend batch) {
        return bound(StandIns.recallToken(batch.intent.txId()))
                .filter(recall -> !recall.intent.state().failed())
                .isPresent();
    }

    Transition loseForGood(Spend spend, IntentState before, String reason, long now) {
        if (!before.isStill(spend.intent.state())) {
            return stale(spend);
        }
        spend.enterLogged(IntentState.CONFLICTED, reason, now);
        spend.held.clear();
        spend.buried = true;
        long change = ++changes;
        for (Entry entry : entries.values()) {
            if (entry.spend.filter(spend::equals).isPresent()) {
                entry.lost.add(spend);
                entry.spend = Optional.empty();
                entry.mark = mustBeHeld(entry) ? PayoutTable.HELD : entry.mark;
                change(entry, now, change);
            }
        }
        return new Transition.Made();
    }

    /** Empty means that the recall cannot be opened and nothing changes. */
    Optional<Transition> recall(Spend batch, Intent recall, String reason, long now) {
        if (isRecalled(batch)) {
            return Optional.of(new Transition.Stale(Optional.of(IntentState.ABANDONED)));
        }
        IntentState state = batch.intent.state();
        if (!state.inFlight() && state != IntentState.ABANDONED) {
            return Optional.of(stale(batch));
        }
        Intent before = batch.intent;
        Optional<IntentState> logged = batch.logged;
        if (state != IntentState.ABANDONED) {
            batch.enterLogged(IntentState.ABANDONED, reason, now);
        }
        if (open(recall) instanceof Opening.Opened) {
            return Optional.of(new Transition.Made());
        }
        batch.intent = before;
        batch.logged = logged;
        return Optional.empty();
    }

    void refuse(Spend spend, String reason, long now) {
        spend.enterLogged(IntentState.REFUSED, reason, now);
        spend.held.clear();
        spend.buried = true;
    }

    int forget() {
        List<Spend> closed = spends.values().stream()
                .filter(spend -> !spend.forgotten && spend.isClosed() && !spend.isBatch())
                .toList();
        closed.forEach(spend -> spend.forgotten = true);
        return closed.size();
    }

    List<Spend> spends(Predicate<Spend> wanted) {
        return spends.values().stream()
                .filter(spend -> !spend.forgotten && wanted.test(spend))
                .toList();
    }

    Set<Hash256> unrecalled() {
        Set<Hash256> unrecalled = new HashSet<>();
        spends(spend -> spend.isBatch() && spend.intent.state() == IntentState.ABANDONED && !hasLiveRecall(spend))
                .forEach(spend -> unrecalled.add(spend.intent.txId()));
        return unrecalled;
    }

    Set<ReservationStore.Reservation> reservations() {
        Set<ReservationStore.Reservation> all = new HashSet<>();
        spends.values()
                .forEach(spend -> spend.held.forEach(
                        coin -> all.add(new ReservationStore.Reservation(coin, spend.intent.txId()))));
        return all;
    }

    /** @param made the sweep as the store has begun it, with its random id; empty when the store has begun none */
    Beginning begin(SweepStore.Order order, List<SweepStore.Part> parts, Optional<SweepStore.Sweep> made) {
        Optional<SweepStore.Sweep> there = sweep(order.clientToken());
        if (there.isPresent()) {
            return there.get().order().isSame(order)
                    ? new Beginning.Begun(there.get())
                    : new Beginning.Taken(Optional.empty(), there);
        }
        Optional<Hash256> bearer = bearer(order.clientToken());
        if (bearer.isPresent() || entries.containsKey(order.clientToken())) {
            return new Beginning.Taken(bearer, Optional.empty());
        }
        if (parts.isEmpty()) {
            return new Beginning.Nothing();
        }
        sweeps.put(order.clientToken(), new Sweep(made.orElseThrow()));
        plan(order.clientToken());
        return new Beginning.Begun(sweep(order.clientToken()).orElseThrow());
    }

    Set<String> sweepTokens() {
        return sweeps.keySet();
    }

    Optional<SweepStore.Sweep> sweep(String token) {
        return Optional.ofNullable(sweeps.get(token)).map(sweep -> {
            SweepStore.Sweep begun = sweep.begun;
            List<PartState> parts = begun.parts().stream()
                    .map(part -> new PartState(
                            part.part(),
                            partSpend(
                                    SweepStore.partToken(begun.id(), part.part().number())),
                            Optional.ofNullable(sweep.ended.get(part.part().number()))))
                    .toList();
            return new SweepStore.Sweep(begun.id(), begun.order(), sweep.state, sweep.reason, begun.createdAt(), parts);
        });
    }

    private Optional<PartSpend> partSpend(String token) {
        return spends.values().stream()
                .filter(spend -> hasToken(spend, token))
                .findFirst()
                .map(spend -> new PartSpend(
                        spend.intent.txId(),
                        Optional.of(spend.intent.state()),
                        spend.forgotten,
                        spend.forgotten ? "" : spend.intent.reason(),
                        spend.place.isPresent()
                                ? OptionalLong.of(spend.place.get().height())
                                : OptionalLong.empty()));
    }

    boolean isPlanned(Coin coin) {
        return planned.containsKey(coin.outpoint());
    }

    boolean isTaken(Coin coin) {
        return isPlanned(coin) || holder(coin).isPresent();
    }

    /** Plans the coins of the waiting parts, for each part all of them or none. */
    private void plan(String token) {
        SweepStore.Sweep sweep = sweep(token).orElseThrow();
        for (PartState part : sweep.parts()) {
            List<Coin> coins =
                    part.part().coins().stream().map(SweepStore.OwnedCoin::coin).toList();
            if (part.isWaiting() && coins.stream().noneMatch(this::isTaken)) {
                String spend = SweepStore.partToken(sweep.id(), part.part().number());
                coins.forEach(coin -> planned.put(coin.outpoint(), spend));
            }
        }
    }

    private void unplan(SweepStore.Sweep sweep, int part) {
        planned.values().removeIf(SweepStore.partToken(sweep.id(), part)::equals);
    }

    private boolean hasEnded(String partToken) {
        return sweeps.values().stream()
                .anyMatch(sweep -> sweep.ended.keySet().stream()
                        .anyMatch(part ->
                                SweepStore.partToken(sweep.begun.id(), part).equals(partToken)));
    }

    /** Plans the coins according to the rows, as a reopened store does. */
    void restart() {
        planned.clear();
        running().forEach(this::plan);
    }

    List<String> running() {
        return sweeps.keySet().stream()
                .filter(token -> sweeps.get(token).state == SweepStore.State.RUNNING)
                .toList();
    }

    void move(String token, SweepStore.State before, SweepStore.State after, String reason) {
        Sweep sweep = sweeps.get(token);
        if (sweep.state == before) {
            sweep.state = after;
            sweep.reason = reason;
            sweep.begun.parts().forEach(part -> unplan(sweep.begun, part.part().number()));
            if (after == SweepStore.State.RUNNING) {
                plan(token);
            }
        }
    }

    Optional<SweepStore.Sweep> stop(String token) {
        Sweep sweep = sweeps.get(token);
        if (sweep.state != SweepStore.State.DONE) {
            sweep.begun.parts().forEach(part -> end(token, part.part().number(), Ending.STOPPED));
            sweep.state = SweepStore.State.DONE;
            sweep.reason = "";
        }
        return sweep(token);
    }

    void endUnopened(String token, int part) {
        end(token, part, Ending.LOST);
    }

    private void end(String token, int part, Ending ending) {
        SweepStore.Sweep sweep = sweep(token).orElseThrow();
        if (sweep.parts().get(part).isWaiting()) {
            sweeps.get(token).ended.put(part, ending);
            unplan(sweep, part);
        }
    }

    /** Content of an older copy of the store: everything else is in the log, except blocks. */
    final class Backup {
        private record Row(IntentState state, Optional<BlockPlace> place, boolean buried) {}

        private record Course(SweepStore.State state, String reason) {}

        private final Set<String> ids = new HashSet<>(entries.keySet());
        private final Map<Hash256, Row> rows = new HashMap<>();
        private final Map<String, Course> courses = new HashMap<>();
        private final boolean pausedThen = paused;

        Backup() {
            spends.forEach((txId, spend) -> {
                rows.put(txId, new Row(spend.intent.state(), spend.place, spend.buried));
                spend.logged = Optional.empty();
                spend.returned = false;
            });
            sweeps.forEach((token, sweep) -> courses.put(token, new Course(sweep.state, sweep.reason)));
        }

        /**
         * Restores the store from this copy. Results that the rules leave open are taken from the store: numbers, times, and whether payments were
         * sent.
         */
        void restore(Store store) {
            planned.clear();
            paused = pausedThen;
            entries.values().stream()
                    .filter(entry -> !entry.mark.equals(PayoutTable.CANCELLED))
                    .forEach(entry -> entry.mark = PayoutTable.HELD);
            sweeps.forEach((token, sweep) -> {
                Course course = courses.getOrDefault(token, new Course(SweepStore.State.RUNNING, ""));
                boolean running = course.state == SweepStore.State.RUNNING;
                sweep.state = running ? SweepStore.State.STOPPED : course.state;
                sweep.reason = running ? RESTORED : course.reason;
            });
            List.copyOf(spends.values()).forEach(spend -> restore(spend, store));
            Set<ReservationStore.Reservation> held =
                    Set.copyOf(StoreSample.done(store.reservations().all()));
            spends.values().forEach(spend -> spend.held.clear());
            held.forEach(each -> spends.get(each.txId()).held.add(each.coin()));
            adopt(StoreSample.done(store.payouts().changes(PayoutStore.BEGINNING, 10_000))
                    .payouts());
        }

        private void restore(Spend spend, Store store) {
            Optional<Row> row = Optional.ofNullable(rows.get(spend.intent.txId()));
            Optional<Intent> live = StoreSample.done(store.intents().find(spend.intent.txId()));
            if (live.isEmpty() && spend.forgotten) {
                return;
            }
            spend.forgotten = false;
            Intent found = live.orElseThrow();
            boolean chainOnly = StandIns.onlyChainCloses(spend.intent.kind());
            IntentState state = spend.logged.or(() -> row.map(Row::state)).orElseThrow();
            boolean doubtful = !chainOnly && state.inFlight() && found.state() == IntentState.ABANDONED;
            // The base of a log hides that a batch in a block was recalled; if the recall is forgotten, it has lost.
            boolean hidden = spend.isBatch()
                    && state == IntentState.ABANDONED
                    && !isRecalled(spend)
                    && found.state().inFlight();
            boolean reorganised =
                    spend.isBatch() && state == IntentState.CONFIRMED && found.state() == IntentState.ABANDONED;
            // Recalled since the backup and then mined again, which a later base records.
            boolean mined = spend.isBatch()
                    && state == IntentState.ABANDONED
                    && found.state() == IntentState.CONFIRMED
                    && row.filter(then -> then.state() == IntentState.CONFIRMED).isPresent();
            boolean returned = spend.returned
                    && state == IntentState.ABANDONED
                    && found.state().inFlight();
            boolean fits = found.state().isStill(state) || doubtful || hidden || reorganised || mined || returned;
            if (!fits) {
                throw new AssertionError(spend.intent.kind() + " is restored as " + found.state() + ", not " + state);
            }
            spend.intent = spend.intent.in(found.state(), found.reason(), found.changedAt());
            boolean confirmed = found.state() == IntentState.CONFIRMED;
            spend.place = confirmed ? row.flatMap(Row::place) : Optional.empty();
            spend.buried = confirmed ? row.orElseThrow().buried : isLostForGood(spend, store);
        }

        private static boolean isLostForGood(Spend spend, Store store) {
            Hash256 txId = spend.intent.txId();
            return spend.intent.state() == IntentState.REFUSED
                    ? StoreSample.done(store.intents().lost(0, 10_000)).stream()
                            .noneMatch(lost -> lost.spend().txId().equals(txId))
                    : StoreSample.done(store.intents().lostForGood(Set.of(txId)))
                            .isPresent();
        }

        private void adopt(List<Payout> feed) {
            lastNumber = 0;
            changed.clear();
            for (Payout told : feed) {
                Entry entry = entries.get(told.order().payoutId());
                if (entry == null) {
                    throw new AssertionError("nothing tells of " + told);
                }
                entry.number = told.number();
                lastNumber = Math.max(lastNumber, told.number());
                entry.released = false;
                if (!ids.contains(told.order().payoutId())) {
                    Order order = entry.order;
                    entry.order = new Order(
                            order.payoutId(),
                            order.to(),
                            order.amount(),
                            order.datum(),
                            told.order().memo());
                    entry.from = told.from();
                }
                change(entry, told.changedAt(), ++changes);
            }
        }
    }
}
