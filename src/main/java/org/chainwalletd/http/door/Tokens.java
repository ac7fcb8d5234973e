package org.chainwalletd.http.door;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.FileAccess;
import org.chainwalletd.store.files.AtomicFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Digests of the tokens in force: for each scope the token from flag or environment, or else the one in the file {@code token-<scope>} of the
 * datadir. Immutable; rereading creates a new instance.
 */
public final class Tokens {
    /** Minimum length of a token chosen by an operator; generated ones have 64 characters. */
    public static final int MIN_LENGTH = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Tokens.class);
    private static final int RANDOM_BYTES = 32;
    private static final int MAX_LENGTH = 1024;

    private final Map<Scope, byte[]> digests;

    private Tokens(Map<Scope, byte[]> digests) {
        this.digests = digests;
    }

    /** Source from which the tokens in force are reread at intervals. */
    public interface Source {
        /** Returns a value that stays equal as long as the tokens are unchanged. Cheap. */
        Object stamp();

        /** @throws TokenException when the tokens must not be used */
        Tokens read() throws IOException;
    }

    /**
     * Files of a datadir, unless flag or environment give the token.
     *
     * @param configured from flag or environment, by scope word
     * @param accepted words of the scopes that have such a token; no file is created or read for other scopes
     */
    public record InFiles(Path datadir, Map<String, String> configured, Set<String> accepted) implements Source {
        /** Times and sizes of the files. */
        @Override
        public Object stamp() {
            List<Object> stamps = new ArrayList<>();
            for (Scope scope : scopes(accepted)) {
                if (!configured.containsKey(scope.word())) {
                    stamps.add(stamp(file(datadir, scope)));
                }
            }
            return stamps;
        }

        private static Object stamp(Path file) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                return Arrays.asList(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
            } catch (IOException e) {
                return "none";
            }
        }

        /**
         * Reads the tokens and creates the missing files (mode 0600) of scopes without a configured token.
         *
         * @param created called once for each new file, with a line for the operator that contains the token
         * @throws TokenException when a token is empty, too short, unusable in a header, or the same for two scopes
         */
        public Tokens open(Consumer<String> created) throws IOException {
            for (Scope scope : scopes(accepted)) {
                if (!configured.containsKey(scope.word()) && !Files.exists(file(datadir, scope))) {
                    created.accept(line(datadir, scope, write(datadir, scope)));
                }
            }
            return read();
        }

        /**
         * Rereads the tokens; creates no files.
         *
         * @throws TokenException as {@link #open}, and when a file is missing
         */
        @Override
        public Tokens read() throws IOException {
            Map<Scope, Hash256> digests = new EnumMap<>(Scope.class);
            for (Scope scope : scopes(accepted)) {
                String token = configured.get(scope.word());
                digests.put(
                        scope,
                        token == null
                                ? fromFile(file(datadir, scope))
                                : Tokens.digest(token, "the configured " + scope.word() + " token"));
            }
            return of(digests);
        }

        /**
         * Checks the configured tokens without the files.
         *
         * @throws TokenException as {@link #open}
         */
        public void checkConfigured() throws IOException {
            Set<String> given = new HashSet<>(accepted);
            given.retainAll(configured.keySet());
            new InFiles(datadir, configured, given).read();
        }
    }

    /** Returns the line for the operator that contains a new token. */
    public static String line(Path datadir, Scope scope, String token) {
        return scope.word() + " token (kept in " + file(datadir, scope) + "): " + token;
    }

    /** Writes a random token into the file of a scope, and returns it. */
    public static String write(Path datadir, Scope scope) throws IOException {
        return write(file(datadir, scope));
    }

    /**
     * Writes a random token next to the file of a scope and returns it; {@link #adopt} follows when all daemons have it. A token that is already
     * proposed, for example before a crash, is returned again.
     */
    public static String propose(Path datadir, Scope scope) throws IOException {
        if (Files.exists(proposed(datadir, scope))) {
            return Files.readString(proposed(datadir, scope), StandardCharsets.US_ASCII)
                    .strip();
        }
        return write(proposed(datadir, scope));
    }

    /**
     * Moves the proposed token into the file of its scope, if it has this SHA-256.
     *
     * @return whether there was such a token
     */
    public static boolean adopt(Path datadir, Scope scope, Hash256 digest) throws IOException {
        if (!isProposed(datadir, scope, digest)) {
            return false;
        }
        AtomicFiles.rename(proposed(datadir, scope), file(datadir, scope));
        return true;
    }

    /** Whether a token with this SHA-256 was proposed and is not yet adopted. */
    public static boolean isProposed(Path datadir, Scope scope, Hash256 digest) throws IOException {
        Path proposed = proposed(datadir, scope);
        return Files.exists(proposed) && fromFile(proposed).equals(digest);
    }

    /** Deletes a proposed token that the daemons do not use. */
    public static void withdraw(Path datadir, Scope scope) throws IOException {
        AtomicFiles.delete(proposed(datadir, scope));
    }

    private static Path proposed(Path datadir, Scope scope) {
        return datadir.resolve("token-" + scope.word() + ".new");
    }

    /** Returns the scopes with these words. */
    public static List<Scope> scopes(Set<String> accepted) {
        return Arrays.stream(Scope.values())
                .filter(scope -> accepted.contains(scope.word()))
                .toList();
    }

    /**
     * Returns tokens that are known by their SHA-256 alone.
     *
     * @throws TokenException when two scopes have the same
     */
    public static Tokens of(Map<Scope, Hash256> digests) {
        Map<Hash256, Scope> scopes = new HashMap<>();
        Map<Scope, byte[]> bytes = new EnumMap<>(Scope.class);
        new EnumMap<>(digests).forEach((scope, digest) -> {
            Scope other = scopes.put(digest, scope);
            if (other != null) {
                throw new TokenException("the " + other.word() + " token and the " + scope.word()
                        + " token are the same: give every scope a token of its own");
            }
            bytes.put(scope, digest.toArray());
        });
        return new Tokens(bytes);
    }

    /**
     * Returns the SHA-256 of a scope's token from flag, environment or file; empty when there is none.
     *
     * @throws TokenException when it must not be used
     */
    public static Optional<Hash256> own(Path datadir, Map<String, String> configured, Scope scope) throws IOException {
        return configured.containsKey(scope.word()) || Files.exists(file(datadir, scope))
                ? new InFiles(datadir, configured, Set.of(scope.word()))
                        .read()
                        .digest(scope)
                        .map(Hash256::of)
                : Optional.empty();
    }

    /**
     * Replaces the token in a scope's file. A running daemon uses the old one until it rereads the files.
     *
     * @return the new token, to be shown to the operator once
     * @throws TokenException when the datadir has no such file
     */
    public static String rotate(Path datadir, Scope scope) throws IOException {
        Path file = file(datadir, scope);
        if (!Files.isRegularFile(file)) {
            throw new TokenException(
                    "there is no token file " + file + ": the daemon makes it at its first start with this datadir");
        }
        return write(datadir, scope);
    }

    /** Returns a new token: 64 hex characters. */
    public static String random() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    Optional<byte[]> digest(Scope scope) {
        return Optional.ofNullable(digests.get(scope));
    }

    /** Returns the file of a scope's token. */
    public static Path file(Path datadir, Scope scope) {
        return datadir.resolve("token-" + scope.word());
    }

    /** Writes a random token, with a line feed, and returns it. */
    private static String write(Path file) throws IOException {
        String token = random();
        AtomicFiles.write(file, (token + "\n").getBytes(StandardCharsets.US_ASCII));
        return token;
    }

    private static Hash256 fromFile(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new TokenException("the token file " + file + " is missing: restore it, or restart to have it made");
        }
        if (!Files.isRegularFile(file)) {
            throw new TokenException("the token file " + file + " is no file: remove it, and restart to have one made");
        }
        Optional<String> objection = FileAccess.of(file).objectionToContent();
        if (objection.isPresent()) {
            throw new TokenException("the token file " + file + " " + objection.get());
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (permissions.contains(PosixFilePermission.OTHERS_READ)
                || permissions.contains(PosixFilePermission.GROUP_READ)) {
            LOG.warn("The token file {} can be read by others: chmod 600 it", file);
        }
        String content = Files.readString(file, StandardCharsets.ISO_8859_1);
        return digest(content.stripTrailing(), "the token in " + file);
    }

    private static Hash256 digest(String token, String name) {
        if (token.isEmpty()) {
            throw new TokenException(name + " is empty");
        }
        if (token.length() < MIN_LENGTH || token.length() > MAX_LENGTH) {
            throw new TokenException(name + " must have " + MIN_LENGTH + " to " + MAX_LENGTH + " characters");
        }
        if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new TokenException(
                    name + " holds a character that is no visible ASCII: it cannot be sent in a header");
        }
        return Hash256.sha256(token.getBytes(StandardCharsets.US_ASCII));
    }

    /** Failure because of a token that must not be used. The message names its source, never its text. */
    public static final class TokenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public TokenException(String message) {
            super(message);
        }
    }
}
