package org.chainwalletd.coins;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.BooksSession;
import org.chainwalletd.store.books.CreditTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records credits that were seen in a mempool in the feed, and removes them again (following.md, section 3): when a block has another
 * transaction that spends one of the inputs, or when all nodes that answer lack the transaction at three consecutive tips. Owns the list of
 * pending transactions; learns of them from the readers of mempools and of blocks from the follower, and asks each node for each pending
 * transaction once per tip. All of it is best effort: a credit that is not recorded here is recorded with its block. After a restart, and
 * whenever the follower has moved past blocks that it does not report one by one, it loads the pending transactions from the books and
 * counts their absences anew. Tips that arrive during the load are remembered, so that no decision is based on an incomplete list.
 */
public final class SeenCredits extends AbstractBehavior<SeenCredits.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SeenCredits.class);
    private static final int MISSES = 3;
    /** Maximum number of pending transactions; further ones, as when our addresses are flooded, are recorded only with their blocks. */
    private static final int MAX_PENDING = 1_000;

    private static final int MOST_INPUTS = 20_000;
    private static final int ASKED_AT_ONCE = 8;

    public sealed interface Command {}

    /**
     * Reports a transaction in a mempool.
     *
     * @param txId computed from the bytes
     */
    public record Seen(Hash256 txId, Transaction tx) implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Loaded(Outcome<List<Hash256>> pending) implements Command {}

    private record Entered(Seen seen, Outcome<Boolean> entered) implements Command {}

    private record Checked(Outcome<Map<Hash256, Boolean>> missed) implements Command {}

    private record Lost(Hash256 txId, Outcome<Void> done) implements Command {}

    /**
     * Dependencies of the actor.
     *
     * @param nodes nodes, each asked separately, as background work
     * @param changed called when the feed has a new entry; must not block
     * @param executor runs continuations; never blocks
     */
    public record Setup(
            Books books,
            CreditBook book,
            List<NodeClient> nodes,
            Consumer<ActorRef<FollowEvent>> subscribe,
            Runnable changed,
            Executor executor) {}

    private final Setup setup;
    private final Books.Epoch epoch;
    /** Number of consecutive tips at which each transaction was missing, in the order in which they were first seen. */
    private final Map<Hash256, Integer> pending = new LinkedHashMap<>();

    private final Map<Outpoint, Hash256> spends = new HashMap<>();
    private boolean loading;
    private boolean loadAgain;
    private boolean checking;
    private boolean checkAgain;

    /**
     * Handles a command while another daemon does the background work: a transaction seen here is recorded too, and removed by the daemon
     * that does the background work. Without other daemons it is recorded only with its block.
     */
    public static void whileStopped(Setup setup, Command command) {
        if (setup.books().isShared() && command instanceof Seen seen) {
            setup.books()
                    .write(session ->
                            CreditTable.pending(session.head(), MAX_PENDING).size() < MAX_PENDING
                                    && enter(setup, session, seen))
                    .whenCompleteAsync(
                            (entered, failure) -> {
                                if (isNew(seen, Outcome.of(entered, failure))) {
                                    setup.changed().run();
                                }
                            },
                            setup.executor());
        }
    }

    /** Calls {@code setup.changed()} also for entries made by other daemons. */
    public static void hearOthers(Setup setup) {
        AtomicLong last = new AtomicLong();
        setup.books().whenChanged(head -> {
            if (last.getAndSet(head.credit()) != head.credit()) {
                setup.changed().run();
            }
        });
    }

    private static boolean isNew(Seen seen, Outcome<Boolean> entered) {
        return entered.fold(Function.identity(), failure -> {
            LOG.warn("the credits of {} are recorded only with its block: {}", seen.txId(), failure.toString());
            return false;
        });
    }

    public static Behavior<Command> create(Setup setup) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> new SeenCredits(context, setup)))
                .onFailure(SupervisorStrategy.restart());
    }

    private SeenCredits(ActorContext<Command> context, Setup setup) {
        super(context);
        this.setup = setup;
        this.epoch = setup.books().epoch();
        setup.subscribe().accept(context.messageAdapter(FollowEvent.class, Followed::new));
        load();
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Seen.class, this::onSeen)
                .onMessage(Followed.class, this::onFollowed)
                .onMessage(Loaded.class, this::onLoaded)
                .onMessage(Entered.class, this::onEntered)
                .onMessage(Checked.class, this::onChecked)
                .onMessage(Lost.class, this::onLost)
                .build();
    }

    /** Loads the pending transactions from the books. The result may lack changes made meanwhile, so it is then loaded again. */
    private void load() {
        if (loading) {
            loadAgain = true;
            return;
        }
        loading = true;
        loadAgain = false;
        Outcome.pipe(
                getContext(),
                setup.books().read(session -> CreditTable.pending(session.head(), MAX_PENDING)),
                Loaded::new);
    }

    private Behavior<Command> onLoaded(Loaded loaded) {
        loading = false;
        if (loadAgain) {
            load();
            return this;
        }
        loaded.pending()
                .match(
                        this::watch,
                        failure -> LOG.warn(
                                "pending credits cannot be loaded and are not watched: {}", failure.toString()));
        if (checkAgain) {
            check();
        }
        return this;
    }

    private void watch(List<Hash256> found) {
        pending.keySet().retainAll(Set.copyOf(found));
        spends.values().retainAll(pending.keySet());
        found.forEach(txId -> pending.putIfAbsent(txId, 0));
    }

    private void changedWhileLoading() {
        loadAgain |= loading;
    }

    private Behavior<Command> onSeen(Seen seen) {
        if (pending.containsKey(seen.txId())) {
            pending.put(seen.txId(), 0);
            watchInputs(seen);
        } else if (pending.size() < MAX_PENDING) {
            Outcome.pipe(getContext(), enter(seen), entered -> new Entered(seen, entered));
        }
        return this;
    }

    private CompletionStage<Boolean> enter(Seen seen) {
        return epoch.write(session -> enter(setup, session, seen));
    }

    private static boolean enter(Setup setup, BooksSession session, Seen seen) {
        return setup.book().pending(seen.txId(), seen.tx(), setup.book().table().view(session.head())).stream()
                        .filter(credit -> CreditTable.see(session.head(), credit))
                        .count()
                > 0;
    }

    private Behavior<Command> onEntered(Entered entered) {
        if (isNew(entered.seen(), entered.entered())) {
            pending.put(entered.seen().txId(), 0);
            watchInputs(entered.seen());
            changedWhileLoading();
            setup.changed().run();
        }
        return this;
    }

    private void watchInputs(Seen seen) {
        if (spends.size() + seen.tx().inputs().size() <= MOST_INPUTS) {
            seen.tx().inputs().forEach(input -> spends.put(input, seen.txId()));
        }
    }

    private Behavior<Command> onFollowed(Followed followed) {
        if (followed.event() instanceof FollowEvent.Connected connected) {
            connected(connected.block());
            changedWhileLoading();
            if (setup.books().isShared()) {
                // Other daemons may have entered more.
                load();
            }
        } else {
            load();
        }
        if (isNewTip(followed.event())) {
            check();
        }
        return this;
    }

    private static boolean isNewTip(FollowEvent event) {
        return !(event instanceof FollowEvent.Disconnected || event instanceof FollowEvent.Joined);
    }

    private void connected(ChainBlock block) {
        for (ChainTransaction mined : block.transactions()) {
            forget(mined.id());
        }
        for (ChainTransaction mined : block.transactions()) {
            mined.decoded()
                    .ifPresent(tx -> tx.inputs().forEach(input -> {
                        Hash256 other = spends.get(input);
                        if (other != null) {
                            lose(other);
                        }
                    }));
        }
    }

    private void forget(Hash256 txId) {
        if (pending.remove(txId) != null) {
            spends.values().removeIf(txId::equals);
        }
    }

    /** Removes a transaction from the feed. If that cannot be written, it stays pending, and is found missing again at the next tips. */
    private void lose(Hash256 txId) {
        Outcome.pipe(
                getContext(),
                epoch.<Void>write(session -> {
                    CreditTable.lose(session.head(), txId);
                    return null;
                }),
                done -> new Lost(txId, done));
    }

    private Behavior<Command> onLost(Lost lost) {
        if (lost.done().failure().isEmpty()) {
            forget(lost.txId());
            changedWhileLoading();
            setup.changed().run();
        }
        return this;
    }

    /**
     * Starts a round of requests. Only one runs at a time; tips that arrive during it, or before loading has finished, share the next
     * round.
     */
    private void check() {
        checkAgain = checking || loading;
        if (!checkAgain && !pending.isEmpty()) {
            checking = true;
            Outcome.pipe(getContext(), missed(List.copyOf(pending.keySet())), Checked::new);
        }
    }

    /** Finds, for each transaction for which at least one node has answered, whether none of those nodes knows it. */
    private CompletionStage<Map<Hash256, Boolean>> missed(List<Hash256> txIds) {
        return Bounded.each(txIds, ASKED_AT_ONCE, this::isMissed, setup.executor())
                .thenApplyAsync(
                        answers -> {
                            Map<Hash256, Boolean> all = new HashMap<>();
                            for (int i = 0; i < txIds.size(); i++) {
                                Hash256 txId = txIds.get(i);
                                answers.get(i).ifPresent(missed -> all.put(txId, missed));
                            }
                            return all;
                        },
                        setup.executor());
    }

    /** Whether no answering node knows the transaction; empty when no node answers. */
    private CompletionStage<Optional<Boolean>> isMissed(Hash256 txId) {
        CompletionStage<Optional<Boolean>> missed = CompletableFuture.completedFuture(Optional.empty());
        for (NodeClient node : setup.nodes()) {
            CompletionStage<Optional<Boolean>> one = node.transaction(txId)
                    .handleAsync(
                            (found, failure) -> failure == null ? Optional.of(found.isEmpty()) : Optional.empty(),
                            setup.executor());
            missed = missed.thenCombineAsync(one, SeenCredits::both, setup.executor());
        }
        return missed;
    }

    private static Optional<Boolean> both(Optional<Boolean> one, Optional<Boolean> other) {
        return one.isPresent() && other.isPresent() ? Optional.of(one.get() && other.get()) : one.or(() -> other);
    }

    private Behavior<Command> onChecked(Checked checked) {
        checking = false;
        checked.missed().value().ifPresent(missed -> missed.forEach(this::count));
        if (checkAgain) {
            check();
        }
        return this;
    }

    private void count(Hash256 txId, boolean missed) {
        Integer misses = pending.computeIfPresent(txId, (known, before) -> missed ? before + 1 : 0);
        if (misses != null && misses >= MISSES) {
            lose(txId);
        }
    }
}
