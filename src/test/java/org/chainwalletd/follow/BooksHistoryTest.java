package org.chainwalletd.follow;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few random histories in every build; {@code -Dbooks.histories=1000} runs many (following.md, section 7). */
class BooksHistoryTest {
    private static final int HISTORIES = Integer.getInteger("books.histories", 4);

    private final ActorTestKit kit = ActorTestKit.create();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        executor.shutdownNow();
    }

    @Test
    void whatever_happens_all_books_equal_those_that_are_written_from_the_last_chain_alone() {
        Random seeds = Seeded.random("books");
        for (int i = 0; i < HISTORIES; i++) {
            HangWatch.alive();
            long seed = seeds.nextLong();
            try (BooksHistory history =
                    new BooksHistory(folder.resolve("history-" + i), new Random(seed), kit, executor)) {
                try {
                    history.run();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("history " + i + " with seed " + seed + " after " + history.log(), e);
                }
            }
        }
    }
}
