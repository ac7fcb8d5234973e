package org.chainwalletd.swap.engine;

import static org.chainwalletd.stage.Blocking.await;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The swaps of this daemon, durable and sealed (swap.md, section 6). A row is written before what it speaks of is done. Stages fail with
 * {@link org.chainwalletd.store.StoreException}, with {@link org.chainwalletd.crypto.SealedBlob.UnsealException}, or with {@link Overtaken}.
 *
 * @param seals of the swap journal's role
 * @param threads for sealing and opening, which waits for the key
 */
public record SwapJournal(SwapStore store, SealedRecords seals, Executor threads) {
    private static final Logger LOG = LoggerFactory.getLogger(SwapJournal.class);

    /** The row was changed by another writer since it was read. */
    public static final class Overtaken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Overtaken(String id) {
            super("swap " + id + " was changed by somebody else meanwhile", null, false, false);
        }
    }

    /**
     * A row as it stands in the store. Its secret is in the entry, sealed: it is opened where it is used and overwritten after that, so no
     * swap has it in memory while it waits.
     */
    public record Held(SwapRow row, SwapEntry entry) {}

    /** @param next for the page after this one; empty on the last */
    public record Page(List<SwapRow> rows, Optional<Long> next) {
        public Page {
            rows = List.copyOf(rows);
        }
    }

    /**
     * Adds a quote; empty when its hash lock or the pool's id was used before.
     *
     * @param secret 32 bytes; stays the caller's
     */
    public CompletionStage<Optional<Held>> add(SwapRow row, SecretBytes secret) {
        CrashPoint.SWAP_BEFORE_WRITE.reached(() -> place(row));
        return store.add(entry(row, secret, 0, true))
                .thenApplyAsync(
                        added -> {
                            CrashPoint.SWAP_AFTER_WRITE.reached(() -> place(row));
                            return added.map(entry -> new Held(row, entry));
                        },
                        threads);
    }

    /**
     * Replaces what is held by {@code next}.
     *
     * @param watched whether the daemon goes on looking after it
     */
    public CompletionStage<Held> write(Held held, SwapRow next, boolean watched) {
        return Work.on(threads, () -> next(held, next, watched))
                .thenComposeAsync(entry -> replace(next, entry), threads);
    }

    private SwapEntry next(Held held, SwapRow next, boolean watched) {
        try (SecretBytes secret = open(held.entry()).secret()) {
            return entry(next, secret, held.entry().version() + 1, watched);
        }
    }

    private CompletionStage<Held> replace(SwapRow next, SwapEntry entry) {
        CrashPoint.SWAP_BEFORE_WRITE.reached(() -> place(next));
        return store.replace(entry)
                .thenApplyAsync(
                        written -> {
                            CrashPoint.SWAP_AFTER_WRITE.reached(() -> place(next));
                            if (!written) {
                                throw new Overtaken(next.id());
                            }
                            return new Held(next, entry);
                        },
                        threads);
    }

    /** Crash point for tests: a direction and a status. */
    private static String place(SwapRow row) {
        return row.terms().direction() + ":" + row.status();
    }

    /** Lends the secret of a row to {@code use}, and overwrites it when the stage of that is complete. */
    public <T> CompletionStage<T> withSecret(Held held, Function<SecretBytes, CompletionStage<T>> use) {
        return Work.on(threads, () -> open(held.entry()).secret())
                .thenComposeAsync(
                        secret -> {
                            try {
                                return use.apply(secret).whenCompleteAsync((done, failure) -> secret.close(), threads);
                            } catch (RuntimeException e) {
                                secret.close();
                                throw e;
                            }
                        },
                        threads);
    }

    /** Makes the daemon look after a row again; empty when there is none. */
    public CompletionStage<Optional<Held>> rewatch(String id) {
        return take(id).thenComposeAsync(
                        found -> found.isEmpty() || found.get().entry().watched()
                                ? CompletableFuture.completedFuture(found)
                                : write(found.get(), found.get().row(), true).thenApplyAsync(Optional::of, threads),
                        threads);
    }

    private SwapEntry entry(SwapRow row, SecretBytes secret, long version, boolean watched) {
        try (SecretBytes content = SwapCodec.encode(row, secret)) {
            return new SwapEntry(
                    0,
                    row.id(),
                    version,
                    row.poolSwapId(),
                    row.terms().hashLock(),
                    row.status().word(),
                    watched,
                    seals.seal(content),
                    row.updatedAt());
        }
    }

    /** Finds a row, without its secret. */
    public CompletionStage<Optional<SwapRow>> find(String id) {
        return take(id).thenApplyAsync(found -> found.map(Held::row), threads);
    }

    /** The row of a hash lock; empty when there is none, and when it is damaged: nobody can look after it then. */
    public CompletionStage<Optional<Held>> ofHashLock(Hash256 hashLock) {
        return store.ofHashLock(hashLock).thenApplyAsync(found -> found.flatMap(this::readable), threads);
    }

    /** Takes a row with its secret, to go on with it. */
    public CompletionStage<Optional<Held>> take(String id) {
        return store.find(id).thenApplyAsync(found -> found.map(this::held), threads);
    }

    /** Watched rows that can be read, oldest first. A damaged row does not stop the others. */
    public CompletionStage<List<Held>> watched() {
        return store.watched()
                .thenApplyAsync(
                        entries -> entries.stream()
                                .flatMap(entry -> readable(entry).stream())
                                .toList(),
                        threads);
    }

    /** As {@link #watched}, with the rows alone, for a start that needs to know which swaps are open. */
    public CompletionStage<List<SwapRow>> watchedRows() {
        return watched().thenApplyAsync(opened -> opened.stream().map(Held::row).toList(), threads);
    }

    /**
     * Forgets quotes that came to nothing.
     *
     * @param before Unix seconds; only those that have not changed since
     * @return how many
     */
    public CompletionStage<Integer> forgetExpired(long before) {
        return store.remove(SwapStatus.EXPIRED.word(), before);
    }

    /** Empty for a row that is damaged. */
    private Optional<Held> readable(SwapEntry entry) {
        try {
            return Optional.of(held(entry));
        } catch (UnsealException | IllegalArgumentException e) {
            LOG.error("swap {} stands still, its row cannot be read: {}", entry.id(), e.toString());
            return Optional.empty();
        }
    }

    /**
     * Newest first, without those that are damaged.
     *
     * @param below number of the last row of the page before
     */
    public CompletionStage<Page> page(Optional<SwapStatus> status, Optional<Long> below, int limit) {
        return store.page(status.map(SwapStatus::word), below.orElse(Long.MAX_VALUE), limit + 1)
                .thenApplyAsync(
                        entries -> {
                            boolean more = entries.size() > limit;
                            List<SwapEntry> shown = more ? entries.subList(0, limit) : entries;
                            return new Page(
                                    shown.stream()
                                            .flatMap(entry -> readable(entry).stream())
                                            .map(Held::row)
                                            .toList(),
                                    more ? Optional.of(shown.get(limit - 1).number()) : Optional.empty());
                        },
                        threads);
    }

    private Held held(SwapEntry entry) {
        SwapCodec.Opened opened = open(entry);
        opened.secret().close();
        return new Held(opened.row(), entry);
    }

    /** Checks that the sealed part belongs to the row that it was found in: rows cannot be exchanged for one another. */
    private SwapCodec.Opened open(SwapEntry entry) {
        try (SecretBytes content = await(seals.open(entry.content()))) {
            SwapCodec.Opened opened = SwapCodec.decode(content);
            if (!opened.row().id().equals(entry.id())) {
                opened.secret().close();
                throw new IllegalArgumentException("the row of swap " + entry.id() + " holds another swap");
            }
            return opened;
        }
    }
}
