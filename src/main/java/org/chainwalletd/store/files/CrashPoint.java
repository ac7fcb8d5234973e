package org.chainwalletd.store.files;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Named points at which a test kills the process to prove that nothing acknowledged is lost. The system property {@code walletd.crash-point} halts
 * the JVM there immediately, like kill -9; without the property a point costs two comparisons. Its value is a point's name; {@code name@what} counts
 * only passes with that description, such as a swap's direction and status, and a suffix {@code #n} selects the n-th pass.
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
    PAYOUTS_IN_OPEN,
    PAYOUTS_IN_REQUEUE,
    PAYOUTS_IN_RECALL,
    RECEIPTS_BEFORE_COMMIT,
    RECEIPTS_IN_COMMIT,
    RECEIPTS_AFTER_COMMIT,
    STORE_LOGGED,
    STORE_BEFORE_COMMIT,
    STORE_AFTER_COMMIT,
    RESTORE_ENTERED,
    RESTORE_TOLD,
    BOOKS_MOVED,
    KEYS_IN_MOVE,
    KEYS_MOVED,
    MOVE_BEGUN,
    MOVE_COPYING,
    MOVE_COPIED,
    MOVE_MARKED,
    MOVE_LOGGED,
    MOVE_ENDED,
    BACK_MOVE_BEGUN,
    BACK_MOVE_COPIED,
    BACK_MOVE_MARKED,
    BACK_MOVE_INSTALLING,
    BACK_MOVE_LOGGED,
    BACK_MOVE_ENDED,
    SWAP_BEFORE_WRITE,
    SWAP_AFTER_WRITE,
    SWAP_BEFORE_STEP,
    SWAP_AFTER_STEP,
    ACCOUNT_BEFORE_ROW,
    ACCOUNT_AFTER_ROW,
    ACCOUNT_AFTER_SEND,
    ACCOUNT_AFTER_STATE;

    private static final Armed ARMED = Armed.parse(System.getProperty("walletd.crash-point", ""));

    private static volatile Watcher watcher;

    private long passed;

    /**
     * Crash point that is armed in this process.
     *
     * @param name of the point; empty when none is armed
     * @param what description of the passes that count; empty for all
     * @param passage number of the pass that halts the process, from 1
     */
    private record Armed(String name, String what, long passage) {
        private static final Pattern FORM = Pattern.compile("([A-Z_]*)(?:@([^#]+))?(?:#([0-9]+))?");

        static Armed parse(String text) {
            Matcher parts = FORM.matcher(text);
            if (!parts.matches()) {
                throw new IllegalArgumentException("walletd.crash-point must be name@what#n, not " + text);
            }
            return new Armed(
                    parts.group(1),
                    parts.group(2) == null ? "" : parts.group(2),
                    parts.group(3) == null ? 1 : Long.parseLong(parts.group(3)));
        }
    }

    /** Inspects the disk in the state in which a kill at this moment would leave it. */
    @FunctionalInterface
    public interface Watcher {
        /** Called on the thread that reaches the point, which continues afterwards. */
        void at(CrashPoint point);
    }

    /** Sets the watcher of a test that inspects instead of killing; at most one at a time. {@code null} removes it. */
    public static void watch(Watcher looking) {
        watcher = looking;
    }

    /** Halts the process if this point is armed. */
    public void reached() {
        reached(() -> "");
    }

    /**
     * Halts the process if this point is armed for this pass.
     *
     * @param what supplies a description of the pass; called only if this point is armed with a description
     */
    public void reached(Supplier<String> what) {
        Watcher looking = watcher;
        if (looking != null) {
            looking.at(this);
        }
        if (ARMED.name().equals(name()) && counts(what) && countPassage() == ARMED.passage()) {
            Runtime.getRuntime().halt(137);
        }
    }

    private static boolean counts(Supplier<String> what) {
        return ARMED.what().isEmpty() || ARMED.what().equals(what.get());
    }

    private synchronized long countPassage() {
        return ++passed;
    }

    public static List<String> names() {
        return Arrays.stream(values()).map(Enum::name).toList();
    }
}
