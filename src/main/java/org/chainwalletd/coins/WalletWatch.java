package org.chainwalletd.coins;

import java.math.BigInteger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.MoneyFlow;
import org.chainwalletd.store.books.MoneyFlow.Moved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link WalletFigures} up to date with the followed tip: checks the tip periodically, reads the movements of the blocks since
 * then and the balances of the addresses, and publishes both together. Talks only to the books, and pauses twenty times as long as the last
 * reading took. Owns the movements of the blocks of the last hours, which are read again after a restart; none of its steps makes it fail.
 */
public final class WalletWatch extends AbstractBehavior<WalletWatch.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(WalletWatch.class);

    private static final int PAUSE_FACTOR = 20;
    /** Number of remembered blocks to return to: a reorganisation within them does not require reading from the beginning. */
    private static final int MARKS = 32;
    /** Number of newest blocks that are kept regardless of their time: a reorganisation may remove them from the chain. */
    private static final int SHALLOW = 500;

    public sealed interface Command {}

    private enum Timer implements Command {
        LOOK
    }

    private record FlowRead(FollowedTip tip, Outcome<Optional<MoneyFlow.Read>> read) implements Command {}

    private record SumsRead(FollowedTip tip, List<KeyEntry> keys, Outcome<Optional<List<Optional<Amount>>>> sums)
            implements Command {}

    /**
     * Dependencies of the actor.
     *
     * @param status status of the follower
     * @param keys all keys of the wallet, from memory
     * @param figures receives the published figures
     * @param pause minimum time between two checks
     */
    public record Setup(
            LedgerBooks books,
            Supplier<FollowStatus> status,
            Supplier<List<KeyEntry>> keys,
            WalletFigures figures,
            Duration pause,
            InstantSource clock) {}

    private final TimerScheduler<Command> timers;
    private final Setup setup;

    private final List<MoneyFlow.Mark> marks = new ArrayList<>();
    private final List<Moved> moved = new ArrayList<>();
    private long from;
    /** Height above which blocks count as movements; empty before the first reading. */
    private OptionalLong countedAbove = OptionalLong.empty();
    /** Sums of counted blocks that are too old to be kept. */
    private WalletFigures.Moving forgotten = WalletFigures.Moving.NONE;

    private Optional<FollowedTip> published = Optional.empty();
    private List<KeyEntry> publishedKeys = List.of();
    private long began;
    private boolean warned;

    public static Behavior<Command> create(Setup setup) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new WalletWatch(context, timers, setup)));
    }

    private WalletWatch(ActorContext<Command> context, TimerScheduler<Command> timers, Setup setup) {
        super(context);
        this.timers = timers;
        this.setup = setup;
        context.getSelf().tell(Timer.LOOK);
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessageEquals(Timer.LOOK, this::look)
                .onMessage(FlowRead.class, this::onFlowRead)
                .onMessage(SumsRead.class, this::onSumsRead)
                .build();
    }

    private Behavior<Command> look() {
        began = System.nanoTime();
        Optional<FollowedTip> tip = setup.status().get().tip();
        if (tip.isEmpty() || tip.equals(published) && setup.keys().get().equals(publishedKeys)) {
            return rest();
        }
        return read(tip.get());
    }

    private Behavior<Command> rest() {
        Duration busy = Duration.ofNanos(System.nanoTime() - began);
        Duration proportional = busy.multipliedBy(PAUSE_FACTOR);
        timers.startSingleTimer(Timer.LOOK, proportional.compareTo(setup.pause()) < 0 ? setup.pause() : proportional);
        return this;
    }

    private Behavior<Command> read(FollowedTip tip) {
        List<MoneyFlow.Mark> newest = new ArrayList<>(marks);
        Collections.reverse(newest);
        Outcome.pipe(
                getContext(),
                setup.books().flow(new MoneyFlow.Wanted(tip.place(), maturity(), newest, oldest())),
                read -> new FlowRead(tip, read));
        return this;
    }

    private int maturity() {
        return setup.status().get().network().orElse(Network.MAINNET).coinbaseMaturity();
    }

    private long oldest() {
        return setup.clock().instant().minus(WalletFigures.KEPT).getEpochSecond();
    }

    private Behavior<Command> onFlowRead(FlowRead message) {
        return message.read()
                .fold(read -> read.map(flow -> onFlow(message.tip(), flow)).orElseGet(this::rest), this::failed);
    }

    private Behavior<Command> onFlow(FollowedTip tip, MoneyFlow.Read flow) {
        flow.begun().ifPresent(time -> {
            from = time;
            forget(block -> block.height() <= flow.after());
            moved.clear();
            marks.clear();
        });
        moved.removeIf(block -> block.height() > flow.after());
        marks.removeIf(mark -> mark.at().height() > flow.after());
        moved.addAll(flow.moved());
        marks.add(flow.mark());
        if (marks.size() > MARKS) {
            marks.remove(0);
        }
        return flow.mark().at().equals(tip.place()) ? sum(tip) : read(tip);
    }

    private Behavior<Command> sum(FollowedTip tip) {
        List<KeyEntry> keys = setup.keys().get();
        Outcome.pipe(
                getContext(),
                setup.books()
                        .sums(
                                tip.place(),
                                maturity(),
                                keys.stream().map(KeyEntry::address).toList()),
                sums -> new SumsRead(tip, keys, sums));
        return this;
    }

    private Behavior<Command> onSumsRead(SumsRead message) {
        return message.sums()
                .fold(
                        sums -> {
                            sums.ifPresent(found -> publish(message.tip(), message.keys(), found));
                            return rest();
                        },
                        this::failed);
    }

    private void publish(FollowedTip tip, List<KeyEntry> keys, List<Optional<Amount>> sums) {
        warned = false;
        published = Optional.of(tip);
        publishedKeys = keys;
        if (countedAbove.isEmpty()) {
            countedAbove = OptionalLong.of(tip.height());
        }
        long oldest = oldest();
        forget(block -> block.time() <= oldest && block.height() <= tip.height() - SHALLOW);
        from = Math.max(from, oldest);
        WalletFigures.Moving moving = forgotten;
        for (Moved block : moved) {
            moving = counted(moving, block);
        }
        setup.figures().publish(figures(tip.height(), keys, sums), moving);
    }

    private WalletFigures.Moving counted(WalletFigures.Moving moving, Moved block) {
        return countedAbove.isPresent() && block.height() > countedAbove.getAsLong() ? moving.plus(block) : moving;
    }

    /** Drops old blocks, lowest first. */
    private void forget(Predicate<Moved> old) {
        int count = 0;
        while (count < moved.size() && old.test(moved.get(count))) {
            forgotten = counted(forgotten, moved.get(count));
            count++;
        }
        moved.subList(0, count).clear();
    }

    private WalletFigures.Figures figures(long height, List<KeyEntry> keys, List<Optional<Amount>> sums) {
        BigInteger total = BigInteger.ZERO;
        long unread = 0;
        Map<String, BigInteger> labels = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            BigInteger sum = sums.get(i).orElse(Amount.ZERO).toBigInteger();
            total = total.add(sum);
            unread += sums.get(i).isEmpty() ? 1 : 0;
            labels.merge(keys.get(i).label().orElse(WalletFigures.UNLABELLED), sum, BigInteger::add);
        }
        return new WalletFigures.Figures(height, total, unread, labels, from, moved);
    }

    private Behavior<Command> failed(Throwable cause) {
        if (!warned) {
            LOG.warn("the balance for meters and history cannot be updated: {}", cause.toString());
            warned = true;
        }
        return rest();
    }
}
