package org.chainwalletd.follow;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.BooksSession;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.ScanRow;

/** Writes blocks into all books: one commit for a batch, the ids of the blocks among it. Stages fail with {@code StoreException}. */
final class Bookkeeping {
    private static final String NETWORK = "network";

    private final Books file;
    private final List<Book<?, ?>> books;

    Bookkeeping(Books file, List<Book<?, ?>> books) {
        this.file = file;
        this.books = List.copyOf(books);
    }

    /**
     * A block to write.
     *
     * @param workChecked whether its proof of work was computed, or the network asks for none
     */
    record Entry(ChainBlock block, boolean workChecked) {
        BlockRow row() {
            return new BlockRow(
                    block.height(), block.id(), block.parentId(), block.timestamp(), block.target(), workChecked);
        }
    }

    /**
     * What the file knows.
     *
     * @param network which one the nodes were of at the first start; a node that says otherwise later changes nothing
     */
    record Known(List<BlockRow> rows, Optional<Network> network) {}

    CompletionStage<Known> load() {
        return file.read(session -> new Known(
                BlockRows.all(session.head()),
                BlockRows.fact(session.head(), NETWORK).flatMap(Network::ofWord)));
    }

    /** Writes headers that the followed chain begins with; nothing is kept of their transactions, unless a rescan from {@code rescan} on reads them. */
    CompletionStage<Known> begin(List<BlockRow> headers, Network network, Optional<Long> rescan) {
        return file.write(session -> {
            headers.forEach(row -> BlockRows.put(session.head(), row));
            BlockRows.putFact(session.head(), NETWORK, network.word());
            long base = headers.get(headers.size() - 1).height();
            books.forEach(book -> book.table().begin(session.head(), base));
            rescan.ifPresent(from -> beginScan(session, from));
            return new Known(headers, Optional.of(network));
        });
    }

    /**
     * Goes over to a chain that shares no block with the one before: in one commit all of that one is undone, and these headers are what the
     * followed chain begins with. What the books told of below them is read again by a rescan, so that the feed tells of both chains what is
     * different. A rescan under way finds by itself that the blocks below it are others.
     */
    CompletionStage<Known> beginAnew(List<BlockRow> headers) {
        return file.write(session -> {
            Page head = session.head();
            long base = headers.get(headers.size() - 1).height();
            BlockRows.undo(head, -1);
            headers.forEach(row -> BlockRows.put(head, row));
            books.stream()
                    .map(book -> book.table().beginAnew(head, base))
                    .flatMapToLong(OptionalLong::stream)
                    .min()
                    .ifPresent(from -> beginScan(session, from));
            return new Known(headers, BlockRows.fact(head, NETWORK).flatMap(Network::ofWord));
        });
    }

    /** The blocks, in order, on top of what the head has. */
    CompletionStage<Void> connect(List<Entry> blocks) {
        return file.write(session -> {
            blocks.forEach(entry -> connect(session.head(), entry));
            return null;
        });
    }

    private void connect(Page page, Entry entry) {
        BlockRows.put(page, entry.row());
        books.forEach(book -> write(book, entry.block(), page));
    }

    private static <V, C> void write(Book<V, C> book, ChainBlock block, Page page) {
        BookTable<V, C> table = book.table();
        book.connect(block, table.view(page)).forEach(change -> table.write(page, change));
    }

    /** Takes back all that blocks above {@code height} have changed. */
    CompletionStage<Void> undo(long height) {
        return file.write(session -> {
            BlockRows.undo(session.head(), height);
            books.forEach(book -> book.table().undo(session.head(), height));
            return null;
        });
    }

    /**
     * The first rescan that has not joined, if there is one.
     *
     * @param top the last block that it has read
     * @param next first block of what is to be read after it; empty when nothing is
     */
    record Pending(Optional<ScanRow> scan, Optional<BlockRow> top, OptionalLong next, Optional<Network> network) {
        private boolean isDue() {
            return scan.isEmpty() && next.isPresent();
        }
    }

    /**
     * What became of some blocks of a rescan.
     *
     * @param joined whether they have met the head: their rows are everybody's now
     */
    record Scanned(BlockRow top, boolean joined) {}

    /**
     * The rescan to do. What a book has not been told all of is enough for one: so nothing but the books decides whether there is one, whatever
     * brought the address, and whoever comes while one is under way shares the next.
     *
     * @param readsHistories whether there are rescans that nobody has asked for
     */
    CompletionStage<Pending> pendingScan(boolean readsHistories) {
        return file.read(session -> pending(session, readsHistories))
                .thenComposeAsync(
                        pending -> pending.isDue()
                                ? file.write(session -> {
                                    unread(session, Optional.empty()).ifPresent(from -> beginScan(session, from));
                                    return pending(session, readsHistories);
                                })
                                : CompletableFuture.completedFuture(pending),
                        Runnable::run);
    }

    private Pending pending(BooksSession session, boolean readsHistories) {
        List<ScanRow> scans = BlockRows.scans(session.head());
        Optional<ScanRow> first = scans.stream().findFirst();
        OptionalLong waiting =
                scans.stream().skip(1).mapToLong(ScanRow::fromHeight).min();
        return new Pending(
                first,
                first.flatMap(scan -> BlockRows.top(session.page(scan.scan()))),
                readsHistories ? lower(waiting, unread(session, first)) : waiting,
                BlockRows.fact(session.head(), NETWORK).flatMap(Network::ofWord));
    }

    private OptionalLong unread(BooksSession session, Optional<ScanRow> underway) {
        long top = BlockRows.top(session.head()).map(BlockRow::height).orElse(-1L);
        return books.stream()
                .flatMapToLong(book -> book.table().unread(session.head(), underway).stream())
                .map(from -> Math.max(1, from))
                .filter(from -> from <= top)
                .min();
    }

    private static OptionalLong lower(OptionalLong one, OptionalLong other) {
        return LongStream.concat(one.stream(), other.stream()).min();
    }

    /** Notes that a rescan from a height is to be done, unless the chain is not so high yet; from a lower one if the books need that anyway. */
    CompletionStage<Pending> beginScan(long fromHeight, boolean readsHistories) {
        return file.write(session -> {
            OptionalLong needed = pending(session, readsHistories).next();
            beginScan(session, Math.min(fromHeight, needed.orElse(fromHeight)));
            return pending(session, readsHistories);
        });
    }

    private static void beginScan(BooksSession session, long fromHeight) {
        boolean useful = BlockRows.top(session.head())
                .filter(top -> top.height() >= fromHeight)
                .isPresent();
        if (useful) {
            BlockRows.beginScan(session.head(), Math.max(1, fromHeight));
        }
    }

    /** Blocks of a rescan; when the last one is the head's, the rescan joins it in the same commit. */
    CompletionStage<Scanned> connectScan(long scan, List<Entry> blocks) {
        return file.write(session -> {
            Page page = session.page(scan);
            blocks.forEach(entry -> connect(page, entry));
            BlockRow top = blocks.get(blocks.size() - 1).row();
            boolean meets = BlockRows.top(session.head())
                    .filter(head -> head.blockId().equals(top.blockId()))
                    .isPresent();
            if (meets) {
                books.forEach(book -> book.table().join(page));
                BlockRows.endScan(page);
            }
            return new Scanned(top, meets);
        });
    }

    /** Takes back what a rescan has read above a height; its last block then. */
    CompletionStage<Optional<BlockRow>> undoScan(long scan, long height) {
        return file.write(session -> {
            Page page = session.page(scan);
            BlockRows.undo(page, height);
            books.forEach(book -> book.table().undo(page, height));
            return BlockRows.top(page);
        });
    }
}
