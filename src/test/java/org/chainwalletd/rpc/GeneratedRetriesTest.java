package org.chainwalletd.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.testkit.GeneratedFile;
import org.junit.jupiter.api.Test;

/** Compares what the reference and the page on retries say about repeating a call. */
class GeneratedRetriesTest {
    private static final String PAGE = "src/site/markdown/retries.md";
    private static final String BEGIN = "GeneratedRetriesTest holds it -->\n";
    private static final String END = "<!-- end -->";
    /** Column headings by kind of method. */
    private static final Map<Repetition, String> HEADS = Map.of(
            Repetition.HARMLESS, "a read, or an act that does nothing more when repeated",
            Repetition.BOUND, "an act with its `client_token`",
            Repetition.UNBOUND, "any other act");

    private static final Pattern CODE = Pattern.compile("-32\\d{3}");

    @Test
    void the_table_of_retries_is_what_the_error_catalogue_says() throws IOException {
        String page = Files.readString(Path.of(PAGE));
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        GeneratedFile.check(PAGE, page.substring(0, begin) + rows() + page.substring(end));
    }

    @Test
    void the_reference_and_retries_say_the_same_of_every_code_of_every_method() throws IOException {
        Map<String, List<String>> table = table();
        Map<String, String> reference = sections();
        int pairs = 0;
        for (RpcMethod<?, ?> method : AllMethods.registry().methods()) {
            String section = reference.get(method.name());
            Map<String, String> again = again(line(section, "Retryable: "));
            List<String> listed = codes(line(section, "Errors: "));
            int column = 2 + method.repetition().ordinal();
            for (String code : listed) {
                String told = again.remove(code);
                assertThat(told == null ? "no" : told)
                        .as("%s of %s", code, method.name())
                        .isEqualTo(table.get(code).get(column));
                pairs++;
            }
            assertThat(again).as("codes that %s does not list", method.name()).isEmpty();
        }
        assertThat(pairs).isGreaterThan(600);
    }

    @Test
    void a_call_is_bound_by_its_client_token_and_by_nothing_else() {
        assertThat(kinds(Repetition.BOUND))
                .containsExactly("evm_send_native", "htlc_claim", "htlc_lock", "htlc_reclaim", "sweep", "transfer");
        assertThat(kinds(Repetition.UNBOUND))
                .contains("generate_address", "send_raw_transaction", "swap_execute", "delete_address");
        assertThat(kinds(Repetition.HARMLESS))
                .contains("get_balance", "payout_submit", "payout_cancel", "sweep_stop", "simulate_transfer");
    }

    @Test
    void the_loop_and_the_answers_of_transfer_agree_with_the_table() throws IOException {
        String page = Files.readString(Path.of(PAGE));
        RpcMethod<?, ?> transfer = AllMethods.registry().methods().stream()
                .filter(method -> method.name().equals("transfer"))
                .findFirst()
                .orElseThrow();
        TreeSet<String> again = transfer.allErrors().stream()
                .filter(code -> transfer.repetition().verdict(code) != Repetition.Verdict.NO)
                .map(code -> String.valueOf(code.code()))
                .collect(Collectors.toCollection(TreeSet::new));
        String loop = page.substring(page.indexOf("loop:"), page.indexOf("anything else "));
        assertThat(new TreeSet<>(codes(loop.lines()
                        .filter(line -> line.contains("again (same token)"))
                        .collect(Collectors.joining("\n")))))
                .isEqualTo(again);
        String answers = page.substring(page.indexOf("## Every answer of"), page.indexOf("## By code and method"));
        assertThat(codes(answers))
                .containsAll(transfer.allErrors().stream()
                        .map(code -> String.valueOf(code.code()))
                        .toList());
    }

    private static List<String> kinds(Repetition kind) {
        return AllMethods.registry().methods().stream()
                .filter(method -> method.repetition() == kind)
                .map(RpcMethod::name)
                .sorted()
                .toList();
    }

    /** Generates the rows of the manual's page on retries: the codes after which a call may be repeated, by kind of method. */
    private static String rows() {
        StringBuilder rows = new StringBuilder("| code | name |");
        StringBuilder rule = new StringBuilder("|---|---|");
        for (Repetition kind : Repetition.values()) {
            rows.append(' ').append(HEADS.get(kind)).append(" |");
            rule.append("---|");
        }
        rows.append('\n').append(rule).append('\n');
        for (ErrorCode code : ErrorCode.values()) {
            rows.append("| ")
                    .append(code.code())
                    .append(" | ")
                    .append(code.title())
                    .append(" |");
            for (Repetition kind : Repetition.values()) {
                rows.append(' ').append(kind.verdict(code).words()).append(" |");
            }
            rows.append('\n');
        }
        return rows.toString();
    }

    /** Cells of the table by code. */
    private static Map<String, List<String>> table() throws IOException {
        Map<String, List<String>> rows = new HashMap<>();
        String page = Files.readString(Path.of(PAGE));
        page.substring(page.indexOf(BEGIN), page.indexOf(END))
                .lines()
                .filter(line -> line.startsWith("| -32"))
                .map(line -> Arrays.asList(line.substring(2, line.length() - 2).split(" \\| ")))
                .forEach(cells -> rows.put(cells.get(0), cells));
        assertThat(rows).hasSameSizeAs(ErrorCode.values());
        return rows;
    }

    /** Sections of the reference by method. */
    private static Map<String, String> sections() throws IOException {
        Map<String, String> sections = new HashMap<>();
        String page = Files.readString(Path.of("src/site/markdown/reference.md"));
        for (String section : page.substring(0, page.indexOf("\n# Errors")).split("\n## ")) {
            sections.put(section.substring(0, section.indexOf('\n')), section);
        }
        return sections;
    }

    private static String line(String section, String begin) {
        return section.lines()
                .filter(line -> line.startsWith(begin))
                .findFirst()
                .orElseThrow()
                .substring(begin.length());
    }

    /** Verdicts by code of a line such as "-32042; with the same name: -32020, -32603.". */
    private static Map<String, String> again(String line) {
        Map<String, String> verdicts = new HashMap<>();
        for (String part : line.split("; ")) {
            int colon = part.indexOf(": ");
            codes(part).forEach(code -> verdicts.put(code, colon < 0 ? "yes" : part.substring(0, colon)));
        }
        return verdicts;
    }

    private static List<String> codes(String text) {
        return CODE.matcher(text).results().map(MatchResult::group).toList();
    }
}
