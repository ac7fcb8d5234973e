package org.chainwalletd.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.BooksSession;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.books.LedgerChange;
import org.chainwalletd.store.books.LedgerTable;
import org.chainwalletd.store.books.OwnCoin;
import org.chainwalletd.store.books.SpendingTable;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.testkit.Await;

/**
 * What the books write for each own transaction when a given number of them share a commit, without a node, so that the figures are the same
 * on a machine with other work: bytes of the log, bytes that the system has been told to write for the log and the checkpoint at the end
 * together, and the bytes of each table and index.
 */
final class BooksBytes {
    private static final int ADDRESSES = 100;

    private final LedgerTable ledger = new LedgerTable();
    private final CreditTable credits = new CreditTable(page -> address -> true);
    private final Path folder;

    BooksBytes(Path folder) {
        this.folder = folder;
    }

    /** Arguments: how many blocks, each with an own transaction, and how many of them share a commit, for each line that is wanted. */
    public static void main(String[] words) throws Exception {
        int blocks = Integer.parseInt(words[0]);
        for (int i = 1; i < words.length; i++) {
            new BooksBytes(Files.createTempDirectory("books-bytes")).print(blocks, Integer.parseInt(words[i]), i == 1);
        }
    }

    void print(int blocks, int together, boolean trees) throws Exception {
        Books books = open();
        Await.result(new LedgerBooks(books)
                .watch(
                        IntStream.range(0, ADDRESSES)
                                .mapToObj(BooksBytes::address)
                                .toList(),
                        true,
                        0));
        books.close();
        OptionalLong before = DiskBytes.written();
        long empty = Files.size(folder.resolve(Books.FILE_NAME));
        books = open();
        for (int first = 0; first < blocks; first += together) {
            int from = first;
            int to = Math.min(blocks, first + together);
            Await.result(books.write(session -> {
                for (int height = from; height < to; height++) {
                    block(session, height);
                }
                return null;
            }));
        }
        long log = Files.size(folder.resolve(Books.FILE_NAME + "-wal"));
        if (trees) {
            trees(books, blocks);
        }
        books.close();
        long file = Files.size(folder.resolve(Books.FILE_NAME)) - empty;
        System.out.printf(
                Locale.ROOT,
                "books, %d own transactions a commit: %.2f KB of log and %.2f KB of file each; %s in all%n",
                together,
                log / 1e3 / blocks,
                file / 1e3 / blocks,
                DiskBytes.each(before, DiskBytes.written(), blocks));
    }

    private Books open() {
        return Books.open(
                folder,
                List.of(
                        ledger,
                        new HtlcTable(page -> address -> true),
                        credits,
                        new SpendingTable(page -> new SpendingTable.View(address -> true, outpoint -> false))));
    }

    private static Hash256 hash(int kind, int number) {
        return Hash256.sha256(ByteBuffer.allocate(8).putInt(kind).putInt(number).array());
    }

    private static Address address(int number) {
        return Address.of(hash(1, number).toArray());
    }

    private void block(BooksSession session, int height) {
        BlockPlace place = new BlockPlace(height, hash(2, height));
        Outpoint outpoint = new Outpoint(hash(3, height), 0);
        Address address = address(height % ADDRESSES);
        Amount amount = Amount.of(10_000 + height);
        BlockRows.put(
                session.head(),
                new BlockRow(height, place.blockId(), hash(2, height - 1), 1_700_000_000 + height, hash(4, 0), true));
        ledger.write(session.head(), new LedgerChange.Created(new OwnCoin(outpoint, address, amount, height, false)));
        credits.write(
                session.head(),
                new Credit(outpoint, address, amount, place, 1L << 32, false, false, false, Optional.empty()));
    }

    private void trees(Books books, int blocks) throws IOException {
        Await.result(books.read(session -> session.head()
                        .query(
                                "SELECT name, SUM(payload), SUM(pgsize) FROM dbstat GROUP BY name ORDER BY 3 DESC",
                                row -> String.format(
                                        Locale.ROOT,
                                        "%-36s %6.0f bytes in %6.0f of pages each",
                                        row.getString(1),
                                        (double) row.getLong(2) / blocks,
                                        (double) row.getLong(3) / blocks))))
                .forEach(System.out::println);
    }
}
