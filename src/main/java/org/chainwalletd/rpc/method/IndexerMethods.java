package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Indexing;
import org.chainwalletd.api.Indexing.ContractStats;
import org.chainwalletd.api.Indexing.DetectInChainSwaps;
import org.chainwalletd.api.Indexing.FindSettlementsByQuoteId;
import org.chainwalletd.api.Indexing.GetAddressHistory;
import org.chainwalletd.api.Indexing.GetAttestationEdges;
import org.chainwalletd.api.Indexing.GetOutputDatum;
import org.chainwalletd.api.Indexing.GetOutputSpentBy;
import org.chainwalletd.api.Indexing.ListSettlements;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.indexer.IndexedHtlc;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.indexer.IndexerClient.Activity;
import org.chainwalletd.indexer.IndexerClient.AttestationEdge;
import org.chainwalletd.indexer.IndexerClient.InChainSwap;
import org.chainwalletd.indexer.IndexerClient.OutputDatum;
import org.chainwalletd.indexer.IndexerClient.OutputSpend;
import org.chainwalletd.indexer.IndexerClient.PageQuery;
import org.chainwalletd.indexer.IndexerClient.Settlement;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.stage.Causes;

/** Answers the methods of {@link Indexing}. */
public final class IndexerMethods {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MOST_LIMIT = 1_000;

    private final ChainProfile profile;
    private final Sources sources;
    private final NodeClient nodes;
    private final Executor executor;

    private IndexerMethods(ChainProfile profile, Sources sources, NodeClient nodes, Executor executor) {
        this.profile = profile;
        this.sources = sources;
        this.nodes = nodes;
        this.executor = executor;
    }

    /**
     * Sources of answers besides the node.
     *
     * @param client empty when no indexer is configured
     * @param own answers for the addresses that the daemon keeps books of, asked before the indexer
     */
    public record Sources(Optional<IndexerClient> client, IndexerClient.AddressHistory own) {
        public static final Sources NONE = new Sources(Optional.empty(), IndexerClient.AddressHistory.NONE);
    }

    public static List<RpcMethod<?, ?>> all(
            ChainProfile profile, Sources sources, NodeClient nodes, Executor executor) {
        IndexerMethods methods = new IndexerMethods(profile, sources, nodes, executor);
        return List.of(
                RpcMethod.of(GetAddressHistory.class, methods::history),
                RpcMethod.of(ListSettlements.class, methods::settlements),
                RpcMethod.of(ContractStats.class, methods::stats),
                RpcMethod.of(GetAttestationEdges.class, methods::edges),
                RpcMethod.of(DetectInChainSwaps.class, methods::swaps),
                RpcMethod.of(GetOutputSpentBy.class, methods::spentBy),
                RpcMethod.of(GetOutputDatum.class, methods::datum),
                RpcMethod.of(FindSettlementsByQuoteId.class, methods::settlementsOfQuote));
    }

    /** Asks the indexer; fails with -32041 when there is none. */
    private <T> CompletionStage<T> ask(Function<IndexerClient, CompletionStage<T>> question) {
        return sources.client()
                .map(question)
                .orElseGet(() -> CompletableFuture.failedStage(new RefusedException(
                        ErrorCode.INDEXER_NOT_CONFIGURED,
                        "no indexer is configured: the daemon answers this with --indexer-rpc only")));
    }

    /**
     * Rows of a page: 100 when nothing is said, never more than 1000.
     *
     * @throws RefusedException -32602 for a limit of zero
     */
    private static int limit(OptionalLong asked) {
        if (asked.isPresent() && asked.getAsLong() == 0) {
            throw RefusedException.invalidParams("`limit` must be at least 1");
        }
        return (int) Math.min(asked.orElse(DEFAULT_LIMIT), MOST_LIMIT);
    }

    /** From the daemon's own books where they tell, else from the indexer. */
    private CompletionStage<GetAddressHistory.Result> history(GetAddressHistory call, CallContext context) {
        PageQuery query =
                new PageQuery(call.address(), Optional.empty(), call.sinceHeight(), limit(call.limit()), call.cursor());
        return sources.own()
                .of(query)
                .orElseGet(() -> ask(client -> client.history(query)))
                .thenApplyAsync(
                        page -> new GetAddressHistory.Result(
                                page.items().stream().map(IndexerMethods::row).toList(),
                                Optional.ofNullable(page.next())),
                        executor);
    }

    private static GetAddressHistory.Row row(Activity activity) {
        return new GetAddressHistory.Row(
                activity.blockHeight(),
                activity.txId(),
                activity.amount(),
                GetAddressHistory.Direction.valueOf(activity.direction().name()),
                activity.isCoinbase());
    }

    private CompletionStage<ListSettlements.Result> settlements(ListSettlements call, CallContext context) {
        PageQuery query = new PageQuery(
                call.address(), call.contractHash(), call.sinceHeight(), limit(call.limit()), call.cursor());
        return ask(client -> client.settlements(query))
                .thenApplyAsync(
                        page -> new ListSettlements.Result(
                                page.items().stream().map(IndexerMethods::row).toList(),
                                Optional.ofNullable(page.next())),
                        executor);
    }

    private static ListSettlements.Row row(Settlement settled) {
        return new ListSettlements.Row(
                settled.txId(),
                settled.blockHeight(),
                settled.contractHash(),
                ListSettlements.Outcome.valueOf(settled.outcome().name()),
                settled.observerAddress(),
                settled.counterparty(),
                settled.amount(),
                settled.lockTxId(),
                settled.lockOutputIndex());
    }

    private CompletionStage<ContractStats.Result> stats(ContractStats call, CallContext context) {
        return ask(client -> client.stats(call.address(), call.contractHash()))
                .thenApplyAsync(
                        stats -> new ContractStats.Result(
                                stats.stream().map(IndexerMethods::row).toList()),
                        executor);
    }

    private static ContractStats.Row row(IndexerClient.ContractStats stats) {
        return new ContractStats.Row(
                stats.contractHash(),
                stats.total(),
                stats.succeeded(),
                stats.refunded(),
                orEmpty(stats.avgSettleBlocks()),
                orEmpty(stats.lastSettledAtHeight()));
    }

    private CompletionStage<GetAttestationEdges.Result> edges(GetAttestationEdges call, CallContext context) {
        return ask(client -> client.edges(call.address(), call.contractHash()))
                .thenApplyAsync(
                        edges -> new GetAttestationEdges.Result(
                                edges.stream().map(IndexerMethods::edge).toList()),
                        executor);
    }

    private static GetAttestationEdges.Edge edge(AttestationEdge edge) {
        return new GetAttestationEdges.Edge(
                edge.counterparty(),
                edge.contractHash(),
                Optional.ofNullable(edge.contractName()),
                edge.total(),
                edge.succeeded(),
                edge.refunded(),
                orEmpty(edge.lastSeenHeight()));
    }

    private CompletionStage<DetectInChainSwaps.Result> swaps(DetectInChainSwaps call, CallContext context) {
        OptionalInt limit = OptionalInt.of(limit(call.limit()));
        return ask(client -> client.swaps(call.hashLock(), limit))
                .thenApplyAsync(
                        swaps -> new DetectInChainSwaps.Result(
                                swaps.stream().map(IndexerMethods::swap).toList()),
                        executor);
    }

    private static DetectInChainSwaps.Swap swap(InChainSwap swap) {
        return new DetectInChainSwaps.Swap(
                swap.hashLock(), swap.htlcs().stream().map(IndexerMethods::htlc).toList());
    }

    private static Indexing.IndexedHtlc htlc(IndexedHtlc htlc) {
        return new Indexing.IndexedHtlc(
                htlc.outpoint().txId(),
                htlc.outpoint().index(),
                new Indexing.IndexedHtlc.Params(
                        htlc.params().sender(),
                        htlc.params().receiver(),
                        htlc.params().hashLock(),
                        htlc.params().timeoutHeight()),
                htlc.amount(),
                orEmpty(htlc.lockHeight()),
                Htlcs.State.valueOf(htlc.state().name()),
                Optional.ofNullable(htlc.claim())
                        .map(claim -> new Indexing.IndexedHtlc.Claim(
                                claim.txId(), claim.preimage(), claim.blockHeight(), claim.inputIndex())),
                Optional.ofNullable(htlc.reclaim())
                        .map(reclaim -> new Indexing.IndexedHtlc.Reclaim(
                                reclaim.txId(), reclaim.blockHeight(), reclaim.inputIndex())),
                Indexing.IndexedHtlc.Role.OBSERVER,
                htlc.lastIndexedHeight());
    }

    /**
     * From the indexer, and without one, or when it fails, from the node. A node that lacks the method makes the source {@code
     * fallback-unknown-method}, which says that nothing is known.
     */
    private CompletionStage<GetOutputSpentBy.Result> spentBy(GetOutputSpentBy call, CallContext context) {
        Outpoint outpoint = new Outpoint(call.txId(), call.outputIndex());
        return orAtNode(
                        client -> client.spentBy(outpoint),
                        () -> nodes.knownSpentBy(outpoint).handleAsync(IndexerMethods::known, executor))
                .thenApplyAsync(IndexerMethods::result, executor);
    }

    private static OutputSpend known(Optional<NodeClient.SpentBy> found, Throwable failure) {
        if (failure == null) {
            return new OutputSpend(
                    OutputSpend.Source.NODE,
                    found.map(by -> new OutputSpend.Spend(by.txId(), by.inputIndex(), by.blockHeight()))
                            .orElse(null));
        }
        Throwable cause = Causes.of(failure);
        if (cause instanceof NodeException.Rejected rejected && rejected.code() == ErrorCode.METHOD_NOT_FOUND.code()) {
            return new OutputSpend(OutputSpend.Source.FALLBACK_UNKNOWN_METHOD, null);
        }
        throw Causes.passedOn(cause);
    }

    private static GetOutputSpentBy.Result result(OutputSpend found) {
        String source = found.source().name().toLowerCase(Locale.ROOT).replace('_', '-');
        OutputSpend.Spend spend = found.spend();
        return spend == null
                ? new GetOutputSpentBy.Result(
                        false, Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), source)
                : new GetOutputSpentBy.Result(
                        true,
                        Optional.of(spend.txId()),
                        OptionalLong.of(spend.inputIndex()),
                        OptionalLong.of(spend.blockHeight()),
                        source);
    }

    /** From the indexer, and without one, or when it fails, from the bytes of the transaction, whose id is recomputed. */
    private CompletionStage<GetOutputDatum.Result> datum(GetOutputDatum call, CallContext context) {
        Outpoint outpoint = new Outpoint(call.txId(), call.outputIndex());
        return orAtNode(
                        client -> client.datum(outpoint),
                        () -> nodes.transaction(outpoint.txId())
                                .thenApplyAsync(found -> datum(found, outpoint), executor))
                .thenApplyAsync(
                        datum -> new GetOutputDatum.Result(Optional.ofNullable(datum.quoteId()), datum.unhonorable()),
                        executor);
    }

    /** An unknown output has no datum, as with an indexer. */
    private OutputDatum datum(Optional<NodeClient.NodeTransaction> found, Outpoint outpoint) {
        if (found.isEmpty()) {
            return OutputDatum.NONE;
        }
        List<TxOutput> outputs = found.get().decode(profile).outputs();
        return outpoint.index() < outputs.size()
                ? OutputDatum.of(outputs.get((int) outpoint.index()))
                : OutputDatum.NONE;
    }

    /** Asks the node where the indexer is missing or has failed. */
    private <T> CompletionStage<T> orAtNode(
            Function<IndexerClient, CompletionStage<T>> indexed, Supplier<CompletionStage<T>> node) {
        if (sources.client().isEmpty()) {
            return node.get();
        }
        return indexed.apply(sources.client().get())
                .handleAsync(
                        (value, failure) -> {
                            if (failure == null) {
                                return CompletableFuture.completedStage(value);
                            }
                            Throwable cause = Causes.of(failure);
                            return cause instanceof NodeException
                                    ? node.get()
                                    : CompletableFuture.<T>failedStage(cause);
                        },
                        executor)
                .thenComposeAsync(Function.identity(), executor);
    }

    private CompletionStage<FindSettlementsByQuoteId.Result> settlementsOfQuote(
            FindSettlementsByQuoteId call, CallContext context) {
        if (call.quoteId().length() != OutputDatum.QUOTE_ID_BYTES) {
            throw RefusedException.invalidParams("`quote_id` must be 32 hex characters");
        }
        return ask(client -> client.settlementsOfQuote(call.quoteId()))
                .thenApplyAsync(
                        found -> new FindSettlementsByQuoteId.Result(found.stream()
                                .map(place -> new FindSettlementsByQuoteId.Place(place.txId(), place.index()))
                                .toList()),
                        executor);
    }

    private static OptionalLong orEmpty(Long value) {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
