package org.chainwalletd.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Validation of documents by JSON schemas, including the published schema of OpenRPC. Downloads nothing. */
public final class JsonSchemas {
    private static final String OPEN_RPC = "https://meta.open-rpc.org/";
    private static final String JSON_SCHEMA = "https://meta.json-schema.tools/";

    /** Both published schemas name the second one as their dialect: draft 7 with titles. */
    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDialects(
            List.of(Dialect.builder(JSON_SCHEMA, Dialects.getDraft7()).build(), Dialects.getDraft7()),
            registry -> registry.defaultDialectId(Dialects.getDraft7().getId())
                    .schemas(Map.of(
                            OPEN_RPC,
                            resource("meta-schema.json"),
                            JSON_SCHEMA,
                            resource("json-schema.json"),
                            "https://meta.json-schema.tools",
                            resource("json-schema.json"))));

    private JsonSchemas() {}

    /** Returns the errors of {@code document} as an OpenRPC document, each with its location. */
    public static List<String> againstOpenRpc(JsonNode document) {
        return complaints(REGISTRY.getSchema(SchemaLocation.of(OPEN_RPC)), document);
    }

    /** Returns the errors of {@code value} by a draft-7 schema, each with its location. */
    public static List<String> against(JsonNode schema, JsonNode value) {
        return complaints(REGISTRY.getSchema(schema), value);
    }

    /**
     * Returns the errors by a schema inside of an OpenRPC document.
     *
     * @param schema may refer to the document's shared schemas
     */
    public static List<String> against(JsonNode document, JsonNode schema, JsonNode value) {
        ObjectNode alone = JsonNodeFactory.instance.objectNode();
        alone.set("components", document.get("components"));
        alone.putArray("allOf").add(schema);
        return against(alone, value);
    }

    private static List<String> complaints(Schema schema, JsonNode value) {
        return schema.validate(value).stream().map(Error::toString).toList();
    }

    private static String resource(String name) {
        try (InputStream in = JsonSchemas.class.getResourceAsStream("/openrpc/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
