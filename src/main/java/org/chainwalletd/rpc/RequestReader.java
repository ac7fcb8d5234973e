package org.chainwalletd.rpc;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.wire.MemberNames;

/**
 * Parser of request bodies: one envelope, or a batch (interface.md, sections 4.2 and 4.3).
 *
 * @param maxBatch maximum number of items in a batch
 */
record RequestReader(int maxBatch) {
    private static final int MAX_MEMBERS = 64;

    /**
     * Parses a body. Throws for no input.
     *
     * @param body overwritten if it holds secrets
     * @param room budget for the memory of the parsed form
     */
    Envelope.Body read(byte[] body, AnswerRoom room) {
        try (StrictJson json = new StrictJson(body, room)) {
            Envelope.Body read = read(json);
            if (json.hasSecrets()) {
                Arrays.fill(body, (byte) 0);
            }
            if (read instanceof Envelope.Refused || read instanceof Envelope.TooHeavy) {
                json.overwriteSecrets();
            }
            return read;
        } catch (StrictJson.Malformed e) {
            return parseError(e.getMessage());
        } catch (IOException e) {
            return parseError("the body is not valid JSON");
        }
    }

    private Envelope.Body read(StrictJson json) {
        try {
            return readBody(json);
        } catch (StrictJson.Malformed e) {
            return parseError(e.getMessage());
        } catch (JsonWeight.NoRoom e) {
            return new Envelope.TooHeavy();
        } catch (StreamConstraintsException e) {
            return parseError("nested too deeply, or a number, a name or the body too long");
        } catch (IOException e) {
            return parseError("the body is not valid JSON");
        }
    }

    private static Envelope.Refused parseError(String what) {
        return new Envelope.Refused(ErrorCode.PARSE_ERROR, "parse error: " + what);
    }

    private Envelope.Body readBody(StrictJson json) throws IOException {
        JsonToken first = json.next();
        if (first == null) {
            throw new StrictJson.Malformed("the body is empty");
        }
        Envelope.Body body = first == JsonToken.START_ARRAY ? readBatch(json) : new Envelope.Single(readEnvelope(json));
        if (body instanceof Envelope.Refused) {
            return body;
        }
        if (json.next() != null) {
            throw new StrictJson.Malformed("something follows the JSON value");
        }
        if (body instanceof Envelope.Batch batch && batch.envelopes().isEmpty()) {
            return new Envelope.Refused(ErrorCode.INVALID_REQUEST, "invalid request: the batch is empty");
        }
        return body;
    }

    private Envelope.Body readBatch(StrictJson json) throws IOException {
        List<Envelope> envelopes = new ArrayList<>();
        while (json.next() != JsonToken.END_ARRAY) {
            if (envelopes.size() == maxBatch) {
                return new Envelope.Refused(
                        ErrorCode.INVALID_REQUEST, "invalid request: more than " + maxBatch + " items in a batch");
            }
            envelopes.add(readEnvelope(json));
        }
        return new Envelope.Batch(envelopes);
    }

    private static Envelope readEnvelope(StrictJson json) throws IOException {
        if (json.current() != JsonToken.START_OBJECT) {
            json.value(false);
            return Envelope.refused(null, "invalid request: a request is a JSON object", json.takeSecrets());
        }
        Draft draft = new Draft();
        for (String name = json.nextMember(); name != null; name = json.nextMember()) {
            draft.member(name, json);
        }
        return draft.finish(json.takeSecrets());
    }

    /** Envelope that is being parsed. */
    private static final class Draft {
        private final List<String> seen = new ArrayList<>(4);
        private String id;
        private boolean idWrong;
        private boolean version;
        private String method;
        private JsonNode params;

        void member(String name, StrictJson json) throws IOException {
            if (seen.contains(name)) {
                throw StrictJson.duplicate(name);
            }
            if (seen.size() == MAX_MEMBERS) {
                throw new StrictJson.Malformed("more than " + MAX_MEMBERS + " members in a request");
            }
            seen.add(name);
            switch (name) {
                case "jsonrpc" -> version = "2.0".equals(json.value(false).textValue());
                case "id" -> readId(json);
                case "method" -> method = json.value(false).textValue();
                case "params" -> params = readParams(json);
                default -> json.value(MemberNames.SECRETS.contains(name));
            }
        }

        private void readId(StrictJson json) throws IOException {
            switch (json.current()) {
                case VALUE_NULL -> id = Envelope.NULL_ID;
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> id = json.numberText();
                case VALUE_STRING -> id = quoted(json.text());
                default -> {
                    json.value(false);
                    idWrong = true;
                }
            }
        }

        Envelope finish(List<byte[]> secrets) {
            if (idWrong) {
                return Envelope.refused(null, "invalid request: id must be a string, a number or null", secrets);
            }
            if (!version) {
                return Envelope.refused(id, "invalid request: jsonrpc must be the string \"2.0\"", secrets);
            }
            if (method == null) {
                return Envelope.refused(id, "invalid request: method must be a string", secrets);
            }
            return new Envelope(id, method, params, null, secrets);
        }
    }

    /** Parses the parameters; {@code null}, {@code {}} and {@code []} mean no parameters. */
    private static JsonNode readParams(StrictJson json) throws IOException {
        JsonNode params = json.value(false);
        return params.isNull() || (params.isContainerNode() && params.isEmpty()) ? null : params;
    }

    private static String quoted(String text) {
        return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
    }
}
