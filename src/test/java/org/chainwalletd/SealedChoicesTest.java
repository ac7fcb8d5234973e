package org.chainwalletd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
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
import org.junit.jupiter.api.Test;

/**
 * Checks that choices between the kinds of a sealed type are complete. The compiler checks a {@code switch} over an enum, but not (in Java
 * 17) such a choice, so this test reads the source: a chain of {@code if (x instanceof A) … else if (x instanceof B) …} must name every kind,
 * and an actor must receive each of its commands. A kind that is added later makes the test fail where it is not handled.
 */
class SealedChoicesTest {
    private static final Path SOURCES = Path.of("src/main/java");

    /** Chains with a deliberate default for the remaining kinds of a sealed type: the file, and the kinds that the default covers. */
    private static final Map<String, Set<String>> LEFT_ON_PURPOSE = Map.of(
            "SpendMonitor", Set.of("SpendingBooks.Fate.Lost", "SpendingBooks.Fate.Open"),
            "Forgetting", Set.of("SpendingBooks.Fate.TooDeep"),
            "PaymentWaits", Set.of("FollowEvent.Joined"),
            "Receipts", Set.of("SpendResult.Failed", "SpendResult.Refused"),
            "Broadcast", Set.of("NodeException.BadAnswer", "NodeException.Unreachable"),
            "StoreRestore", Set.of("SentLine.Peer"),
            "SwapCodec", Set.of("SwapRow.OwnLock.Absent", "SwapRow.OwnLock.Lost", "SwapRow.PoolLock.Foreign"),
            "TxWaits", Set.of("FollowEvent.Joined"),
            "Rounds",
                    Set.of(
                            "ChainComparison.Finding.Behind",
                            "ChainComparison.Finding.LighterBranch",
                            "ChainComparison.Finding.NoCommonBlock"),
            "Walker",
                    Set.of(
                            "Fetched.Missing",
                            "ChainComparison.Finding.Behind",
                            "ChainComparison.Finding.LighterBranch",
                            "ChainComparison.Finding.OtherBranch",
                            "ChainComparison.Finding.TipNotShown"));

    private static final String COMMAND = "Command";

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);

    /** Every source file, without comments. */
    private static final Map<Path, String> TEXTS = texts();

    private static final List<Class<?>> SEALED = TEXTS.entrySet().stream()
            .filter(source -> source.getValue().contains("sealed "))
            .flatMap(source -> withNested(loaded(packageOf(source.getKey()) + "." + word(source.getKey()))))
            .filter(Class::isSealed)
            .toList();

    private static final Pattern RECEIVED =
            Pattern.compile("\\.onMessage\\(\\s*(?:\\w+\\.)*(\\w+)\\.class|\\.onMessageEquals\\(\\s*(?:new )?(\\w+)");

    private static final Pattern ARM =
            Pattern.compile("\\s*(!\\()?([\\w.()]+?) instanceof ([A-Z][\\w.]*)(?:<\\?>)?.*", Pattern.DOTALL);

    @Test
    void a_chain_of_choices_names_every_kind_of_a_sealed_type() {
        Map<String, Set<String>> left = new TreeMap<>();
        int chains = 0;
        for (Path file : TEXTS.keySet()) {
            for (Chain chain : Chain.in(TEXTS.get(file))) {
                Optional<Class<?>> sealed = sealedTypeOf(chain, file);
                if (sealed.isPresent()) {
                    chains++;
                    Set<String> unnamed = unnamed(sealed.get(), chain);
                    if (!unnamed.isEmpty() && !chain.refusesTheRest()) {
                        left.merge(word(file), unnamed, (a, b) -> {
                            Set<String> both = new TreeSet<>(a);
                            both.addAll(b);
                            return both;
                        });
                    }
                }
            }
        }
        assertThat(left).isEqualTo(LEFT_ON_PURPOSE);
        assertThat(chains).as("chains that were found").isGreaterThan(20);
    }

    @Test
    void an_actor_receives_each_of_its_commands() {
        Map<String, Set<String>> unheard = new TreeMap<>();
        Set<String> actors = new TreeSet<>();
        for (Path file : TEXTS.keySet()) {
            String text = TEXTS.get(file);
            Optional<Class<?>> protocol = text.contains(".onMessage(") ? protocolOf(file) : Optional.empty();
            if (protocol.isPresent()) {
                actors.add(word(file));
                Class<?> command = protocol.get();
                Set<String> missing = kinds(command).stream()
                        .filter(kind -> !isReceived(kind, command, text))
                        .map(SealedChoicesTest::nameOf)
                        .collect(Collectors.toCollection(TreeSet::new));
                if (!missing.isEmpty()) {
                    unheard.put(word(file), missing);
                }
            }
        }
        assertThat(unheard).isEmpty();
        assertThat(actors).contains("KeyringActor", "SpendMonitor", "Reservations", "SwapActor", "Walker");
    }

    /** Returns the actor's own command type, or one imported from a separate file. */
    private static Optional<Class<?>> protocolOf(Path file) {
        return SEALED.stream()
                .filter(type -> type.getSimpleName().equals(COMMAND))
                .filter(type -> isIn(type, file)
                        || TEXTS.get(file).contains("import " + type.getCanonicalName() + ";")
                                && TEXTS.get(file).contains(".receive(" + COMMAND + ".class)"))
                .findAny();
    }

    /** Whether a command is received: by its own name, or by that of an enclosing part of the protocol; enum values one by one. */
    private static boolean isReceived(Class<?> kind, Class<?> command, String text) {
        return Stream.concat(Stream.of(kind), Arrays.stream(kind.getInterfaces()))
                .filter(type -> type != command)
                .map(Class::getSimpleName)
                .anyMatch(name -> RECEIVED.matcher(text)
                        .results()
                        .anyMatch(received ->
                                name.equals(received.group(1) == null ? received.group(2) : received.group(1))));
    }

    private static Set<String> unnamed(Class<?> sealed, Chain chain) {
        Set<Class<?>> left = new LinkedHashSet<>(kinds(sealed));
        for (Class<?> kind : kinds(sealed)) {
            for (Class<?> named = kind; named != null && left.contains(kind); named = parentBelow(named, sealed)) {
                if (chain.names(named)) {
                    left.remove(kind);
                }
            }
        }
        return left.stream().map(SealedChoicesTest::nameOf).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Class<?> parentBelow(Class<?> kind, Class<?> sealed) {
        return Arrays.stream(kind.getInterfaces())
                .filter(parent -> parent.isSealed() && sealed.isAssignableFrom(parent))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the narrowest sealed type that includes all arms, preferably declared in the file itself. Protocols are excluded: their
     * commands are received.
     */
    private static Optional<Class<?>> sealedTypeOf(Chain chain, Path file) {
        return SEALED.stream()
                .filter(type -> chain.arms().stream()
                        .allMatch(arm -> all(type).stream().anyMatch(kind -> kind != type && Chain.isNamed(kind, arm))))
                .filter(type -> isIn(type, file)
                        || TEXTS.get(file).contains(outermost(type).getName() + ";")
                        || type.getPackageName().equals(packageOf(file)))
                .min(Comparator.comparingInt((Class<?> type) -> isIn(type, file) ? 0 : 1)
                        .thenComparingInt(type -> kinds(type).size()))
                .filter(type -> !type.getSimpleName().equals(COMMAND));
    }

    /** Returns the leaf kinds; a kind that is itself sealed is expanded. */
    private static List<Class<?>> kinds(Class<?> sealed) {
        return Arrays.stream(sealed.getPermittedSubclasses())
                .flatMap(kind -> kind.isSealed() ? kinds(kind).stream() : Stream.of(kind))
                .distinct()
                .collect(Collectors.toList());
    }

    private static Set<Class<?>> all(Class<?> sealed) {
        Set<Class<?>> all = new HashSet<>();
        all.add(sealed);
        for (Class<?> kind : sealed.getPermittedSubclasses()) {
            all.addAll(kind.isSealed() ? all(kind) : Set.of(kind));
        }
        return all;
    }

    private static String nameOf(Class<?> type) {
        String name = type.getName();
        return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
    }

    private static Class<?> outermost(Class<?> type) {
        return type.getEnclosingClass() == null ? type : outermost(type.getEnclosingClass());
    }

    private static boolean isIn(Class<?> type, Path file) {
        return packageOf(file).equals(type.getPackageName())
                && outermost(type).getSimpleName().equals(word(file));
    }

    private static String packageOf(Path file) {
        return SOURCES.relativize(file.getParent()).toString().replace('/', '.');
    }

    private static String word(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    private static Map<Path, String> texts() {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            Map<Path, String> texts = new TreeMap<>();
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                texts.put(file, COMMENT.matcher(Files.readString(file)).replaceAll(""));
            }
            return texts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> loaded(String name) {
        try {
            return Class.forName(name, false, SealedChoicesTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError("the file of " + name + " has another class", e);
        }
    }

    private static Stream<Class<?>> withNested(Class<?> type) {
        return Stream.concat(
                Stream.of(type), Arrays.stream(type.getDeclaredClasses()).flatMap(SealedChoicesTest::withNested));
    }

    /**
     * Chain of {@code if} and {@code else}.
     *
     * @param arms tested types as written
     * @param rest code after the last {@code else}; empty without one
     */
    private record Chain(List<String> arms, Optional<String> rest) {
        private static final Pattern BEGIN = Pattern.compile("(?<!else )if \\(");
        private static final Pattern ELSE = Pattern.compile("\\s*else\\s*");

        /** Returns the chains with at least two arms that test a type. */
        static List<Chain> in(String text) {
            List<Chain> chains = new ArrayList<>();
            Matcher begin = BEGIN.matcher(text);
            while (begin.find()) {
                Chain chain = at(text, begin.start());
                if (chain.arms().size() > 1) {
                    chains.add(chain);
                }
            }
            return chains;
        }

        private static Chain at(String text, int begin) {
            List<String> arms = new ArrayList<>();
            int at = begin;
            while (text.startsWith("if (", at)) {
                int behind = closing(text, at + 3, '(', ')');
                Matcher arm = ARM.matcher(text.substring(at + 4, behind - 1));
                if (arm.matches()) {
                    arms.add(arm.group(3));
                }
                Matcher otherwise = ELSE.matcher(text);
                otherwise.region(closing(text, text.indexOf('{', behind), '{', '}'), text.length());
                if (!otherwise.lookingAt()) {
                    return new Chain(arms, Optional.empty());
                }
                at = otherwise.end();
            }
            return new Chain(arms, Optional.of(text.substring(at, closing(text, at, '{', '}'))));
        }

        /** Returns the index after the bracket that closes the one at {@code from}. */
        private static int closing(String text, int from, char open, char close) {
            int depth = 0;
            int at = from;
            do {
                depth += text.charAt(at) == open ? 1 : text.charAt(at) == close ? -1 : 0;
                at++;
            } while (depth > 0);
            return at;
        }

        boolean names(Class<?> kind) {
            return arms.stream().anyMatch(arm -> isNamed(kind, arm));
        }

        static boolean isNamed(Class<?> kind, String arm) {
            return ("." + nameOf(kind)).endsWith("." + arm);
        }

        boolean refusesTheRest() {
            return rest.filter(otherwise -> otherwise.substring(1).strip().startsWith("throw "))
                    .isPresent();
        }
    }
}
