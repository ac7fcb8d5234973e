package org.chainwalletd.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.access.TokenFile;
import org.chainwalletd.access.TokenRows;
import org.chainwalletd.api.Scope;
import org.chainwalletd.boot.DatabaseStore;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Nearest;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.door.Tokens;
import org.chainwalletd.observe.Printable;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.store.StoreException;

/** Command that creates, lists, rotates and revokes bearer tokens, with or without a running daemon. */
final class TokenCommand implements Command {
    private static final Duration OVERLAP = Duration.ofHours(24);
    private static final Set<String> PAGES = Set.of("/events", "/metrics");
    private static final Set<String> OF_CREATE =
            Set.of("--scope", "--methods", "--from", "--to", "--cap-per-tx", "--cap-per-period", "--expires");

    private final InstantSource clock;

    TokenCommand() {
        this(Clock.systemUTC());
    }

    TokenCommand(InstantSource clock) {
        this.clock = clock;
    }

    /** Signals unusable input; the message says why. */
    private static final class Unusable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message);
        }
    }

    @Override
    public String word() {
        return "token";
    }

    @Override
    public String summary() {
        return "token create NAME --scope read|manage|spend [--methods a,b] [--from address|label,...] [--to FILE] [--cap-per-tx N]"
                + " [--cap-per-period N] [--expires 90d]: makes a token and prints it once. token list shows all. token rotate NAME"
                + " [--overlap 24h] prints a new value once, and the old one holds that long. token revoke NAME ends a token for ever."
                + " token rotate read|manage|spend: puts a new token into the scope's file and prints it once."
                + " A running daemon takes a change within 5 seconds, at once when it is sent SIGHUP.";
    }

    @Override
    public List<String> arguments() {
        return List.of("action", "[name]");
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                new Flag("--scope", "scope", "create: read, manage or spend"),
                new Flag("--methods", "list", "create: only these methods; /events and /metrics are names too"),
                new Flag("--from", "list", "create: may spend from these addresses and labels only, as they are now"),
                new Flag("--to", "file", "create: may pay the addresses in this file only, one on a line"),
                new Flag("--cap-per-tx", "amount", "create: most that one transaction may spend, in base units"),
                new Flag(
                        "--cap-per-period",
                        "amount",
                        "create: most that it may spend in one period (--spend-cap-period-secs), in base units"),
                new Flag("--expires", "duration", "create: when it ends, such as 90d, 12h or 30m; default never"),
                new Flag("--overlap", "duration", "rotate: how long the old value still holds; default 24h"));
    }

    @Override
    public int run(Invocation invocation) {
        List<String> arguments = invocation.arguments();
        String action = arguments.get(0);
        Optional<String> name = arguments.size() > 1 ? Optional.of(arguments.get(1)) : Optional.empty();
        Optional<String> mistake = mistake(invocation, action, name);
        if (mistake.isPresent()) {
            return invocation.fail(ExitCode.USAGE, mistake.get());
        }
        Settings settings = invocation.configuration().settings();
        TokenRows rows =
                settings.database().map(DatabaseStore::namedTokens).orElseGet(() -> new TokenFile(settings.datadir()));
        try {
            boolean change = action.equals("rotate") && scope(name.get()).isEmpty() || action.equals("revoke");
            if (change && rows.all().stream().noneMatch(row -> row.name().equals(name.get()))) {
                return invocation.fail(
                        ExitCode.USAGE,
                        "there is no token " + name.get() + "; read, manage, spend, or one of token list");
            }
            return switch (action) {
                case "create" -> create(invocation, settings, rows, name.get());
                case "list" -> list(invocation, rows);
                case "revoke" -> revoke(invocation, rows, name.get());
                default ->
                    scope(name.get()).isPresent()
                            ? rotateClassic(
                                    invocation, settings, scope(name.get()).get())
                            : rotate(invocation, rows, name.get());
            };
        } catch (TokenRows.RefusedChange | Unusable e) {
            return invocation.fail(ExitCode.FAILED, e.getMessage());
        } catch (StoreException e) {
            // The answer to a COMMIT may have been lost.
            throw new StartupException("it is not certain that the tokens were changed: " + e.getMessage()
                    + "; look at token list, or say it again");
        } catch (IOException | Tokens.TokenException e) {
            throw new StartupException("the tokens were not changed: " + e.getMessage());
        }
    }

    private static Optional<String> mistake(Invocation invocation, String action, Optional<String> name) {
        if (!Set.of("create", "list", "rotate", "revoke").contains(action)) {
            return Optional.of("say token create, token list, token rotate or token revoke");
        }
        if (action.equals("list") == name.isPresent()) {
            return Optional.of(action.equals("list") ? "token list takes no name" : "say token " + action + " NAME");
        }
        if (action.equals("revoke") && scope(name.get()).isPresent()) {
            return Optional.of("the " + name.get() + " token is switched off with --classic-tokens, and replaced with"
                    + " token rotate " + name.get());
        }
        Optional<String> stray = invocation.options().keySet().stream()
                .filter(option -> option.equals("--overlap")
                        ? !action.equals("rotate") || scope(name.get()).isPresent()
                        : OF_CREATE.contains(option) && !action.equals("create"))
                .findFirst();
        if (stray.isPresent()) {
            return Optional.of(stray.get() + " does nothing for token " + action
                    + name.map(each -> " " + each).orElse(""));
        }
        return action.equals("create")
                        && invocation
                                .option("--scope")
                                .flatMap(TokenCommand::scope)
                                .isEmpty()
                ? Optional.of("say --scope read, --scope manage or --scope spend")
                : Optional.empty();
    }

    private static Optional<Scope> scope(String word) {
        return Arrays.stream(Scope.values())
                .filter(each -> each.word().equals(word))
                .findFirst();
    }

    private int create(Invocation invocation, Settings settings, TokenRows rows, String name) throws IOException {
        NamedToken.objectionTo(name).ifPresent(objection -> {
            throw new Unusable(objection);
        });
        Scope scope = invocation.option("--scope").flatMap(TokenCommand::scope).orElseThrow();
        long now = clock.millis();
        Optional<List<String>> methods = invocation.option("--methods").map(text -> methods(settings, scope, text));
        Optional<List<Address>> from = Optional.empty();
        if (invocation.option("--from").isPresent()) {
            from = Optional.of(payers(settings, invocation.option("--from").get()));
        }
        Optional<List<Address>> to = Optional.empty();
        if (invocation.option("--to").isPresent()) {
            to = Optional.of(destinations(Path.of(invocation.option("--to").get())));
        }
        NamedToken.Policy policy = new NamedToken.Policy(
                methods, from, to, amount(invocation, "--cap-per-tx"), amount(invocation, "--cap-per-period"));
        OptionalLong expires = invocation
                .option("--expires")
                .map(text ->
                        OptionalLong.of(now + duration("--expires", text, 1).toMillis()))
                .orElse(OptionalLong.empty());
        String token = Tokens.random();
        rows.add(new NamedToken(
                name,
                scope,
                policy,
                expires,
                now,
                OptionalLong.empty(),
                List.of(new NamedToken.Value(digest(token), OptionalLong.empty()))));
        show(invocation, token, "new token " + name);
        return ExitCode.OK;
    }

    private int rotate(Invocation invocation, TokenRows rows, String name) throws IOException {
        Duration overlap = invocation
                .option("--overlap")
                .map(text -> duration("--overlap", text, 0))
                .orElse(OVERLAP);
        long now = clock.millis();
        String token = Tokens.random();
        rows.rotate(name, digest(token), now, now + overlap.toMillis());
        show(invocation, token, "new value of token " + name + "; the old one holds for " + words(overlap));
        return ExitCode.OK;
    }

    private int revoke(Invocation invocation, TokenRows rows, String name) throws IOException {
        rows.revoke(name, clock.millis());
        invocation.streams().err().println("token " + name + " is revoked; a running daemon ends it within 5 seconds");
        return ExitCode.OK;
    }

    /** Prints a token after it is durable, because the token itself is not stored. */
    private static void show(Invocation invocation, String token, String what) {
        invocation.out().println(token);
        invocation.streams().err().println(what + "; a running daemon takes it within 5 seconds");
    }

    private static Hash256 digest(String token) {
        return Hash256.sha256(token.getBytes(StandardCharsets.US_ASCII));
    }

    private static List<String> methods(Settings settings, Scope scope, String text) {
        Map<String, Scope> known = new LinkedHashMap<>();
        for (RpcMethod<?, ?> method : RpcParameters.registry(settings.chain()).methods()) {
            known.put(method.name(), method.scope());
        }
        PAGES.forEach(page -> known.put(page, Scope.READ));
        List<String> methods = words(text);
        for (String method : methods) {
            if (!known.containsKey(method)) {
                throw new Unusable("there is no method " + Printable.text(method)
                        + Nearest.colon(method, known.keySet()) + "; rpc help lists them all");
            }
            Scope required = known.get(method);
            if (!scope.contains(required)) {
                throw new Unusable("a token of --scope " + scope.word() + " may not call " + method
                        + ", which is of scope " + required.word() + ": say --scope " + required.word()
                        + ", or leave the method out");
            }
        }
        return methods;
    }

    private static List<String> words(String text) {
        List<String> words = Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .distinct()
                .toList();
        if (words.isEmpty()) {
            throw new Unusable("an empty list would allow nothing: leave the option out, or name something");
        }
        return words;
    }

    /** Parses the paying addresses. Labels are resolved now; assigning one to another address later changes nothing. */
    private static List<Address> payers(Settings settings, String text) throws IOException {
        Set<Address> payers = new LinkedHashSet<>();
        Map<String, List<Address>> labels = null;
        for (String word : words(text)) {
            Optional<Address> address = address(word);
            if (address.isPresent()) {
                payers.add(address.get());
                continue;
            }
            labels = labels == null ? labels(settings) : labels;
            if (!labels.containsKey(word)) {
                throw new Unusable("no address has the label " + word);
            }
            payers.addAll(labels.get(word));
        }
        return List.copyOf(payers);
    }

    private static Map<String, List<Address>> labels(Settings settings) throws IOException {
        Optional<Map<String, List<Address>>> inDatabase = settings.database().flatMap(DatabaseStore::labels);
        if (inDatabase.isPresent()) {
            return inDatabase.get();
        }
        Map<String, List<Address>> labels = new HashMap<>();
        labels(settings.wallets().resolve("state.json"))
                .properties()
                .forEach(entry -> labels.computeIfAbsent(entry.getValue().asText(), label -> new ArrayList<>())
                        .add(Address.parse(entry.getKey())));
        return labels;
    }

    private static JsonNode labels(Path state) throws IOException {
        try {
            return new ObjectMapper().readTree(Files.readAllBytes(state)).path("labels");
        } catch (NoSuchFileException e) {
            throw new Unusable("the datadir has no keyring yet, so there are no labels; name addresses");
        }
    }

    private static Optional<Address> address(String word) {
        try {
            return Optional.of(Address.parse(word));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Reads addresses, one per line; text after a {@code #} is a comment. */
    private static List<Address> destinations(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new Unusable("--to names a file with an address on each line, and there is no file " + file);
        }
        Set<Address> destinations = new LinkedHashSet<>();
        int number = 0;
        for (String line : lines(file)) {
            number++;
            String word = line.replaceFirst("#.*", "").strip();
            if (!word.isEmpty()) {
                int at = number;
                destinations.add(
                        address(word).orElseThrow(() -> new Unusable("line " + at + " of " + file + " is no address")));
            }
        }
        if (destinations.isEmpty()) {
            throw new Unusable(file + " names no address: the token could pay nobody");
        }
        return List.copyOf(destinations);
    }

    private static List<String> lines(Path file) throws IOException {
        try {
            return Files.readAllLines(file);
        } catch (CharacterCodingException e) {
            throw new Unusable(file + " is no text in UTF-8");
        }
    }

    private static Optional<Amount> amount(Invocation invocation, String option) {
        return invocation.option(option).map(text -> {
            try {
                return Amount.of(new BigInteger(text));
            } catch (IllegalArgumentException | ArithmeticException e) {
                throw new Unusable(option + " must be a number of base units, below 2^64");
            }
        });
    }

    private static Duration duration(String option, String text, long least) {
        try {
            long count = Long.parseLong(text.substring(0, text.length() - 1));
            Duration duration = switch (text.charAt(text.length() - 1)) {
                case 'd' -> Duration.ofDays(count);
                case 'h' -> Duration.ofHours(count);
                case 'm' -> Duration.ofMinutes(count);
                case 's' -> Duration.ofSeconds(count);
                default -> throw new NumberFormatException(text);
            };
            if (count >= least && duration.toDays() <= 36_500) {
                return duration;
            }
        } catch (ArithmeticException | NumberFormatException | StringIndexOutOfBoundsException e) {
            // Handled below.
        }
        throw new Unusable(option + " must be a number with d, h, m or s, such as 90d");
    }

    private static String words(Duration duration) {
        return duration.isZero()
                ? "no time"
                : duration.toString().substring(1).replace("T", "").toLowerCase();
    }

    private int list(Invocation invocation, TokenRows rows) throws IOException {
        long now = clock.millis();
        List<String> lines = new ArrayList<>();
        for (NamedToken token : rows.all()) {
            List<String> rules = new ArrayList<>();
            NamedToken.Policy policy = token.policy();
            policy.methods().ifPresent(each -> rules.add("methods=" + String.join(",", each)));
            policy.from().ifPresent(each -> rules.add("from=" + each.size() + " addresses"));
            policy.to().ifPresent(each -> rules.add("to=" + each.size() + " addresses"));
            policy.capPerTx().ifPresent(each -> rules.add("cap-per-tx=" + each));
            policy.capPerPeriod().ifPresent(each -> rules.add("cap-per-period=" + each));
            lines.add(String.format(
                    "%-24s %-7s %-8s expires %-20s %s",
                    token.name(),
                    token.scope().word(),
                    state(token, now),
                    token.expiresAt().isPresent()
                            ? Instant.ofEpochMilli(token.expiresAt().getAsLong())
                                    .truncatedTo(java.time.temporal.ChronoUnit.SECONDS)
                            : "never",
                    rules.isEmpty() ? "no restriction" : String.join(" ", rules)));
        }
        lines.forEach(invocation.out()::println);
        if (lines.isEmpty()) {
            invocation.streams().err().println("no named tokens; token create makes one");
        }
        return ExitCode.OK;
    }

    private static String state(NamedToken token, long now) {
        if (token.revokedAt().isPresent()) {
            return "revoked";
        }
        boolean expired = token.expiresAt().isPresent() && token.expiresAt().getAsLong() <= now;
        return expired ? "expired" : "valid";
    }

    private static int rotateClassic(Invocation invocation, Settings settings, Scope scope) throws IOException {
        if (settings.http().tokenFlags().containsKey(scope.word())) {
            return invocation.fail(
                    ExitCode.FAILED,
                    "the " + scope.word()
                            + " token comes from a flag, a variable or the configuration file: change it there");
        }
        Optional<Settings.Database> database = settings.database();
        invocation
                .out()
                .println(
                        database.isPresent()
                                ? DatabaseStore.rotate(settings, database.get(), scope)
                                : Tokens.rotate(settings.datadir(), scope));
        invocation
                .streams()
                .err()
                .println("new " + scope.word() + " token in " + settings.datadir()
                        + "; a running daemon takes it within 5 seconds, at once when it is sent SIGHUP");
        return ExitCode.OK;
    }
}
