package org.chainwalletd.coins;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.follow.Precedence;
import org.chainwalletd.node.ForwardingNodeClient;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;

/**
 * Node client that answers balances and listings of covered addresses from the ledger, once it has reached the node's tip, and asks the
 * node for the rest. If the ledger does not reach the tip in time, {@link Precedence} decides: an unreachable tip must not make
 * the node's answers take precedence over the followed blocks.
 */
public final class LedgerReads extends ForwardingNodeClient {
    private static final long MAX_WAIT_NANOS = Duration.ofSeconds(3).toNanos();
    private static final long PAUSE_MILLIS = 20;

    private final CoinLedger ledger;
    private final Executor executor;
    private final Executor later;

    public LedgerReads(NodeClient node, CoinLedger ledger, Executor executor) {
        super(node);
        this.ledger = ledger;
        this.executor = executor;
        this.later = CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, executor);
    }

    @Override
    public NodeClient patient(Duration time) {
        return new LedgerReads(node().patient(time), ledger, executor);
    }

    @Override
    public CompletionStage<Amount> balance(Address address) {
        return balances(List.of(address)).thenApplyAsync(found -> found.get(0), executor);
    }

    @Override
    public CompletionStage<List<Amount>> balances(List<Address> addresses) {
        return answer(addresses, ledger::balances, node()::balances);
    }

    @Override
    public CompletionStage<UtxoListing> addressUtxos(Address address) {
        return addressUtxos(List.of(address)).thenApplyAsync(found -> found.get(0), executor);
    }

    @Override
    public CompletionStage<List<UtxoListing>> addressUtxos(List<Address> addresses) {
        return answer(addresses, ledger::listings, node()::addressUtxos);
    }

    /** Reads the ledger's answer for each address, in their order, as far as it covers them; empty when the ledger cannot answer now. */
    private interface Reading<T> extends Function<List<Address>, CompletionStage<Optional<List<Optional<T>>>>> {}

    private <T> CompletionStage<List<T>> answer(
            List<Address> addresses, Reading<T> reading, Function<List<Address>, CompletionStage<List<T>>> asked) {
        if (addresses.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return covered(addresses)
                .thenComposeAsync(
                        anything -> anything
                                ? known(addresses, reading)
                                : CompletableFuture.completedFuture(Optional.<List<Optional<T>>>empty()),
                        executor)
                .thenComposeAsync(
                        known -> known.isPresent() ? merged(known.get(), addresses, asked) : asked.apply(addresses),
                        executor);
    }

    /**
     * Reads the ledger at the node's tip. While every node that answers is on a different chain, reads it at the followed tip, since the followed
     * blocks are then the most recent trusted data, unless nodes of our chain, which may only be silent, have shown that it is behind.
     */
    private <T> CompletionStage<Optional<List<Optional<T>>>> known(List<Address> addresses, Reading<T> reading) {
        return node().tip()
                .thenApplyAsync(Optional::of, executor)
                .exceptionallyAsync(
                        failure -> {
                            Throwable cause = Causes.of(failure);
                            if (cause instanceof NodeException.WrongChain && !ledger.isBehind()) {
                                return Optional.empty();
                            }
                            throw Causes.passedOn(cause);
                        },
                        executor)
                .thenComposeAsync(
                        tip -> {
                            if (tip.isEmpty()) {
                                return reading.apply(addresses);
                            }
                            ledger.hurry();
                            return atTip(tip.get(), addresses, reading, System.nanoTime() + MAX_WAIT_NANOS);
                        },
                        executor);
    }

    /** Whether the ledger covers any of the addresses; false when the books cannot be read. */
    private CompletionStage<Boolean> covered(List<Address> addresses) {
        return ledger.coversAny(addresses).exceptionallyAsync(failure -> false, executor);
    }

    /** Waits for the ledger to reach the wanted tip. A node whose tip is below ours lags, and the ledger is then more recent. */
    private <T> CompletionStage<Optional<List<Optional<T>>>> atTip(
            Tip wanted, List<Address> addresses, Reading<T> reading, long until) {
        boolean there = ledger.tip()
                .filter(tip -> tip.place().blockId().equals(wanted.blockId()) || tip.height() > wanted.height())
                .isPresent();
        boolean timedOut = !there && System.nanoTime() - until > 0;
        if (!there && !timedOut) {
            return CompletableFuture.supplyAsync(() -> atTip(wanted, addresses, reading, until), later)
                    .thenComposeAsync(again -> again, executor);
        }
        Precedence precedence = timedOut ? ledger.precedence() : Precedence.BOOKS;
        if (precedence == Precedence.NODES) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        if (precedence == Precedence.NEITHER) {
            return CompletableFuture.failedFuture(ledger.blocksNotShown());
        }
        return reading.apply(addresses)
                .thenComposeAsync(
                        found -> found.isPresent() || System.nanoTime() - until > 0
                                ? CompletableFuture.completedFuture(found)
                                : atTip(wanted, addresses, reading, until),
                        executor);
    }

    private <T> CompletionStage<List<T>> merged(
            List<Optional<T>> known, List<Address> addresses, Function<List<Address>, CompletionStage<List<T>>> asked) {
        List<Address> rest = new ArrayList<>();
        for (int i = 0; i < addresses.size(); i++) {
            if (known.get(i).isEmpty()) {
                rest.add(addresses.get(i));
            }
        }
        CompletionStage<List<T>> others =
                rest.isEmpty() ? CompletableFuture.completedFuture(List.of()) : asked.apply(rest);
        return others.thenApplyAsync(answers -> merged(known, answers), executor);
    }

    private static <T> List<T> merged(List<Optional<T>> known, List<T> others) {
        List<T> all = new ArrayList<>(known.size());
        Iterator<T> next = others.iterator();
        known.forEach(answer -> all.add(answer.isPresent() ? answer.get() : next.next()));
        return all;
    }
}
