package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.coins.CreditBook;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.testkit.Await;

/** Reader of the credit feed that books each event and keeps only the cursor. */
final class CreditReader {
    private final Supplier<CreditFeed> feed;
    private final Set<Address> owned;
    private final long depth;
    private final Optional<Address> address;
    private final Set<String> booked = new TreeSet<>();
    private String cursor;

    /**
     * @param feed of the daemon that is currently running
     * @param address empty for all of {@code owned}
     */
    CreditReader(Supplier<CreditFeed> feed, Set<Address> owned, long depth, Optional<Address> address) {
        this.feed = feed;
        this.owned = owned;
        this.depth = depth;
        this.address = address;
        this.cursor = CreditCursor.beginning(Await.result(feed.get().store()), depth, address)
                .text();
    }

    /** Reads a page; returns whether there is more. */
    boolean read(int limit) {
        CreditCursor from = CreditCursor.parse(cursor, Await.result(feed.get().store()), depth, address)
                .orElseThrow();
        CreditFeed.Batch batch = Await.result(feed.get().read(from, true, limit));
        batch.events().forEach(this::book);
        cursor = batch.cursor().text();
        return batch.more();
    }

    void readAll() {
        int pages = 0;
        while (read(50)) {
            assertThat(++pages).isLessThan(10_000);
        }
    }

    private void book(CreditEvent event) {
        String credit = event.credit().block() + " " + event.credit().outpoint();
        assertThat(event.confirmed() ? booked.add(credit) : booked.remove(credit))
                .as("%s at depth %d, confirmed: %s", credit, depth, event.confirmed())
                .isTrue();
    }

    boolean hasBooked() {
        return !booked.isEmpty();
    }

    /** Fails unless the events add up to the credits of the chain that ends with {@code tip}. */
    void assertExact(ModelBlock tip) {
        CreditBook book = new CreditBook(ModelChain.PROFILE, new CreditTable(page -> owned::contains));
        Set<String> expected = new TreeSet<>();
        for (ModelBlock block = tip; block.height() > 0; block = block.parent()) {
            if (block.height() <= tip.height() - Math.max(1, depth) + 1) {
                book.connect(block.block(), owned::contains).stream()
                        .filter(credit -> address.isEmpty() || address.get().equals(credit.address()))
                        .forEach(credit -> expected.add(credit.block() + " " + credit.outpoint()));
            }
        }
        assertThat(booked).as("depth %d", depth).isEqualTo(expected);
    }
}
