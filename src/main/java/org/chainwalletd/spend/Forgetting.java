package org.chainwalletd.spend;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.LostSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes outdated records from the store: receipts after their time and uses of the allowance outside its period. Of a payment that is buried it
 * keeps, a day later, no more than the answer of its token and the data of {@code list_spends}; of one that is 400 days old only its sums, and
 * nothing of one that is older than the operator wants payments to be listed.
 *
 * <p>No clock alone removes a payment that was sent and lost: the transaction it lost against must be buried, which is checked here. When a block has
 * a payment after all that was closed without success (the winner is gone, or a node has refused or forgotten what it passed on), that is recorded.
 * Owns its timer and how far it has looked; talks to the store, the followed chain and the spend monitor. After a restart it begins anew.
 */
final class Forgetting extends AbstractBehavior<Forgetting.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Forgetting.class);
    private static final Duration EVERY = Duration.ofMinutes(1);
    /** Age up to which payments are listed with all that was ever kept of them. */
    private static final Duration TOLD_WHOLE = Duration.ofDays(400);
    /** Most records in one commit, so that payments need not wait while a day's receipts are removed. */
    private static final int BITE = 256;

    private static final String OUTDATED_STAYS = "what is out of date could not be removed";

    sealed interface Command {}

    private record Tick() implements Command {}

    /** Looks at the lost payments again, because the followed chain may be known by now. */
    private record LookAgain() implements Command {}

    private record Lost(Outcome<List<LostSpend>> spends) implements Command {}

    /** @param chain fates of their coins; empty when the chain cannot answer now */
    private record Judged(List<LostSpend> spends, Optional<SpendChain.Fates> chain) implements Command {}

    private record Won(ConfirmedSpend spend, Outcome<Transition> transition) implements Command {}

    private record Buried(Outcome<Void> done) implements Command {}

    /**
     * A commit has ended.
     *
     * @param count number of records that it has removed or shortened
     * @param next begins the next commit of the same kind
     * @param complaint consequence of a failure, as text for the log
     */
    private record Removed(Outcome<Integer> count, Runnable next, String complaint) implements Command {}

    private record Settled(Outcome<List<Intent>> spends) implements Command {}

    private record Shrunk(Outcome<Integer> count) implements Command {}

    private final TimerScheduler<Command> timers;
    private final SpendEnvironment env;
    private final ActorRef<SpendMonitor.Command> monitor;
    private final Clock clock;
    private long lookedUpTo;
    private boolean shrinking;

    private Forgetting(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SpendEnvironment env,
            ActorRef<SpendMonitor.Command> monitor) {
        super(context);
        this.timers = timers;
        this.monitor = monitor;
        this.env = env;
        this.clock = env.clock();
    }

    /** @param monitor is told of a payment that a block has after all */
    static Behavior<Command> create(SpendEnvironment env, ActorRef<SpendMonitor.Command> monitor) {
        return Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), Duration.ZERO, EVERY);
            return Behaviors.setup(context -> new Forgetting(context, timers, env, monitor));
        });
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Tick.class, command -> tick())
                .onMessage(Removed.class, this::removed)
                .onMessage(Settled.class, this::settled)
                .onMessage(Shrunk.class, this::shrunk)
                .onMessage(LookAgain.class, command -> lookAtLost())
                .onMessage(Lost.class, this::lost)
                .onMessage(Judged.class, this::judged)
                .onMessage(Won.class, this::won)
                .onMessage(Buried.class, this::buried)
                .build();
    }

    private Behavior<Command> tick() {
        CompletionStage<Void> uses = env.allowanceStore()
                .forgetUses(
                        env.limits().rememberedSince(clock.millis()),
                        env.limits().minutesKept());
        Outcome.pipe(
                getContext(), uses, done -> new Removed(done.map(any -> BITE), this::forgetReceipts, OUTDATED_STAYS));
        lookAtLost();
        forgetAnswers();
        shorten();
        erase();
        // An older store may have millions of payments to shorten, which takes longer than the time to the next tick.
        if (!shrinking) {
            shrink();
        }
        return this;
    }

    private Behavior<Command> lookAtLost() {
        Outcome.pipe(getContext(), env.intents().lost(lookedUpTo, BITE), Lost::new);
        return this;
    }

    private Behavior<Command> lost(Lost command) {
        List<LostSpend> spends = command.spends().value().orElse(List.of());
        lookedUpTo = spends.size() < BITE ? 0 : spends.get(BITE - 1).number();
        if (!spends.isEmpty()) {
            List<SpendingBooks.Question> questions =
                    spends.stream().map(Forgetting::question).toList();
            Outcome.pipe(
                    getContext(),
                    env.chain().fates(questions),
                    chain -> new Judged(spends, chain.value().flatMap(Function.identity())));
        }
        return this;
    }

    private static SpendingBooks.Question question(LostSpend lost) {
        PackedSpend spend = lost.spend();
        return new SpendingBooks.Question(spend.txId(), spend.outpoints(), Optional.empty());
    }

    /**
     * Records which lost payments are in a block after all, and which have lost for good. All others are looked at again, because they may come back
     * or their coins be taken by others.
     */
    private Behavior<Command> judged(Judged command) {
        if (command.chain().isEmpty()) {
            // The chain cannot answer, as after a start when no block is followed yet.
            lookedUpTo = 0;
            timers.startSingleTimer(new LookAgain(), env.pace().firstLook());
        }
        command.chain().ifPresent(chain -> {
            long deepest = chain.tip().height() - env.pace().burialDepth() + 1;
            List<Hash256> deep = new ArrayList<>();
            for (int i = 0; i < command.spends().size(); i++) {
                LostSpend spend = command.spends().get(i);
                SpendingBooks.Fate fate = chain.fates().get(i);
                if (fate instanceof SpendingBooks.Fate.InBlock mined) {
                    win(spend, mined.place());
                } else if (fate instanceof SpendingBooks.Fate.Lost lost
                        && lost.to().place().height() <= deepest) {
                    deep.add(spend.spend().txId());
                }
            }
            if (!deep.isEmpty()) {
                Outcome.pipe(getContext(), env.intents().bury(deep), Buried::new);
            }
        });
        return this;
    }

    private void win(LostSpend lost, BlockPlace place) {
        PackedSpend spend = lost.spend();
        Outcome.pipe(
                getContext(),
                env.intents().confirm(spend.txId(), lost.state(), place, clock.millis()),
                transition -> new Won(new ConfirmedSpend(spend, Optional.of(place)), transition));
    }

    /**
     * Hands a payment that a block has after all to the spend monitor. If the answer of the write was lost, it is handed over without its block, so
     * that it is written once more: the monitor drops a spend that is not confirmed.
     */
    private Behavior<Command> won(Won command) {
        ConfirmedSpend spend = command.spend();
        command.transition().match(transition -> won(spend, transition), failure -> wonPerhaps(spend, failure));
        return this;
    }

    private void wonPerhaps(ConfirmedSpend spend, Throwable failure) {
        LOG.warn("spend {}: {}", spend.txId(), Broadcast.words(failure));
        monitor.tell(new SpendMonitor.WatchConfirmed(new ConfirmedSpend(spend.spend(), Optional.empty())));
    }

    private void won(ConfirmedSpend spend, Transition transition) {
        if (transition instanceof Transition.Made) {
            LOG.info("spend {} is CONFIRMED after all", spend.txId());
            monitor.tell(new SpendMonitor.WatchConfirmed(spend));
        }
    }

    private Behavior<Command> buried(Buried command) {
        command.done().failure().ifPresent(failure -> LOG.warn("lost payments stay: {}", Broadcast.words(failure)));
        return this;
    }

    private void remove(CompletionStage<Integer> commit, Runnable next, String complaint) {
        Outcome.pipe(getContext(), commit, count -> new Removed(count, next, complaint));
    }

    /** Starts the next commit if this one was full, because there may be more. */
    private Behavior<Command> removed(Removed command) {
        command.count()
                .match(
                        count -> goOn(count, command.next()),
                        failure -> LOG.warn("{}: {}", command.complaint(), Broadcast.words(failure)));
        return this;
    }

    private static void goOn(int count, Runnable next) {
        if (count == BITE) {
            next.run();
        }
    }

    private void forgetReceipts() {
        remove(
                env.intents().forget(env.tokensExpiredBefore(), BITE, OwnPayment::kept),
                this::forgetReceipts,
                OUTDATED_STAYS);
    }

    private void forgetAnswers() {
        remove(
                env.receipts().forgetKept(env.tokensExpiredBefore(), BITE),
                this::forgetAnswers,
                "receipts that are out of date could not be removed");
    }

    private void shorten() {
        remove(
                env.history()
                        .shorten(
                                env.toldBefore(TOLD_WHOLE),
                                BITE,
                                spend -> OwnPayment.of(spend).amounts()),
                this::shorten,
                "old payments are kept whole");
    }

    private void erase() {
        env.historyKept()
                .ifPresent(age -> remove(
                        env.history().erase(env.toldBefore(age), BITE),
                        this::erase,
                        "old payments could not be erased"));
    }

    private void shrink() {
        shrinking = true;
        Outcome.pipe(
                getContext(),
                env.receipts().settled(clock.millis() - env.pace().wholeFor().toMillis(), BITE),
                Settled::new);
    }

    /** Shortens settled payments; one that cannot be read stays as it is. */
    private Behavior<Command> settled(Settled command) {
        command.spends()
                .failure()
                .ifPresent(failure -> LOG.warn("settled payments cannot be read: {}", Broadcast.words(failure)));
        Map<Hash256, Bytes> answers = new LinkedHashMap<>();
        for (Intent spend : command.spends().value().orElse(List.of())) {
            answerOf(spend).ifPresent(answer -> answers.put(spend.txId(), answer));
        }
        if (answers.isEmpty()) {
            shrinking = false;
            return this;
        }
        CrashPoint.RECEIPTS_BEFORE_COMMIT.reached();
        Outcome.pipe(getContext(), env.receipts().keep(answers), Shrunk::new);
        return this;
    }

    private static Optional<Bytes> answerOf(Intent spend) {
        try {
            return Optional.of(KeptAnswer.of(Receipt.of(spend)));
        } catch (RuntimeException e) {
            LOG.error("spend {} cannot be read, and is kept as it is", spend.txId(), e);
            return Optional.empty();
        }
    }

    private Behavior<Command> shrunk(Shrunk command) {
        shrinking = false;
        command.count()
                .match(
                        this::shrunk,
                        failure -> LOG.warn("settled payments are kept whole: {}", Broadcast.words(failure)));
        return this;
    }

    private void shrunk(int count) {
        CrashPoint.RECEIPTS_AFTER_COMMIT.reached();
        goOn(count, this::shrink);
    }
}
