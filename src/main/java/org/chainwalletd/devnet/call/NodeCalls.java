package org.chainwalletd.devnet.call;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    public Call prepare(InetAddress peer, byte[] body) {
        Envelope envelope;
        try {
            envelope = Envelope.read(body);
        } catch (IOException e) {
            byte[] answer = error(CallException.PARSE, "Parse error", NullNode.getInstance());
            return ready(new Reply(answer, faults.latencyMillis()));
        }
        Method method = methods.get(envelope.method());
        return new Prepared(peer, envelope, body.length, method);
    }

    private static Call ready(Reply reply) {
        return new Call() {
            @Override
            public boolean isHeavy() {
                return false;
            }

            @Override
            public Reply run() {
                return reply;
            }
        };
    }

    /** One call that has an envelope; {@code method} is null when there is none of that name. */
    private final class Prepared implements Call {
        private final InetAddress peer;
        private final Envelope envelope;
        private final int bodyLength;
        private final Method method;

        Prepared(InetAddress peer, Envelope envelope, int bodyLength, Method method) {
            this.peer = peer;
            this.envelope = envelope;
            this.bodyLength = bodyLength;
            this.method = method;
        }

        @Override
        public boolean isHeavy() {
            return method != null && method.heavy();
        }

        @Override
        public Reply run() {
            Faults.Drop drop = faults.takeDrop(envelope.method());
            if (drop == Faults.Drop.BEFORE) {
                return new Reply(null, 0);
            }
            byte[] answer = answer();
            long delay = Faults.isControl(envelope.method()) ? 0 : faults.latencyMillis();
            return new Reply(drop == Faults.Drop.AFTER ? null : answer, delay);
        }

        private byte[] answer() {
            try {
                return result(execute(), envelope.id());
            } catch (CallException e) {
                return error(e.code(), e.getMessage(), envelope.id());
            } catch (RuntimeException e) {
                LOG.error("{} failed inside the development node", envelope.method(), e);
                return error(CallException.INTERNAL, "Storage error: " + e.getMessage(), envelope.id());
            }
        }

        private JsonNode execute() {
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
            checkQuota();
            faults.refuse(method.name());
            return faults.distort(method.name(), method.body().apply(envelope.params()));
        }

        private void checkQuota() {
            if (!faults.quota()) {
                return;
            }
            if (method.bucket() == Method.Bucket.SCAN && !scans.admits(peer)) {
                throw new CallException(
                        CallException.INTERNAL,
                        "Rate limit exceeded: max " + SCANS_PER_MINUTE + " balance/utxo queries per minute");
            }
            if (method.bucket() == Method.Bucket.SUBMIT && !submissions.admits(peer)) {
                throw new CallException(
                        CallException.INTERNAL,
                        "Rate limit exceeded: max " + SUBMISSIONS_PER_MINUTE + " tx submissions per minute");
            }
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
}
