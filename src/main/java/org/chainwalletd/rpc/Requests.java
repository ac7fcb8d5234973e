package org.chainwalletd.rpc;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.wire.WipedBuffers;

/** Serializer of the requests of calls that another daemon answers; also reads the error code of an answer. */
final class Requests {
    private static final JsonFactory FACTORY =
            new JsonFactoryBuilder().recyclerPool(new WipedBuffers.Pool()).build();

    private Requests() {}

    /** Output stream whose buffer is overwritten on reset. */
    private static final class Wiped extends ByteArrayOutputStream {
        @Override
        public synchronized void reset() {
            Arrays.fill(buf, (byte) 0);
            super.reset();
        }
    }

    /** Serializes the request; secrets among its parameters become plain strings. */
    static byte[] write(Envelope envelope) {
        Wiped out = new Wiped();
        WipedBuffers.markSecret();
        try (JsonGenerator json = FACTORY.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeStringField("jsonrpc", "2.0");
            json.writeStringField("method", envelope.method());
            if (envelope.params() != null) {
                json.writeFieldName("params");
                write(json, envelope.params());
            }
            if (!envelope.isNotification()) {
                json.writeFieldName("id");
                json.writeRawValue(envelope.id());
            }
            json.writeEndObject();
            json.flush();
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            out.reset();
            WipedBuffers.done();
        }
    }

    private static void write(JsonGenerator json, JsonNode node) throws IOException {
        if (node instanceof BinaryNode secret) {
            byte[] utf8 = secret.binaryValue();
            json.writeUTF8String(utf8, 0, utf8.length);
        } else if (node.isObject()) {
            json.writeStartObject();
            for (Map.Entry<String, JsonNode> member : node.properties()) {
                json.writeFieldName(member.getKey());
                write(json, member.getValue());
            }
            json.writeEndObject();
        } else if (node.isArray()) {
            json.writeStartArray();
            for (JsonNode item : node) {
                write(json, item);
            }
            json.writeEndArray();
        } else if (node.isTextual()) {
            json.writeString(node.textValue());
        } else if (node.isBoolean()) {
            json.writeBoolean(node.booleanValue());
        } else if (node.isIntegralNumber()) {
            json.writeNumber(node.bigIntegerValue());
        } else if (node.isNumber()) {
            json.writeNumber(node.decimalValue());
        } else {
            json.writeNull();
        }
    }

    /** Reads the error code of an answer; empty if it has a result. */
    static Optional<ErrorCode> errorIn(List<byte[]> answer) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        answer.forEach(whole::writeBytes);
        try (JsonParser json = FACTORY.createParser(whole.toByteArray())) {
            json.nextToken();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                JsonToken value = json.nextToken();
                if (name.equals("error") && value == JsonToken.START_OBJECT) {
                    return code(json);
                }
                json.skipChildren();
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(ErrorCode.INTERNAL_ERROR);
        }
    }

    private static Optional<ErrorCode> code(JsonParser json) throws IOException {
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            if (name.equals("code")) {
                return ErrorCode.of(json.getIntValue()).or(() -> Optional.of(ErrorCode.INTERNAL_ERROR));
            }
            json.skipChildren();
        }
        return Optional.of(ErrorCode.INTERNAL_ERROR);
    }
}
