package org.chainwalletd.spend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.testkit.Stub;

/**
 * A kill -9 at a crash point, within this process. From the moment at which the point is passed nothing leaves for a node any more and no spend
 * writes; at a point of the writer's own thread the files are copied besides, and put back before the next start, so that nothing of what was
 * committed later is there.
 */
final class StoreDeath implements AutoCloseable {
    /** Passed by the writer alone, so that the files stand still. */
    private static final Set<CrashPoint> OF_THE_WRITER = EnumSet.of(
            CrashPoint.PAYOUTS_IN_OPEN,
            CrashPoint.PAYOUTS_IN_REQUEUE,
            CrashPoint.PAYOUTS_IN_RECALL,
            CrashPoint.RECEIPTS_IN_COMMIT,
            CrashPoint.STORE_LOGGED,
            CrashPoint.STORE_BEFORE_COMMIT,
            CrashPoint.STORE_AFTER_COMMIT,
            CrashPoint.RESTORE_ENTERED,
            CrashPoint.RESTORE_TOLD);

    /** Everything that a spend and its payouts pass in the store. */
    static final List<CrashPoint> OF_SPENDS = List.of(
            CrashPoint.SPEND_BEFORE_INTENT,
            CrashPoint.SPEND_AFTER_INTENT,
            CrashPoint.SPEND_AFTER_BROADCAST,
            CrashPoint.SPEND_AFTER_OUTCOME,
            CrashPoint.SPEND_AFTER_REORGANISATION,
            CrashPoint.PAYOUTS_IN_OPEN,
            CrashPoint.PAYOUTS_IN_REQUEUE,
            CrashPoint.PAYOUTS_IN_RECALL,
            CrashPoint.RECEIPTS_BEFORE_COMMIT,
            CrashPoint.RECEIPTS_IN_COMMIT,
            CrashPoint.RECEIPTS_AFTER_COMMIT,
            CrashPoint.STORE_LOGGED,
            CrashPoint.STORE_BEFORE_COMMIT,
            CrashPoint.STORE_AFTER_COMMIT);

    private final Path folder;
    private final StorePlace place;
    private CrashPoint armed;
    private int passages;
    private Map<Path, byte[]> files = new HashMap<>();
    private volatile boolean dead;

    StoreDeath(Path folder) {
        this(folder, StorePlace.file());
    }

    StoreDeath(Path folder, StorePlace place) {
        this.folder = folder;
        this.place = place;
        CrashPoint.watch(this::at);
    }

    /** The next death; it comes with the given passage of the point, or never. */
    synchronized void arm(CrashPoint point, int passage) {
        if (!dead) {
            armed = point;
            passages = passage;
        }
    }

    boolean isDead() {
        return dead;
    }

    private synchronized void at(CrashPoint point) {
        if (!dead && point == armed && --passages <= 0) {
            if (OF_THE_WRITER.contains(point)) {
                files = read();
            }
            dead = true;
            place.kill();
        }
    }

    /** Everything is as the death has left it; without one nothing changes. Before that whatever used the files has closed them. */
    synchronized Optional<CrashPoint> putBack() {
        if (!dead) {
            return Optional.empty();
        }
        if (!files.isEmpty()) {
            write();
        }
        Optional<CrashPoint> died = Optional.of(armed);
        files = new HashMap<>();
        armed = null;
        dead = false;
        return died;
    }

    /** No death comes any more. */
    synchronized void disarm() {
        if (!dead) {
            armed = null;
        }
    }

    /** The store's files and what stands beside them; the books are made from the chain and may be newer. */
    private Stream<Path> all() throws IOException {
        return Files.list(folder)
                .filter(Files::isRegularFile)
                .filter(file -> !file.getFileName().toString().startsWith("books.db"))
                .filter(file -> !file.getFileName().toString().endsWith("-shm"));
    }

    private Map<Path, byte[]> read() {
        Map<Path, byte[]> read = new HashMap<>();
        try (Stream<Path> now = all()) {
            for (Path file : now.toList()) {
                read.put(file, Files.readAllBytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return read;
    }

    private void write() {
        try (Stream<Path> now = all()) {
            for (Path file : now.toList()) {
                Files.delete(file);
            }
            Files.deleteIfExists(folder.resolve("walletd.db-shm"));
            for (Map.Entry<Path, byte[]> file : files.entrySet()) {
                Files.write(file.getKey(), file.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The store for spends: of a dead process it takes nothing. */
    IntentStore before(IntentStore real) {
        return before(IntentStore.class, real);
    }

    /** A part of the store: of a dead process it takes nothing. */
    <T> T before(Class<T> type, T real) {
        return Stub.of(
                type,
                call -> dead && call.answersWithStage()
                        ? CompletableFuture.failedFuture(
                                new StoreException(StoreException.Reason.UNAVAILABLE, "the process is dead", null))
                        : call.on(real));
    }

    @Override
    public void close() {
        CrashPoint.watch(null);
    }
}
