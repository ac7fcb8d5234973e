package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * Three daemons on one database: one of them writes blocks, occasionally another one takes over, and each page of a reader comes from any
 * of them, with a cursor from another one.
 */
@Tag("postgres")
class PostgresCreditBooksTest extends CreditBooksTest {
    private static final int DAEMONS = 3;

    private record Daemon(Books books, AtomicReference<Optional<BlockPlace>> told, CreditFeed feed) {
        static Daemon of(Books books) {
            AtomicReference<Optional<BlockPlace>> told = new AtomicReference<>(Optional.empty());
            books.whenChanged(head -> told.set(head.told()));
            return new Daemon(books, told, new CreditFeed(books, told::get));
        }
    }

    private final Random random = Seeded.random("daemons");
    private final List<Daemon> daemons = new ArrayList<>();
    private int keeper;

    @Override
    BooksPlaces places() {
        Map<Path, SharedStores> schemas = new HashMap<>();
        return (folder, tables) -> {
            closeDaemons();
            SharedStores schema = schemas.computeIfAbsent(folder, any -> new SharedStores());
            for (int i = 0; i < DAEMONS; i++) {
                daemons.add(Daemon.of(schema.openBooks(tables)));
            }
            keeper = 0;
            Await.result(daemons.get(0).books().beginRun());
            return daemons.get(0).books();
        };
    }

    @AfterEach
    void closeDaemons() {
        daemons.forEach(daemon -> daemon.books().close());
        daemons.clear();
    }

    @Override
    void write(Books.Work<Void> work) {
        if (random.nextInt(6) == 0) {
            Books.Epoch old = daemons.get(keeper).books().epoch();
            keeper = (keeper + 1 + random.nextInt(DAEMONS - 1)) % DAEMONS;
            Await.result(daemons.get(keeper).books().beginRun());
            assertThatThrownBy(() -> Await.result(old.write(work))).rootCause().hasMessageContaining("has ended");
        }
        Await.result(daemons.get(keeper).books().epoch().write(work));
    }

    @Override
    CreditFeed asked() {
        return daemons.get(random.nextInt(DAEMONS)).feed();
    }

    @Override
    void awaitTold(long height) {
        Await.until(
                "all daemons have seen the head",
                () -> daemons.stream()
                        .allMatch(daemon ->
                                daemon.told().get().map(BlockPlace::height).equals(Optional.of(height))));
    }
}
