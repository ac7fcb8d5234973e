package org.chainwalletd.keyring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.testkit.OwnFiles;

/**
 * Copies a wallet folder at each crash point that a keyring passes: what a kill at that moment would leave to the next process. Whoever else writes
 * waits at its next crash point until the copy is made. One that has just passed a point may still rename or delete a file meanwhile: then the copy
 * is made again. A kill -9 takes nothing from a file that a photograph shows: what was written is the kernel's.
 */
final class CrashPhotographs implements CrashPoint.Watcher, AutoCloseable {
    private static final int MOST_TRIES = 100;

    private final Path wallets;
    private final Path album;
    private final BiPredicate<CrashPoint, Integer> chosen;
    private final Map<CrashPoint, Integer> passages = new EnumMap<>(CrashPoint.class);
    private final List<Photograph> photographs = new ArrayList<>();
    private final List<String> said = new ArrayList<>();

    /**
     * One moment.
     *
     * @param said before it
     */
    record Photograph(String name, Path wallets, List<String> said) {}

    /** @param chosen by point and number of its passage, from 1 */
    CrashPhotographs(Path wallets, Path album, BiPredicate<CrashPoint, Integer> chosen) {
        this.wallets = wallets;
        this.album = album;
        this.chosen = chosen;
        CrashPoint.watch(this);
    }

    synchronized void say(String line) {
        said.add(line);
    }

    synchronized List<Photograph> photographs() {
        return List.copyOf(photographs);
    }

    @Override
    public synchronized void at(CrashPoint point) {
        if (!Thread.currentThread().getName().equals(KeyringFixture.threadName(wallets))) {
            return;
        }
        int passage = passages.merge(point, 1, Integer::sum);
        if (chosen.test(point, passage)) {
            String name = point + "-" + passage;
            Path copy = album.resolve(name);
            copy(copy);
            photographs.add(new Photograph(name, copy, List.copyOf(said)));
        }
    }

    private void copy(Path target) {
        for (int tries = 1; ; tries++) {
            try {
                copyOnce(target);
                return;
            } catch (UncheckedIOException | IOException e) {
                boolean moved = e instanceof NoSuchFileException || e.getCause() instanceof NoSuchFileException;
                if (!moved || tries == MOST_TRIES) {
                    throw new AssertionError("no photograph of " + wallets, e);
                }
            }
        }
    }

    private void copyOnce(Path target) throws IOException {
        delete(target);
        try (Stream<Path> files = Files.walk(wallets)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path to = target.resolve(wallets.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(to);
                } else if (file.toString().endsWith(".enc")) {
                    // Never written in place, only renamed over.
                    Files.createLink(to, file);
                } else {
                    Files.copy(file, to);
                }
            }
        }
        OwnFiles.of(target);
    }

    private static void delete(Path tree) throws IOException {
        if (Files.exists(tree)) {
            try (Stream<Path> files = Files.walk(tree)) {
                for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                    Files.delete(file);
                }
            }
        }
    }

    @Override
    public void close() {
        CrashPoint.watch(null);
    }
}
