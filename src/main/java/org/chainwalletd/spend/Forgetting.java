package org.chainwalletd.spend;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.LostSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes outdated records from the store: receipts after their retention time and allowance uses outside the period. A buried payment
 * keeps, one day later, only the answer of its token and the data of {@code list_spends}; one that is 400 days old keeps only its sums; one
 * older than the operator's retention limit is removed.
 *
 * <p>A payment that was sent and lost is never removed because of the clock alone: the transaction that it lost against must be buried,
 * which is checked here. When a block contains a payment that was closed without success (the winning transaction was disconnected, or a
 * node had refused or forgotten a transaction that it had relayed), that is recorded. Owns its timer and its position in the lost payments;
 * talks to the store, the followed chain and the spend monitor. After a restart it starts from the beginning.
 */
final class Forgetting extends AbstractBehavior<Forgetting.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Forgetting.class);
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    /** Age up to which payments are listed with all their details. */
    private static final Duration DETAILS_KEPT = Duration.ofDays(400);
    /** Maximum number of records per commit, so that payments need not wait while a day's receipts are removed. */
    private static final int BATCH = 256;

    private static final String OUTDATED_NOT_REMOVED = "outdated records could not be removed";

    sealed interface Command {}

    private record Tick() implements Command {}

    /** Checks the lost payments again, because the followed chain may be known by now. */
    private record LookAgain() implements Command {}

    /** Carries the continuation of a request to the store or the chain onto the actor's thread. */
    private record Answered(Runnable next) implements Command {}

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

    /**
     * @param monitor receives each lost payment that turns out to be in a block
     */
    static Behavior<Command> create(SpendEnvironment env, ActorRef<SpendMonitor.Command> monitor) {
        return Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), Duration.ZERO, INTERVAL);
            return Behaviors.setup(context -> new Forgetting(context, timers, env, monitor));
        });
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Tick.class, command -> tick())
                .onMessage(LookAgain.class, command -> lookAgain())
                .onMessage(Answered.class, this::answered)
                .build();
    }

    private Behavior<Command> answered(Answered command) {
        command.next().run();
        return this;
    }

    private <T> void ask(CompletionStage<T> question, Consumer<Outcome<T>> then) {
        Outcome.pipe(getContext(), question, answer -> new Answered(() -> then.accept(answer)));
    }

    private Behavior<Command> tick() {
        CompletionStage<Void> uses = env.allowanceStore()
                .forgetUses(
                        env.limits().rememberedSince(clock.millis()),
                        env.limits().minutesKept());
        ask(uses, done -> done.match(any -> forgetReceipts(), logging(OUTDATED_NOT_REMOVED)));
        lookAtLost();
        repeat(
                () -> env.receipts().forgetKept(env.tokensExpiredBefore(), BATCH),
                "outdated receipts could not be removed");
        SpendHistory history = env.history();
        repeat(
                () -> history.shorten(
                        env.historyCutoff(DETAILS_KEPT),
                        BATCH,
                        spend -> OwnPayment.of(spend).amounts()),
                "old payments could not be shortened");
        env.stores()
                .historyKept()
                .ifPresent(age ->
                        repeat(() -> history.erase(env.historyCutoff(age), BATCH), "old payments could not be erased"));
        // An older store may have millions of payments to shorten, which can take longer than one tick.
        if (!shrinking) {
            shrink();
        }
        return this;
    }

    private static Consumer<Throwable> logging(String consequence) {
        return failure -> LOG.warn("{}: {}", consequence, Broadcast.messageOf(failure));
    }

    private Behavior<Command> lookAgain() {
        lookAtLost();
        return this;
    }

    private void lookAtLost() {
        ask(env.intents().lost(lookedUpTo, BATCH), lost -> lost(lost.value().orElse(List.of())));
    }

    private void lost(List<LostSpend> spends) {
        lookedUpTo = spends.size() < BATCH ? 0 : spends.get(BATCH - 1).number();
        if (!spends.isEmpty()) {
            ask(
                    env.chain().fates(spends.stream().map(Forgetting::question).toList()),
                    chain -> judged(spends, chain.value().flatMap(Function.identity())));
        }
    }

    private static SpendingBooks.Question question(LostSpend lost) {
        PackedSpend spend = lost.spend();
        return new SpendingBooks.Question(spend.txId(), spend.outpoints(), Optional.empty());
    }

    /**
     * Records which lost payments are in a block after all, and which are lost for good: with their coin, or with the payment of ours that
     * was to create it. All others are checked again later, because they may still be mined or their coins be spent by other transactions.
     *
     * @param answer fates of their coins; empty when the chain cannot answer now
     */
    private void judged(List<LostSpend> spends, Optional<SpendChain.Fates> answer) {
        if (answer.isEmpty()) {
            // The chain cannot answer, for example after a start when no block has been followed yet.
            lookedUpTo = 0;
            timers.startSingleTimer(new LookAgain(), env.pace().firstLook());
            return;
        }
        SpendChain.Fates chain = answer.get();
        List<Hash256> deep = new ArrayList<>();
        for (int i = 0; i < spends.size(); i++) {
            SpendingBooks.Fate fate = chain.fates().get(i);
            if (fate instanceof SpendingBooks.Fate.InBlock mined) {
                confirmMined(spends.get(i), mined.place());
            } else if (fate instanceof SpendingBooks.Fate.Lost lost
                    && env.pace().isBuried(lost.to().place(), chain.tip())) {
                deep.add(spends.get(i).spend().txId());
            } else if (fate instanceof SpendingBooks.Fate.Open && spends.get(i).state() == IntentState.CONFLICTED) {
                buryWithParent(spends.get(i).spend());
            }
        }
        if (!deep.isEmpty()) {
            bury(deep);
        }
    }

    /** Records that a conflicted payment is lost for good if it spends an output of one that is: the books never show another spender. */
    private void buryWithParent(PackedSpend spend) {
        Set<Hash256> parents = spend.outpoints().stream().map(Outpoint::txId).collect(Collectors.toSet());
        ask(new LostParents(env).among(parents), lost -> {
            if (lost.value().flatMap(Function.identity()).isPresent()) {
                bury(List.of(spend.txId()));
            }
        });
    }

    private void bury(List<Hash256> lost) {
        ask(
                env.intents().bury(lost),
                done -> done.failure().ifPresent(logging("lost payments could not be recorded as final")));
    }

    /**
     * Records that a block contains a payment after all, and passes it to the spend monitor. If the answer of the write was lost, it is
     * passed without its block, so that the monitor writes it again; the monitor drops a spend that is not confirmed.
     */
    private void confirmMined(LostSpend lost, BlockPlace place) {
        PackedSpend spend = lost.spend();
        ask(
                env.intents().confirm(spend.txId(), lost.state(), place, clock.millis()),
                written -> written.match(
                        transition -> {
                            if (transition instanceof Transition.Made) {
                                LOG.info("spend {} is CONFIRMED after all", spend.txId());
                                watch(spend, Optional.of(place));
                            }
                        },
                        failure -> {
                            LOG.warn("spend {}: {}", spend.txId(), Broadcast.messageOf(failure));
                            watch(spend, Optional.empty());
                        }));
    }

    private void watch(PackedSpend spend, Optional<BlockPlace> place) {
        monitor.tell(new SpendMonitor.WatchConfirmed(new ConfirmedSpend(spend, place)));
    }

    private void forgetReceipts() {
        repeat(() -> env.intents().forget(env.tokensExpiredBefore(), BATCH, OwnPayment::kept), OUTDATED_NOT_REMOVED);
    }

    /**
     * Repeats a commit that removes or shortens records as long as it is full, because there may be more.
     *
     * @param consequence consequence of a failure, as text for the log
     */
    private void repeat(Supplier<CompletionStage<Integer>> commit, String consequence) {
        ask(
                commit.get(),
                count -> count.match(
                        removed -> {
                            if (removed == BATCH) {
                                repeat(commit, consequence);
                            }
                        },
                        logging(consequence)));
    }

    private void shrink() {
        shrinking = true;
        ask(env.receipts().settled(clock.millis() - env.pace().wholeFor().toMillis(), BATCH), this::settled);
    }

    /** Shortens settled payments; a payment that cannot be decoded stays unchanged. */
    private void settled(Outcome<List<Intent>> spends) {
        spends.failure().ifPresent(logging("settled payments cannot be read"));
        Map<Hash256, Bytes> answers = new LinkedHashMap<>();
        for (Intent spend : spends.value().orElse(List.of())) {
            answerOf(spend).ifPresent(answer -> answers.put(spend.txId(), answer));
        }
        if (answers.isEmpty()) {
            shrinking = false;
            return;
        }
        CrashPoint.RECEIPTS_BEFORE_COMMIT.reached();
        ask(env.receipts().keep(answers), kept -> {
            shrinking = false;
            kept.match(this::shrunk, logging("settled payments could not be shortened"));
        });
    }

    private static Optional<Bytes> answerOf(Intent spend) {
        try {
            return Optional.of(KeptAnswer.of(Receipt.of(spend)));
        } catch (RuntimeException e) {
            LOG.error("spend {} cannot be decoded, and is kept unchanged", spend.txId(), e);
            return Optional.empty();
        }
    }

    private void shrunk(int count) {
        CrashPoint.RECEIPTS_AFTER_COMMIT.reached();
        if (count == BATCH) {
            shrink();
        }
    }
}
