package org.chainwalletd.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.FileAccess;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.door.Tokens;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.files.FileFailures;
import org.chainwalletd.store.postgres.PostgresMember;
import org.chainwalletd.store.sql.SqliteStore;

/**
 * Refusals of a start: conditions that can be checked before anything is created, such as a folder that is no datadir or an address in use,
 * and the messages for all other causes. Only reads.
 */
public final class StartupRefusals {
    private static final Set<String> DATADIR_FILES = Set.of(
            "wallets",
            "LOCK",
            "DAEMON",
            "walletd.db",
            "walletd.conf",
            "token-read",
            "token-read.new",
            "token-manage",
            "token-manage.new",
            "token-spend",
            "token-spend.new",
            "tokens.json",
            "cert.fingerprint",
            "genesis",
            "sent.log",
            "store-id",
            "database-id",
            "devnet");

    private static final long MIB = 1 << 20;

    /** Check of one condition. */
    @FunctionalInterface
    private interface Check {
        /** @throws StartupException when the start must be refused */
        void at(Settings settings) throws IOException;
    }

    private static final List<Check> CHECKS = List.of(
            settings -> requireUsable(settings.datadir()),
            settings -> requireNotChangeableByOthers(settings.datadir(), settings.wallets()),
            settings -> requireSameStore(settings.datadir(), settings.database().isPresent()),
            settings -> {
                if (settings.database().isEmpty()) {
                    requireKeyring(settings.datadir(), settings.wallets());
                }
            },
            settings -> requireSameChain(settings.datadir(), settings.identity().genesis()),
            StartupRefusals::usableTokens,
            StartupRefusals::roomForSwaps);

    private StartupRefusals() {}

    /**
     * Checks everything except listening addresses.
     *
     * @throws StartupException with the first refusal
     */
    static void refuse(Settings settings) throws IOException {
        for (Check check : CHECKS) {
            check.at(settings);
        }
    }

    /** Lists all reasons for which {@link #refuse} would refuse a start, for callers that do not start the daemon. */
    public static List<String> of(Settings settings) {
        List<String> refusals = new ArrayList<>();
        for (Check check : CHECKS) {
            try {
                check.at(settings);
            } catch (StartupException e) {
                refusals.add(e.getMessage());
            } catch (IOException | RuntimeException e) {
                refusals.add("the datadir " + settings.datadir() + " cannot be looked at: " + e.getMessage());
            }
        }
        return refusals;
    }

    private static void usableTokens(Settings settings) throws IOException {
        Settings.Http http = settings.http();
        try {
            new Tokens.InFiles(
                            settings.datadir(), http.tokenFlags(), http.access().classicTokens())
                    .checkConfigured();
        } catch (Tokens.TokenException e) {
            throw new StartupException(e.getMessage());
        }
    }

    private static void roomForSwaps(Settings settings) {
        if (settings.swaps().partner().flatMap(Settings.Swap::swapping).isPresent()) {
            roomForSwaps(Runtime.getRuntime().maxMemory());
        }
    }

    /**
     * Refuses a heap that is too small for swaps. Answers of the account chain may fill a share of the heap; if a single answer with events
     * does not fit, no swap proceeds and the watchtower sees nothing.
     *
     * @param heap maximum heap of this process in bytes
     */
    static void roomForSwaps(long heap) {
        if (heap < AccountChain.LEAST_HEAP) {
            throw new StartupException("swaps need a heap of at least " + AccountChain.LEAST_HEAP / MIB
                    + " MiB, and this process has " + heap / MIB + ": an answer of the account chain with events would"
                    + " never fit into its share. Start with more, such as WALLETD_HEAP=512m (java -Xmx512m)");
        }
    }

    /**
     * Refuses an unusable datadir.
     *
     * @throws StartupException when the folder cannot be used, or contains files but none of a datadir
     */
    static void requireUsable(Path datadir) {
        if (!Files.exists(datadir)) {
            if (Files.isSymbolicLink(datadir)) {
                throw new StartupException(
                        "the datadir " + datadir
                                + " is a link to nothing: mount or make the folder it points to, or name another with --datadir");
            }
            requireCreatable(datadir);
            return;
        }
        if (!Files.isDirectory(datadir)) {
            throw new StartupException("the datadir " + datadir + " is a file: name a folder with --datadir");
        }
        if (!Files.isReadable(datadir) || !Files.isWritable(datadir) || !Files.isExecutable(datadir)) {
            throw new StartupException("the datadir " + datadir
                    + " cannot be read and written by this user: correct its owner and mode (0700), or name another with"
                    + " --datadir");
        }
        try (Stream<Path> entries = Files.list(datadir)) {
            Set<String> names =
                    entries.map(entry -> entry.getFileName().toString()).collect(Collectors.toSet());
            if (!names.isEmpty() && names.stream().noneMatch(DATADIR_FILES::contains)) {
                throw new StartupException("the folder " + datadir
                        + " holds files but no keyring: it is not a datadir of this daemon; name a new or empty folder"
                        + " with --datadir");
            }
        } catch (IOException e) {
            throw new StartupException("the datadir " + datadir + " cannot be read: " + e.getMessage());
        }
    }

    /**
     * Refuses a datadir that other users can change: they could make the daemon pay them, or remove its keys. {@code doctor} reports if
     * others can read it: its secrets are sealed or have mode 0600.
     *
     * @throws StartupException when the mode of the datadir, of the wallet directory or of a file in them lets others change it
     */
    static void requireNotChangeableByOthers(Path datadir, Path wallets) throws IOException {
        for (Path folder : List.of(datadir, wallets)) {
            if (Files.isDirectory(folder)) {
                FileAccess.changeable(folder).ifPresent(objection -> {
                    throw new StartupException(objection);
                });
            }
        }
    }

    /**
     * Refuses a datadir whose keyring is missing. A new empty keyring in its place would make the daemon look healthy, although the keys of
     * all addresses given out are missing.
     *
     * @throws StartupException when the datadir was in use and its keyring is missing
     */
    static void requireKeyring(Path datadir, Path wallets) throws IOException {
        Path store = datadir.resolve(SqliteStore.FILE_NAME);
        if (Files.exists(store) && Keyring.isMissing(wallets)) {
            throw new StartupException("the keyring " + wallets + " is missing although " + store
                    + " shows that this datadir was in use: mount it, or restore it from a backup; for a new keyring, name"
                    + " another folder with --datadir");
        }
    }

    /**
     * Refuses a store that does not know the payments of this datadir: repeated client tokens would pay again.
     *
     * @param database whether the store is in a database
     * @throws StartupException when the datadir has worked with a store of the other kind
     */
    static void requireSameStore(Path datadir, boolean database) {
        boolean bound = Files.exists(datadir.resolve(PostgresMember.MARK_FILE));
        if (database && !bound && Files.exists(datadir.resolve(SqliteStore.FILE_NAME))) {
            throw new StartupException("the datadir " + datadir + " keeps its payments in " + SqliteStore.FILE_NAME
                    + ", which the database does not know, so that their client tokens would pay again: move them into it"
                    + " with the command store move, start without --store, or name a new folder with --datadir");
        }
        if (!database && bound) {
            throw new StartupException("the datadir " + datadir + " keeps its payments in a database, as its file "
                    + PostgresMember.MARK_FILE
                    + " shows, and their client tokens would pay again: name the database with"
                    + " --store"
                    + SqliteStore.movedTo(datadir)
                            .map(name -> "; they were moved to " + name)
                            .orElse(""));
        }
    }

    /**
     * Refuses another chain.
     *
     * @throws StartupException when the datadir was used on another chain than the expected one
     */
    static void requireSameChain(Path datadir, Optional<Hash256> expected) {
        Optional<Hash256> pinned = expected.isPresent() ? new GenesisFile(datadir).read() : Optional.empty();
        if (pinned.isPresent() && !pinned.equals(expected)) {
            throw new StartupException("--expect-genesis names " + expected.get() + ", but " + datadir
                    + " has worked with chain " + pinned.get()
                    + " (its file genesis): its payments and coins are of that"
                    + " chain; correct the flag, or name another folder with --datadir");
        }
    }

    private static void requireCreatable(Path datadir) {
        Path existing = datadir.toAbsolutePath().getParent();
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        if (existing == null || !Files.isDirectory(existing) || !Files.isWritable(existing)) {
            throw new StartupException("the datadir " + datadir + " cannot be made in " + existing
                    + ": correct the path or the folder's mode, or name another with --datadir");
        }
    }

    /**
     * Refuses an address that is in use.
     *
     * @throws StartupException when another process listens on {@code address}
     */
    static void requireFree(InetSocketAddress address, String flag) {
        if (address.getPort() == 0) {
            return;
        }
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(address);
        } catch (IOException e) {
            throw inUse(address, flag, e.getMessage());
        }
    }

    static StartupException inUse(InetSocketAddress address, String flag, String reason) {
        return new StartupException(
                "cannot listen on " + address.getAddress().getHostAddress() + " port " + address.getPort() + " ("
                        + reason + "): stop what listens there, or choose another address with " + flag);
    }

    /** Converts the cause of a failed start into one line for the operator. */
    static StartupException explain(Throwable failure, Settings settings) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof StartupException known) {
            return known;
        }
        if (cause instanceof KeyringException keyring && keyring.reason() == KeyringException.Reason.LOCKED) {
            return new StartupException("-32012 keystore locked: " + keyring.getMessage());
        }
        if (isBind(cause)) {
            InetSocketAddress bind = settings.http().listening().bind();
            return inUse(bind, "--bind", "it is in use or not an address of this machine");
        }
        if (file(cause) instanceof FileSystemException file && file.getFile() != null) {
            return new StartupException("cannot use " + file.getFile() + " (" + FileFailures.reason(file)
                    + "): correct the path, its owner or its mode, or name another folder with --datadir");
        }
        String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new StartupException(text);
    }

    /** File system exception inside an {@link UncheckedIOException}, otherwise the failure itself. */
    private static Throwable file(Throwable failure) {
        return failure instanceof UncheckedIOException unchecked ? unchecked.getCause() : failure;
    }

    private static boolean isBind(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException
                    || cause.getClass().getSimpleName().startsWith("BindFailed")) {
                return true;
            }
        }
        return false;
    }
}
