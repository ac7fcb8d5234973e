package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.U64;
import org.chainwalletd.devnet.call.Params.Field;
import org.chainwalletd.devnet.call.Params.Shape;
import org.chainwalletd.devnet.call.Params.Type;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView.Tip;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.devnet.wire.AddressText;
import org.chainwalletd.devnet.wire.RpcHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the envelope of a call, applies caps, quotas and faults, and writes the answer (chain protocol, sections 10.2 and 10.3). */
public final class NodeCalls implements RpcHandler {
    private static final Logger LOG = LoggerFactory.getLogger(NodeCalls.class);
    private static final int SCANS_PER_MINUTE = 30;
    private static final int SUBMISSIONS_PER_MINUTE = 60;

    private final Map<String, Method> methods = new HashMap<>();
    private final Faults faults;
    private final Quota scans;
    private final Quota submissions;

    public NodeCalls(Ledger ledger, InstantSource clock, Faults faults, DevnetControl control) {
        this.faults = faults;
        this.scans = new Quota(SCANS_PER_MINUTE, clock);
        this.submissions = new Quota(SUBMISSIONS_PER_MINUTE, clock);
        register(new ChainMethods(ledger, clock).all());
        register(new AddressMethods(ledger).all());
        register(new DevnetMethods(control, faults).all());
    }

    private void register(List<Method> family) {
        family.forEach(method -> methods.put(method.name(), method));
    }

    @Override
    public Reply answer(InetAddress peer, byte[] body) {
        Envelope envelope;
        try {
            envelope = Envelope.read(body);
        } catch (IOException e) {
            byte[] answer = error(CallException.PARSE, "Parse error", NullNode.getInstance());
            return new Reply(answer, faults.latencyMillis());
        }
        Faults.Drop drop = faults.takeDrop(envelope.method());
        if (drop == Faults.Drop.BEFORE) {
            return new Reply(null, 0);
        }
        byte[] answer = answer(peer, envelope, body.length);
        long delay = Faults.isControl(envelope.method()) ? 0 : faults.latencyMillis();
        return new Reply(drop == Faults.Drop.AFTER ? null : answer, delay);
    }

    private byte[] answer(InetAddress peer, Envelope envelope, int bodyLength) {
        try {
            return result(execute(peer, envelope, bodyLength), envelope.id());
        } catch (CallException e) {
            return error(e.code(), e.getMessage(), envelope.id());
        } catch (RuntimeException e) {
            LOG.error("{} failed inside the development node", envelope.method(), e);
            return error(CallException.INTERNAL, "Storage error: " + e.getMessage(), envelope.id());
        }
    }

    private JsonNode execute(InetAddress peer, Envelope envelope, int bodyLength) {
        Method method = methods.get(envelope.method());
        if (!envelope.version().equals("2.0")) {
            throw new CallException(CallException.PARSE, "Invalid JSON-RPC version");
        }
        int cap = method == null ? Method.BODY_CAP : method.bodyCap();
        if (bodyLength > cap) {
            throw new CallException(
                    CallException.PARSE,
                    "Request too large: " + bodyLength + " bytes (max " + cap + " for this method)");
        }
        if (method == null) {
            throw new CallException(CallException.METHOD_NOT_FOUND, "Method not found");
        }
        checkQuota(method.bucket(), peer);
        faults.refuse(method.name());
        return faults.distort(method.name(), method.body().apply(envelope.params()));
    }

    private void checkQuota(Method.Bucket bucket, InetAddress peer) {
        if (!faults.quota()) {
            return;
        }
        if (bucket == Method.Bucket.SCAN && !scans.admits(peer)) {
            throw new CallException(
                    CallException.INTERNAL,
                    "Rate limit exceeded: max " + SCANS_PER_MINUTE + " balance/utxo queries per minute");
        }
        if (bucket == Method.Bucket.SUBMIT && !submissions.admits(peer)) {
            throw new CallException(
                    CallException.INTERNAL,
                    "Rate limit exceeded: max " + SUBMISSIONS_PER_MINUTE + " tx submissions per minute");
        }
    }

    private static byte[] result(JsonNode result, JsonNode id) {
        StringBuilder text = new StringBuilder(512).append("{\"jsonrpc\":\"2.0\",\"result\":");
        Json.write(result, text);
        return end(text, id);
    }

    private static byte[] error(int code, String message, JsonNode id) {
        StringBuilder text = new StringBuilder(256)
                .append("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":")
                .append(code)
                .append(",\"message\":");
        Json.writeString(message, text);
        return end(text.append('}'), id);
    }

    private static byte[] end(StringBuilder text, JsonNode id) {
        text.append(",\"id\":");
        Json.write(id, text);
        return Json.bytes(text.append('}'));
    }

    /**
     * A request as a node reads it (chain protocol, section 10.2): no batches, no notifications; unknown members are ignored, a repeated known
     * one is a parse error.
     *
     * @param params JSON null when absent
     */
    record Envelope(String version, String method, JsonNode params, JsonNode id) {
        private static final Set<String> KNOWN = Set.of("jsonrpc", "method", "params", "id");

        /**
         * @throws IOException when the body is not a request
         */
        static Envelope read(byte[] body) throws IOException {
            Map<String, JsonNode> members = new HashMap<>();
            try (JsonParser in = Json.parser(body)) {
                if (in.nextToken() != JsonToken.START_OBJECT) {
                    throw new IOException("not an object");
                }
                while (in.nextToken() == JsonToken.FIELD_NAME) {
                    String name = in.currentName();
                    in.nextToken();
                    JsonNode value = Json.value(in);
                    if (KNOWN.contains(name) && members.put(name, value) != null) {
                        throw new IOException("repeated member");
                    }
                }
                if (in.nextToken() != null) {
                    throw new IOException("trailing data");
                }
            }
            JsonNode version = members.get("jsonrpc");
            JsonNode method = members.get("method");
            JsonNode id = members.get("id");
            if (version == null || !version.isTextual() || method == null || !method.isTextual() || id == null) {
                throw new IOException("missing or ill-typed member");
            }
            return new Envelope(
                    version.textValue(),
                    method.textValue(),
                    members.getOrDefault("params", NullNode.getInstance()),
                    id);
        }
    }

    /**
     * Calls per peer in a fixed window that starts with the first call (chain protocol, section 10.3). Refused calls count too.
     */
    static final class Quota {
        private static final long WINDOW_MILLIS = 60_000;
        private static final int PEERS_BEFORE_CLEANING = 1_024;

        private final int limit;
        private final InstantSource clock;
        private final Map<InetAddress, Window> windows = new HashMap<>();

        Quota(int limit, InstantSource clock) {
            this.limit = limit;
            this.clock = clock;
        }

        private record Window(long start, int calls) {}

        /** Counts one call; false when the quota is exceeded. */
        synchronized boolean admits(InetAddress peer) {
            long now = clock.millis();
            if (windows.size() > PEERS_BEFORE_CLEANING) {
                windows.values().removeIf(window -> now - window.start() >= WINDOW_MILLIS);
            }
            Window window = windows.get(peer);
            if (window == null || now - window.start() >= WINDOW_MILLIS) {
                window = new Window(now, 0);
            }
            window = new Window(window.start(), window.calls() + 1);
            windows.put(peer, window);
            return window.calls() <= limit;
        }
    }

    /** Methods that only a development node has: mining on demand, the faucet, reorganisations and faults. */
    private static final class DevnetMethods {
        private static final int MAX_BLOCKS = 10_000;
        private static final long MAX_LATENCY_MILLIS = 600_000;

        private static final Shape MINE = Shape.of("DevnetMineParams", new Field("blocks", Type.U32, true));
        private static final Shape FAUCET = Shape.of(
                "DevnetFaucetParams", new Field("address", Type.STRING, false), new Field("amount", Type.U64, false));
        private static final Shape REORG = Shape.of(
                "DevnetReorgParams",
                new Field("depth", Type.U32, false),
                new Field("drop", Type.BOOL, true),
                new Field("conflicts", Type.STRINGS, true));
        private static final Shape SET = Shape.of(
                "DevnetSetParams",
                new Field("quota", Type.BOOL, true),
                new Field("latency_ms", Type.U64, true),
                new Field("drop", Type.STRING, true),
                new Field("drop_count", Type.U64, true),
                new Field("drop_method", Type.STRING, true),
                new Field("lie", Type.STRING, true),
                new Field("refuse", Type.BOOL, true),
                new Field("tip_changes", Type.U64, true),
                new Field("mining", Type.BOOL, true),
                new Field("prompt", Type.BOOL, true),
                new Field("connection_cap", Type.BOOL, true),
                new Field("sse", Type.BOOL, true),
                new Field("drop_streams", Type.BOOL, true),
                new Field("forget_mempool", Type.BOOL, true));

        private final DevnetControl control;
        private final Faults faults;

        DevnetMethods(DevnetControl control, Faults faults) {
            this.control = control;
            this.faults = faults;
        }

        List<Method> all() {
            return List.of(
                    Method.free("devnet_mine", params -> mine(MINE.read(orEmpty(params)))),
                    Method.free("devnet_faucet", params -> faucet(FAUCET.read(params))),
                    Method.free("devnet_reorg", params -> reorg(REORG.read(params))),
                    Method.free("devnet_set", params -> set(SET.read(known(params)))));
        }

        /** Rejects unknown members, unlike a node: a misspelt switch of a test must not be ignored. */
        private static JsonNode known(JsonNode params) {
            List<String> names = SET.fields().stream().map(Field::name).sorted().toList();
            for (Map.Entry<String, JsonNode> member : params.properties()) {
                if (!names.contains(member.getKey())) {
                    throw CallException.invalid(
                            "unknown setting `" + member.getKey() + "`: known are " + String.join(", ", names));
                }
            }
            return params;
        }

        private static JsonNode orEmpty(JsonNode params) {
            return params.isNull() ? Json.object() : params;
        }

        private JsonNode mine(Params params) {
            OptionalLong blocks = params.optionalNumber("blocks");
            long count = blocks.orElse(1);
            if (count < 1 || count > MAX_BLOCKS) {
                throw CallException.invalid("blocks must be between 1 and " + MAX_BLOCKS);
            }
            return blocks(control.mine((int) count));
        }

        private JsonNode blocks(List<Hash256> ids) {
            ObjectNode result = Json.object();
            result.set("height", Json.u64(control.tip().height()));
            result.put("block_id", ids.get(ids.size() - 1).hex());
            ArrayNode blocks = result.putArray("blocks");
            ids.forEach(id -> blocks.add(id.hex()));
            return result;
        }

        private JsonNode faucet(Params params) {
            try {
                return Json.object()
                        .put(
                                "tx_id",
                                control.faucet(
                                                AddressText.parse(params.text("address")),
                                                Amount.ofUnsigned(params.number("amount")))
                                        .hex());
            } catch (IllegalArgumentException | RejectedException e) {
                throw CallException.invalid(e.getMessage());
            }
        }

        private JsonNode reorg(Params params) {
            long depth = params.number("depth");
            List<Transaction> conflicts = params.texts("conflicts").stream()
                    .map(hex -> ChainMethods.decode(Hex.param(hex)))
                    .toList();
            boolean drop = params.flag("drop").orElse(false);
            try {
                return blocks(control.reorganise((int) Math.min(depth, Integer.MAX_VALUE), !drop, conflicts));
            } catch (RejectedException e) {
                throw CallException.invalid(e.getMessage());
            }
        }

        private JsonNode set(Params params) {
            Faults.Drop drop = word(params, "drop", Faults.Drop.values(), Faults.Drop.NONE);
            Lie lie = word(params, "lie", Lie.values(), Lie.NONE);
            OptionalLong latency = params.optionalNumber("latency_ms");
            if (latency.isPresent() && U64.compare(latency.getAsLong(), MAX_LATENCY_MILLIS) > 0) {
                throw CallException.invalid("latency_ms must be at most " + MAX_LATENCY_MILLIS);
            }
            latency.ifPresent(faults::latencyMillis);
            params.flag("quota").ifPresent(faults::quota);
            params.flag("refuse").ifPresent(faults::refuse);
            params.optionalText("lie").ifPresent(word -> {
                faults.lie(lie);
                control.mineWithoutWork(lie == Lie.NO_WORK);
            });
            params.optionalText("drop").ifPresent(word -> {
                long count = params.optionalNumber("drop_count").orElse(Long.MAX_VALUE);
                faults.drop(drop, count, params.optionalText("drop_method").orElse(null));
            });
            params.optionalNumber("tip_changes").ifPresent(faults::tipChanges);
            params.flag("mining").ifPresent(control::mineByItself);
            params.flag("prompt").ifPresent(control::minePromptly);
            params.flag("connection_cap").ifPresent(control::capConnections);
            params.flag("sse").ifPresent(control::offerPush);
            params.flag("drop_streams").filter(on -> on).ifPresent(on -> control.dropStreams());
            params.flag("forget_mempool").filter(on -> on).ifPresent(on -> control.forgetMempool());
            return Json.object().put("ok", true);
        }

        private static <E extends Enum<E>> E word(Params params, String name, E[] all, E none) {
            String text = params.optionalText(name).orElse(none.name().toLowerCase(Locale.ROOT));
            return Arrays.stream(all)
                    .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(text))
                    .findFirst()
                    .orElseThrow(() -> CallException.invalid(name + " must be one of "
                            + String.join(
                                    ", ",
                                    Arrays.stream(all)
                                            .map(one -> one.name().toLowerCase(Locale.ROOT))
                                            .toList())));
        }
    }

    /**
     * Commands of a development node beyond what a real one understands. Refusals are
     * {@link org.chainwalletd.devnet.ledger.RejectedException}s.
     */
    public interface DevnetControl {
        Tip tip();

        /** Mines {@code count} blocks; their ids, the tip last. */
        List<Hash256> mine(int count);

        /** Pays from the miner's coins; the next block confirms it. */
        Hash256 faucet(Address to, Amount amount);

        /** Replaces the last {@code depth} blocks by one more; the ids of the new ones, the tip last. */
        List<Hash256> reorganise(int depth, boolean keepTransactions, List<Transaction> conflicts);

        /** Forgets all unconfirmed transactions. */
        void forgetMempool();

        /** Sets whether blocks are mined automatically at the configured interval. */
        void mineByItself(boolean on);

        /** Sets whether a block includes what is pending when it is mined, not what was pending when the previous block arrived. */
        void minePromptly(boolean on);

        /** Sets whether new blocks lack the proof of work that the chain requires. */
        void mineWithoutWork(boolean on);

        /** Whether surplus connections are cut off. */
        void capConnections(boolean on);

        /** Whether push streams are offered. */
        void offerPush(boolean on);

        /** Ends all open push streams. */
        void dropStreams();
    }
}
