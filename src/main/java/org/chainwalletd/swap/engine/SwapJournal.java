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
 * Journal of this daemon's swaps, durable and sealed (swap.md, section 6). A row is written before the acts that it records are performed. Stages
 * fail with {@link org.chainwalletd.store.StoreException}, with {@link org.chainwalletd.crypto.SealedBlob.UnsealException}, or with
 * {@link Overtaken}.
 *
 * @param seals of the swap journal's role
 * @param threads for sealing and opening, which may wait for the key
 */
public record SwapJournal(SwapStore store, SealedRecords seals, Executor threads) {
    private static final Logger LOG = LoggerFactory.getLogger(SwapJournal.class);

    /** Another writer has changed the row since it was read. */
    public static final class Overtaken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Overtaken(String id) {
            super("swap " + id + " was changed by somebody else meanwhile", null, false, false);
        }
    }

    /**
     * A row as stored. Its secret stays sealed in the entry: it is opened only where it is used and then overwritten, so no waiting swap has its
     * secret in memory.
     */
    public record Held(SwapRow row, SwapEntry entry) {}

    /** @param next argument for the next page; empty on the last page */
    public record Page(List<SwapRow> rows, Optional<Long> next) {
        public Page {
            rows = List.copyOf(rows);
        }
    }

    /**
     * Adds a quote; empty when its hash lock or the pool's id was used before.
     *
     * @param secret 32 bytes; remains the caller's
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
     * Replaces the held row by {@code next}.
     *
     * @param watched whether the daemon continues to watch the swap
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

    /** Qualifier of the crash point in tests: direction and status. */
    private static String place(SwapRow row) {
        return row.terms().direction() + ":" + row.status();
    }

    /** Lends the secret of a row to {@code use}, and overwrites it when the returned stage is complete. */
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

    /** Marks a row as watched again; empty when there is none. */
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

    /** Finds a row; does not return its secret. */
    public CompletionStage<Optional<SwapRow>> find(String id) {
        return take(id).thenApplyAsync(found -> found.map(Held::row), threads);
    }

    /** Returns the row of a hash lock; empty when there is none or when it is damaged, in which case no actor can process it. */
    public CompletionStage<Optional<Held>> ofHashLock(Hash256 hashLock) {
        return store.ofHashLock(hashLock).thenApplyAsync(found -> found.flatMap(this::readable), threads);
    }

    /** Returns a row with its sealed secret, for a component that continues the swap. */
    public CompletionStage<Optional<Held>> take(String id) {
        return store.find(id).thenApplyAsync(found -> found.map(this::held), threads);
    }

    /** Returns the readable watched rows, oldest first. A damaged row is skipped. */
    public CompletionStage<List<Held>> watched() {
        return store.watched()
                .thenApplyAsync(
                        entries -> entries.stream()
                                .flatMap(entry -> readable(entry).stream())
                                .toList(),
                        threads);
    }

    /** Returns the same rows as {@link #watched} without their entries, for a start that only needs to know which swaps are open. */
    public CompletionStage<List<SwapRow>> watchedRows() {
        return watched().thenApplyAsync(opened -> opened.stream().map(Held::row).toList(), threads);
    }

    /**
     * Deletes expired quotes.
     *
     * @param before Unix seconds; only quotes unchanged since then are deleted
     * @return number of deleted quotes
     */
    public CompletionStage<Integer> forgetExpired(long before) {
        return store.remove(SwapStatus.EXPIRED.word(), before);
    }

    /** Returns the decoded row; empty when it is damaged. */
    private Optional<Held> readable(SwapEntry entry) {
        try {
            return Optional.of(held(entry));
        } catch (UnsealException | IllegalArgumentException e) {
            LOG.error("swap {} is not processed, its row cannot be read: {}", entry.id(), e.toString());
            return Optional.empty();
        }
    }

    /**
     * Returns a page of rows, newest first, without damaged ones.
     *
     * @param below number of the last row of the previous page
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

    /** Opens the sealed part and checks that it belongs to its row, so that the contents of two rows cannot be exchanged. */
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
