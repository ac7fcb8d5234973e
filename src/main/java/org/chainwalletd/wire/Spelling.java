package org.chainwalletd.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Brand-specific names of members on the wire (decisions.md, section 1). Members are read under the names declared by the records and under their
 * branded names, and are written and described under the branded ones.
 */
public final class Spelling {
    /** Spelling without brand-specific names. */
    public static final Spelling AS_DECLARED = new Spelling(Map.of());

    private final Map<String, String> writtenByDeclared;
    private final Map<String, String> declaredByWritten = new LinkedHashMap<>();

    private Spelling(Map<String, String> writtenByDeclared) {
        this.writtenByDeclared = writtenByDeclared;
        writtenByDeclared.forEach((declared, written) -> declaredByWritten.put(written, declared));
    }

    /**
     * Creates a spelling.
     *
     * @param writtenByDeclared branded name by declared name, for the members whose names differ
     */
    public static Spelling of(Map<String, String> writtenByDeclared) {
        return writtenByDeclared.isEmpty() ? AS_DECLARED : new Spelling(Map.copyOf(writtenByDeclared));
    }

    public boolean isAsDeclared() {
        return writtenByDeclared.isEmpty();
    }

    /** Returns the name on the wire of a member that is declared as {@code declared}. */
    public String written(String declared) {
        return writtenByDeclared.getOrDefault(declared, declared);
    }

    /**
     * Returns {@code given} with all its members, also nested ones, renamed to their declared names.
     *
     * @param given any JSON value, or null
     * @throws WireException when a member occurs under both names
     */
    public JsonNode asDeclared(JsonNode given) {
        if (writtenByDeclared.isEmpty() || given == null || !given.isContainerNode()) {
            return given;
        }
        if (given.isArray()) {
            ArrayNode declared = JsonNodeFactory.instance.arrayNode(given.size());
            given.forEach(item -> declared.add(asDeclared(item)));
            return declared;
        }
        ObjectNode declared = JsonNodeFactory.instance.objectNode();
        given.properties().forEach(member -> {
            String name = declaredByWritten.getOrDefault(member.getKey(), member.getKey());
            if (declared.has(name)) {
                throw new WireException("`" + written(name) + "` is there in two spellings; give one");
            }
            declared.set(name, asDeclared(member.getValue()));
        });
        return declared;
    }

    /** Returns a JSON schema with the declared names of members replaced by the written ones. */
    public JsonNode ofSchema(JsonNode schema) {
        if (writtenByDeclared.isEmpty() || !schema.isContainerNode()) {
            return schema;
        }
        if (schema.isArray()) {
            ArrayNode respelt = JsonNodeFactory.instance.arrayNode(schema.size());
            schema.forEach(item -> respelt.add(ofSchema(item)));
            return respelt;
        }
        ObjectNode respelt = JsonNodeFactory.instance.objectNode();
        schema.properties().forEach(keyword -> respelt.set(keyword.getKey(), ofKeyword(keyword)));
        return respelt;
    }

    private JsonNode ofKeyword(Map.Entry<String, JsonNode> keyword) {
        JsonNode value = keyword.getValue();
        switch (keyword.getKey()) {
            case "properties":
                ObjectNode members = JsonNodeFactory.instance.objectNode();
                value.properties()
                        .forEach(member -> members.set(written(member.getKey()), ofSchema(member.getValue())));
                return members;
            case "required":
                ArrayNode names = JsonNodeFactory.instance.arrayNode(value.size());
                value.forEach(name -> names.add(written(name.textValue())));
                return names;
            default:
                return ofSchema(value);
        }
    }
}
