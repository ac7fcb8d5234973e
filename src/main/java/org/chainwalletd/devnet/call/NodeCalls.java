package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.devnet.ledger.Ledger;
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

    /**
     * @param more methods beyond those of a real node
     */
    public NodeCalls(Ledger ledger, InstantSource clock, Faults faults, List<Method> more) {
        this.faults = faults;
        this.scans = new Quota(SCANS_PER_MINUTE, clock);
        this.submissions = new Quota(SUBMISSIONS_PER_MINUTE, clock);
        register(new ChainMethods(ledger, clock).all());
        register(new AddressMethods(ledger).all());
        register(more);
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
}
