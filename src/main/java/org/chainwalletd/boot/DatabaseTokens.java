package org.chainwalletd.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.access.TokenFile;
import org.chainwalletd.access.TokenRows;
import org.chainwalletd.access.TokenText;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.door.Tokens;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.postgres.PostgresAgreed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tokens shared by the daemons of a database: the shared settings contain SHA-256 digests of the classic tokens, and the named tokens. The
 * database is authoritative. A token in an option or in a file of a datadir must be the same; a datadir without the file needs none.
 */
final class DatabaseTokens implements TokenRows {
    private static final String NAMED = "named tokens";
    /** Name of the file of named tokens after it was imported into the database. */
    private static final String SET_ASIDE = "tokens-moved.json";

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseTokens.class);
    private static final String PLACE = "the row of named tokens in the database";

    private final Supplier<PostgresAgreed> agreed;
    private final Consumer<UnaryOperator<Map<String, String>>> agree;

    /** @param agree updates the shared settings */
    DatabaseTokens(Supplier<PostgresAgreed> agreed, Consumer<UnaryOperator<Map<String, String>>> agree) {
        this.agreed = agreed;
        this.agree = agree;
    }

    /**
     * Returns the tokens of a starting daemon. The first daemon of a database creates the classic tokens, in files of its datadir. Blocks.
     *
     * @param agreed reads the shared settings; they may be slightly outdated
     * @param agree updates the shared settings under the lock of the store
     * @param console receives new tokens
     * @throws StartupException when a token of this daemon differs from that of the database
     */
    static HttpFrontend.TokenPlaces open(
            Settings settings,
            Supplier<PostgresAgreed> agreed,
            Consumer<UnaryOperator<Map<String, String>>> agree,
            Consumer<String> console)
            throws IOException {
        List<Scope> scopes = Tokens.scopes(settings.http().access().classicTokens());
        Path datadir = settings.datadir();
        Map<Scope, String> proposed = new EnumMap<>(Scope.class);
        Map<Scope, Hash256> own = new EnumMap<>(Scope.class);
        for (Scope scope : scopes) {
            Optional<String> others = agreed.get().value(name(scope));
            if (others.isPresent()) {
                Tokens.adopt(datadir, scope, Hash256.parse(others.get()));
            }
            Optional<Hash256> token = own(settings, scope);
            token.ifPresent(digest -> own.put(scope, digest));
            if (token.isEmpty() && others.isEmpty()) {
                proposed.put(scope, Tokens.propose(datadir, scope));
            }
        }
        Optional<String> file = file(datadir);
        Map<Scope, String> common = new EnumMap<>(Scope.class);
        agree.accept(values -> {
            file.ifPresent(text -> values.putIfAbsent(NAMED, text));
            own.forEach((scope, token) -> {
                String other = values.putIfAbsent(name(scope), token.hex());
                if (other != null && !other.equals(token.hex())) {
                    throw new StartupException(differs(settings, scope));
                }
            });
            // Another daemon that is starting at the same time may have been first.
            proposed.keySet().removeIf(scope -> values.containsKey(name(scope)));
            proposed.forEach(
                    (scope, token) -> values.put(name(scope), digest(token).hex()));
            requireDistinct(values, own.keySet());
            scopes.forEach(
                    scope -> Optional.ofNullable(values.get(name(scope))).ifPresent(token -> common.put(scope, token)));
            return values;
        });
        for (Scope scope : scopes) {
            // Not earlier: only once the lock is held is it certain whether an in-doubt commit of an earlier start took
            // effect.
            finish(datadir, scope, Optional.ofNullable(common.get(scope)));
            Optional.ofNullable(proposed.get(scope))
                    .ifPresent(token -> console.accept(Tokens.line(datadir, scope, token)));
        }
        if (file.isPresent()) {
            setAside(datadir, file.get().equals(agreed.get().value(NAMED).orElse("")));
        }
        return new HttpFrontend.TokenPlaces(new DatabaseTokens(agreed, agree), new Classic(agreed, Set.copyOf(scopes)));
    }

    /**
     * Refuses to enter a token that another scope already has: no daemon could start with both, and running daemons would accept no other
     * token.
     *
     * @param given scopes whose tokens are being entered
     */
    private static void requireDistinct(Map<String, String> values, Set<Scope> given) {
        for (Scope scope : given) {
            for (Scope other : Scope.values()) {
                if (other != scope && values.get(name(scope)).equals(values.get(name(other)))) {
                    throw new StartupException("the " + scope.word() + " token of this datadir is the " + other.word()
                            + " token of the daemons of the database: give every scope a token of its own");
                }
            }
        }
    }

    /**
     * Completes a change of a classic token: adopts the token proposed in this datadir if it is the shared one, and withdraws it otherwise.
     *
     * @param others digest of the shared token, if there is one
     */
    private static void finish(Path datadir, Scope scope, Optional<String> others) throws IOException {
        if (others.isEmpty() || !Tokens.adopt(datadir, scope, Hash256.parse(others.get()))) {
            Tokens.withdraw(datadir, scope);
        }
    }

    private static Hash256 digest(String token) {
        return Hash256.sha256(token.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads the file of named tokens from before the database was used; empty if there is none. */
    private static Optional<String> file(Path datadir) throws IOException {
        List<NamedToken> tokens = new TokenFile(datadir).all();
        return tokens.isEmpty()
                ? Optional.empty()
                : Optional.of(new String(TokenText.write(tokens), StandardCharsets.UTF_8));
    }

    /** @param taken whether the database contains the tokens of the file */
    private static void setAside(Path datadir, boolean taken) throws IOException {
        Path file = datadir.resolve(TokenFile.NAME);
        if (taken) {
            AtomicFiles.write(datadir.resolve(SET_ASIDE), Files.readAllBytes(file));
            AtomicFiles.delete(file);
            LOG.info("the named tokens of {} are kept in the database from now on", file);
        } else {
            LOG.warn("{} is not read: the database has other named tokens; move it away", file);
        }
    }

    /**
     * Refuses a start with other classic tokens than the shared ones.
     *
     * @throws StartupException when a token of this daemon differs from that of the database
     */
    static void requireSame(Settings settings, PostgresAgreed agreed) throws IOException {
        for (Scope scope : Tokens.scopes(settings.http().access().classicTokens())) {
            Optional<Hash256> own = own(settings, scope);
            Optional<String> others = agreed.value(name(scope));
            if (own.isPresent()
                    && others.isPresent()
                    && !own.get().hex().equals(others.get())
                    && !isLeft(settings, scope, others.get())) {
                throw new StartupException(differs(settings, scope));
            }
        }
    }

    /**
     * Refuses to move the tokens of the database into files of this datadir.
     *
     * @throws StartupException when a classic token is unknown here, because the database has only its digest, or when another token file
     *     exists
     */
    static void requireMovable(Settings settings, PostgresAgreed agreed) throws IOException {
        requireSame(settings, agreed);
        for (Scope scope : Tokens.scopes(settings.http().access().classicTokens())) {
            Optional<String> token = agreed.value(name(scope));
            if (token.isPresent() && own(settings, scope).isEmpty() && !isLeft(settings, scope, token.get())) {
                throw new StartupException("the " + scope.word() + " token of the daemons is not in "
                        + Tokens.file(settings.datadir(), scope)
                        + ": copy that file from the datadir that has it; or token rotate " + scope.word()
                        + " makes another");
            }
        }
        Path file = settings.datadir().resolve(TokenFile.NAME);
        if (agreed.value(NAMED).isPresent() && Files.exists(file)) {
            throw new StartupException(file + " is in the way of the named tokens of the database: move it away");
        }
    }

    /** Writes the named tokens of the database into a new file in {@code made}, and completes a pending change of a classic token. */
    static void moveBack(Settings settings, PostgresAgreed agreed, Path made) throws IOException {
        for (Scope scope : Tokens.scopes(settings.http().access().classicTokens())) {
            finish(settings.datadir(), scope, agreed.value(name(scope)));
        }
        Optional<String> named = agreed.value(NAMED);
        if (named.isPresent()) {
            AtomicFiles.write(made.resolve(TokenFile.NAME), named.get().getBytes(StandardCharsets.UTF_8));
            if (!new TokenFile(made).all().equals(read(named))) {
                throw new IOException(made.resolve(TokenFile.NAME) + " differs from " + PLACE);
            }
        }
    }

    /** Whether the shared token was proposed here by a process that died before it moved the token into its file. */
    private static boolean isLeft(Settings settings, Scope scope, String others) throws IOException {
        return !settings.http().tokenFlags().containsKey(scope.word())
                && Tokens.isProposed(settings.datadir(), scope, Hash256.parse(others));
    }

    private static String differs(Settings settings, Scope scope) {
        String others = "another than that of the other daemons of the database";
        String change = "cluster set " + scope.word() + "-token makes it the one of all";
        Path file = Tokens.file(settings.datadir(), scope);
        return settings.http().tokenFlags().containsKey(scope.word())
                ? "the configured " + scope.word() + " token is " + others + ": correct it; or " + change
                : "the " + scope.word() + " token in " + file + " is " + others
                        + ": delete that file, and theirs is accepted; or " + change;
    }

    private static Optional<Hash256> own(Settings settings, Scope scope) throws IOException {
        return Tokens.own(settings.datadir(), settings.http().tokenFlags(), scope);
    }

    /** Name of the shared setting with the digest of a classic token. */
    private static String name(Scope scope) {
        return scope.word() + " token";
    }

    /** Classic tokens, read as digests from the shared settings. */
    private record Classic(Supplier<PostgresAgreed> agreed, Set<Scope> scopes) implements Tokens.Source {
        @Override
        public Object stamp() {
            return digests();
        }

        @Override
        public Tokens read() {
            Map<Scope, Hash256> digests = digests();
            for (Scope scope : scopes) {
                if (!digests.containsKey(scope)) {
                    throw new Tokens.TokenException("the database has no " + scope.word()
                            + " token any more: say token rotate " + scope.word());
                }
            }
            return Tokens.of(digests);
        }

        private Map<Scope, Hash256> digests() {
            Map<Scope, Hash256> digests = new EnumMap<>(Scope.class);
            PostgresAgreed settings = agreed.get();
            for (Scope scope : scopes) {
                settings.value(name(scope)).ifPresent(hex -> digests.put(scope, Hash256.parse(hex)));
            }
            return digests;
        }
    }

    /**
     * Replaces a classic token of all daemons by a random one, stores it in a file of this datadir and returns it. Blocks.
     *
     * @throws StartupException when the file cannot be written; nothing is changed then
     */
    static String rotate(Settings settings, Consumer<UnaryOperator<Map<String, String>>> agree, Scope scope) {
        String[] token = new String[1];
        agree.accept(values -> {
            try {
                AtomicFiles.createFolder(settings.datadir());
                finish(settings.datadir(), scope, Optional.ofNullable(values.get(name(scope))));
                token[0] = Tokens.propose(settings.datadir(), scope);
            } catch (IOException e) {
                throw new StartupException(
                        "the tokens were not changed: no token can be kept in " + settings.datadir() + ": " + e);
            }
            values.put(name(scope), digest(token[0]).hex());
            return values;
        });
        try {
            finish(settings.datadir(), scope, Optional.of(digest(token[0]).hex()));
        } catch (IOException e) {
            LOG.warn("the new token could not be written to its file, the next start writes it: {}", e.toString());
        }
        return token[0];
    }

    /**
     * Makes the classic token of this daemon, from its option or file, the shared one. Blocks.
     *
     * @throws StartupException when it has none, or when another scope has the same token
     */
    static void set(Settings settings, Consumer<UnaryOperator<Map<String, String>>> agree, Scope scope)
            throws IOException {
        Hash256 token = own(settings, scope)
                .orElseThrow(() -> new StartupException("there is no " + scope.word() + " token to be set: give it as"
                        + " option, or in " + Tokens.file(settings.datadir(), scope)));
        agree.accept(values -> {
            values.put(name(scope), token.hex());
            requireDistinct(values, Set.of(scope));
            return values;
        });
    }

    @Override
    public List<NamedToken> all() throws IOException {
        return read(agreed.get().value(NAMED));
    }

    private static List<NamedToken> read(Optional<String> text) throws IOException {
        return text.isEmpty() ? List.of() : TokenText.read(text.get().getBytes(StandardCharsets.UTF_8), PLACE);
    }

    @Override
    public Object version() {
        return agreed.get().value(NAMED).orElse("");
    }

    @Override
    public void change(UnaryOperator<List<NamedToken>> change) throws IOException {
        try {
            agree.accept(values -> {
                try {
                    List<NamedToken> before = read(Optional.ofNullable(values.get(NAMED)));
                    List<NamedToken> after = change.apply(before);
                    if (!after.equals(before)) {
                        values.put(NAMED, new String(TokenText.write(after), StandardCharsets.UTF_8));
                    }
                    return values;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
