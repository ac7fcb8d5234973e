package org.chainwalletd.boot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.config.FileAccess;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.store.files.FileFailures;

/**
 * Keystore passphrase (interface.md, section 1.2), from a file or the environment. A file is safer: an environment variable is inherited by
 * all child processes, and every process of the same user can read it in {@code /proc}.
 */
public final class Passphrase {
    public static final String VARIABLE = "WALLETD_KEYSTORE_PASSPHRASE";

    /** Replacement character for bytes of a variable that the JVM could not decode in the locale's character set. */
    private static final char UNREADABLE = '\uFFFD';

    private Passphrase() {}

    /**
     * Reads the passphrase.
     *
     * @param file file named by the configuration; if empty, the variable must be set
     * @return UTF-8 bytes, unchanged
     * @throws StartupException when there is no passphrase, it cannot be used, or the file and the variable differ
     */
    public static SecretBytes from(Map<String, String> environment, Optional<Path> file) {
        if (file.isEmpty()) {
            return ofVariable(environment);
        }
        SecretBytes kept = new PassphraseFile(file.get()).read();
        if (!environment.getOrDefault(VARIABLE, "").isEmpty()) {
            try (SecretBytes given = ofVariable(environment)) {
                refuseAnother(given, kept, file.get());
            } catch (StartupException e) {
                kept.close();
                throw e;
            }
        }
        return kept;
    }

    /**
     * Reason why the daemon cannot start with the passphrase in {@code environment} and {@code file}, as a line for the operator; empty if it
     * can.
     */
    public static Optional<String> problem(Map<String, String> environment, Optional<Path> file) {
        try {
            from(environment, file).close();
            return Optional.empty();
        } catch (StartupException e) {
            return Optional.of(e.getMessage());
        }
    }

    /**
     * Outcome of trying the passphrase on the keyring.
     *
     * @param tried whether there was a keyring to try it on
     * @param problem reason why the daemon would refuse to start with it, with the same text as at startup
     */
    public record Trial(boolean tried, Optional<String> problem) {}

    /** Tries the passphrase on the keyring like a start. Costs up to two Argon2id computations. Changes nothing, so the daemon may be running. */
    public static Trial tryOnKeyring(Map<String, String> environment, Settings settings) {
        try (SecretBytes given = from(environment, settings.keyring().passphraseFile())) {
            Optional<KeyringStore> there = settings.database().flatMap(DatabaseStore::lookAtKeyring);
            if (there.isEmpty() && Keyring.isMissing(settings.wallets())) {
                return new Trial(false, Optional.empty());
            }
            KeyringSetup setup = KeyringSetup.offline(settings.chain(), settings.wallets());
            return new Trial(true, Keyring.refusal(there.isPresent() ? setup.withStore(there::get) : setup, given));
        } catch (StartupException e) {
            return new Trial(false, Optional.of(e.getMessage()));
        } catch (IOException e) {
            return new Trial(false, Optional.of(settings.wallets() + " cannot be looked at: " + e.getMessage()));
        }
    }

    private static SecretBytes ofVariable(Map<String, String> environment) {
        problem(environment, readsVariablesAsUtf8()).ifPresent(problem -> {
            throw new StartupException(problem);
        });
        return SecretBytes.takeOver(environment.get(VARIABLE).getBytes(StandardCharsets.UTF_8));
    }

    /** Refuses two different passphrases: only the operator knows which one is right, and a new keyring would accept either. */
    private static void refuseAnother(SecretBytes given, SecretBytes kept, Path file) {
        boolean same = given.use(one -> kept.use(other -> MessageDigest.isEqual(one, other)));
        if (!same) {
            throw new StartupException(VARIABLE + " and the passphrase file " + file
                    + " hold different passphrases: give only one of them");
        }
    }

    static Optional<String> problem(Map<String, String> environment, boolean readAsUtf8) {
        String text = environment.get(VARIABLE);
        if (text == null || text.isEmpty()) {
            return Optional.of(VARIABLE
                    + " is not set: put the passphrase that seals the keys into this environment variable, or into a file"
                    + " that --passphrase-file names"
                    + " (on first run, choose one and keep it safe: without it no key can be opened)");
        }
        // A key sealed under question marks would open with every passphrase of that length, and never again with the
        // right one.
        boolean ascii = text.chars().allMatch(character -> character < 0x80);
        if (text.indexOf(UNREADABLE) >= 0 || !ascii && !readAsUtf8) {
            return Optional.of(VARIABLE
                    + " has characters beyond ASCII that are not UTF-8 or cannot be read in this locale: give it in UTF-8 and"
                    + " set LC_ALL=C.UTF-8, or another locale of UTF-8 that this machine has");
        }
        return Optional.empty();
    }

    /** Whether the JVM decodes variables as UTF-8. JDK 17 uses the default character set, later JDKs that of the locale. */
    private static boolean readsVariablesAsUtf8() {
        String ofTheLocale = System.getProperty("sun.jnu.encoding", "");
        return Charset.defaultCharset().equals(StandardCharsets.UTF_8)
                && ofTheLocale.equalsIgnoreCase(StandardCharsets.UTF_8.name());
    }

    /**
     * Reads the keystore passphrase from a file: one line of UTF-8. A single trailing LF or CR LF is removed, because every editor and
     * {@code echo} adds one; nothing else is. Content that can only be a mistake is refused, because no passphrase that the operator would
     * think of could open a key sealed under it.
     */
    record PassphraseFile(Path file) {
        static final int LONGEST = 4096;
        private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

        /**
         * @return UTF-8 bytes
         * @throws StartupException when the file cannot be read, other users may read it, or it does not contain exactly one line
         */
        SecretBytes read() {
            byte[] content = new byte[LONGEST + 1];
            try {
                checkAccess();
                try (InputStream in = Files.newInputStream(file)) {
                    return passphrase(content, in.readNBytes(content, 0, content.length));
                }
            } catch (FileSystemException e) {
                throw refused("cannot be read (" + FileFailures.reason(e) + ")");
            } catch (IOException e) {
                throw refused("cannot be read (" + e.getMessage() + ")");
            } finally {
                Arrays.fill(content, (byte) 0);
            }
        }

        private void checkAccess() throws IOException {
            FileAccess.of(file).objectionToSecret().ifPresent(objection -> {
                throw refused(objection);
            });
        }

        private SecretBytes passphrase(byte[] content, int read) {
            if (read > LONGEST) {
                throw refused("is longer than " + LONGEST + " bytes");
            }
            int length = withoutLineEnd(content, read);
            if (length == 0) {
                throw refused("is empty");
            }
            for (int i = 0; i < length; i++) {
                if (content[i] == '\n' || content[i] == '\r' || content[i] == 0) {
                    throw refused("must hold the passphrase alone, on one line");
                }
            }
            boolean marked = Arrays.mismatch(content, BYTE_ORDER_MARK) >= BYTE_ORDER_MARK.length;
            if (marked || !isUtf8(content, length)) {
                throw refused("must be UTF-8, without a byte order mark");
            }
            return SecretBytes.takeOver(Arrays.copyOf(content, length));
        }

        private static int withoutLineEnd(byte[] content, int length) {
            if (length == 0 || content[length - 1] != '\n') {
                return length;
            }
            return length > 1 && content[length - 2] == '\r' ? length - 2 : length - 1;
        }

        /** Whether the bytes are UTF-8. Decodes into a char array that is overwritten, because a {@code String} cannot be overwritten. */
        private static boolean isUtf8(byte[] content, int length) {
            CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
            char[] text = new char[length];
            try {
                return !decoder.decode(ByteBuffer.wrap(content, 0, length), CharBuffer.wrap(text), true)
                        .isError();
            } finally {
                Arrays.fill(text, '\0');
            }
        }

        private StartupException refused(String why) {
            return new StartupException("the passphrase file " + file + " " + why);
        }
    }
}
