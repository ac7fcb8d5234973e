package org.chainwalletd.rpc;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.wire.Shapes;

/** Help for one method or for all of them as plain text, made from the registry like {@link ReferencePage}. */
public final class MethodHelp {
    private static final int WIDTH = 100;
    private static final int SUMMARY_COLUMN = 34;

    private final StringBuilder page = new StringBuilder();

    private MethodHelp() {}

    /** Lists the methods, a line each, without those for older clients. */
    public static String of(MethodRegistry registry) {
        MethodHelp help = new MethodHelp();
        for (RpcMethod<?, ?> method : registry.methods()) {
            if (!method.deprecated()) {
                help.columns(method.name(), SUMMARY_COLUMN, firstSentence(method.summary()));
            }
        }
        return help.page.toString();
    }

    /** @param call command by which the program calls a method, put before the example */
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
        for (ErrorCode code : OpenRpc.errorsOf(method)) {
            help.columns(
                    "  " + code.code(),
                    12,
                    code.title() + (code.retryable() ? " (retryable): " : ": ") + code.meaning());
        }
        help.line("");
        help.line("Example:");
        help.line("  " + call + " " + method.name() + example(params));
        return help.page.toString();
    }

    private static String example(List<Shapes.Member> params) {
        StringBuilder words = new StringBuilder();
        for (Shapes.Member param : params) {
            if (param.required()) {
                words.append(' ').append(word(param));
            }
        }
        return words.toString();
    }

    private static String word(Shapes.Member param) {
        String type = param.shape().words();
        if (type.contains("secret")) {
            return param.name() + "=-";
        }
        if (param.shape().schema().path("type").asText().matches("array|object")) {
            return "'" + param.name() + "=" + json(param) + "'";
        }
        return param.name() + "=<" + type + ">";
    }

    private static String json(Shapes.Member param) {
        List<String> members = new ArrayList<>();
        for (Shapes.Member inner : param.shape().members()) {
            if (inner.required()) {
                boolean text = inner.shape().schema().path("type").asText().equals("string");
                String value = "<" + inner.shape().words() + ">";
                members.add("\"" + inner.name() + "\":" + (text ? '"' + value + '"' : value));
            }
        }
        String object = members.isEmpty() ? "\"…\"" : "{" + String.join(",", members) + "}";
        return param.shape().words().startsWith("array") ? "[" + object + "]" : object;
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

    /** Writes text in a column behind {@code head}, wrapped at the page's width. */
    private void columns(String head, int column, String text) {
        StringBuilder row = new StringBuilder(padded(head, column));
        if (row.length() > column) {
            line(row.toString());
            row = new StringBuilder(" ".repeat(column));
        }
        int begun = row.length();
        for (String word : text.split(" ")) {
            if (row.length() + word.length() > WIDTH && row.length() > begun) {
                line(row.toString());
                row = new StringBuilder(" ".repeat(column));
                begun = column;
            }
            row.append(word).append(' ');
        }
        line(row.toString());
    }

    private void line(String text) {
        page.append(text.stripTrailing()).append('\n');
    }
}
