package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.CreditPruning;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class CreditPrunerTest {
    private static final int BLOCKS = CreditPruning.KEPT_BLOCKS + 50;
    private static final Address OURS = Address.of(new byte[32]);

    @TempDir
    Path folder;

    @Test
    void credits_of_blocks_older_than_the_time_are_forgotten_and_younger_ones_stay() {
        CreditTable table = new CreditTable(page -> OURS::equals);
        ActorTestKit kit = ActorTestKit.create();
        try (Books books = Books.open(folder, List.of(table))) {
            // A block per second, each with one credit.
            Await.result(books.write(session -> {
                for (int height = 0; height < BLOCKS; height++) {
                    Hash256 id = id(height);
                    BlockRows.put(session.head(), new BlockRow(height, id, id, height, id, true));
                    table.write(session.head(), credit(height, id));
                }
                return null;
            }));
            CreditFeed feed = new CreditFeed(books, () -> Optional.of(new BlockPlace(BLOCKS - 1, id(BLOCKS - 1))));
            Clock clock = Clock.fixed(Instant.ofEpochSecond(100), ZoneOffset.UTC);

            kit.spawn(CreditPruner.create(books, Duration.ofSeconds(70), Duration.ofMillis(10), clock));

            Await.until("the first credits are forgotten", () -> firstHeight(feed) > 0);
            assertThat(firstHeight(feed))
                    .as("the first block that is not older than the time")
                    .isEqualTo(30);
        } finally {
            kit.shutdownTestKit();
        }
    }

    /** Height of the first credit kept; of the first valid cursor if the pruner runs between getting the cursor and reading. */
    private static long firstHeight(CreditFeed feed) {
        CreditCursor from = Await.result(feed.beginning(0, Optional.empty()));
        CompletionStage<CreditFeed.Batch> read = feed.read(from, true, 1).exceptionallyCompose(failure -> {
            CreditPruning.PrunedException pruned = (CreditPruning.PrunedException) failure.getCause();
            return feed.read(pruned.first(), true, 1);
        });
        return Await.result(read).events().get(0).credit().block().height();
    }

    private static Credit credit(int height, Hash256 id) {
        return new Credit(
                new Outpoint(id, 0),
                OURS,
                Amount.of(500),
                new BlockPlace(height, id),
                0,
                false,
                false,
                false,
                Optional.empty());
    }

    private static Hash256 id(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) number;
        bytes[1] = (byte) (number >> 8);
        return Hash256.of(bytes);
    }
}
