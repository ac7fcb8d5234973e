package org.chainwalletd.store.books;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.Await;

/** Test book: the known transactions, each with the number of transactions before it. */
public final class SeenTable implements BookTable<SeenTable.View, SeenTable.Seen> {
    /** Data that the test book may look up. */
    public record View(Page page) {
        public long count() {
            return page.queryOne("SELECT count(*) FROM seen WHERE scan = ?", row -> row.getLong(1), page.scan())
                    .orElseThrow();
        }
    }

    public record Seen(Hash256 txId, long height, long before) {}

    @Override
    public String name() {
        return "seen";
    }

    @Override
    public List<List<String>> steps() {
        return List.of(List.of("CREATE TABLE seen (scan INTEGER, tx_id BLOB, height INTEGER, before INTEGER)"));
    }

    @Override
    public View view(Page page) {
        return new View(page);
    }

    @Override
    public void write(Page page, Seen change) {
        page.update(
                "INSERT INTO seen (scan, tx_id, height, before) VALUES (?, ?, ?, ?)",
                page.scan(),
                change.txId().toArray(),
                change.height(),
                change.before());
    }

    @Override
    public void undo(Page page, long height) {
        page.update("DELETE FROM seen WHERE scan = ? AND height > ?", page.scan(), height);
    }

    @Override
    public void join(Page page) {
        page.update("UPDATE seen SET scan = 0 WHERE scan = ?", page.scan());
    }

    @Override
    public void drop(Page page) {
        page.update("DELETE FROM seen WHERE scan = ?", page.scan());
    }

    /** Returns the rows of the head. */
    public static Set<Seen> all(Books books) {
        return Await.result(books.read(session -> session.head()
                        .query(
                                "SELECT tx_id, height, before FROM seen WHERE scan = 0",
                                row -> new Seen(Hash256.of(row.getBytes(1)), row.getLong(2), row.getLong(3)))))
                .stream()
                .collect(Collectors.toSet());
    }
}
