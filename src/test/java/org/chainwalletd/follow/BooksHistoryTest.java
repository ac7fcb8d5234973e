package org.chainwalletd.follow;

import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs a few random histories in every build; {@code -Dbooks.histories=1000} runs many (following.md, section 7). */
class BooksHistoryTest {
    private final BooksPlaces places = places();

    private final ActorTestKit kit = ActorTestKit.create();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);

    @TempDir
    Path folder;

    BooksPlaces places() {
        return BooksPlaces.FILES;
    }

    /** Returns whether several daemons may have the books open. */
    boolean shared() {
        return false;
    }

    int histories() {
        return Integer.getInteger("books.histories", 4);
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        executor.shutdownNow();
    }

    @Test
    void whatever_happens_all_books_equal_those_that_are_written_from_the_last_chain_alone() {
        Random seeds = Seeded.random("books");
        for (int i = 0; i < histories(); i++) {
            HangWatch.alive();
            long seed = seeds.nextLong();
            try (BooksHistory history = new BooksHistory(
                    places, shared(), folder.resolve("history-" + i), new Random(seed), kit, executor)) {
                try {
                    history.run();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("history " + i + " with seed " + seed + " after " + history.log(), e);
                }
            }
        }
    }

    /**
     * Random history of a following daemon: nodes on branches that grow, reorganise one to fifty blocks deep and catch up with each other, one
     * of them with false data; restarts, crashes in the middle of a commit, added keys, rescans. Meanwhile readers read pages of the credit feed.
     * At the end all books must equal books written from the final chain alone, and the events that each reader got must add up to that chain's
     * credits.
     */
    private static final class BooksHistory implements AutoCloseable {
        private static final int NODES = 3;
        private static final int LIAR = NODES - 1;
        private static final int DEEPEST = 50;
        private static final int STEPS = 25;
        private static final int OWNED = 3;
        private static final int MORE_KEYS = 2;

        private final BooksPlaces places;
        private final boolean shared;
        private final Path folder;
        private final Random random;
        private final ActorTestKit kit;
        private final ExecutorService executor;
        private final ModelChain chain;
        private final List<ModelNode> nodes = new ArrayList<>();
        private final List<CreditReader> readers = new ArrayList<>();
        private final Set<Address> owned = ConcurrentHashMap.newKeySet();
        private final StringBuilder log = new StringBuilder();
        /** Daemons that continue to follow although another one has taken the books over. */
        private final List<ModelDaemon> takenOver = new ArrayList<>();

        private ModelDaemon daemon;
        private CreditFeed feed;
        private int keys = OWNED;

        BooksHistory(
                BooksPlaces places,
                boolean shared,
                Path folder,
                Random random,
                ActorTestKit kit,
                ExecutorService executor) {
            this.places = places;
            this.shared = shared;
            this.folder = folder;
            this.random = random;
            this.kit = kit;
            this.executor = executor;
            this.chain = new ModelChain(random);
            for (int i = 0; i < NODES; i++) {
                nodes.add(new ModelNode(chain, executor));
            }
            for (int i = 0; i < keys; i++) {
                owned.add(chain.address(i));
            }
        }

        String log() {
            return log.toString();
        }

        void run() {
            grow(nodes.get(0), 5 + random.nextInt(40));
            nodes.forEach(node -> node.tip(nodes.get(0).tip()));
            start();
            settle();
            for (int i = 0; i < 2; i++) {
                readers.add(reader(random.nextInt(5), Optional.empty()));
            }
            readers.add(reader(0, Optional.empty()));
            readers.add(reader(random.nextInt(3), Optional.of(chain.address(0))));
            for (int i = 0; i < STEPS; i++) {
                step();
                if (random.nextBoolean()) {
                    readers.get(random.nextInt(readers.size())).read(1 + random.nextInt(9));
                }
            }
            conclude();
        }

        private CreditReader reader(long depth, Optional<Address> address) {
            return new CreditReader(() -> feed, owned, depth, address);
        }

        private void step() {
            int dice = random.nextInt(100);
            ModelNode node = nodes.get(random.nextInt(NODES));
            if (dice < 22) {
                say("grow");
                grow(node, 1 + random.nextInt(8));
            } else if (dice < 40) {
                reorganise(node);
            } else if (dice < 48) {
                say("catch up");
                node.tip(heaviest());
            } else if (dice < 58) {
                ModelNode.Lie lie = ModelNode.Lie.values()[random.nextInt(ModelNode.Lie.values().length)];
                say("lie " + lie);
                nodes.get(LIAR).lie(lie);
            } else if (dice < 64 && shared && random.nextBoolean()) {
                say("take over");
                takenOver.add(daemon);
                start();
            } else if (dice < 64) {
                say("restart");
                stop();
                start();
            } else if (dice < 70) {
                die();
            } else if (dice < 76) {
                rescan(1 + random.nextInt((int) heaviest().height()));
            } else if (dice < 80) {
                addKey();
            } else {
                settle();
            }
        }

        private void grow(ModelNode node, int blocks) {
            for (int i = 0; i < blocks; i++) {
                node.tip(chain.grow(node.tip(), List.of()));
            }
        }

        /** Reorganises; the new blocks include some of the old ones' transactions, in other blocks. */
        private void reorganise(ModelNode node) {
            int depth = 1 + random.nextInt((int) Math.min(DEEPEST, node.tip().height() - 1));
            say("reorganise " + depth);
            List<Transaction> old = new ArrayList<>();
            ModelBlock fork = node.tip();
            for (int i = 0; i < depth; i++) {
                fork.block()
                        .transactions()
                        .forEach(mined -> old.add(0, mined.decoded().orElseThrow()));
                fork = fork.parent();
            }
            ModelBlock tip = fork;
            int length = depth + random.nextInt(3);
            for (int i = 0; i < length; i++) {
                tip = chain.grow(tip, random.nextInt(3) == 0 ? old : List.of());
            }
            node.tip(tip);
        }

        private ModelBlock heaviest() {
            return nodes.stream()
                    .map(ModelNode::tip)
                    .max(Comparator.comparingLong(ModelBlock::height))
                    .orElseThrow();
        }

        /** Makes one branch the longest, and waits until it is followed. */
        private void settle() {
            say("settle");
            ModelBlock best = chain.grow(heaviest(), List.of());
            nodes.get(0).tip(best);
            daemon.awaitFollowed(best);
        }

        /** Simulates a crash of the process after blocks were written but not committed. */
        private void die() {
            say("die");
            daemon.books().failAt(1 + random.nextInt(6));
            nodes.get(0).tip(heaviest());
            grow(nodes.get(0), 6);
            daemon.follower().nudge();
            Await.until("the commit has failed", () -> {
                daemon.follower().nudge();
                return daemon.books().hasFailed();
            });
            stop();
            start();
        }

        private void rescan(long from) {
            say("rescan from " + from);
            Await.result(daemon.follower().rescan(from));
        }

        /** Adds a key. Its older payments are known only after an automatic rescan, which follows the one under way. */
        private void addKey() {
            if (keys < OWNED + MORE_KEYS) {
                say("add a key");
                Address added = chain.address(keys++);
                owned.add(added);
                daemon.books().watch(List.of(added));
                daemon.follower().readHistories();
            }
        }

        private void conclude() {
            nodes.forEach(node -> node.lie(ModelNode.Lie.NONE));
            settle();
            nodes.forEach(node -> node.tip(nodes.get(0).tip()));
            daemon.awaitNoRescan();
            settle();
            ModelBlock tip = nodes.get(0).tip();
            try (ModelBooks scratch = ModelBooks.fromScratch(folder.resolve("scratch"), owned, tip)) {
                Map<String, List<String>> expected = scratch.dump();
                daemon.books().dump().forEach((table, rows) -> ModelBooks.assertSame(table, rows, expected.get(table)));
            }
            readers.forEach(CreditReader::readAll);
            readers.forEach(reader -> reader.assertExact(tip));
        }

        private void start() {
            daemon = new ModelDaemon(
                    places,
                    folder.resolve("books"),
                    owned,
                    nodes,
                    nodes.get(random.nextInt(NODES)).clientThatFailsOver(),
                    kit,
                    executor,
                    Clock.systemUTC(),
                    Optional.empty());
            Follower follower = daemon.follower();
            feed = new CreditFeed(daemon.books().file(), () -> follower.tip().map(FollowedTip::place));
        }

        /** Stops the daemon; all work under way is lost. */
        private void stop() {
            daemon.close();
        }

        private void say(String what) {
            log.append(what).append("; ");
        }

        @Override
        public void close() {
            takenOver.forEach(ModelDaemon::close);
            if (daemon != null) {
                stop();
            }
        }
    }
}
