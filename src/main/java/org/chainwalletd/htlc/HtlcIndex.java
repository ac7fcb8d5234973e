package org.chainwalletd.htlc;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.htlc.HtlcRow;
import org.chainwalletd.store.books.htlc.HtlcRows;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintenance of the HTLC index: counts it for operators, warns of own locks past their timeout and, if configured, reclaims them, and detects
 * locks that were lost before a block contained them. Receives chain events from the follower, reads the books, queries the nodes for locks in no
 * block, and spends through {@link HtlcSpends}. Owns only the set of warnings already logged: after a restart it warns again, and a reclaim that
 * was begun is found by its token.
 */
public final class HtlcIndex extends AbstractBehavior<HtlcIndex.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(HtlcIndex.class);
    private static final Duration PACE = Duration.ofMillis(500);
    private static final Duration RETRY = Duration.ofSeconds(60);
    /** Pause after a reclaim that the lock itself makes impossible: anybody can pay such locks to an address of ours. */
    private static final Duration RETRY_IMPOSSIBLE = Duration.ofDays(1);

    /** Locks that are read at once. */
    private static final int PAGE = 1_000;

    private static final int MOST_WARNED = 10_000;
    private static final int MOST_PENDING = 100;
    private static final int RECLAIMS_AT_ONCE = 4;

    public sealed interface Command {}

    /** The chain has changed. */
    private record Followed(FollowEvent event) implements Command {}

    /** Something outside the blocks was entered. */
    private record Sighted() implements Command {}

    private record Look() implements Command {}

    private record Restored(Outcome<Void> done) implements Command {}

    private record Surveyed(Outcome<Survey> survey) implements Command {}

    private record PartiesRead(Outcome<HtlcRows.OpenLocks> locks) implements Command {}

    private record Reclaimed(HtlcRow lock, Outcome<Receipt> receipt) implements Command {}

    private record RetryDue(Outpoint lock) implements Command {}

    private record Checked(Outcome<Void> done) implements Command {}

    /**
     * State of the index at one time.
     *
     * @param expired next locks of the round that are past their timeout
     * @param overdue those of them that are worth a reclaim
     * @param counts read at the end of a round only, as the pending locks
     */
    private record Survey(
            HtlcRows.OpenLocks expired, List<HtlcRow> overdue, List<HtlcRows.Count> counts, List<HtlcRow> pending) {}

    /** Rounds over a listing, page by page. After a change a new round begins, because the one under way may have passed the changed rows. */
    private static final class Rounds {
        private HtlcRows.OpenPosition position = HtlcRows.OpenPosition.START;
        private boolean changed = true;
        private boolean reading;

        void markChanged() {
            changed = true;
        }

        boolean isUnderWay() {
            return !position.equals(HtlcRows.OpenPosition.START);
        }

        /** Returns whether the next page is to be read now; {@link #read} or {@link #failed} must follow. */
        boolean begin() {
            if (reading || !(changed || isUnderWay())) {
                return false;
            }
            changed &= isUnderWay();
            reading = true;
            return true;
        }

        /** @param next position after the page; empty if it ends the round */
        void read(Optional<HtlcRows.OpenPosition> next) {
            reading = false;
            position = next.orElse(HtlcRows.OpenPosition.START);
        }

        void failed() {
            reading = false;
            changed = true;
        }
    }

    /** Parties of open locks. If there are too many, those of the largest: anybody can add locks of little worth, each with another party. */
    private static final class Parties {
        private static final int MOST = 5_000;

        private final Map<Address, Amount> largestOf = new LinkedHashMap<>();

        void add(Address party, Amount amount) {
            largestOf.merge(party, amount, (known, other) -> known.isLessThan(other) ? other : known);
        }

        /** Forgets those that are too many. */
        void trim() {
            if (largestOf.size() > MOST) {
                largestOf.keySet().retainAll(Set.copyOf(mostValuable()));
            }
        }

        List<Address> mostValuable() {
            return largestOf.entrySet().stream()
                    .sorted(Map.Entry.<Address, Amount>comparingByValue().reversed())
                    .limit(MOST)
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    private final TimerScheduler<Command> timers;
    private final Runnable unsubscribe;
    private final HtlcWatch watch;
    private final OverdueWarnings warnings = new OverdueWarnings(MOST_WARNED);
    /** Reclaims that are running or done, or that wait for a retry. */
    private final Set<Outpoint> reclaims = new HashSet<>();
    /** Locks in {@link #reclaims} that this round has found so far. */
    private final Set<Outpoint> found = new HashSet<>();

    /** Rounds over our locks past their timeout, one page with each look. Locks that others make to us take no part in them. */
    private final Rounds overdueRounds = new Rounds();
    /** Number of overdue locks that this round has found so far. */
    private int overdue;

    /** Rounds over all open locks, without pauses. */
    private final Rounds partyRounds = new Rounds();
    /** Parties that this round has found so far. */
    private Parties parties = new Parties();
    /** Looks to wait before the next round over all open locks: one for each page of the last, so that many locks take no more of the books' time. */
    private int restingLooks;

    private List<Address> watched = List.of();
    private int reclaiming;
    private boolean checking;

    private HtlcIndex(ActorContext<Command> context, TimerScheduler<Command> timers, HtlcWatch watch) {
        super(context);
        this.timers = timers;
        this.watch = watch;
        Outcome.pipe(context, watch.sightings().ofIntentsInFlight(), Restored::new);
        watch.subscribe().accept(context.messageAdapter(FollowEvent.class, Followed::new));
        ActorRef<Command> self = context.getSelf();
        this.unsubscribe = watch.sightings().whenEntered(() -> self.tell(new Sighted()));
        timers.startTimerWithFixedDelay(new Look(), PACE);
    }

    public static Behavior<Command> create(HtlcWatch watch) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new HtlcIndex(context, timers, watch)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Followed.class, heard -> markChanged())
                .onMessage(Sighted.class, sighted -> markChanged())
                .onMessage(Restored.class, this::restored)
                .onMessage(Look.class, look -> look())
                .onMessage(Surveyed.class, this::surveyed)
                .onMessage(PartiesRead.class, this::partiesRead)
                .onMessage(Reclaimed.class, this::reclaimed)
                .onMessage(RetryDue.class, this::retryDue)
                .onMessage(Checked.class, this::checked)
                .onSignal(PostStop.class, signal -> onStop())
                .build();
    }

    private Behavior<Command> onStop() {
        unsubscribe.run();
        return this;
    }

    private Behavior<Command> markChanged() {
        overdueRounds.markChanged();
        partyRounds.markChanged();
        return this;
    }

    private Behavior<Command> restored(Restored command) {
        command.done()
                .failure()
                .ifPresent(failure -> LOG.warn(
                        "locks in flight could not be entered in the index, they appear with their blocks: {}",
                        failure.toString()));
        return markChanged();
    }

    /** Reads the books once, however many blocks came since the last time. */
    private Behavior<Command> look() {
        watch.tip().get().ifPresent(tip -> {
            if (overdueRounds.begin()) {
                Outcome.pipe(getContext(), survey(tip.height()), Surveyed::new);
            }
            if (restingLooks > 0 && !partyRounds.isUnderWay()) {
                restingLooks--;
            } else {
                readParties();
            }
        });
        return this;
    }

    private CompletionStage<Survey> survey(long tip) {
        HtlcRows.OpenPosition start = overdueRounds.position;
        return watch.books().read(session -> {
            Page head = session.head();
            HtlcRows.OpenLocks expired = HtlcRows.overdue(head, start, PAGE);
            List<HtlcRow> overdue = expired.rows().stream()
                    .filter(row -> !row.amount().isLessThan(ReclaimRequest.LEAST_WORTH))
                    .flatMap(row -> row.asOf(tip).stream())
                    .filter(row -> row.lockHeight().isPresent() && row.state(tip) == HtlcTable.EXPIRED)
                    .toList();
            return expired.next().isPresent()
                    ? new Survey(expired, overdue, List.of(), List.of())
                    : new Survey(expired, overdue, HtlcRows.counts(head), HtlcRows.pending(head, MOST_PENDING));
        });
    }

    private Behavior<Command> surveyed(Surveyed command) {
        return command.survey().fold(this::surveyed, failure -> notRead(overdueRounds, failure));
    }

    private Behavior<Command> notRead(Rounds rounds, Throwable failure) {
        LOG.warn("the index cannot be read: {}", failure.toString());
        rounds.failed();
        return this;
    }

    private Behavior<Command> surveyed(Survey survey) {
        overdue += survey.overdue().size();
        List<HtlcRow> unattended = survey.overdue().stream()
                .filter(lock -> !watch.spends().hasOwner(lock.params().hashLock()))
                .toList();
        unattended.forEach(warnings::add);
        if (watch.autoReclaim()) {
            // Anybody can add locks of little worth: they wait for those of more.
            unattended.stream()
                    .sorted(Comparator.comparing(HtlcRow::amount).reversed())
                    .forEach(this::reclaim);
        }
        unattended.stream().map(HtlcRow::outpoint).filter(reclaims::contains).forEach(found::add);
        overdueRounds.read(survey.expired().next());
        if (!overdueRounds.isUnderWay()) {
            endRound(survey);
        }
        return this;
    }

    private void endRound(Survey survey) {
        watch.metrics().counted(survey.counts(), overdue);
        warnings.endRound();
        reclaims.retainAll(found);
        found.clear();
        overdue = 0;
        if (!checking && !survey.pending().isEmpty()) {
            checking = true;
            Outcome.pipe(getContext(), watch.lost().check(survey.pending()), Checked::new);
        }
    }

    private void readParties() {
        if (partyRounds.begin()) {
            HtlcRows.OpenPosition start = partyRounds.position;
            Outcome.pipe(
                    getContext(),
                    watch.books().read(session -> HtlcRows.open(session.head(), start, PAGE)),
                    PartiesRead::new);
        }
    }

    private Behavior<Command> partiesRead(PartiesRead command) {
        return command.locks().fold(this::partiesRead, failure -> notRead(partyRounds, failure));
    }

    private Behavior<Command> partiesRead(HtlcRows.OpenLocks locks) {
        locks.rows().forEach(this::addParties);
        parties.trim();
        partyRounds.read(locks.next());
        if (partyRounds.isUnderWay()) {
            restingLooks++;
            readParties();
        } else {
            watch(parties.mostValuable());
            parties = new Parties();
        }
        return this;
    }

    /** A transaction in no block can have any amounts: nobody has checked its inputs. */
    private void addParties(HtlcRow lock) {
        Amount amount = lock.lockHeight().isPresent() ? lock.amount() : Amount.ZERO;
        parties.add(watch.profile().addressOf(lock.params().sender()), amount);
        parties.add(watch.profile().addressOf(lock.params().receiver()), amount);
    }

    private void watch(List<Address> now) {
        if (!now.equals(watched)) {
            watched = now;
            watch.parties().accept(now);
        }
    }

    /** Reclaims a lock. Its token is derived from the outpoint, so repeated attempts make one spend. */
    private void reclaim(HtlcRow lock) {
        if (reclaiming >= RECLAIMS_AT_ONCE || !reclaims.add(lock.outpoint())) {
            return;
        }
        reclaiming++;
        Outcome.pipe(
                getContext(), watch.spends().redeem(watch.reclaimOf(lock)), receipt -> new Reclaimed(lock, receipt));
    }

    private Behavior<Command> reclaimed(Reclaimed command) {
        reclaiming--;
        Outpoint lock = command.lock().outpoint();
        command.receipt()
                .match(
                        receipt -> LOG.info("the lock {} was reclaimed by {}", lock, receipt.txId()),
                        failure -> notReclaimed(lock, failure));
        return markChanged();
    }

    private void notReclaimed(Outpoint lock, Throwable failure) {
        LOG.warn("the lock {} is not reclaimed yet: {}", lock, failure.getMessage());
        timers.startSingleTimer(lock, new RetryDue(lock), isImpossible(failure) ? RETRY_IMPOSSIBLE : RETRY);
    }

    private static boolean isImpossible(Throwable failure) {
        return failure instanceof SpendException spend && spend.refusal() instanceof SpendRefusal.BuildFailed;
    }

    private Behavior<Command> retryDue(RetryDue command) {
        reclaims.remove(command.lock());
        return markChanged();
    }

    private Behavior<Command> checked(Checked command) {
        checking = false;
        command.done()
                .failure()
                .ifPresent(failure -> LOG.debug("locks in no block cannot be looked up now: {}", failure.toString()));
        return this;
    }
}
