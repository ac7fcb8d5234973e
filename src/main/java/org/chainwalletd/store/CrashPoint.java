package org.chainwalletd.store;

import java.util.Arrays;
import java.util.List;

/**
 * Places where a test kills the process to prove that nothing acknowledged is lost. The system property {@code walletd.crash-point}
 * (a point's name, optionally {@code name#n} for its n-th passage) halts the JVM there at once, like kill -9; without it a point costs two
 * comparisons.
 */
public enum CrashPoint {
    FILE_TEMP_WRITTEN,
    FILE_RENAMED,
    MINT_BEFORE_KEY_FILE,
    MINT_BEFORE_MNEMONIC_FILE,
    MINT_BEFORE_STATE,
    MINT_BEFORE_ANSWER,
    IMPORT_BEFORE_STATE,
    DELETE_BEFORE_STATE,
    DELETE_BEFORE_FILES,
    VAULT_IMPORT_BETWEEN_KEYS,
    VAULT_IMPORT_BEFORE_STATE,
    EVM_KEY_BEFORE_FILES,
    EVM_KEY_BEFORE_KEY_FILE,
    EVM_KEY_BEFORE_STATE,
    EVM_KEY_BEFORE_ANSWER,
    EVM_DELETE_BEFORE_STATE,
    EVM_DELETE_BEFORE_FILES,
    SPEND_BEFORE_INTENT,
    SPEND_AFTER_INTENT,
    SPEND_AFTER_BROADCAST,
    SPEND_AFTER_OUTCOME,
    SPEND_AFTER_REORGANISATION,
    SWAP_BEFORE_WRITE,
    SWAP_AFTER_WRITE,
    SWAP_BEFORE_STEP,
    SWAP_AFTER_STEP,
    ACCOUNT_BEFORE_ROW,
    ACCOUNT_AFTER_ROW,
    ACCOUNT_AFTER_SEND,
    ACCOUNT_AFTER_STATE;

    private static final String ARMED = System.getProperty("walletd.crash-point", "");
    private static final String NAME = ARMED.contains("#") ? ARMED.substring(0, ARMED.indexOf('#')) : ARMED;
    private static final long PASSAGE =
            ARMED.contains("#") ? Long.parseLong(ARMED.substring(ARMED.indexOf('#') + 1)) : 1;

    private static volatile Watcher watcher;

    private long passed;

    /** Looks at the disk as a kill at this moment would leave it. */
    @FunctionalInterface
    public interface Watcher {
        /** Called on the thread that passes, which goes on afterwards. */
        void at(CrashPoint point);
    }

    /** For a test that looks instead of killing. At most one at a time; {@code null} ends it. */
    public static void watch(Watcher looking) {
        watcher = looking;
    }

    /** Halts the process when this point is armed. */
    public void reached() {
        Watcher looking = watcher;
        if (looking != null) {
            looking.at(this);
        }
        if (!NAME.isEmpty() && NAME.equals(name()) && countPassage() == PASSAGE) {
            Runtime.getRuntime().halt(137);
        }
    }

    private synchronized long countPassage() {
        return ++passed;
    }

    public static List<String> names() {
        return Arrays.stream(values()).map(Enum::name).toList();
    }
}
