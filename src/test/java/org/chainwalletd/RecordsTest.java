package org.chainwalletd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.testkit.ClassFiles;
import org.junit.jupiter.api.Test;

/**
 * Checks that a record with a value and a failure of which exactly one is null is an {@link Outcome} instead, for which the compiler checks
 * that both cases are handled; and that records have a limited number of members, because more cannot be told apart by position.
 */
class RecordsTest {
    private static final Path SOURCES = Path.of("src/main/java");

    private static final int MOST_MEMBERS = 12;

    /** Packages whose records are written or read as JSON, member by member. */
    private static final Set<String> INTERFACE = Set.of("org.chainwalletd.rpc.method.", "org.chainwalletd.api");

    /** Records that contain a failure, with the reason why no member is null. */
    private static final Map<String, String> FAILED = Map.ofEntries(
            Map.entry("Abandonments.WriteResult", "what was written before the failure counts: it may have all three"),
            Map.entry("AnswerDecoder.Attempt.Refused", "the one of three that fails"),
            Map.entry("Http2Guard.Read", "what was passed came before the violation: it may have both"),
            Map.entry("LockTransactions.Answers", "what several nodes have said, and the first failure among them"),
            Map.entry("Outcome.Failed", "the one of two that fails"),
            Map.entry("Rescanner.WriteFailed", "told of a failure only"),
            Map.entry("SendMaker.Outcome.Refused", "the one of two that fails"),
            Map.entry("SpendResult.Failed", "a way to fail"),
            Map.entry("SpendResult.InDoubt", "a way to fail"),
            Map.entry("SpendResult.Refused", "a way to fail"),
            Map.entry("SwapActor.Reread", "why there was something to read again"),
            Map.entry("SwapQuestion.SwapReply.Failed", "a way to fail"),
            Map.entry("SwapQuestion.SwapReply.LockUnknown", "a way to fail"),
            Map.entry("Walker.WriteFailed", "told of a failure only"));

    /** Files with callbacks that ignore a stage's outcome: how often, and where the outcome is checked instead. */
    private static final Map<String, Integer> EITHER_WAY = Map.of(
            // A walk is judged by the blocks that it has fetched, and the next round continues from these.
            "Ascent.java", 1,
            "Rescanner.java", 1,
            // The watch itself reports each node's answer; the call waits only until all have been asked.
            "Upstream.java", 1,
            // Nothing is left to be closed.
            "KeyringActor.java", 1,
            // The store is asked for the token when the token is used again.
            "Receipts.java", 2);

    /** The first alternative carries an outcome by its type. */
    private static final Pattern TO_SELF = Pattern.compile("(Outcome\\.pipe|pipeToSelf)\\(");

    private static final Pattern BOTH_ENDS = Pattern.compile("\\s*\\((\\w+), (\\w+)\\) ->(.*)", Pattern.DOTALL);

    private static final Set<Class<?>> RECORDS = ClassFiles.ofTheProgramWith(Record.class).stream()
            .map(type -> type.reflect())
            .filter(Class::isRecord)
            .collect(Collectors.toSet());

    @Test
    void a_failure_is_part_of_a_record_only_where_there_always_is_one() {
        Set<String> withFailure = RECORDS.stream()
                .filter(type -> Arrays.stream(type.getRecordComponents())
                        .map(RecordComponent::getGenericType)
                        .anyMatch(RecordsTest::mayHoldFailure))
                .map(RecordsTest::nameOf)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(withFailure).containsExactlyElementsOf(new TreeSet<>(FAILED.keySet()));
    }

    @Test
    void what_comes_back_to_an_actor_is_an_outcome() {
        List<String> raw = new ArrayList<>();
        Map<String, Integer> deaf = new TreeMap<>();
        int found = 0;
        for (Map.Entry<Path, String> file : texts().entrySet()) {
            String name = file.getKey().getFileName().toString();
            Matcher call = TO_SELF.matcher(file.getValue());
            while (call.find()) {
                found++;
                if (call.group(1).equals("Outcome.pipe")) {
                    continue;
                }
                String callback = lastArgument(file.getValue(), call.end());
                if (!hasNothingBesideAnOutcome(callback)) {
                    raw.add(name + ": " + callback.strip());
                } else if (!callback.contains("Outcome.of(")) {
                    deaf.merge(name, 1, Integer::sum);
                }
            }
        }
        assertThat(raw).isEmpty();
        assertThat(deaf).isEqualTo(EITHER_WAY);
        assertThat(found).as("calls that were found").isGreaterThan(80);
    }

    @Test
    void a_record_has_no_more_members_than_can_be_told_apart_by_their_places() {
        Map<String, Integer> large = new TreeMap<>();
        RECORDS.stream()
                .filter(type -> !isObjectOfTheInterface(type))
                .filter(type -> type.getRecordComponents().length > MOST_MEMBERS)
                .forEach(type -> large.put(nameOf(type), type.getRecordComponents().length));
        assertThat(large).isEmpty();
    }

    /** Whether the members are those of a JSON object, which callers address by name. */
    private static boolean isObjectOfTheInterface(Class<?> type) {
        return INTERFACE.stream().anyMatch(type.getPackageName()::startsWith);
    }

    private static boolean mayHoldFailure(Type type) {
        if (type instanceof ParameterizedType of && of.getRawType() == Optional.class) {
            return mayHoldFailure(of.getActualTypeArguments()[0]);
        }
        return type instanceof Class<?> plain && Throwable.class.isAssignableFrom(plain);
    }

    /** Whether the callback uses nothing of the stage but its outcome. */
    private static boolean hasNothingBesideAnOutcome(String callback) {
        Matcher ends = BOTH_ENDS.matcher(callback);
        if (!ends.matches()) {
            return false;
        }
        String rest = ends.group(3).replace("Outcome.of(" + ends.group(1) + ", " + ends.group(2) + ")", "");
        return !Pattern.compile("\\b(" + ends.group(1) + "|" + ends.group(2) + ")\\b")
                .matcher(rest)
                .find();
    }

    /** Returns the last argument of the call whose arguments begin at {@code from}. */
    private static String lastArgument(String text, int from) {
        int depth = 1;
        int begin = from;
        int at = from;
        for (; depth > 0; at++) {
            char now = text.charAt(at);
            depth += now == '(' || now == '{' ? 1 : now == ')' || now == '}' ? -1 : 0;
            begin = depth == 1 && now == ',' ? at + 1 : begin;
        }
        return text.substring(begin, at - 1);
    }

    private static String nameOf(Class<?> type) {
        String name = type.getName();
        return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
    }

    private static Map<Path, String> texts() {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            Map<Path, String> texts = new TreeMap<>();
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                texts.put(file, Files.readString(file));
            }
            return texts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
