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
 * Simulates a kill -9 at a crash point within this process. From the moment the point is passed, nothing is sent to a node and no spend
 * writes. At a point on the writer's own thread the files are copied as well, and put back before the next start, so that nothing committed
 * later remains.
 */
final class StoreDeath implements AutoCloseable {
    /** Points passed only by the writer, so that the files do not change meanwhile. */
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

    /** All points of the store that a spend and its payouts pass. */
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

    /** Arms the next death at the given passage of the point. */
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

    /** Puts the files back as the death left them; changes nothing without a death. The files must be closed before. */
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

    /** Disarms a pending death. */
    synchronized void disarm() {
        if (!dead) {
            armed = null;
        }
    }

    /** Files of the store and beside it, without the books, which are rebuilt from the chain and may be newer. */
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

    /** Store for spends that accepts nothing from a dead process. */
    IntentStore before(IntentStore real) {
        return before(IntentStore.class, real);
    }

    /** Part of the store that accepts nothing from a dead process. */
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
