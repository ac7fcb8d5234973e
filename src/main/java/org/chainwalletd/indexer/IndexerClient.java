package org.chainwalletd.indexer;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.U64;
import org.chainwalletd.indexer.IndexedHtlcs.Page;
import org.chainwalletd.node.AnswerJson;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.node.RecordReader;
import org.chainwalletd.node.RpcUpstream;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.U32;

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

    /**
     * How the contracts of one kind went for an address.
     *
     * @param avgSettleBlocks null when the indexer does not tell
     * @param lastSettledAtHeight null when none has been settled
     */
    public record ContractStats(
            Hash256 contractHash,
            long total,
            long succeeded,
            long refunded,
            @MaybeAbsent Long avgSettleBlocks,
            @MaybeAbsent Long lastSettledAtHeight) {}

    /** Writes the parameters of one call: a JSON object in ASCII. */
    static final class Params {
        private final StringBuilder text = new StringBuilder("{");

        /**
         * @param value anything, as it comes from callers
         */
        Params string(String name, String value) {
            name(name).append('"');
            char[] quoted = JsonStringEncoder.getInstance().quoteAsString(value);
            for (char character : quoted) {
                if (character < 0x7f) {
                    text.append(character);
                } else {
                    text.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
                }
            }
            text.append('"');
            return this;
        }

        Params hash(String name, Optional<Hash256> value) {
            value.ifPresent(hash -> string(name, hash.hex()));
            return this;
        }

        /** Unsigned. */
        Params number(String name, long value) {
            name(name).append(U64.toString(value));
            return this;
        }

        /** The lower-case words of some constants; nothing when there are none. */
        Params words(String name, Collection<? extends Enum<?>> values) {
            if (!values.isEmpty()) {
                name(name)
                        .append(values.stream()
                                .map(value -> value.name().toLowerCase(Locale.ROOT))
                                .sorted()
                                .collect(Collectors.joining("\",\"", "[\"", "\"]")));
            }
            return this;
        }

        String text() {
            return text + "}";
        }

        private StringBuilder name(String name) {
            return text.append(text.length() > 1 ? "," : "")
                    .append('"')
                    .append(name)
                    .append("\":");
        }
    }

    /** Source of what an address has received and spent. */
    @FunctionalInterface
    public interface AddressHistory {
        /** Knows no address. */
        AddressHistory NONE = query -> Optional.empty();

        /** Empty when the address is not one of those it knows; rows ascend by height and transaction id. */
        Optional<CompletionStage<Page<Activity>>> of(PageQuery query);
    }

    /** Reads the answers of indexers. An answer about something else than what was asked for is a bad one. */
    static final class IndexerAnswers {
        private static final RecordReader<Settlement> SETTLEMENT = RecordReader.ofIndexer(Settlement.class);
        private static final RecordReader<Activity> ACTIVITY = RecordReader.ofIndexer(Activity.class);
        private static final RecordReader<IndexerClient.ContractStats> STATS =
                RecordReader.ofIndexer(IndexerClient.ContractStats.class);
        private static final RecordReader<AttestationEdge> EDGE = RecordReader.ofIndexer(AttestationEdge.class);
        private static final RecordReader<HtlcRow> HTLC = RecordReader.ofIndexer(HtlcRow.class);
        private static final RecordReader<SwapRow> SWAP = RecordReader.ofIndexer(SwapRow.class);
        private static final RecordReader<SpentByRow> SPENT_BY = RecordReader.ofIndexer(SpentByRow.class);
        private static final RecordReader<DatumRow> DATUM = RecordReader.ofIndexer(DatumRow.class);
        private static final RecordReader<OutpointRow> OUTPOINT = RecordReader.ofIndexer(OutpointRow.class);

        private IndexerAnswers() {}

        /** An HTLC record (interface.md, section 2.8). Its role is not read: it is always that of an observer. */
        private record HtlcRow(
                Hash256 lockTxId,
                @U32 long outputIndex,
                Terms params,
                Amount amount,
                @MaybeAbsent Long lockBlockHeight,
                IndexedHtlc.State state,
                @MaybeAbsent IndexedHtlc.Claim claim,
                @MaybeAbsent IndexedHtlc.Reclaim reclaim,
                long lastIndexedHeight) {
            record Terms(PublicKey sender, PublicKey receiver, Hash256 hashLock, long timeoutHeight) {}

            IndexedHtlc htlc() {
                return new IndexedHtlc(
                        new Outpoint(lockTxId, outputIndex),
                        new HtlcParams(params.sender, params.receiver, params.hashLock, params.timeoutHeight),
                        amount,
                        lockBlockHeight,
                        state,
                        claim,
                        reclaim,
                        lastIndexedHeight);
            }

            static List<IndexedHtlc> all(List<HtlcRow> rows) {
                return rows.stream().map(HtlcRow::htlc).toList();
            }
        }

        private record SwapRow(Hash256 hashLock, List<HtlcRow> htlcs) {}

        private record SpentByRow(
                boolean spent,
                OutputSpend.Source source,
                @MaybeAbsent Hash256 spendingTxId,
                @MaybeAbsent @U32 Long inputIndex,
                @MaybeAbsent Long blockHeight) {}

        private record DatumRow(@MaybeAbsent Bytes quoteId, boolean unhonorable) {}

        private record OutpointRow(Hash256 txId, @U32 long outputIndex) {}

        static Page<Settlement> settlements(AnswerJson in) throws IOException {
            return page(in, "settlements", SETTLEMENT);
        }

        static Page<Activity> history(AnswerJson in) throws IOException {
            return page(in, "history", ACTIVITY);
        }

        static List<IndexerClient.ContractStats> stats(AnswerJson in) throws IOException {
            return page(in, "stats", STATS).items();
        }

        static List<AttestationEdge> edges(AnswerJson in) throws IOException {
            return page(in, "edges", EDGE).items();
        }

        static List<InChainSwap> swaps(AnswerJson in) throws IOException {
            return page(in, "swaps", SWAP).items().stream()
                    .map(swap -> new InChainSwap(swap.hashLock(), HtlcRow.all(swap.htlcs())))
                    .toList();
        }

        static ResultReader<IndexedHtlc> htlc(Outpoint asked) {
            return in -> {
                IndexedHtlc found = HTLC.read(in).htlc();
                if (!found.outpoint().equals(asked)) {
                    throw in.bad("is of another outpoint than asked for");
                }
                return found;
            };
        }

        static Page<IndexedHtlc> htlcs(AnswerJson in) throws IOException {
            Page<HtlcRow> rows = page(in, "htlcs", HTLC);
            return new Page<>(HtlcRow.all(rows.items()), rows.next());
        }

        static ResultReader<List<IndexedHtlc>> htlcsOf(Hash256 asked) {
            return in -> {
                List<IndexedHtlc> found = htlcs(in).items();
                if (!found.stream().allMatch(htlc -> htlc.params().hashLock().equals(asked))) {
                    throw in.bad("holds another hash lock than asked for");
                }
                return found;
            };
        }

        static OutputSpend spentBy(AnswerJson in) throws IOException {
            SpentByRow row = SPENT_BY.read(in);
            return new OutputSpend(
                    row.source(),
                    row.spent()
                            ? new OutputSpend.Spend(
                                    in.required(row.spendingTxId(), "spending_tx_id"),
                                    in.required(row.inputIndex(), "input_index"),
                                    in.required(row.blockHeight(), "block_height"))
                            : null);
        }

        static OutputDatum datum(AnswerJson in) throws IOException {
            DatumRow row = DATUM.read(in);
            if (row.quoteId() != null && row.quoteId().length() != OutputDatum.QUOTE_ID_BYTES) {
                throw in.bad("has a `quote_id` that is not " + OutputDatum.QUOTE_ID_BYTES + " bytes long");
            }
            return new OutputDatum(row.quoteId(), row.unhonorable());
        }

        static List<Outpoint> quoteSettlements(AnswerJson in) throws IOException {
            return page(in, "settlements", OUTPOINT).items().stream()
                    .map(row -> new Outpoint(row.txId(), row.outputIndex()))
                    .toList();
        }

        private static <T extends Record> Page<T> page(AnswerJson in, String member, RecordReader<T> row)
                throws IOException {
            in.beginObject();
            List<T> rows = null;
            String next = null;
            for (String name; (name = in.nextMember()) != null; ) {
                if (name.equals(member)) {
                    rows = row.readList(in, rows);
                } else if (name.equals("next_cursor")) {
                    next = in.isNull() ? null : in.text(next);
                } else {
                    in.skip();
                }
            }
            return new Page<>(in.required(rows, member), next);
        }
    }

    /** Effect of one transaction on an address in one direction. */
    public record Activity(long blockHeight, Hash256 txId, Amount amount, Direction direction, boolean isCoinbase) {
        public enum Direction {
            /** The address has paid. */
            INPUT,
            /** The address was paid. */
            OUTPUT
        }
    }

    /**
     * How the contracts of one kind between an address and a counterparty went.
     *
     * @param contractName null unless it is a known template
     * @param lastSeenHeight null when the indexer does not tell
     */
    public record AttestationEdge(
            Address counterparty,
            Hash256 contractHash,
            @MaybeAbsent String contractName,
            long total,
            long succeeded,
            long refunded,
            @MaybeAbsent Long lastSeenHeight) {}

    /** HTLCs of one chain that share a hash lock. */
    public record InChainSwap(Hash256 hashLock, List<IndexedHtlc> htlcs) {}

    /**
     * Statement about quotes in the datum of an output.
     *
     * @param quoteId 16 bytes, or null
     * @param unhonorable whether the output has only the hash of a datum, so that no quote can be read from it
     */
    public record OutputDatum(Bytes quoteId, boolean unhonorable) {
        /** Length of a quote's id. */
        public static final int QUOTE_ID_BYTES = 16;

        /** No datum that says anything. */
        public static final OutputDatum NONE = new OutputDatum(null, false);

        /** A datum is a quote's id only when it is in the output itself and has exactly 16 bytes. */
        public static OutputDatum of(TxOutput output) {
            if (output.datum() == null) {
                return new OutputDatum(null, output.datumHash() != null);
            }
            return output.datum().length() == QUOTE_ID_BYTES ? new OutputDatum(output.datum(), false) : NONE;
        }
    }

    /**
     * Whether an output has been spent, and by what.
     *
     * @param spend null when nobody has spent it in the view of who answered
     */
    public record OutputSpend(Source source, Spend spend) {
        public enum Source {
            INDEXER_CACHE,
            NODE,
            FALLBACK_UNKNOWN_METHOD
        }

        public record Spend(Hash256 txId, long inputIndex, long blockHeight) {}
    }

    /**
     * A settled contract as one of its parties sees it.
     *
     * @param txId as the indexer gives it, which repeats {@code lockTxId}
     * @param blockHeight of the settlement
     * @param contractHash opaque; differs between versions of indexers
     */
    public record Settlement(
            Hash256 txId,
            long blockHeight,
            Hash256 contractHash,
            Outcome outcome,
            Address observerAddress,
            Address counterparty,
            Amount amount,
            Hash256 lockTxId,
            @U32 long lockOutputIndex) {
        public enum Outcome {
            CLAIMED,
            RECLAIMED
        }
    }

    /**
     * A question about an address that is answered in pages.
     *
     * @param contract only rows of this contract; not for every question
     * @param since only rows of this height and above
     * @param limit most rows of a page
     * @param cursor of the page before
     */
    public record PageQuery(
            Address address, Optional<Hash256> contract, OptionalLong since, int limit, Optional<String> cursor) {}
}
