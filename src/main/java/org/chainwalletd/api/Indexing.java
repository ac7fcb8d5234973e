package org.chainwalletd.api;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/**
 * Methods for which an indexer answers about foreign addresses (interface.md, section 4.10). Where the daemon or its node can answer, they
 * need no indexer.
 */
public final class Indexing {
    private Indexing() {}

    @Method(
            name = "get_address_history",
            scope = Scope.READ,
            summary =
                    "What an address has received and spent, in ascending order of height. For own and watched addresses from the"
                            + " daemon's own books, if they have its whole history, otherwise from an indexer; without an indexer"
                            + " from the books as far as they go, with `complete_from`.",
            errors = {ErrorCode.UPSTREAM, ErrorCode.INDEXER_NOT_CONFIGURED})
    public record GetAddressHistory(
            Address address,
            @Doc("Only blocks of this height and above") OptionalLong sinceHeight,

            @Doc("Rows of a page, 100 by default, at most 1000") @U32
            OptionalLong limit,

            @Doc("`next_cursor` of the page before") Optional<String> cursor)
            implements Call<GetAddressHistory.Result> {
        /** Starts with the first page. */
        public static GetAddressHistory of(Address address) {
            return new GetAddressHistory(address, OptionalLong.empty(), OptionalLong.empty(), Optional.empty());
        }

        public GetAddressHistory withSinceHeight(long changed) {
            return new GetAddressHistory(address, OptionalLong.of(changed), limit, cursor);
        }

        public GetAddressHistory withLimit(long changed) {
            return new GetAddressHistory(address, sinceHeight, OptionalLong.of(changed), cursor);
        }

        public GetAddressHistory withCursor(String changed) {
            return new GetAddressHistory(address, sinceHeight, limit, Optional.of(changed));
        }

        public enum Direction {
            /** The address has paid. */
            INPUT,
            /** The address was paid. */
            OUTPUT
        }

        public record Row(long blockHeight, Hash256 txId, Amount amount, Direction direction, boolean isCoinbase) {}

        public record Result(
                List<Row> history,
                @Doc("There is another page") Optional<String> nextCursor,

                @Doc(
                        "The daemon's own books have nothing below this height, so that the list lacks what was received there and, at every height, what was spent of it; absent when the books have the whole history")
                OptionalLong completeFrom,

                @Doc("Newest block that the list takes into account; absent when an indexer answered")
                OptionalLong lastIndexedHeight) {}
    }

    @Method(
            name = "list_settlements",
            scope = Scope.READ,
            summary = "Contracts of an address that have been settled, in ascending order of height.",
            errors = {ErrorCode.UPSTREAM, ErrorCode.INDEXER_NOT_CONFIGURED})
    public record ListSettlements(
            Address address,
            @Doc("Only this kind of contract") Optional<Hash256> contractHash,
            @Doc("Only blocks of this height and above") OptionalLong sinceHeight,

            @Doc("Rows of a page, 100 by default, at most 1000") @U32
            OptionalLong limit,

            @Doc("`next_cursor` of the page before") Optional<String> cursor)
            implements Call<ListSettlements.Result> {
        /** Lists settlements of all contracts, starting with the first page. */
        public static ListSettlements of(Address address) {
            return new ListSettlements(
                    address, Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Optional.empty());
        }

        public ListSettlements withContractHash(Hash256 changed) {
            return new ListSettlements(address, Optional.of(changed), sinceHeight, limit, cursor);
        }

        public ListSettlements withSinceHeight(long changed) {
            return new ListSettlements(address, contractHash, OptionalLong.of(changed), limit, cursor);
        }

        public ListSettlements withLimit(long changed) {
            return new ListSettlements(address, contractHash, sinceHeight, OptionalLong.of(changed), cursor);
        }

        public ListSettlements withCursor(String changed) {
            return new ListSettlements(address, contractHash, sinceHeight, limit, Optional.of(changed));
        }

        public enum Outcome {
            CLAIMED,
            RECLAIMED
        }

        public record Row(
                @Doc("The lock once more; the transaction that settled it is in `htlc_status`")
                Hash256 txId,

                long blockHeight,
                Hash256 contractHash,
                Outcome outcome,
                Address observerAddress,
                Address counterparty,
                Amount amount,
                Hash256 lockTxId,
                @U32 long lockOutputIndex) {}

        public record Result(
                List<Row> settlements,
                @Doc("There is another page") Optional<String> nextCursor) {}
    }

    @Method(
            name = "contract_stats",
            scope = Scope.READ,
            summary = "How the contracts of an address went.",
            errors = {ErrorCode.UPSTREAM, ErrorCode.INDEXER_NOT_CONFIGURED})
    public record ContractStats(
            Address address,
            @Doc("Only this kind of contract") Optional<Hash256> contractHash) implements Call<ContractStats.Result> {
        /** Requests all kinds of contracts. */
        public ContractStats(Address address) {
            this(address, Optional.empty());
        }

        public record Row(
                Hash256 contractHash,
                long total,
                long succeeded,
                long refunded,
                @OrNull OptionalLong avgSettleBlocks,
                @OrNull OptionalLong lastSettledAtHeight) {}

        public record Result(
                @Doc("One row for each kind of contract") List<Row> stats) {}
    }

    @Method(
            name = "get_attestation_edges",
            scope = Scope.READ,
            summary = "How the contracts of an address went, by counterparty.",
            errors = {ErrorCode.UPSTREAM, ErrorCode.INDEXER_NOT_CONFIGURED})
    public record GetAttestationEdges(
            Address address,
            @Doc("Only this kind of contract") Optional<Hash256> contractHash)
            implements Call<GetAttestationEdges.Result> {
        /** Requests all kinds of contracts. */
        public GetAttestationEdges(Address address) {
            this(address, Optional.empty());
        }

        public record Edge(
                Address counterparty,
                Hash256 contractHash,

                @Doc("null unless it is a known template") @OrNull
                Optional<String> contractName,

                long total,
                long succeeded,
                long refunded,
                @OrNull OptionalLong lastSeenHeight) {}

        public record Result(List<Edge> edges) {}
    }

    @Method(
            name = "detect_in_chain_swaps",
            scope = Scope.READ,
            summary = "HTLCs of this chain that share a hash lock.",
            errors = {ErrorCode.UPSTREAM, ErrorCode.INDEXER_NOT_CONFIGURED})
    public record DetectInChainSwaps(
            @Doc("Only HTLCs with this hash lock") Optional<Hash256> hashLock,

            @Doc("Most groups, 100 by default, at most 1000") @U32
            OptionalLong limit)
            implements Call<DetectInChainSwaps.Result> {
        /** Requests all hash locks. */
        public static DetectInChainSwaps of() {
            return new DetectInChainSwaps(Optional.empty(), OptionalLong.empty());
        }

        public DetectInChainSwaps withHashLock(Hash256 changed) {
            return new DetectInChainSwaps(Optional.of(changed), limit);
        }

        public DetectInChainSwaps withLimit(long changed) {
            return new DetectInChainSwaps(hashLock, OptionalLong.of(changed));
        }

        public record Swap(
                Hash256 hashLock, @Doc("Two or more") List<Htlcs.Htlc> htlcs) {}

        public record Result(List<Swap> swaps) {}
    }

    @Method(
            name = "get_output_spent_by",
            scope = Scope.READ,
            summary = "The confirmed transaction that has spent an output.",
            errors = ErrorCode.UPSTREAM)
    public record GetOutputSpentBy(
            @Doc("Transaction that has the output") Hash256 txId,
            @U32 long outputIndex) implements Call<GetOutputSpentBy.Result> {
        public record Result(
                @Doc("false: nobody has, in the view of who answered")
                boolean spent,

                Optional<Hash256> spendingTxId,
                @U32 OptionalLong inputIndex,
                OptionalLong blockHeight,

                @Doc("`indexer-cache`, `node` or `fallback-unknown-method`")
                String source) {
            /** Creates the result for an output that is unspent according to the source. */
            public static Result unspent(String source) {
                return new Result(false, Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), source);
            }
        }
    }

    @Method(
            name = "get_output_datum",
            scope = Scope.READ,
            summary = "The quote that an output refers to by its datum.",
            errors = ErrorCode.UPSTREAM)
    public record GetOutputDatum(
            @Doc("Transaction that has the output") Hash256 txId,
            @U32 long outputIndex) implements Call<GetOutputDatum.Result> {
        public record Result(
                @Doc("16 bytes, or null when the output carries no such datum") @OrNull
                Optional<Bytes> quoteId,

                @Doc("The output has only the hash of a datum")
                boolean unhonorable) {}
    }

    @Method(
            name = "find_settlements_by_quote_id",
            scope = Scope.READ,
            summary = "Outputs that refer to a quote by their datum.",
            errors = {ErrorCode.UPSTREAM, ErrorCode.INDEXER_NOT_CONFIGURED})
    public record FindSettlementsByQuoteId(
            @Doc("16 bytes as 32 hex characters") Bytes quoteId) implements Call<FindSettlementsByQuoteId.Result> {
        public record Place(Hash256 txId, @U32 long outputIndex) {}

        public record Result(
                @Doc("Several when the quote was settled more than once")
                List<Place> settlements) {}
    }
}
