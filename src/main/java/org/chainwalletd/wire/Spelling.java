package org.chainwalletd.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Names of members on the wire where the daemon's brand has its own word for them (decisions.md, section 1). The names in which the
 * records declare them are the default spelling, which is always read; the branded one is read too, and is what is written and described.
 */
public final class Spelling {
    /** The default spelling and no other. */
    public static final Spelling AS_DECLARED = new Spelling(Map.of());

    private final Map<String, String> writtenByDeclared;
    private final Map<String, String> declaredByWritten = new LinkedHashMap<>();

    private Spelling(Map<String, String> writtenByDeclared) {
        this.writtenByDeclared = writtenByDeclared;
        writtenByDeclared.forEach((declared, written) -> declaredByWritten.put(written, declared));
    }

    /** @param writtenByDeclared only those members whose names differ */
    public static Spelling of(Map<String, String> writtenByDeclared) {
        return writtenByDeclared.isEmpty() ? AS_DECLARED : new Spelling(Map.copyOf(writtenByDeclared));
    }

    public boolean isAsDeclared() {
        return writtenByDeclared.isEmpty();
    }

    /** The name on the wire of a member that is declared as {@code declared}. */
    public String written(String declared) {
        return writtenByDeclared.getOrDefault(declared, declared);
    }

    /**
     * {@code given} with all its members, the inner ones too, in the default spelling.
     *
     * @param given may be null or no object
     * @throws WireException when one member is there in both spellings
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

    /** A JSON schema that was made from declarations, with the members' names as they are written. */
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
