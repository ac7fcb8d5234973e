package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ChildJvm;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes that write the books and are ended in the middle of it, by {@code kill -9} or a file size limit. The books they leave must be
 * those of their last block, and a follower must be able to continue from there.
 */
@Tag("long")
class KilledBooksTest {
    private static final int STEPS = 40;
    private static final int KILLS = Integer.getInteger("books.kills", 1);

    /** File size limit in blocks of 1,024 bytes: enough for the library that SQLite unpacks, not for the whole log. */
    private static final int SMALL = 1_300;

    private static final String STUCK = "stuck";

    @TempDir
    Path folder;

    private final Random random = Seeded.random("killed books");
    private long seed;
    private FollowingStory story;
    private Path books;
    private int compared;
    private boolean stuck;

    private void begin(int number) {
        seed = random.nextLong();
        story = new FollowingStory(seed, STEPS);
        books = folder.resolve("books-" + number);
    }

    /** Use {@code -Dbooks.stories=25 -Dbooks.kills=4} for a longer run. */
    @Test
    void after_a_kill_at_any_moment_the_books_are_those_of_the_block_at_which_they_stand() throws IOException {
        for (int i = 0; i < Integer.getInteger("books.stories", 1); i++) {
            HangWatch.alive();
            begin(i);
            int step = 0;
            for (int kill = 0; kill < KILLS; kill++) {
                step = lastStep(process(step), step + 1 + random.nextInt(STEPS / KILLS - 1));
                assertBooksOfTheirBlock();
            }
            assertGoesOn();
        }
    }

    @Test
    void when_the_files_can_grow_no_further_the_books_stay_whole_and_continue_when_there_is_room() throws IOException {
        begin(0);
        Process process = process(0, "/bin/bash", "-c", "ulimit -f " + SMALL + "; exec \"$@\"", "small");

        assertThat(lastStep(process, STEPS))
                .as("the step that could not be written")
                .isLessThan(STEPS - 1);
        assertThat(stuck).isTrue();
        assertBooksOfTheirBlock();
        assertGoesOn();
    }

    private Process process(int step, String... around) throws IOException {
        List<String> command = new ArrayList<>(List.of(around));
        command.addAll(ChildJvm.command(List.of(), FollowingProcess.class, books, seed, STEPS, step));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Returns the last step that the process reached before it got stuck or was killed, soon after step {@code enough}. */
    private int lastStep(Process process, int enough) throws IOException {
        int step = 0;
        try (BufferedReader lines = Await.reader(process)) {
            String line = lines.readLine();
            while (line != null && !line.equals(STUCK) && step < enough) {
                step = line.matches("\\d+") ? Integer.parseInt(line) : step;
                line = step < enough ? lines.readLine() : null;
            }
            stuck = STUCK.equals(line);
            process.toHandle().destroyForcibly();
        } finally {
            Await.result(process.destroyForcibly().onExit());
        }
        return step;
    }

    private void assertBooksOfTheirBlock() {
        try (ModelBooks left = new ModelBooks(books)) {
            Optional<BlockRow> top = Await.result(left.file().read(session -> BlockRows.top(session.head())));
            top.ifPresent(row -> assertSame(left, block(row)));
        }
    }

    private ModelBlock block(BlockRow row) {
        return story.tips().stream()
                .filter(tip -> tip.height() >= row.height())
                .map(tip -> tip.at(row.height()))
                .filter(block -> block.id().equals(row.blockId()))
                .findFirst()
                .orElseThrow();
    }

    /** Compares the books; a rescan may have been under way. */
    private void assertSame(ModelBooks left, ModelBlock block) {
        try (ModelBooks scratch =
                ModelBooks.fromScratch(folder.resolve("scratch-" + compared++), story.owned(), block)) {
            Map<String, List<String>> expected = scratch.dump();
            left.dump().forEach((table, rows) -> {
                if (!table.equals(ModelBooks.OF_RESCANS)) {
                    ModelBooks.assertSame(table, rows, expected.get(table));
                }
            });
        }
    }

    private void assertGoesOn() {
        ActorTestKit kit = ActorTestKit.create();
        ExecutorService executor = Executors.newFixedThreadPool(2);
        ModelNode node = new ModelNode(story.chain(), executor);
        ModelBlock last = story.tips().get(STEPS - 1);
        node.tip(last);
        try (ModelDaemon daemon = new ModelDaemon(books, story.owned(), List.of(node), node.client(), kit, executor)) {
            daemon.awaitFollowed(last);
            daemon.awaitNoRescan();
            assertSame(daemon.books(), last);
        } finally {
            kit.shutdownTestKit();
            executor.shutdownNow();
        }
    }
}
