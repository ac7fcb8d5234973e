package org.chainwalletd.coins;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.OwnCoin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the question which addresses are not covered yet, and covers them: lists their coins at a node whose tip stands before and after, proves
 * each by bytes, and enters them if that tip is still the last block of the books. Listings leave immature coinbases out; so an address is
 * listed only when as many blocks were read for it as a coinbase takes to mature. Talks to the nodes and the ledger's books. On restart it
 * asks the books what is to do.
 */
public final class Coverage extends AbstractBehavior<Coverage.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Coverage.class);
    /** What one listing of a node takes. */
    private static final int TOGETHER = 100;

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration SOON = Duration.ofMillis(200);
    private static final Duration LATER = Duration.ofSeconds(5);

    private final Duration later;

    sealed interface Command {}

    private record Round() implements Command {}

    private record Done(Outcome outcome, Throwable failure) implements Command {}

    private enum Outcome {
        NOTHING_TO_DO,
        COVERED,
        TIP_MOVED
    }

    private final LedgerBooks books;
    private final Follower follower;
    private final NodeClient node;
    private final VerifiedOutputs outputs;
    private final Executor executor;
    private final TimerScheduler<Command> timers;
    /** Addresses with more coins than a listing shows: a rescan covers them. */
    private final Set<Address> tooMany = new HashSet<>();

    private Coverage(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            LedgerBooks books,
            Follower follower,
            NodeClient node,
            VerifiedOutputs outputs,
            Duration later,
            Executor executor) {
        super(context);
        this.later = later;
        this.timers = timers;
        this.books = books;
        this.follower = follower;
        this.node = node;
        this.outputs = outputs;
        this.executor = executor;
        round();
    }

    public static Behavior<?> create(
            LedgerBooks books, Follower follower, NodeClient node, VerifiedOutputs outputs, Executor executor) {
        return create(books, follower, node, outputs, LATER, executor);
    }

    /**
     * @param later when it is looked again after there was nothing to do
     */
    static Behavior<?> create(
            LedgerBooks books,
            Follower follower,
            NodeClient node,
            VerifiedOutputs outputs,
            Duration later,
            Executor executor) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(
                        timers -> new Coverage(context, timers, books, follower, node, outputs, later, executor))))
                .onFailure(SupervisorStrategy.restartWithBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30), 0.1));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Round.class, round -> round())
                .onMessage(Done.class, this::done)
                .build();
    }

    private Behavior<Command> round() {
        getContext().pipeToSelf(cover(), Done::new);
        return this;
    }

    private Behavior<Command> done(Done command) {
        if (command.failure() != null) {
            LOG.debug("no address was covered now: {}", command.failure().getMessage());
        }
        boolean more = command.outcome() == Outcome.COVERED || command.outcome() == Outcome.TIP_MOVED;
        timers.startSingleTimer(new Round(), more ? SOON : later);
        return this;
    }

    private CompletionStage<Outcome> cover() {
        FollowStatus status = follower.status();
        if (status.tip().isEmpty()) {
            return CompletableFuture.completedFuture(Outcome.NOTHING_TO_DO);
        }
        int maturity = status.network().orElse(Network.MAINNET).coinbaseMaturity();
        return books.uncovered(TOGETHER + tooMany.size())
                .thenComposeAsync(
                        found -> cover(
                                status.tip().get(), ripe(found, status.tip().get(), maturity)),
                        executor);
    }

    private List<Address> ripe(List<LedgerBooks.Watched> found, FollowedTip tip, int maturity) {
        return found.stream()
                .filter(watched -> watched.fromHeight() + maturity <= tip.height())
                .map(LedgerBooks.Watched::address)
                .filter(address -> !tooMany.contains(address))
                .limit(TOGETHER)
                .toList();
    }

    private CompletionStage<Outcome> cover(FollowedTip tip, List<Address> addresses) {
        if (addresses.isEmpty()) {
            return CompletableFuture.completedFuture(Outcome.NOTHING_TO_DO);
        }
        NodeClient one = node.patient(PATIENCE).pinned();
        return one.tip().thenComposeAsync(before -> list(one, tip, before, addresses), executor);
    }

    private CompletionStage<Outcome> list(
            NodeClient one, FollowedTip tip, NodeClient.Tip before, List<Address> addresses) {
        if (!before.blockId().equals(tip.place().blockId())) {
            return CompletableFuture.completedFuture(Outcome.TIP_MOVED);
        }
        return one.addressUtxos(addresses)
                .thenComposeAsync(
                        listings -> one.tip()
                                .thenComposeAsync(
                                        after -> after.blockId().equals(before.blockId())
                                                ? prove(tip, addresses, listings)
                                                : CompletableFuture.completedFuture(Outcome.TIP_MOVED),
                                        executor),
                        executor);
    }

    private CompletionStage<Outcome> prove(
            FollowedTip tip, List<Address> addresses, List<NodeClient.UtxoListing> listings) {
        List<OwnCoin> coins = new ArrayList<>();
        List<Address> whole = new ArrayList<>();
        for (int i = 0; i < addresses.size(); i++) {
            Address address = addresses.get(i);
            if (listings.get(i).truncated()) {
                LOG.info("{} has more coins than a listing shows; a rescan covers it", address);
                tooMany.add(address);
            } else {
                whole.add(address);
                listings.get(i)
                        .utxos()
                        .forEach(utxo -> coins.add(
                                new OwnCoin(utxo.outpoint(), address, utxo.value(), utxo.height(), utxo.coinbase())));
            }
        }
        return outputs.find(coins.stream().map(OwnCoin::outpoint).toList())
                .thenComposeAsync(found -> enter(tip, whole, coins, found), executor);
    }

    /** An address with a coin that is not proven is left for another round, which may ask another node. */
    private CompletionStage<Outcome> enter(
            FollowedTip tip, List<Address> addresses, List<OwnCoin> coins, Map<Outpoint, Finding> found) {
        Set<Address> unproven = new HashSet<>();
        for (OwnCoin coin : coins) {
            if (!isProven(coin, Optional.ofNullable(found.get(coin.outpoint())))) {
                LOG.warn("{} is not what its listing says, or cannot be proven: {}", coin.outpoint(), coin.address());
                unproven.add(coin.address());
            }
        }
        List<Address> proven = addresses.stream()
                .filter(address -> !unproven.contains(address))
                .toList();
        return books.cover(
                        tip.place(),
                        proven,
                        coins.stream()
                                .filter(coin -> !unproven.contains(coin.address()))
                                .toList())
                .thenApplyAsync(
                        covered -> !covered
                                ? Outcome.TIP_MOVED
                                : proven.isEmpty() ? Outcome.NOTHING_TO_DO : Outcome.COVERED,
                        executor);
    }

    private static boolean isProven(OwnCoin coin, Optional<Finding> found) {
        return found.isPresent()
                && found.get() instanceof Finding.Proven proven
                && proven.output().value().equals(coin.value())
                && proven.output().script().hex().equals(coin.address().hex());
    }
}
