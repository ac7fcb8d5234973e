package org.chainwalletd.devnet.indexer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.ScriptProgram;
import org.chainwalletd.chain.U64;
import org.chainwalletd.devnet.call.CallException;
import org.chainwalletd.devnet.call.Hex;
import org.chainwalletd.devnet.call.Json;
import org.chainwalletd.devnet.call.Params;
import org.chainwalletd.devnet.call.Params.Field;
import org.chainwalletd.devnet.call.Params.Shape;
import org.chainwalletd.devnet.call.Params.Type;
import org.chainwalletd.devnet.indexer.ChainIndex.Htlc;
import org.chainwalletd.devnet.indexer.ChainIndex.Place;
import org.chainwalletd.devnet.indexer.ChainIndex.Seen;
import org.chainwalletd.devnet.ledger.Ledger;

/** Every method of the indexer, from parameters to result (indexer.md). */
final class IndexerMethods {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MOST_LIMIT = 1_000;
    private static final Set<String> STATES = Set.of("locked", "locked_expired", "claimed", "reclaimed", "unknown");

    private static final Field ADDRESS = new Field("address", Type.STRING, false);
    private static final Field ANY_ADDRESS = new Field("address", Type.STRING, true);
    private static final Field CONTRACT = new Field("contract_hash", Type.STRING, true);
    private static final Field SINCE = new Field("since_height", Type.U64, true);
    private static final Field LIMIT = new Field("limit", Type.U32, true);
    private static final Field CURSOR = new Field("cursor", Type.STRING, true);
    private static final Field TX_ID = new Field("tx_id", Type.STRING, false);
    private static final Field OUTPUT_INDEX = new Field("output_index", Type.U32, false);

    private final Ledger ledger;
    private final ChainIndex index;
    private final Hash256 contract;
    private final long startedAt;
    private final Map<String, Function<JsonNode, JsonNode>> methods = Map.ofEntries(
            Map.entry("ping", params -> Json.object().put("ok", true)),
            Map.entry("get_indexer_status", params -> status()),
            Map.entry("htlc_status", this::htlcStatus),
            Map.entry("htlc_list", this::htlcList),
            Map.entry("htlc_lookup_by_hashlock", this::htlcLookup),
            Map.entry("list_settlements", this::settlements),
            Map.entry("contract_stats", this::stats),
            Map.entry("get_address_history", this::history),
            Map.entry("get_output_spent_by", this::spentBy),
            Map.entry("get_output_datum", this::datum),
            Map.entry("find_settlements_by_quote_id", this::settlementsOfQuote),
            Map.entry("get_attestation_edges", this::edges),
            Map.entry("detect_in_chain_swaps", this::swaps));

    IndexerMethods(Ledger ledger, InstantSource clock) {
        this.ledger = ledger;
        this.index = new ChainIndex(ledger);
        this.contract = HtlcScript.contractHash(ledger.profile(), ScriptProgram.HashVariant.B);
        this.startedAt = clock.millis() / 1_000;
    }

    JsonNode call(String method, JsonNode params) {
        Function<JsonNode, JsonNode> body = methods.get(method);
        if (body == null) {
            throw new CallException(CallException.METHOD_NOT_FOUND, "unknown method: " + method);
        }
        return index.ask(() -> body.apply(params));
    }

    private JsonNode status() {
        long tip = ledger.tip().height();
        ObjectNode status = Json.object()
                .put("full_scan_complete", true)
                .put("indexed_htlc_count", index.htlcs().size())
                .put("last_indexed_block_id", index.tip().id().hex())
                .put("lag", tip - index.tip().height())
                .put("started_at", startedAt);
        status.set("last_indexed_height", Json.u64(index.tip().height()));
        return status.set("tip_height", Json.u64(tip));
    }

    private JsonNode htlcStatus(JsonNode raw) {
        Params params = IndexerParams.read(
                "htlc_status",
                raw,
                new Field("lock_tx_id", Type.STRING, false),
                new Field("output_index", Type.U32, true));
        Outpoint outpoint = new Outpoint(
                IndexerParams.bytes32(params.text("lock_tx_id")),
                params.optionalNumber("output_index").orElse(0));
        Htlc found = index.htlc(outpoint);
        if (found == null) {
            throw CallException.invalid(
                    "invalid params: no indexed HTLC at (" + outpoint.txId() + ", " + outpoint.index() + ")");
        }
        return IndexerRows.htlc(found);
    }

    private JsonNode htlcList(JsonNode raw) {
        Params params = IndexerParams.read(
                "htlc_list", raw, new Field("role", Type.STRING, true), ANY_ADDRESS, SINCE, LIMIT, CURSOR);
        HtlcFilter filter = HtlcFilter.of(params, states(raw.path("state")));
        NavigableMap<Place, Htlc> all = index.htlcs();
        Optional<Place> last = params.optionalText("cursor").map(Cursors::readHtlc);
        List<Htlc> found = last.map(place -> all.tailMap(place, false)).orElse(all).values().stream()
                .filter(filter::takes)
                .limit(limit(params) + 1L)
                .toList();
        ObjectNode page = Json.object();
        ArrayNode shown = page.putArray("htlcs");
        found.stream().limit(limit(params)).map(IndexerRows::htlc).forEach(shown::add);
        if (found.size() > limit(params)) {
            page.put("next_cursor", Cursors.within(found.get(limit(params) - 1).place()));
        }
        return page;
    }

    /** Reads one state or several; empty for all. */
    private static Set<String> states(JsonNode wanted) {
        Set<String> states = new HashSet<>();
        if (wanted.isTextual()) {
            states.add(wanted.textValue());
        }
        wanted.forEach(state -> states.add(state.isTextual() ? state.textValue() : ""));
        boolean absent = wanted.isMissingNode() || wanted.isNull();
        if (!STATES.containsAll(states) || !(absent || wanted.isTextual() || wanted.isArray())) {
            throw CallException.invalid(
                    "invalid params: htlc_list: data did not match any variant of untagged enum HtlcStateFilter");
        }
        return states;
    }

    private JsonNode htlcLookup(JsonNode raw) {
        Params params = IndexerParams.read("htlc_lookup_by_hashlock", raw, new Field("hash_lock", Type.STRING, false));
        return list(
                "htlcs",
                index
                        .htlcsByHashLock()
                        .getOrDefault(IndexerParams.bytes32(params.text("hash_lock")), List.of())
                        .stream()
                        .map(IndexerRows::htlc));
    }

    private JsonNode settlements(JsonNode raw) {
        Params params = IndexerParams.read("list_settlements", raw, ADDRESS, CONTRACT, SINCE, LIMIT, CURSOR);
        Address observer = IndexerParams.address(params.text("address"));
        NavigableMap<Place, Seen> seen = isOurContract(params) ? index.settlementsOf(observer) : new TreeMap<>();
        return Pages.of(
                seen,
                params,
                limit(params),
                false,
                "settlements",
                (place, row) -> IndexerRows.settlement(row, contract));
    }

    private JsonNode history(JsonNode raw) {
        Params params = IndexerParams.read(
                "get_address_history", raw, ADDRESS, SINCE, LIMIT, CURSOR, new Field("reverse", Type.BOOL, true));
        Address address = IndexerParams.address(params.text("address"));
        return Pages.of(
                index.activitiesOf(address),
                params,
                limit(params),
                params.flag("reverse").orElse(false),
                "history",
                IndexerRows::activity);
    }

    private JsonNode stats(JsonNode raw) {
        Params params = IndexerParams.read("contract_stats", raw, ADDRESS, CONTRACT);
        Tally tally = new Tally();
        settlementsOf(params).values().forEach(seen -> tally.add(seen.htlc()));
        if (tally.total() == 0) {
            return list("stats", Stream.empty());
        }
        ObjectNode row =
                Json.object().put("contract_hash", contract.hex()).put("avg_settle_blocks", tally.averageBlocks());
        return list("stats", Stream.of(tally.write(row, "last_settled_at_height")));
    }

    private JsonNode edges(JsonNode raw) {
        Params params = IndexerParams.read("get_attestation_edges", raw, ADDRESS, CONTRACT);
        Map<Address, Tally> tallies = new TreeMap<>();
        settlementsOf(params)
                .values()
                .forEach(seen -> tallies.computeIfAbsent(seen.counterparty(), any -> new Tally())
                        .add(seen.htlc()));
        return list("edges", tallies.entrySet().stream().map(edge -> {
            ObjectNode row = Json.object()
                    .put("contract_hash", contract.hex())
                    .put("contract_name", "Standard HTLC v1")
                    .put("counterparty", edge.getKey().hex());
            return edge.getValue().write(row, "last_seen_height");
        }));
    }

    private JsonNode spentBy(JsonNode raw) {
        Outpoint outpoint = outpoint("get_output_spent_by", raw);
        Htlc htlc = index.htlc(outpoint);
        if (htlc != null && htlc.settlement() != null) {
            Htlc.Settlement how = htlc.settlement();
            return IndexerRows.spend("indexer-cache", how.txId(), how.inputIndex(), how.height());
        }
        return ledger.spentBy(outpoint)
                .map(by -> IndexerRows.spend("node", by.txId(), by.inputIndex(), by.height()))
                .orElseGet(() -> Json.object().put("spent", false).put("source", "node"));
    }

    private JsonNode datum(JsonNode raw) {
        Outpoint outpoint = outpoint("get_output_datum", raw);
        Bytes quote = index.quoteOf(outpoint);
        return Json.object()
                .put("quote_id", quote == null ? null : quote.hex())
                .put("unhonorable", index.isUnhonorable(outpoint));
    }

    private JsonNode settlementsOfQuote(JsonNode raw) {
        Params params =
                IndexerParams.read("find_settlements_by_quote_id", raw, new Field("quote_id", Type.STRING, false));
        byte[] quoteId = IndexerParams.hex(params.text("quote_id"));
        if (quoteId.length != ChainIndex.QUOTE_ID_BYTES) {
            throw CallException.invalid(
                    "invalid params: quote_id: expected 16 bytes (32 hex chars), got " + quoteId.length + " bytes");
        }
        return list(
                "settlements",
                index.quotedBy(Bytes.of(quoteId))
                        .map(outpoint -> Json.object()
                                .put("tx_id", outpoint.txId().hex())
                                .put("output_index", outpoint.index())));
    }

    private JsonNode swaps(JsonNode raw) {
        Params params =
                IndexerParams.read("detect_in_chain_swaps", raw, new Field("hash_lock", Type.STRING, true), LIMIT);
        Optional<Hash256> wanted = params.optionalText("hash_lock").map(IndexerParams::bytes32);
        return list(
                "swaps",
                index.htlcsByHashLock().entrySet().stream()
                        .filter(group -> wanted.isEmpty() || wanted.get().equals(group.getKey()))
                        .filter(group -> group.getValue().size() > 1)
                        .limit(limit(params))
                        .map(group -> list("htlcs", group.getValue().stream().map(IndexerRows::htlc))
                                .put("hash_lock", group.getKey().hex())));
    }

    /** Settlements that the asked address has a part in; the address is looked at only when it is about the only contract there is. */
    private NavigableMap<Place, Seen> settlementsOf(Params params) {
        return isOurContract(params)
                ? index.settlementsOf(IndexerParams.address(params.text("address")))
                : new TreeMap<>();
    }

    private boolean isOurContract(Params params) {
        return params.optionalText("contract_hash")
                .map(text -> IndexerParams.bytes32(text).equals(contract))
                .orElse(true);
    }

    private static ObjectNode list(String member, Stream<? extends JsonNode> rows) {
        ObjectNode result = Json.object();
        ArrayNode shown = result.putArray(member);
        rows.forEach(shown::add);
        return result;
    }

    private static Outpoint outpoint(String method, JsonNode raw) {
        Params params = IndexerParams.read(method, raw, TX_ID, OUTPUT_INDEX);
        return new Outpoint(IndexerParams.bytes32(params.text("tx_id")), params.number("output_index"));
    }

    private static int limit(Params params) {
        long asked = params.optionalNumber("limit").orElse(DEFAULT_LIMIT);
        return (int) Math.max(1, U64.compare(asked, MOST_LIMIT) > 0 ? MOST_LIMIT : asked);
    }

    /**
     * Filter for lists of HTLCs. The parameter named address is compared with the parties' public keys (indexer.md, quirk 3).
     *
     * @param states empty for all
     */
    record HtlcFilter(Optional<Hash256> key, Optional<String> role, Set<String> states, OptionalLong since) {
        private static final Set<String> ROLES = Set.of("sender", "receiver", "both", "observer");

        static HtlcFilter of(Params params, Set<String> states) {
            Optional<String> role = params.optionalText("role");
            if (role.isPresent() && !ROLES.contains(role.get())) {
                throw CallException.invalid("invalid params: htlc_list: unknown variant `" + role.get()
                        + "`, expected one of `sender`, `receiver`, `both`, `observer`");
            }
            return new HtlcFilter(
                    params.optionalText("address").map(IndexerParams::bytes32),
                    role,
                    states,
                    params.optionalNumber("since_height"));
        }

        boolean takes(Htlc htlc) {
            return (states.isEmpty() || states.contains(htlc.state()))
                    && (since.isEmpty() || U64.compare(htlc.lockHeight(), since.getAsLong()) >= 0)
                    && (key.isEmpty() || hasPart(htlc, key.get()));
        }

        private boolean hasPart(Htlc htlc, Hash256 party) {
            boolean sends = Hash256.of(htlc.params().sender().toArray()).equals(party);
            boolean receives = Hash256.of(htlc.params().receiver().toArray()).equals(party);
            return switch (role.orElse("")) {
                case "sender" -> sends;
                case "receiver" -> receives;
                case "both" -> sends && receives;
                default -> sends || receives;
            };
        }
    }

    /** Pages of lists ordered by {@link Place}. */
    static final class Pages {
        private Pages() {}

        /**
         * The part after {@code cursor}, from {@code since_height} on.
         *
         * @param reverse whether the highest row comes first
         * @param member name of the list
         */
        static <T> JsonNode of(
                NavigableMap<Place, T> all,
                Params params,
                int limit,
                boolean reverse,
                String member,
                BiFunction<Place, T, JsonNode> writer) {
            NavigableMap<Place, T> ordered = reverse ? all.descendingMap() : all;
            Optional<Place> last = params.optionalText("cursor").map(Cursors::read);
            OptionalLong since = params.optionalNumber("since_height");
            List<Map.Entry<Place, T>> found =
                    last
                            .map(place -> ordered.tailMap(boundary(place, reverse), false))
                            .orElse(ordered)
                            .entrySet()
                            .stream()
                            .filter(row ->
                                    since.isEmpty() || U64.compare(row.getKey().height(), since.getAsLong()) >= 0)
                            .limit(limit + 1L)
                            .toList();
            ObjectNode page = Json.object();
            ArrayNode shown = page.putArray(member);
            found.stream().limit(limit).forEach(row -> shown.add(writer.apply(row.getKey(), row.getValue())));
            if (found.size() > limit) {
                page.put(
                        "next_cursor",
                        cursor(found.get(limit - 1).getKey(), found.get(limit).getKey()));
            }
            return page;
        }

        /** A cursor that names a transaction without a row is positioned after all rows of that transaction, in either direction. */
        private static Place boundary(Place last, boolean reverse) {
            return reverse && last.number() == Long.MAX_VALUE ? new Place(last.height(), last.txId(), -1) : last;
        }

        private static String cursor(Place last, Place next) {
            boolean sameTransaction =
                    last.height() == next.height() && last.txId().equals(next.txId());
            return sameTransaction ? Cursors.within(last) : Cursors.after(last);
        }
    }

    /** Counts settled HTLCs. */
    static final class Tally {
        private long succeeded;
        private long refunded;
        private long blocks;
        private long last;

        void add(Htlc settled) {
            if (settled.settlement().isClaim()) {
                succeeded++;
            } else {
                refunded++;
            }
            blocks += settled.settlement().height() - settled.lockHeight();
            last = Math.max(last, settled.settlement().height());
        }

        long total() {
            return succeeded + refunded;
        }

        /** From lock to settlement, rounded down. */
        long averageBlocks() {
            return blocks / total();
        }

        /**
         * @param lastMember name of the member for the height of the last settlement
         */
        ObjectNode write(ObjectNode row, String lastMember) {
            row.put("total", total()).put("succeeded", succeeded).put("refunded", refunded);
            row.set(lastMember, Json.u64(last));
            return row;
        }
    }

    /**
     * Cursors as a real indexer writes them: height and transaction id, for HTLCs the output index too, in base64url without padding. A page
     * that ends between two rows of one transaction adds data that distinguishes them, as for HTLCs.
     */
    private static final class Cursors {
        private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        private static final int PLAIN = Long.BYTES + Hash256.LENGTH;
        private static final int LONG = PLAIN + Integer.BYTES;

        private Cursors() {}

        /** Cursor after a row whose next one has another transaction. */
        static String after(Place place) {
            return encode(base(place, PLAIN));
        }

        /** Cursor after a row within a transaction. */
        static String within(Place place) {
            return encode(base(place, LONG).putInt((int) place.number()));
        }

        /** The last place that was shown. */
        static Place read(String cursor) {
            ByteBuffer bytes = decode(cursor);
            if (bytes.remaining() == LONG) {
                return place(bytes);
            }
            if (bytes.remaining() != PLAIN) {
                throw bad("expected " + PLAIN + " bytes, got " + bytes.remaining());
            }
            return new Place(bytes.getLong(), txId(bytes), Long.MAX_VALUE);
        }

        /** The last HTLC that was shown. */
        static Place readHtlc(String cursor) {
            ByteBuffer bytes = decode(cursor);
            if (bytes.remaining() != LONG) {
                throw bad("expected " + LONG + " bytes, got " + bytes.remaining());
            }
            return place(bytes);
        }

        private static Place place(ByteBuffer bytes) {
            return new Place(bytes.getLong(), txId(bytes), bytes.getInt() & 0xffff_ffffL);
        }

        private static ByteBuffer base(Place place, int length) {
            return ByteBuffer.allocate(length)
                    .putLong(place.height())
                    .put(place.txId().toArray());
        }

        private static String encode(ByteBuffer bytes) {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
        }

        private static Hash256 txId(ByteBuffer bytes) {
            byte[] id = new byte[Hash256.LENGTH];
            bytes.get(id);
            return Hash256.of(id);
        }

        private static ByteBuffer decode(String cursor) {
            for (int i = 0; i < cursor.length(); i++) {
                if (ALPHABET.indexOf(cursor.charAt(i)) < 0) {
                    throw bad("Invalid symbol " + (int) cursor.charAt(i) + ", offset " + i + ".");
                }
            }
            int rest = cursor.length() % 4;
            if (rest == 1) {
                throw bad("Invalid input length: " + cursor.length());
            }
            int last = cursor.length() - 1;
            int unused = rest == 2 ? 0x0f : rest == 3 ? 0x03 : 0;
            if (last >= 0 && (ALPHABET.indexOf(cursor.charAt(last)) & unused) != 0) {
                throw bad("Invalid last symbol " + (int) cursor.charAt(last) + ", offset " + last + ".");
            }
            return ByteBuffer.wrap(Base64.getUrlDecoder().decode(cursor));
        }

        private static CallException bad(String why) {
            return CallException.invalid("invalid params: invalid cursor: " + why);
        }
    }

    /** Parameters, validated with the error texts of an indexer. */
    private static final class IndexerParams {
        private static final String NODE_WORDS = "Invalid params: ";

        private IndexerParams() {}

        static Params read(String method, JsonNode raw, Field... fields) {
            try {
                return Shape.of(method, fields).read(raw);
            } catch (CallException e) {
                throw CallException.invalid(
                        "invalid params: " + method + ": " + e.getMessage().substring(NODE_WORDS.length()));
            }
        }

        static byte[] hex(String text) {
            try {
                return Hex.parse(text);
            } catch (IllegalArgumentException e) {
                throw CallException.invalid("invalid hex: " + e.getMessage());
            }
        }

        /** All values of 32 bytes are refused as addresses are. */
        static Hash256 bytes32(String text) {
            byte[] bytes = hex(text);
            if (bytes.length != Hash256.LENGTH) {
                throw CallException.invalid(
                        "invalid address: expected 32 bytes (64 hex chars), got " + bytes.length + " bytes");
            }
            return Hash256.of(bytes);
        }

        static Address address(String text) {
            return Address.of(bytes32(text).toArray());
        }
    }
}
