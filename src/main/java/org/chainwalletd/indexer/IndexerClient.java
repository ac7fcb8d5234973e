package org.chainwalletd.indexer;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Indexing.ContractStats;
import org.chainwalletd.api.Indexing.DetectInChainSwaps;
import org.chainwalletd.api.Indexing.FindSettlementsByQuoteId;
import org.chainwalletd.api.Indexing.GetAddressHistory;
import org.chainwalletd.api.Indexing.GetAttestationEdges;
import org.chainwalletd.api.Indexing.GetOutputDatum;
import org.chainwalletd.api.Indexing.GetOutputSpentBy;
import org.chainwalletd.api.Indexing.ListSettlements;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.U64;
import org.chainwalletd.node.AnswerJson;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.node.RecordReader;
import org.chainwalletd.node.RpcUpstream;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/**
 * Typed calls to indexers (indexer.md), using the shapes of the daemon's own API, so that rows are passed on as read. Calls with a {@code limit}
 * must set it, since the defaults of indexers differ. Every stage fails with {@link NodeException}, whose message names the indexer. Thread-safe.
 */
public final class IndexerClient {
    /** Length of a quote id. */
    public static final int QUOTE_ID_BYTES = 16;

    private static final int INVALID_PARAMS = -32602;
    private static final String OTHER_HASH_LOCK = "holds another hash lock than asked for";

    private static final Set<String> SPENT_BY_SOURCES = Set.of("indexer-cache", "node", "fallback-unknown-method");

    private static final ResultReader<GetAddressHistory.Result> HISTORY =
            RecordReader.ofIndexer(GetAddressHistory.Result.class);
    private static final ResultReader<ListSettlements.Result> SETTLEMENTS =
            RecordReader.ofIndexer(ListSettlements.Result.class);
    private static final ResultReader<ContractStats.Result> STATS = RecordReader.ofIndexer(ContractStats.Result.class);
    private static final ResultReader<GetAttestationEdges.Result> EDGES =
            RecordReader.ofIndexer(GetAttestationEdges.Result.class);
    private static final ResultReader<HtlcGroups> SWAPS = RecordReader.ofIndexer(HtlcGroups.class);
    private static final ResultReader<GetOutputSpentBy.Result> SPENT_BY =
            RecordReader.ofIndexer(GetOutputSpentBy.Result.class);
    private static final ResultReader<GetOutputDatum.Result> DATUM =
            RecordReader.ofIndexer(GetOutputDatum.Result.class);
    private static final ResultReader<FindSettlementsByQuoteId.Result> PLACES =
            RecordReader.ofIndexer(FindSettlementsByQuoteId.Result.class);
    private static final ResultReader<IndexedHtlc> HTLC = RecordReader.ofIndexer(IndexedHtlc.class);
    private static final ResultReader<HtlcPage> HTLCS = RecordReader.ofIndexer(HtlcPage.class);

    private final RpcUpstream upstream;
    private final Executor executor;

    /** @param executor for continuations of calls */
    public IndexerClient(RpcUpstream upstream, Executor executor) {
        this.upstream = upstream;
        this.executor = executor;
    }

    /** HTLC from an indexer (interface.md, section 2.8). */
    public record IndexedHtlc(
            Hash256 lockTxId,
            @U32 long outputIndex,
            Params params,
            Amount amount,

            @Doc("null while the lock is in the mempool") @OrNull
            OptionalLong lockBlockHeight,

            Htlcs.State state,
            @OrNull Optional<Claim> claim,
            @OrNull Optional<Reclaim> reclaim,
            Role role,
            long lastIndexedHeight) {
        public enum Role {
            OBSERVER
        }

        /** Outpoint of the lock. */
        public Outpoint outpoint() {
            return new Outpoint(lockTxId, outputIndex);
        }

        public record Params(PublicKey sender, PublicKey receiver, Hash256 hashLock, long timeoutHeight) {}

        public record Claim(
                Hash256 txId,
                Bytes preimage,
                long blockHeight,
                @U32 long inputIndex) {}

        public record Reclaim(
                Hash256 txId, long blockHeight, @U32 long inputIndex) {}
    }

    /** Page of {@code htlc_list}. */
    public record HtlcPage(List<IndexedHtlc> htlcs, Optional<String> nextCursor) {}

    /** Groups of {@code detect_in_chain_swaps}. */
    public record HtlcGroups(List<HtlcGroup> swaps) {}

    /** Two or more HTLCs with one hash lock. */
    public record HtlcGroup(Hash256 hashLock, List<IndexedHtlc> htlcs) {}

    /** Returns a page without the members that tell how far the daemon's own books go: of those an indexer knows nothing. */
    public CompletionStage<GetAddressHistory.Result> history(GetAddressHistory asked) {
        Params params = new Params()
                .string("address", asked.address().hex())
                .number("limit", asked.limit())
                .number("since_height", asked.sinceHeight())
                .string("cursor", asked.cursor());
        return upstream.call("get_address_history", params.text(), in -> {
            GetAddressHistory.Result read = HISTORY.read(in);
            requireAtMost(in, asked.limit(), "history", read.history());
            return new GetAddressHistory.Result(
                    read.history(), read.nextCursor(), OptionalLong.empty(), OptionalLong.empty());
        });
    }

    public CompletionStage<ListSettlements.Result> settlements(ListSettlements asked) {
        Params params = new Params()
                .string("address", asked.address().hex())
                .hash("contract_hash", asked.contractHash())
                .number("limit", asked.limit())
                .number("since_height", asked.sinceHeight())
                .string("cursor", asked.cursor());
        return upstream.call("list_settlements", params.text(), in -> {
            ListSettlements.Result read = SETTLEMENTS.read(in);
            requireAtMost(in, asked.limit(), "settlements", read.settlements());
            for (ListSettlements.Row row : read.settlements()) {
                if (!row.observerAddress().equals(asked.address())) {
                    throw in.bad("settlements", "holds another address than asked for");
                }
                if (!row.contractHash().equals(asked.contractHash().orElse(row.contractHash()))) {
                    throw in.bad("settlements", "holds another contract hash than asked for");
                }
            }
            return read;
        });
    }

    public CompletionStage<ContractStats.Result> stats(ContractStats asked) {
        return upstream.call("contract_stats", of(asked.address(), asked.contractHash()), STATS);
    }

    public CompletionStage<GetAttestationEdges.Result> edges(GetAttestationEdges asked) {
        return upstream.call("get_attestation_edges", of(asked.address(), asked.contractHash()), EDGES);
    }

    public CompletionStage<List<HtlcGroup>> swaps(DetectInChainSwaps asked) {
        Params params = new Params().hash("hash_lock", asked.hashLock()).number("limit", asked.limit());
        return upstream.call("detect_in_chain_swaps", params.text(), in -> {
            List<HtlcGroup> found = SWAPS.read(in).swaps();
            requireAtMost(in, asked.limit(), "swaps", found);
            for (HtlcGroup group : found) {
                if (!group.hashLock().equals(asked.hashLock().orElse(group.hashLock()))) {
                    throw in.bad("swaps", OTHER_HASH_LOCK);
                }
                requireHashLock(in, group.hashLock(), group.htlcs());
                if (group.htlcs().size() < 2) {
                    throw in.bad("swaps", "holds a group of fewer than two HTLCs");
                }
            }
            return found;
        });
    }

    private static void requireHashLock(AnswerJson in, Hash256 hashLock, List<IndexedHtlc> found) {
        if (!found.stream().allMatch(htlc -> htlc.params().hashLock().equals(hashLock))) {
            throw in.bad("htlcs", OTHER_HASH_LOCK);
        }
    }

    private static void requireAtMost(AnswerJson in, OptionalLong limit, String name, List<?> found) {
        if (limit.isPresent() && found.size() > limit.getAsLong()) {
            throw in.bad(name, "holds more rows than asked for");
        }
    }

    public CompletionStage<GetOutputSpentBy.Result> spentBy(GetOutputSpentBy asked) {
        return upstream.call("get_output_spent_by", of(asked.txId(), asked.outputIndex()), IndexerClient::spentBy);
    }

    private static GetOutputSpentBy.Result spentBy(AnswerJson in) throws IOException {
        GetOutputSpentBy.Result read = SPENT_BY.read(in);
        String source = read.source().replace('_', '-');
        if (!SPENT_BY_SOURCES.contains(source)) {
            throw in.bad("source", "holds a word that is not known");
        }
        if (!read.spent()) {
            return GetOutputSpentBy.Result.unspent(source);
        }
        require(in, read.spendingTxId().isPresent(), "spending_tx_id");
        require(in, read.inputIndex().isPresent(), "input_index");
        require(in, read.blockHeight().isPresent(), "block_height");
        return new GetOutputSpentBy.Result(true, read.spendingTxId(), read.inputIndex(), read.blockHeight(), source);
    }

    private static void require(AnswerJson in, boolean isPresent, String name) {
        if (!isPresent) {
            in.required(null, name);
        }
    }

    public CompletionStage<GetOutputDatum.Result> datum(GetOutputDatum asked) {
        return upstream.call("get_output_datum", of(asked.txId(), asked.outputIndex()), in -> {
            GetOutputDatum.Result read = DATUM.read(in);
            if (read.quoteId().isPresent() && read.quoteId().get().length() != QUOTE_ID_BYTES) {
                throw in.bad("quote_id", "is not " + QUOTE_ID_BYTES + " bytes long");
            }
            return read;
        });
    }

    public CompletionStage<FindSettlementsByQuoteId.Result> settlementsOfQuote(FindSettlementsByQuoteId asked) {
        return upstream.call(
                "find_settlements_by_quote_id",
                new Params().string("quote_id", asked.quoteId().hex()).text(),
                PLACES);
    }

    /** Returns the HTLC at an outpoint; empty if the indexer has none there. */
    public CompletionStage<Optional<IndexedHtlc>> htlc(Outpoint lock) {
        String params = new Params()
                .string("lock_tx_id", lock.txId().hex())
                .number("output_index", lock.index())
                .text();
        return upstream.call("htlc_status", params, in -> {
                    IndexedHtlc found = HTLC.read(in);
                    if (!found.outpoint().equals(lock)) {
                        throw in.bad("result", "is of another outpoint than asked for");
                    }
                    return found;
                })
                .handleAsync(
                        (found, failure) -> {
                            if (failure != null && !isNoSuchHtlc(failure)) {
                                throw Causes.passedOn(failure);
                            }
                            return Optional.ofNullable(found);
                        },
                        executor);
    }

    private static boolean isNoSuchHtlc(Throwable failure) {
        return Causes.of(failure) instanceof NodeException.Rejected rejected
                && rejected.code() == INVALID_PARAMS
                && rejected.text().contains("no indexed HTLC at");
    }

    /**
     * Returns HTLCs in ascending order of lock height, lock transaction id and output index.
     *
     * @param party sent as {@code address}, which the indexer compares with the parties' public keys: the key of an own address. For a foreign
     *     address its 32 bytes, which match nothing; that is no proof of absence
     * @param states empty for all
     * @param since only locks in blocks of this height and above
     */
    public CompletionStage<HtlcPage> htlcs(Hash256 party, Set<Htlcs.State> states, OptionalLong since, int limit) {
        Params params = new Params()
                .string("address", party.hex())
                .words("state", states)
                .number("limit", limit)
                .number("since_height", since);
        return upstream.call("htlc_list", params.text(), HTLCS);
    }

    public CompletionStage<List<IndexedHtlc>> htlcsByHashLock(Hash256 hashLock) {
        return upstream.call(
                "htlc_lookup_by_hashlock",
                new Params().string("hash_lock", hashLock.hex()).text(),
                in -> {
                    List<IndexedHtlc> found = HTLCS.read(in).htlcs();
                    requireHashLock(in, hashLock, found);
                    return found;
                });
    }

    private static String of(Address address, Optional<Hash256> contract) {
        return new Params()
                .string("address", address.hex())
                .hash("contract_hash", contract)
                .text();
    }

    private static String of(Hash256 txId, long outputIndex) {
        return new Params()
                .string("tx_id", txId.hex())
                .number("output_index", outputIndex)
                .text();
    }

    /** Parameters of one call: a JSON object in ASCII. */
    static final class Params {
        private final StringBuilder text = new StringBuilder("{");

        /** @param value any text, as received from callers */
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

        Params string(String name, Optional<String> value) {
            value.ifPresent(text -> string(name, text));
            return this;
        }

        Params hash(String name, Optional<Hash256> value) {
            value.ifPresent(hash -> string(name, hash.hex()));
            return this;
        }

        /** Writes an unsigned number. */
        Params number(String name, long value) {
            name(name).append(U64.toString(value));
            return this;
        }

        Params number(String name, OptionalLong value) {
            value.ifPresent(number -> number(name, number));
            return this;
        }

        /** Writes the lower-case names of some constants; nothing if there are none. */
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

    /** Source of the receipts and spends of an address. */
    @FunctionalInterface
    public interface AddressHistory {
        /** Knows no address. */
        AddressHistory NONE = (asked, onlySource) -> CompletableFuture.completedStage(Optional.empty());

        /**
         * Returns the history of an address, ascending by height and transaction id; empty if the source does not know the address, or if another
         * source is to answer.
         *
         * @param asked with a limit
         * @param onlySource whether no other source could answer: the source then answers as far as it can
         */
        CompletionStage<Optional<GetAddressHistory.Result>> of(GetAddressHistory asked, boolean onlySource);
    }
}
