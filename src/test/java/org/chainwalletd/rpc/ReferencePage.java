package org.chainwalletd.rpc;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.wire.Shapes;

/** The manual's page of all methods and errors, generated from the registry. */
public final class ReferencePage {
    private final StringBuilder page = new StringBuilder();

    private ReferencePage() {}

    /** Writes the page as Markdown. */
    public static String of(MethodRegistry registry) {
        ReferencePage page = new ReferencePage();
        page.introduction(registry);
        registry.methods().forEach(page::method);
        page.errors();
        return page.page.toString();
    }

    private void introduction(MethodRegistry registry) {
        page.append("""
                # Reference of the methods

                This page is made from the method registry, as `rpc.discover` is. Requests are JSON-RPC 2.0 objects, or arrays of them, sent with
                `POST /` and a bearer token. Parameters go by name; unknown ones are refused. hex64 is 64 hexadecimal characters (32 bytes), hex an even
                number of them; either case is taken, lower case is given. u64 and u32 are unsigned integers of 64 and 32 bits, always JSON numbers.
                Members marked *optional* are left out when there is nothing to say; *or null* means that null stands there instead.

                | method | scope | |
                |---|---|---|
                """);
        for (RpcMethod<?, ?> method : registry.methods()) {
            line("| [`" + method.name() + "`](#" + method.name().replace(".", "") + ") | "
                    + method.scope().word() + " | " + (method.deprecated() ? "deprecated; " : "")
                    + cell(method.summary())
                    + " |");
        }
    }

    private void method(RpcMethod<?, ?> method) {
        line("");
        line("## " + method.name());
        line("");
        line(method.summary());
        line("");
        line("Scope: " + method.scope().word() + "."
                + (method.deprecated() ? " Deprecated: for older clients only." : ""));
        List<Shapes.Member> params = Shapes.membersOf(method.params());
        if (!params.isEmpty()) {
            line("");
            line("| parameter | type | required | meaning |");
            line("|---|---|---|---|");
            params.forEach(member -> parameter(member, ""));
        }
        Shapes.Shape result = Shapes.of(method.result());
        if (!result.members().isEmpty()) {
            line("");
            line("| result | type | meaning |");
            line("|---|---|---|");
            result.members().forEach(member -> resultMember(member, ""));
        }
        Set<ErrorCode> errors = method.allErrors();
        line("");
        line("Errors: "
                + errors.stream().map(code -> String.valueOf(code.code())).collect(Collectors.joining(", ")) + ".");
        line("");
        line("Retryable: " + retryable(method, errors) + ".");
    }

    /** Returns the codes by verdict, the unconditional ones first. */
    private static String retryable(RpcMethod<?, ?> method, Set<ErrorCode> errors) {
        Map<Repetition.Verdict, String> byVerdict = new EnumMap<>(Repetition.Verdict.class);
        for (ErrorCode code : errors) {
            byVerdict.merge(
                    method.repetition().verdict(code),
                    String.valueOf(code.code()),
                    (before, another) -> before + ", " + another);
        }
        byVerdict.remove(Repetition.Verdict.NO);
        return byVerdict.entrySet().stream()
                .map(entry -> (entry.getKey() == Repetition.Verdict.YES
                                ? ""
                                : entry.getKey().words() + ": ")
                        + entry.getValue())
                .collect(Collectors.joining("; "));
    }

    private void parameter(Shapes.Member member, String path) {
        String meaning = cell(member.doc());
        if (!member.aliases().isEmpty()) {
            meaning += (meaning.isEmpty() ? "" : "; ")
                    + (member.aliasesDeprecated() ? "older spelling: " : "also called ")
                    + member.aliases().stream().map(alias -> "`" + alias + "`").collect(Collectors.joining(", "));
        }
        line("| `" + path + member.name() + "` | " + member.shape().words() + " | " + (member.required() ? "yes" : "no")
                + " | " + meaning + " |");
        member.shape().members().forEach(inner -> parameter(inner, inside(member, path)));
    }

    private void resultMember(Shapes.Member member, String path) {
        String type = member.shape().words()
                + (member.nullable() ? " or null" : "")
                + (member.required() ? "" : ", optional");
        line("| `" + path + member.name() + "` | " + type + " | " + cell(member.doc()) + " |");
        member.shape().members().forEach(inner -> resultMember(inner, inside(member, path)));
    }

    private static String inside(Shapes.Member member, String path) {
        return path + member.name() + (member.shape().words().startsWith("array") ? "[]." : ".");
    }

    private void errors() {
        line("");
        line("# Errors");
        line("");
        line(
                "Retryable: the very same request can succeed later without anything else being done ([retries](retries.md#by-code-and-method)). HTTP is the status of a single request; "
                        + "inside a batch it is 200.");
        line("");
        line("| code | HTTP | name | retryable | meaning | `data` |");
        line("|---|---|---|---|---|---|");
        for (ErrorCode code : ErrorCode.values()) {
            line("| " + code.code() + " | " + code.httpStatus() + " | " + code.title() + " | "
                    + code.retry().words() + " | " + cell(code.meaning()) + " | "
                    + (code.dataShape().isEmpty() ? "" : "`" + code.dataShape() + "`") + " |");
        }
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;").replace('\n', ' ');
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
