package org.chainwalletd.rpc.method;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.node.NodesSeen;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;

/**
 * Guard that refuses the deletion of a key while any node reports coins of its address, or while not all nodes could be asked (interface.md,
 * section 4.11, rule 2). Deletion is irreversible, so nothing is assumed: each node reports its chain and height anew. A node on another
 * chain is not asked; a node that does not answer, or lacks blocks that were seen before, leaves the balance unchecked.
 */
public final class NodesGuard implements DeletionGuard {
    private static final String UNCHECKED = "its balance could not be checked with the nodes";

    private final List<NodeClient> each;
    private final Supplier<CompletionStage<Hash256>> genesis;
    private final Supplier<NodesSeen> seen;
    private final Supplier<OptionalLong> followedHeight;
    private final Executor executor;

    /** @param followedHeight u64 height of the last followed block, including earlier runs; empty before the first one */
    public NodesGuard(Nodes nodes, Supplier<OptionalLong> followedHeight, Executor executor) {
        this.each = nodes.followed();
        this.genesis = nodes.chain()::genesisForSigning;
        this.seen = nodes.seen();
        this.followedHeight = followedHeight;
        this.executor = executor;
    }

    /** Answer of one node to the tip query. */
    private record TipAnswer(NodesSeen.Seen node, NodeClient client, Outcome<NodeClient.Tip> tip) {}

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        return genesis.get()
                .thenComposeAsync(ours -> checked(entry, ours), executor)
                .exceptionallyAsync(
                        failure -> Optional.of(unchecked(Causes.of(failure).getMessage())), executor);
    }

    private CompletionStage<Optional<String>> checked(KeyEntry entry, Hash256 ours) {
        NodesSeen before = seen.get();
        long floor = highest(before);
        CompletionStage<List<TipAnswer>> all = CompletableFuture.completedFuture(List.of());
        for (int i = 0; i < each.size(); i++) {
            all = all.thenCombineAsync(asked(before.nodes().get(i), each.get(i)), NodesGuard::with, executor);
        }
        return all.thenComposeAsync(
                answers -> {
                    List<TipAnswer> fit = answers.stream()
                            .filter(node -> !isOfAnotherChain(node, before, ours))
                            .toList();
                    Optional<String> unfit = whyUnfit(fit, floor);
                    return unfit.isPresent()
                            ? CompletableFuture.completedFuture(unfit.map(NodesGuard::unchecked))
                            : allOf(fit, floor).objection(entry);
                },
                executor);
    }

    /**
     * Returns the greatest height known so far. A node below it cannot show that the address is empty: the balance stays unchecked, and the key
     * is kept.
     */
    private long highest(NodesSeen before) {
        long followed = followedHeight.get().orElse(0);
        long named = before.tipHeight().orElse(0L);
        return Long.compareUnsigned(followed, named) > 0 ? followed : named;
    }

    private CompletionStage<TipAnswer> asked(NodesSeen.Seen node, NodeClient client) {
        return client.tip()
                .handleAsync((tip, failure) -> new TipAnswer(node, client, Outcome.of(tip, failure)), executor);
    }

    private static List<TipAnswer> with(List<TipAnswer> some, TipAnswer another) {
        List<TipAnswer> all = new ArrayList<>(some);
        all.add(another);
        return all;
    }

    private static boolean isOfAnotherChain(TipAnswer answer, NodesSeen before, Hash256 ours) {
        return answer.tip()
                .fold(
                        tip -> isOfAnotherChain(tip, before, ours),
                        failure -> failure instanceof NodeException.WrongChain || before.isRefused(answer.node()));
    }

    private static boolean isOfAnotherChain(NodeClient.Tip tip, NodesSeen before, Hash256 ours) {
        Hash256 reported = tip.genesisBlockId();
        return reported == null ? before.configured() : !reported.equals(ours);
    }

    private static Optional<String> whyUnfit(List<TipAnswer> fit, long floor) {
        if (fit.isEmpty()) {
            return Optional.of("none of them is of our chain");
        }
        for (TipAnswer answer : fit) {
            Optional<String> unfit = answer.tip()
                    .fold(
                            tip -> whyTooLow(answer, tip, floor),
                            failure -> Optional.of(answer.node().url() + " does not answer"));
            if (unfit.isPresent()) {
                return unfit;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> whyTooLow(TipAnswer answer, NodeClient.Tip tip, long floor) {
        return Long.compareUnsigned(tip.height(), floor) < 0
                ? Optional.of(answer.node().url() + " is at height " + Long.toUnsignedString(tip.height()) + ", below "
                        + Long.toUnsignedString(floor) + ", which was seen before")
                : Optional.empty();
    }

    private DeletionGuard allOf(List<TipAnswer> fit, long floor) {
        List<DeletionGuard> guards = new ArrayList<>();
        for (TipAnswer answer : fit) {
            guards.add(entry -> confirmedCoins(answer.client(), floor, entry.address()));
            guards.add(entry -> pendingCoins(answer.client(), entry.address()));
        }
        return DeletionGuard.all(guards, executor);
    }

    private CompletionStage<Optional<String>> confirmedCoins(NodeClient node, long floor, Address address) {
        return node.balance(address)
                .thenCombineAsync(
                        node.addressUtxos(address), (balance, listing) -> confirmed(balance, listing, floor), executor)
                .exceptionallyAsync(failure -> Optional.of(UNCHECKED), executor);
    }

    /** Immature coinbases are not in the balance, but are money too. */
    private static Optional<String> confirmed(Amount balance, NodeClient.UtxoListing listing, long floor) {
        if (!balance.isZero()) {
            return Optional.of("it holds a confirmed balance of " + balance + " base units; sweep it first");
        }
        if (!listing.utxos().isEmpty()) {
            return Optional.of("it holds coins that are not spendable yet");
        }
        return Long.compareUnsigned(listing.tipHeight(), floor) < 0
                ? Optional.of(unchecked(listing.node() + " listed its coins as they were before the last blocks"))
                : Optional.empty();
    }

    private CompletionStage<Optional<String>> pendingCoins(NodeClient node, Address address) {
        return node.addressMempool(address)
                .exceptionallyAsync(NodesGuard::nothingIfMissing, executor)
                .thenApplyAsync(NodesGuard::unconfirmed, executor)
                .exceptionallyAsync(failure -> Optional.of(UNCHECKED), executor);
    }

    /** Treats a missing method as an empty mempool: nodes older than 1.11.3 lack it (chain protocol, section 14); their balance still counts. */
    private static NodeClient.AddressMempool nothingIfMissing(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof NodeException.Rejected rejected && rejected.code() == ErrorCode.METHOD_NOT_FOUND.code()) {
            return new NodeClient.AddressMempool(0, List.of());
        }
        throw Causes.passedOn(cause);
    }

    private static Optional<String> unconfirmed(NodeClient.AddressMempool pending) {
        if (pending.entries().stream().anyMatch(entry -> !entry.received().isEmpty())) {
            return Optional.of("it has incoming funds that are not confirmed yet");
        }
        if (pending.entries().stream().anyMatch(entry -> !entry.spent().isEmpty())) {
            return Optional.of("a transaction that spends from it is not confirmed yet");
        }
        return Optional.empty();
    }

    private static String unchecked(String why) {
        return UNCHECKED + ": " + why;
    }
}
