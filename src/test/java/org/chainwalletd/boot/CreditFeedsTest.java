package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.api.Waiting.Credit;
import org.chainwalletd.api.Waiting.ListCredits;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.client.AsyncCreditFeed;
import org.chainwalletd.client.CreditFeed;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Watchers that follow the client's feed on a chain with reorganisations, and are killed between any two pages, book exactly the credits of
 * the chain (following.md, section 3). More steps with {@code -Dcredits.steps}.
 */
@Timeout(120)
class CreditFeedsTest {
    private static final int STEPS = Integer.getInteger("credits.steps", 25);

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private final Random random = Seeded.random("CreditFeedsTest");

    @Test
    void folding_the_pages_gives_exactly_the_credits_of_the_chain_at_that_depth() {
        try (DaemonRig daemon = new DaemonRig(folder, chain.uri())) {
            List<String> addresses = List.of(daemon.newAddress(), daemon.newAddress(), daemon.newAddress());
            List<Watcher> watchers = List.of(new Watcher(daemon, 0), new Watcher(daemon, 1), new Watcher(daemon, 3));
            for (int step = 0; step < STEPS; step++) {
                HangWatch.alive();
                happens(addresses);
                watchers.forEach(watcher -> watcher.follow(random));
            }
            long tip = chain.mine(4);
            daemon.awaitFollowed(chain.node());
            for (Watcher watcher : watchers) {
                watcher.readAll();
                assertThat(watcher.booked)
                        .as("depth " + watcher.depth)
                        .isEqualTo(credits(addresses, tip - Math.max(1, watcher.depth) + 1));
            }
        }
    }

    private void happens(List<String> addresses) {
        switch (random.nextInt(4)) {
            case 0, 1 -> {
                for (int i = random.nextInt(3); i >= 0; i--) {
                    String to = addresses.get(random.nextInt(addresses.size()));
                    chain.node().faucet(Address.parse(to), Amount.of(1_000 + random.nextInt(1_000)));
                }
                chain.mine(1);
            }
            case 2 -> chain.mine(1 + random.nextInt(3));
            default -> chain.node().reorganise(1 + random.nextInt(4), random.nextInt(3) != 0, List.of());
        }
    }

    /** Returns the credits on the chain; none of these outputs is ever spent. */
    private Set<String> credits(List<String> addresses, long highest) {
        return addresses.stream()
                .flatMap(address -> Coins.of(chain.node(), Address.parse(address), highest).keySet().stream())
                .map(Outpoint::toString)
                .collect(Collectors.toSet());
    }

    /** Client program with a database: the booked credits, and the cursor stored with them. */
    private static final class Watcher {
        private final DaemonRig daemon;
        private final long depth;
        private final Set<String> booked = new HashSet<>();
        private Optional<String> stored = Optional.empty();

        Watcher(DaemonRig daemon, long depth) {
            this.daemon = daemon;
            this.depth = depth;
        }

        /** Restarts each time and dies after some pages, of which the last may have been fetched but not booked. */
        void follow(Random random) {
            ListCredits query = query(1 + random.nextInt(3));
            if (random.nextBoolean()) {
                CreditFeed feed = new CreditFeed(daemon.client(), query, stored);
                for (int pages = random.nextInt(3); pages > 0; pages--) {
                    book(feed.poll(Duration.ZERO));
                }
                feed.poll(Duration.ZERO);
            } else {
                AsyncCreditFeed feed = new AsyncCreditFeed(daemon.client(), query, stored);
                for (int pages = random.nextInt(3); pages > 0; pages--) {
                    book(Await.result(feed.poll(Duration.ZERO)));
                }
                feed.poll(Duration.ofSeconds(5)).cancel(true);
            }
        }

        void readAll() {
            CreditFeed feed = new CreditFeed(daemon.client(), query(2), stored);
            CreditFeed.CreditPage page;
            do {
                page = feed.poll(Duration.ZERO);
                book(page);
            } while (page.more() || !page.credits().isEmpty());
        }

        private ListCredits query(int limit) {
            return ListCredits.of().withMinConfirmations(depth).withLimit(limit);
        }

        private void book(CreditFeed.CreditPage page) {
            page.credits().forEach(this::book);
            stored = Optional.of(page.cursor());
        }

        /** A payment seen only in a mempool is not a credit yet. */
        private void book(Credit credit) {
            String outpoint = credit.txId() + ":" + credit.outputIndex();
            switch (credit.event()) {
                case "confirmed" ->
                    assertThat(booked.add(outpoint)).as("told twice: " + credit).isTrue();
                case "removed" ->
                    assertThat(booked.remove(outpoint) || depth == 0)
                            .as("never told: " + credit)
                            .isTrue();
                default -> assertThat(credit.event()).isEqualTo("seen");
            }
        }
    }
}
