package org.chainwalletd.rpc.method;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.api.ErrorCode;
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
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.htlc.MergedRecords;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.indexer.IndexerClient.HtlcGroup;
import org.chainwalletd.indexer.IndexerClient.IndexedHtlc;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.stage.Causes;

/**
 * Handlers of the methods of {@link Indexing}.
 *
 * @param indexer empty if none is configured
 * @param own history of the addresses covered by the daemon's books, used in preference to the indexer
 * @param ownHtlcs returns what the daemon's books have of some outputs, used in preference to the indexer
 */
public record IndexerMethods(
        ChainProfile profile,
        Optional<IndexerClient> indexer,
        IndexerClient.AddressHistory own,
        Function<Collection<Outpoint>, CompletionStage<Map<Outpoint, Optional<HtlcRecord>>>> ownHtlcs,
        NodeClient nodes,
        Executor executor) {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;

    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(GetAddressHistory.class, this::history),
                RpcMethod.of(ListSettlements.class, this::settlements),
                RpcMethod.of(ContractStats.class, call -> ask(client -> client.stats(call))),
                RpcMethod.of(GetAttestationEdges.class, call -> ask(client -> client.edges(call))),
                RpcMethod.of(DetectInChainSwaps.class, this::swaps),
                RpcMethod.of(GetOutputSpentBy.class, this::spentBy),
                RpcMethod.of(GetOutputDatum.class, this::datum),
                RpcMethod.of(FindSettlementsByQuoteId.class, this::settlementsOfQuote));
    }

    /** Asks the indexer; fails with -32041 if none is configured. */
    private <T> CompletionStage<T> ask(Function<IndexerClient, CompletionStage<T>> question) {
        return indexer.map(question)
                .orElseGet(() -> CompletableFuture.failedStage(new RefusedException(
                        ErrorCode.INDEXER_NOT_CONFIGURED,
                        "no indexer is configured: the daemon answers this with --indexer-rpc only")));
    }

    /**
     * Page size: 100 by default, at most 1000.
     *
     * @throws RefusedException -32602 for a limit of zero
     */
    private static int limit(OptionalLong asked) {
        if (asked.isPresent() && asked.getAsLong() == 0) {
            throw RefusedException.invalidParams("`limit` must be at least 1");
        }
        return (int) Math.min(asked.orElse(DEFAULT_LIMIT), MAX_LIMIT);
    }

    /** Answers from the daemon's own books if they have the whole history, or if there is no indexer; otherwise from the indexer. */
    private CompletionStage<GetAddressHistory.Result> history(GetAddressHistory call) {
        GetAddressHistory limited = call.withLimit(limit(call.limit()));
        return own.of(limited, indexer.isEmpty())
                .thenComposeAsync(
                        own -> own.isPresent() ? CompletableFuture.completedStage(own.get()) : indexedHistory(limited),
                        executor);
    }

    private CompletionStage<GetAddressHistory.Result> indexedHistory(GetAddressHistory call) {
        return ask(client -> client.history(call))
                .exceptionallyAsync(
                        failure -> {
                            Throwable cause = Causes.of(failure);
                            // Everything else that an indexer could refuse was checked here.
                            if (call.cursor().isPresent()
                                    && cause instanceof NodeException.Rejected rejected
                                    && rejected.code() == ErrorCode.INVALID_PARAMS.code()) {
                                throw RefusedException.invalidParams(
                                        "`cursor` is refused by the indexer: begin without it (" + rejected.text()
                                                + ")");
                            }
                            throw Causes.passedOn(cause);
                        },
                        executor);
    }

    private CompletionStage<ListSettlements.Result> settlements(ListSettlements call) {
        ListSettlements limited = call.withLimit(limit(call.limit()));
        return ask(client -> client.settlements(limited));
    }

    /** Answers from the indexer, with the daemon's own record of each HTLC that it has; groups of which fewer than two are left are omitted. */
    private CompletionStage<DetectInChainSwaps.Result> swaps(DetectInChainSwaps call) {
        DetectInChainSwaps limited = call.withLimit(limit(call.limit()));
        return ask(client -> client.swaps(limited)).thenComposeAsync(this::withOwn, executor);
    }

    private CompletionStage<DetectInChainSwaps.Result> withOwn(List<HtlcGroup> groups) {
        List<Outpoint> locks = groups.stream()
                .flatMap(group -> group.htlcs().stream())
                .map(IndexedHtlc::outpoint)
                .toList();
        return ownHtlcs.apply(locks)
                .thenApplyAsync(
                        known -> new DetectInChainSwaps.Result(groups.stream()
                                .map(group -> swap(group, known))
                                .filter(swap -> swap.htlcs().size() > 1)
                                .toList()),
                        executor);
    }

    private static DetectInChainSwaps.Swap swap(HtlcGroup group, Map<Outpoint, Optional<HtlcRecord>> known) {
        return new DetectInChainSwaps.Swap(
                group.hashLock(),
                MergedRecords.ofGroup(group, known).stream()
                        .map(HtlcMethods::htlc)
                        .toList());
    }

    /**
     * Answers from the indexer, or from the node if there is no indexer or it fails. If the node lacks the method, the source is
     * {@code fallback-unknown-method}, which means that nothing is known.
     */
    private CompletionStage<GetOutputSpentBy.Result> spentBy(GetOutputSpentBy call) {
        return orFromNode(
                client -> client.spentBy(call),
                () -> nodes.knownSpentBy(new Outpoint(call.txId(), call.outputIndex()))
                        .handleAsync(IndexerMethods::spentByAtNode, executor));
    }

    private static GetOutputSpentBy.Result spentByAtNode(Optional<NodeClient.SpentBy> found, Throwable failure) {
        if (failure == null) {
            return found.map(by -> new GetOutputSpentBy.Result(
                            true,
                            Optional.of(by.txId()),
                            OptionalLong.of(by.inputIndex()),
                            OptionalLong.of(by.blockHeight()),
                            "node"))
                    .orElseGet(() -> GetOutputSpentBy.Result.unspent("node"));
        }
        Throwable cause = Causes.of(failure);
        if (cause instanceof NodeException.Rejected rejected && rejected.code() == ErrorCode.METHOD_NOT_FOUND.code()) {
            return GetOutputSpentBy.Result.unspent("fallback-unknown-method");
        }
        throw Causes.passedOn(cause);
    }

    /** Answers from the indexer, or from the transaction's bytes, whose id is recomputed, if there is no indexer or it fails. */
    private CompletionStage<GetOutputDatum.Result> datum(GetOutputDatum call) {
        return orFromNode(
                client -> client.datum(call),
                () -> nodes.transaction(call.txId())
                        .thenApplyAsync(found -> datumAt(found, call.outputIndex()), executor));
    }

    /** Returns no datum for an unknown output, like an indexer. */
    private GetOutputDatum.Result datumAt(Optional<NodeClient.NodeTransaction> found, long index) {
        List<TxOutput> outputs =
                found.map(transaction -> transaction.decode(profile).outputs()).orElse(List.of());
        return index < outputs.size()
                ? datumOf(outputs.get((int) index))
                : new GetOutputDatum.Result(Optional.empty(), false);
    }

    /** Returns the datum as a quote id only if it is inline in the output and has exactly 16 bytes. */
    private static GetOutputDatum.Result datumOf(TxOutput output) {
        Optional<Bytes> quoteId =
                Optional.ofNullable(output.datum()).filter(datum -> datum.length() == IndexerClient.QUOTE_ID_BYTES);
        return new GetOutputDatum.Result(quoteId, output.datum() == null && output.datumHash() != null);
    }

    /** Falls back to the node if there is no indexer or it fails. */
    private <T> CompletionStage<T> orFromNode(
            Function<IndexerClient, CompletionStage<T>> indexed, Supplier<CompletionStage<T>> node) {
        if (indexer.isEmpty()) {
            return node.get();
        }
        return indexed.apply(indexer.get())
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

    private CompletionStage<FindSettlementsByQuoteId.Result> settlementsOfQuote(FindSettlementsByQuoteId call) {
        if (call.quoteId().length() != IndexerClient.QUOTE_ID_BYTES) {
            throw RefusedException.invalidParams("`quote_id` must be 32 hex characters");
        }
        return ask(client -> client.settlementsOfQuote(call));
    }
}
