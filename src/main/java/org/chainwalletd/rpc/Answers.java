package org.chainwalletd.rpc;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes response objects (interface.md, section 4.2): {@code jsonrpc}, then {@code result} or {@code error}, then {@code id}. */
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
     * @param id JSON text
     * @throws IllegalArgumentException when the result cannot be written
     */
    static byte[] result(ObjectWriter writer, Object result, String id) {
        AnswerBuffer out = new AnswerBuffer();
        out.write(RESULT);
        try {
            writer.writeValue(out, result);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the result cannot be written: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            WipedBuffers.done();
        }
        return finish(out, id);
    }

    static byte[] error(RpcException refusal, String id) {
        AnswerBuffer out = new AnswerBuffer();
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
    }

    /** A JSON array of complete answers. */
    static byte[] array(List<byte[]> answers) {
        AnswerBuffer out = new AnswerBuffer();
        out.write('[');
        for (int i = 0; i < answers.size(); i++) {
            if (i > 0) {
                out.write(',');
            }
            out.write(answers.get(i));
        }
        out.write(']');
        return out.finish();
    }

    private static byte[] finish(AnswerBuffer out, String id) {
        out.write(ID);
        out.utf8(id);
        out.write('}');
        return out.finish();
    }

    /** An error whose payload cannot be written is still worth more than none. */
    private static void writeData(AnswerBuffer out, Record data) {
        int before = out.length();
        out.write(DATA);
        try {
            DATA_WRITERS.get(data.getClass()).writeValue(out, data);
        } catch (IOException e) {
            out.truncate(before);
        }
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
