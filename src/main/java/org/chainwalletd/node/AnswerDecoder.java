package org.chainwalletd.node;

import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.regex.Pattern;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.node.AnswerJson.ResultReader;

/** Decodes a node's HTTP answer into the outcome of an attempt (interface.md, section 1.7; chain protocol, sections 10.1 and 10.2). Pure. */
final class AnswerDecoder {
    /** Maximum length of an error text that is kept. Real nodes' texts are shorter than 300 characters. */
    private static final int LONGEST_TEXT = 1_000;

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9f}\\x{2028}\\x{2029}\\p{Cs}]");

    private AnswerDecoder() {}

    /** @param noun name for the upstream in messages */
    static <T> Attempt<T> decode(HttpAnswer answer, long id, String noun, String method, ResultReader<T> reader) {
        if (answer.status() >= 500) {
            return new Attempt.NoAnswer<>("HTTP status " + answer.status(), true);
        }
        Attempt<T> outcome = decodeBody(answer.body(), id, noun, method, reader);
        boolean rejected =
                outcome instanceof Attempt.Refused<T> refused && refused.failure() instanceof NodeException.Rejected;
        if (answer.status() >= 400 && !rejected) {
            return new Attempt.Refused<>(
                    new NodeException.BadAnswer(noun + " answered " + method + " with HTTP status " + answer.status()));
        }
        return outcome;
    }

    private static <T> Attempt<T> decodeBody(byte[] body, long id, String noun, String method, ResultReader<T> reader) {
        try {
            return readEnvelope(AnswerJson.of(body, noun, method), id, noun, method, reader);
        } catch (IOException e) {
            return new Attempt.NoAnswer<>("the answer is not JSON-RPC", true);
        } catch (NodeException e) {
            return isJsonRpc(body, method)
                    ? new Attempt.Refused<>(e)
                    : new Attempt.NoAnswer<>("the answer is not JSON-RPC", true);
        }
    }

    private static <T> Attempt<T> readEnvelope(
            AnswerJson in, long id, String noun, String method, ResultReader<T> reader) throws IOException {
        if (in.advance() != JsonToken.START_OBJECT) {
            throw new IOException("no object");
        }
        String version = null;
        T result = null;
        NodeException.Rejected error = null;
        Long echoed = null;
        boolean nullId = false;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "jsonrpc" -> version = in.text(version);
                case "result" -> result = readResult(in, result, reader);
                case "error" -> error = in.isNull() ? null : readError(in, noun, error);
                case "id" -> {
                    nullId = in.isNull();
                    echoed = nullId ? null : in.u64(echoed);
                }
                default -> in.skip();
            }
        }
        if (in.advance() != null || !"2.0".equals(version) || (result == null) == (error == null)) {
            throw new IOException("no JSON-RPC envelope");
        }
        boolean sameId = echoed != null && echoed == id;
        if (!sameId && !(nullId && error != null)) {
            throw new NodeException.BadAnswer(noun + " answered " + method + " under another request id");
        }
        return error == null ? new Attempt.Result<>(result) : new Attempt.Refused<>(error);
    }

    private static <T> T readResult(AnswerJson in, T earlier, ResultReader<T> reader) throws IOException {
        if (earlier != null) {
            throw in.bad("occurs twice");
        }
        return reader.read(in);
    }

    private static NodeException.Rejected readError(AnswerJson in, String noun, NodeException.Rejected earlier)
            throws IOException {
        if (earlier != null) {
            throw in.bad("occurs twice");
        }
        in.beginObject();
        Long code = null;
        String text = null;
        for (String name; (name = in.nextMember()) != null; ) {
            switch (name) {
                case "code" -> code = in.i32(code);
                case "message" -> text = in.text(text);
                default -> in.skip();
            }
        }
        return new NodeException.Rejected(
                noun, (int) (long) in.required(code, "code"), sanitise(in.required(text, "message")));
    }

    /** Sanitises a node's error text, which goes into logs, answers and the store: it must not forge lines there, nor fill them. */
    private static String sanitise(String text) {
        String start = text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
        return CONTROL.matcher(start).replaceAll("?");
    }

    /** Returns whether a body is a JSON-RPC response, regardless of its content. */
    private static boolean isJsonRpc(byte[] body, String method) {
        boolean versioned = false;
        boolean hasOutcome = false;
        try {
            AnswerJson in = AnswerJson.of(body, "", method);
            if (in.advance() != JsonToken.START_OBJECT) {
                return false;
            }
            for (String name; (name = in.nextMember()) != null; ) {
                versioned |= name.equals("jsonrpc") && in.isText("2.0");
                hasOutcome |= name.equals("result") || name.equals("error");
                in.skip();
            }
            return in.advance() == null && versioned && hasOutcome;
        } catch (IOException e) {
            return false;
        }
    }

    /** Outcome of one attempt at one node. */
    sealed interface Attempt<T> {
        record Result<T>(T value) implements Attempt<T> {}

        /** A definite answer of the node: returned to the caller at once, without failover (interface.md, section 1.7). */
        record Refused<T>(NodeException failure) implements Attempt<T> {}

        /**
         * No JSON-RPC answer: the next node is tried.
         *
         * @param mayHaveArrived whether the node may have executed the call although its answer was lost
         */
        record NoAnswer<T>(String why, boolean mayHaveArrived) implements Attempt<T> {}
    }
}
