package org.chainwalletd.devnet.indexer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.time.InstantSource;
import org.chainwalletd.devnet.call.CallException;
import org.chainwalletd.devnet.call.Json;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.wire.RpcHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The envelope of the indexer: JSON-RPC with batches; a request without an id is answered under a null one. */
public final class IndexerCalls implements RpcHandler {
    private static final Logger LOG = LoggerFactory.getLogger(IndexerCalls.class);
    private static final int INVALID_REQUEST = -32600;
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;

    private final IndexerMethods methods;

    public IndexerCalls(Ledger ledger, InstantSource clock) {
        this.methods = new IndexerMethods(ledger, clock);
    }

    @Override
    public Reply answer(InetAddress peer, byte[] body) {
        JsonNode request;
        try {
            request = Json.read(body);
        } catch (IOException e) {
            return reply(error(CallException.PARSE, "parse error: the body is not JSON", null), BAD_REQUEST);
        }
        if (!request.isArray()) {
            return reply(one(request), OK);
        }
        if (request.isEmpty()) {
            return reply(error(INVALID_REQUEST, "invalid request: empty batch", null), BAD_REQUEST);
        }
        ArrayNode answers = Json.array();
        request.forEach(item -> answers.add(one(item)));
        return reply(answers, OK);
    }

    private static Reply reply(JsonNode answer, int status) {
        StringBuilder text = new StringBuilder(512);
        Json.write(answer, text);
        return new Reply(Json.bytes(text), 0, status);
    }

    private JsonNode one(JsonNode request) {
        JsonNode id = request.path("id").isMissingNode() ? NullNode.getInstance() : request.get("id");
        if (!request.path("jsonrpc").asText().equals("2.0")) {
            return error(INVALID_REQUEST, "invalid request: jsonrpc must be \"2.0\"", id);
        }
        if (!request.path("method").isTextual()) {
            return error(INVALID_REQUEST, "invalid request: missing method", id);
        }
        String method = request.get("method").textValue();
        try {
            JsonNode params = request.path("params");
            boolean absent = params.isMissingNode() || params.isNull();
            return envelope("result", methods.call(method, absent ? Json.object() : params), id);
        } catch (CallException e) {
            return error(e.code(), e.getMessage(), id);
        } catch (RuntimeException e) {
            LOG.error("{} failed inside the development node's indexer", method, e);
            return error(CallException.INTERNAL, "internal error: " + e.getMessage(), id);
        }
    }

    private static ObjectNode error(int code, String message, JsonNode id) {
        return envelope("error", Json.object().put("code", code).put("message", message), id);
    }

    private static ObjectNode envelope(String member, JsonNode value, JsonNode id) {
        ObjectNode answer = Json.object().put("jsonrpc", "2.0");
        answer.set(member, value);
        answer.set("id", id == null ? NullNode.getInstance() : id);
        return answer;
    }
}
