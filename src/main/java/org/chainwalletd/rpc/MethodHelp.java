package org.chainwalletd.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.wire.Shapes;

/** Plain-text help for one method or all methods, generated from the registry like the manual's reference page. */
public final class MethodHelp {
    private static final int WIDTH = 100;
    private static final int SUMMARY_COLUMN = 34;
    private static final String DIGITS = "0123456789abcdef".repeat(4);

    private final StringBuilder page = new StringBuilder();

    private MethodHelp() {}

    /** Lists the methods, one per line, without the deprecated ones. */
    public static String of(MethodRegistry registry) {
        MethodHelp help = new MethodHelp();
        for (RpcMethod<?, ?> method : registry.methods()) {
            if (!method.deprecated()) {
                help.columns(method.name(), SUMMARY_COLUMN, firstSentence(method.summary()));
            }
        }
        return help.page.toString();
    }

    /** @param call command line that calls a method, printed before the example */
    public static String of(RpcMethod<?, ?> method, String call) {
        MethodHelp help = new MethodHelp();
        help.line(method.name() + " (needs the " + method.scope().word() + " token)");
        help.columns("", 2, method.summary());
        List<Shapes.Member> params = Shapes.membersOf(method.params());
        if (!params.isEmpty()) {
            help.line("");
            help.line("Parameters:");
            help.members(params, true);
        }
        List<Shapes.Member> result = Shapes.of(method.result()).members();
        if (!result.isEmpty()) {
            help.line("");
            help.line("Result:");
            help.members(result, false);
        }
        help.line("");
        help.line("Errors:");
        for (ErrorCode code : method.allErrors()) {
            help.columns(
                    "  " + code.code(),
                    12,
                    code.title() + again(method.repetition().verdict(code)) + code.meaning());
        }
        help.line("");
        help.line("Example:");
        help.line("  " + call + " " + method.name() + example(method.name(), params));
        return help.page.toString();
    }

    private static String again(Repetition.Verdict verdict) {
        return switch (verdict) {
            case NO -> ": ";
            case YES -> " (again later): ";
            case SAME_TOKEN, LOOK_FIRST, IF_IN_FLIGHT ->
                " (again " + verdict.words().replace("`", "") + "): ";
        };
    }

    /** Arguments of the example, quoted for a shell. */
    private static String example(String method, List<Shapes.Member> params) {
        StringBuilder words = new StringBuilder();
        for (Shapes.Member param : params) {
            if (param.required()) {
                words.append(' ').append(word(method, param));
            }
        }
        return words.toString();
    }

    private static String word(String method, Shapes.Member param) {
        if (param.shape().words().contains("secret")) {
            return param.name() + "=-";
        }
        JsonNode value = value(method, param);
        String word = param.name() + '=' + (value.isTextual() ? value.textValue() : value.toString());
        return word.matches("[\\w=.:/-]*") ? word : "'" + word + "'";
    }

    private static JsonNode value(String method, Shapes.Member param) {
        JsonNode schema = param.shape().schema();
        if (schema.path("type").asText().equals("array")) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            return array.add(
                    param.shape().members().isEmpty()
                            ? TextNode.valueOf("salary-2026-11-0001")
                            : object(method, param.shape().members()));
        }
        if (!param.shape().members().isEmpty()) {
            return object(method, param.shape().members());
        }
        if (schema.has("examples")) {
            return schema.get("examples").get(0);
        }
        boolean ofAccountChain = method.startsWith("evm_");
        return switch (param.name()) {
            case "to", "address", "evm_address" ->
                TextNode.valueOf(
                        ofAccountChain || param.name().startsWith("evm") ? "0x" + DIGITS.substring(0, 40) : DIGITS);
            case "amount", "amount_in", "shares" ->
                schema.path("type").asText().equals("string")
                        ? TextNode.valueOf(ofAccountChain ? "0.5" : "5000")
                        : LongNode.valueOf(5_000);
            case "chain_amount", "amount_minor" -> LongNode.valueOf(5_000);
            case "timeout" -> LongNode.valueOf(100_000);
            case "ttl_secs" -> LongNode.valueOf(600);
            case "height", "version", "spend_id", "rate_chain_per_unit", "issued_at" -> LongNode.valueOf(1);
            case "expires_at" -> LongNode.valueOf(601);
            case "currency" -> TextNode.valueOf("EUR");
            case "direction" -> TextNode.valueOf("sell");
            case "label" -> TextNode.valueOf("till");
            case "memo" -> TextNode.valueOf("invoice 17");
            case "message" -> TextNode.valueOf("this address is ours");
            case "payout_id" -> TextNode.valueOf("salary-2026-11-0001");
            case "uri" -> TextNode.valueOf("chain:" + DIGITS);
            case "preimage" -> TextNode.valueOf("6f70656e20736573616d65");
            case "script_hex" -> TextNode.valueOf("2000" + DIGITS);
            default ->
                schema.path("type").asText().equals("integer")
                        ? LongNode.valueOf(0)
                        : TextNode.valueOf(DIGITS.substring(0, 32));
        };
    }

    /** Creates an object with its required members; if there are none, with its last member, because the members are then alternatives. */
    private static ObjectNode object(String method, List<Shapes.Member> members) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        members.stream()
                .filter(Shapes.Member::required)
                .forEach(inner -> object.set(inner.name(), value(method, inner)));
        if (object.isEmpty()) {
            Shapes.Member last = members.get(members.size() - 1);
            object.set(last.name(), value(method, last));
        }
        return object;
    }

    private void members(List<Shapes.Member> members, boolean parameters) {
        List<String[]> rows = new ArrayList<>();
        members.forEach(member -> rows(member, "", parameters, rows));
        int names = rows.stream().mapToInt(row -> row[0].length()).max().orElse(0);
        int types = Math.min(
                20, rows.stream().mapToInt(row -> row[1].length()).max().orElse(0));
        for (String[] row : rows) {
            String head = "  " + padded(row[0], names) + "  " + padded(row[1], types);
            columns(head, 2 + names + 2 + types + 2, row[2]);
        }
    }

    private static void rows(Shapes.Member member, String path, boolean parameters, List<String[]> rows) {
        String type = member.shape().words() + (member.nullable() ? " or null" : "");
        String presence =
                parameters ? member.required() ? "required" : "optional" : member.required() ? "" : "optional";
        String doc =
                presence.isEmpty() || member.doc().isEmpty() ? presence + member.doc() : presence + "; " + member.doc();
        rows.add(new String[] {path + member.name(), type, doc});
        String inside = path + member.name() + (member.shape().words().startsWith("array") ? "[]." : ".");
        member.shape().members().forEach(inner -> rows(inner, inside, parameters, rows));
    }

    private static String firstSentence(String summary) {
        int end = summary.indexOf(". ");
        return end < 0 ? summary : summary.substring(0, end + 1);
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    /** Writes {@code text} in a column after {@code head}, wrapped at the page width. */
    private void columns(String head, int column, String text) {
        StringBuilder row = new StringBuilder(padded(head, column));
        if (row.length() > column) {
            line(row.toString());
            row = new StringBuilder(" ".repeat(column));
        }
        int rowStart = row.length();
        for (String word : text.split(" ")) {
            if (row.length() + word.length() > WIDTH && row.length() > rowStart) {
                line(row.toString());
                row = new StringBuilder(" ".repeat(column));
                rowStart = column;
            }
            row.append(word).append(' ');
        }
        line(row.toString());
    }

    private void line(String text) {
        page.append(text.stripTrailing()).append('\n');
    }
}
