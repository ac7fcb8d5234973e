package org.chainwalletd.devnet.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Takes out of an answer what belongs to one chain: refusals keep their text but for ids, results keep names and types. */
final class Plain {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{64}");
    private static final Pattern LENGTH = Pattern.compile("Content-Length: \\d+");

    private Plain() {}

    /** Of a whole HTTP answer. */
    static String http(String answer) {
        int end = answer.indexOf("\r\n\r\n");
        if (end < 0) {
            return answer.isEmpty() ? "(no answer)" : answer;
        }
        String head = answer.substring(0, end);
        String body = answer.substring(end + 4);
        if (head.contains("application/json") && body.startsWith("{")) {
            return LENGTH.matcher(head).replaceAll("Content-Length: n").replace("\r\n", " | ") + " | " + body(body);
        }
        return head.replace("\r\n", " | ") + " | "
                + ID.matcher(body).replaceAll("<id>").replace("\n", "\\n");
    }

    private static String body(String text) {
        try {
            return answer(JSON.readTree(text));
        } catch (JsonProcessingException e) {
            return text;
        }
    }

    /** Of the answer of a call. */
    static String answer(JsonNode answer) {
        if (answer.has("error")) {
            return "error " + ID.matcher(answer.get("error").toString()).replaceAll("<id>") + " id "
                    + answer.path("id");
        }
        return "result " + shape(answer.path("result")) + " id " + answer.path("id");
    }

    /** Members with the types of their values; of a list the different shapes of its elements. */
    private static String shape(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> {
                TreeMap<String, String> members = new TreeMap<>();
                value.properties().forEach(member -> members.put(member.getKey(), shape(member.getValue())));
                yield members.toString();
            }
            case ARRAY -> {
                List<String> shapes = new ArrayList<>();
                value.forEach(element -> shapes.add(shape(element)));
                yield shapes.stream().distinct().sorted().toList().toString();
            }
            default -> value.getNodeType().toString().toLowerCase(Locale.ROOT);
        };
    }
}
