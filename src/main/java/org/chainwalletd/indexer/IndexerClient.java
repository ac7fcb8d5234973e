package org.chainwalletd.indexer;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.node.RpcUpstream;
import org.chainwalletd.stage.Causes;

/**
 * Typed calls to indexers (indexer.md). Every stage fails with {@link NodeException}, whose texts name the indexer. Thread-safe.
 */
public final class IndexerClient implements IndexedHtlcs {
    private static final int INVALID_PARAMS = -32602;

    private final RpcUpstream upstream;
    private final Executor executor;

    /**
     * @param executor continues calls
     */
    public IndexerClient(RpcUpstream upstream, Executor executor) {
        this.upstream = upstream;
        this.executor = executor;
    }

    public CompletionStage<IndexerStatus> status() {
        return upstream.call("get_indexer_status", "{}", IndexerAnswers.STATUS);
    }

    public CompletionStage<Page<Settlement>> settlements(PageQuery query) {
        return upstream.call("list_settlements", page(query).text(), IndexerAnswers::settlements);
    }

    public CompletionStage<Page<Activity>> history(PageQuery query) {
        return upstream.call("get_address_history", page(query).text(), IndexerAnswers::history);
    }

    public CompletionStage<List<ContractStats>> stats(Address address, Optional<Hash256> contract) {
        return upstream.call("contract_stats", of(address, contract), IndexerAnswers::stats);
    }

    public CompletionStage<List<AttestationEdge>> edges(Address address, Optional<Hash256> contract) {
        return upstream.call("get_attestation_edges", of(address, contract), IndexerAnswers::edges);
    }

    /** Groups of HTLCs that share a hash lock, two or more each. */
    public CompletionStage<List<InChainSwap>> swaps(Optional<Hash256> hashLock, OptionalInt limit) {
        Params params = new Params().hash("hash_lock", hashLock);
        limit.ifPresent(most -> params.number("limit", most));
        return upstream.call("detect_in_chain_swaps", params.text(), IndexerAnswers::swaps);
    }

    public CompletionStage<OutputSpend> spentBy(Outpoint outpoint) {
        return upstream.call("get_output_spent_by", of(outpoint), IndexerAnswers::spentBy);
    }

    public CompletionStage<OutputDatum> datum(Outpoint outpoint) {
        return upstream.call("get_output_datum", of(outpoint), IndexerAnswers::datum);
    }

    /**
     * Outputs that carry a quote's id.
     *
     * @param quoteId 16 bytes
     */
    public CompletionStage<List<Outpoint>> settlementsOfQuote(Bytes quoteId) {
        return upstream.call(
                "find_settlements_by_quote_id",
                new Params().string("quote_id", quoteId.hex()).text(),
                IndexerAnswers::quoteSettlements);
    }

    @Override
    public CompletionStage<Optional<IndexedHtlc>> htlc(Outpoint lock) {
        String params = new Params()
                .string("lock_tx_id", lock.txId().hex())
                .number("output_index", lock.index())
                .text();
        return upstream.call("htlc_status", params, IndexerAnswers.htlc(lock))
                .handleAsync(
                        (found, failure) -> {
                            if (failure != null && !isNoSuchHtlc(failure)) {
                                throw Causes.passedOn(failure);
                            }
                            return Optional.ofNullable(found);
                        },
                        executor);
    }

    @Override
    public CompletionStage<Page<IndexedHtlc>> htlcs(HtlcQuery query) {
        Params params = new Params()
                .hash("address", query.party())
                .words("state", query.states())
                .number("limit", query.limit());
        query.role().ifPresent(role -> params.string("role", role));
        query.since().ifPresent(height -> params.number("since_height", height));
        query.cursor().ifPresent(cursor -> params.string("cursor", cursor));
        return upstream.call("htlc_list", params.text(), IndexerAnswers::htlcs);
    }

    @Override
    public CompletionStage<List<IndexedHtlc>> htlcsByHashLock(Hash256 hashLock) {
        return upstream.call(
                "htlc_lookup_by_hashlock",
                new Params().string("hash_lock", hashLock.hex()).text(),
                IndexerAnswers.htlcsOf(hashLock));
    }

    private static boolean isNoSuchHtlc(Throwable failure) {
        return Causes.of(failure) instanceof NodeException.Rejected rejected
                && rejected.code() == INVALID_PARAMS
                && rejected.text().contains("no indexed HTLC at");
    }

    private static Params page(PageQuery query) {
        Params params = new Params()
                .string("address", query.address().hex())
                .hash("contract_hash", query.contract())
                .number("limit", query.limit());
        query.since().ifPresent(height -> params.number("since_height", height));
        query.cursor().ifPresent(cursor -> params.string("cursor", cursor));
        return params;
    }

    private static String of(Address address, Optional<Hash256> contract) {
        return new Params()
                .string("address", address.hex())
                .hash("contract_hash", contract)
                .text();
    }

    private static String of(Outpoint outpoint) {
        return new Params()
                .string("tx_id", outpoint.txId().hex())
                .number("output_index", outpoint.index())
                .text();
    }
}
