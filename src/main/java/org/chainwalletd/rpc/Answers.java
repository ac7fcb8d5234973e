package org.chainwalletd.rpc;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.wire.Json;
import org.chainwalletd.wire.WipedBuffers;

/** Writer of response objects (interface.md, section 4.2): {@code jsonrpc}, then {@code result} or {@code error}, then {@code id}. */
final class Answers {
    private static final byte[] RESULT = ascii("{\"jsonrpc\":\"2.0\",\"result\":");
    private static final byte[] ERROR = ascii("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":");
    private static final byte[] MESSAGE = ascii(",\"message\":\"");
    private static final byte[] DATA = ascii(",\"data\":");
    private static final byte[] ID = ascii(",\"id\":");

    private static final ClassValue<ObjectWriter> DATA_WRITERS = new ClassValue<>() {
        @Override
        protected ObjectWriter computeValue(Class<?> type) {
            return Json.writerFor(type);
        }
    };

    private Answers() {}

    /**
     * Writes a response with a result.
     *
     * @param id JSON text
     * @param room budget of the answer
     * @param mandatory whether it is written even when it exceeds the budget, because it reports the outcome of a call with effects
     * @throws IllegalArgumentException when the result cannot be serialized
     * @throws AnswerBuffer.NoRoom when it exceeds the budget
     */
    static List<byte[]> result(ObjectWriter writer, Object result, String id, AnswerRoom room, boolean mandatory)
            throws AnswerBuffer.NoRoom {
        AnswerBuffer out = new AnswerBuffer(room, mandatory);
        try {
            out.write(RESULT);
            writer.writeValue(out, result);
            return finish(out, id);
        } catch (AnswerBuffer.NoRoom e) {
            throw e;
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the result cannot be written: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            WipedBuffers.done();
        }
    }

    /**
     * Writes an error response. It is counted, but written even if it exceeds the budget, because the caller has to learn the outcome of its
     * call.
     */
    static List<byte[]> error(RefusedException refusal, String id, AnswerRoom room) {
        AnswerBuffer out = new AnswerBuffer(room, true);
        try {
            out.write(ERROR);
            out.ascii(Integer.toString(refusal.code().code()));
            out.write(MESSAGE);
            out.write(quoted(refusal.getMessage()));
            out.write('"');
            if (refusal.data() != null) {
                writeData(out, refusal.data());
            }
            out.write('}');
            return finish(out, id);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Joins complete, already counted answers into a JSON array.
     *
     * @param answers cleared while they are taken over; null entries are skipped
     */
    static List<byte[]> array(List<byte[]>[] answers) {
        AnswerBuffer out = new AnswerBuffer(AnswerRoom.BOUNDLESS, true);
        try {
            byte separator = '[';
            for (int i = 0; i < answers.length; i++) {
                if (answers[i] != null) {
                    out.write(separator);
                    out.append(answers[i]);
                    answers[i] = null;
                    separator = ',';
                }
            }
            if (separator == '[') {
                return List.of();
            }
            out.write(']');
            return out.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<byte[]> finish(AnswerBuffer out, String id) throws IOException {
        out.write(ID);
        out.utf8(id);
        out.write('}');
        return out.finish();
    }

    /** Writes the {@code data} of an error; omits it when it cannot be serialized, because an error without data is better than none. */
    private static void writeData(AnswerBuffer out, Record data) throws IOException {
        byte[] written;
        try {
            written = DATA_WRITERS.get(data.getClass()).writeValueAsBytes(data);
        } catch (JsonProcessingException e) {
            return;
        }
        out.write(DATA);
        out.write(written);
    }

    private static byte[] quoted(String message) {
        String text = message == null ? "" : message;
        try {
            return JsonStringEncoder.getInstance().quoteAsUTF8(text);
        } catch (IllegalArgumentException e) {
            String repaired = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            return JsonStringEncoder.getInstance().quoteAsUTF8(repaired);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
