package org.chainwalletd.follow;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.BooksSession;
import org.chainwalletd.store.books.Page;

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

    /** Writes headers that the followed chain begins with; nothing is kept of their transactions. */
    CompletionStage<Known> begin(List<BlockRow> headers, Network network) {
        return file.write(session -> {
            headers.forEach(row -> BlockRows.put(session.head(), row));
            BlockRows.putFact(session.head(), NETWORK, network.word());
            return new Known(headers, Optional.of(network));
        });
    }

    /** The blocks, in order, on top of what the head has. */
    CompletionStage<Void> connect(List<Entry> blocks) {
        return file.write(session -> {
            blocks.forEach(entry -> connect(session, entry));
            return null;
        });
    }

    private void connect(BooksSession session, Entry entry) {
        Page page = session.head();
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
}
