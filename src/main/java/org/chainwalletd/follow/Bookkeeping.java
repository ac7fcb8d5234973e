package org.chainwalletd.follow;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.BlockPlace;
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
    private static final String ANCESTOR = "ancestor";
    /** The lowest block that the last one read by the rescan under way stands on by ids. */
    private static final String SCAN_STANDS_ON = "scan_stands_on";

    /** Number of blocks below a known tip that are read again: no usual reorganisation is deeper. */
    private static final long REREAD = 20;
    /** Number of blocks above a known tip from which on the whole chain costs no more. */
    private static final long MOST_AHEAD = 1_000;

    private final Books file;
    private final Books.Epoch epoch;
    private final List<Book<?, ?>> books;
    private final FollowerSetup.Rules rules;

    Bookkeeping(Books file, List<Book<?, ?>> books, FollowerSetup.Rules rules) {
        this.file = file;
        this.epoch = file.epoch();
        this.books = List.copyOf(books);
        this.rules = rules;
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
     * Knowledge of the file.
     *
     * @param network which one the nodes were of at the first start; a node that says otherwise later changes nothing
     * @param ancestor the lowest block that these stand on by ids
     */
    record Known(List<BlockRow> rows, Optional<Network> network, Optional<BlockPlace> ancestor) {}

    CompletionStage<Known> load() {
        return file.read(session -> new Known(BlockRows.all(session.head()), network(session), ancestor(session)));
    }

    /**
     * Head of books that another daemon writes.
     *
     * @param chain kept blocks up to the highest one
     * @param told height up to which others may be told; empty before the first block
     * @param scans the rescan under way, and what is to be read after it
     * @param lastScan number of the rescan that has joined last; 0 before the first
     */
    record SharedHead(
            HeaderChain chain,
            OptionalLong told,
            Optional<Network> network,
            Optional<BlockPlace> ancestor,
            Pending scans,
            long lastScan) {}

    /** @param known the chain as it was read before, which is not changed meanwhile */
    CompletionStage<SharedHead> sharedHead(HeaderChain known) {
        return file.read(session -> {
            Page head = session.head();
            return new SharedHead(
                    chain(head, known),
                    BlockRows.told(head).stream().mapToLong(BlockRow::height).findFirst(),
                    network(session),
                    ancestor(session),
                    pending(session),
                    BlockRows.lastScan(head));
        });
    }

    /** Reads only the last blocks where these are of the chain that is known. */
    private static HeaderChain chain(Page head, HeaderChain known) {
        long top = BlockRows.top(head).map(BlockRow::height).orElse(-1L);
        if (known.isEmpty() || top - known.height() > MOST_AHEAD) {
            return HeaderChain.of(BlockRows.all(head));
        }
        List<BlockRow> last = BlockRows.between(head, known.height() - REREAD, top);
        for (int i = last.size() - 1; i >= 0; i--) {
            BlockRow fork = last.get(i);
            if (known.has(fork.height(), fork.blockId())) {
                HeaderChain chain = known.copy();
                chain.cutTo(fork.height());
                last.subList(i + 1, last.size()).forEach(chain::append);
                return chain;
            }
        }
        return HeaderChain.of(BlockRows.all(head));
    }

    /** Books of an earlier release do not know, and take the lowest block that they keep. */
    private static Optional<BlockPlace> ancestor(BooksSession session) {
        return BlockRows.fact(session.head(), ANCESTOR)
                .map(Bookkeeping::place)
                .or(() -> BlockRows.from(session.head(), 0).map(BlockRow::place));
    }

    private static void putPlace(Page page, String fact, BlockPlace place) {
        BlockRows.putFact(page, fact, place.height() + ":" + place.blockId().hex());
    }

    private static BlockPlace place(String text) {
        int colon = text.indexOf(':');
        return new BlockPlace(Long.parseLong(text.substring(0, colon)), Hash256.parse(text.substring(colon + 1)));
    }

    /**
     * Writes headers that the followed chain begins with; nothing is kept of their transactions, unless a rescan from {@code rescan} on reads
     * them.
     *
     * @param ancestor the lowest block that they stand on
     */
    CompletionStage<Known> begin(List<BlockRow> headers, BlockPlace ancestor, Network network, Optional<Long> rescan) {
        return epoch.write(session -> {
            headers.forEach(row -> BlockRows.put(session.head(), row));
            BlockRows.putFact(session.head(), NETWORK, network.word());
            putPlace(session.head(), ANCESTOR, ancestor);
            long base = headers.get(headers.size() - 1).height();
            books.forEach(book -> book.table().begin(session.head(), base));
            rescan.ifPresent(from -> beginScan(session, from));
            return new Known(headers, Optional.of(network), Optional.of(ancestor));
        });
    }

    /**
     * Goes over to a chain that shares no block with the one before: in one commit all of that one is undone, and these headers are what the
     * followed chain begins with. What the books told of below them is read again by a rescan, so that the feed tells of both chains what is
     * different. A rescan under way finds by itself that the blocks below it are others.
     */
    CompletionStage<Known> beginAnew(List<BlockRow> headers, BlockPlace ancestor) {
        return epoch.write(session -> {
            Page head = session.head();
            long base = headers.get(headers.size() - 1).height();
            BlockRows.undo(head, -1);
            headers.forEach(row -> BlockRows.put(head, row));
            putPlace(head, ANCESTOR, ancestor);
            books.stream()
                    .map(book -> book.table().beginAnew(head, base))
                    .flatMapToLong(OptionalLong::stream)
                    .min()
                    .ifPresent(from -> beginScan(session, from));
            return new Known(headers, network(session), Optional.of(ancestor));
        });
    }

    /** The blocks, in order, on top of what the head has. */
    CompletionStage<Void> connect(List<Entry> blocks) {
        return epoch.write(session -> {
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
        return epoch.write(session -> {
            // The books decide by the rows of the blocks which of them were told of.
            books.forEach(book -> book.table().undo(session.head(), height));
            BlockRows.undo(session.head(), height);
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
     * Outcome of some blocks of a rescan.
     *
     * @param joined whether they have met the head: their rows are everybody's now
     * @param ancestor the lowest block that the head stands on by ids
     */
    record Scanned(BlockRow top, boolean joined, Optional<BlockPlace> ancestor) {}

    /**
     * The rescan to do. What a book has not been told all of is enough for one: so nothing but the books decides whether there is one, whatever
     * brought the address, and whoever comes while one is under way shares the next. So is a chain that is not linked to what the operator has
     * named.
     */
    CompletionStage<Pending> pendingScan() {
        return file.read(this::pending)
                .thenComposeAsync(
                        pending -> pending.isDue()
                                ? epoch.write(session -> {
                                    unread(session, Optional.empty()).ifPresent(from -> beginScan(session, from));
                                    return pending(session);
                                })
                                : CompletableFuture.completedFuture(pending),
                        Runnable::run);
    }

    private Pending pending(BooksSession session) {
        List<ScanRow> scans = BlockRows.scans(session.head());
        Optional<ScanRow> first = scans.stream().findFirst();
        OptionalLong waiting =
                scans.stream().skip(1).mapToLong(ScanRow::fromHeight).min();
        return new Pending(
                first,
                first.flatMap(scan -> BlockRows.top(session.page(scan.scan()))),
                rules.readsHistories() ? lower(waiting, unread(session, first)) : waiting,
                network(session));
    }

    private OptionalLong unread(BooksSession session, Optional<ScanRow> underway) {
        long top = BlockRows.top(session.head()).map(BlockRow::height).orElse(-1L);
        LongStream ofBooks =
                books.stream().flatMapToLong(book -> book.table().unread(session.head(), underway).stream());
        return LongStream.concat(ofBooks, unlinked(session, underway).stream())
                .map(from -> Math.max(1, from))
                .filter(from -> from <= top)
                .min();
    }

    /** From where the blocks are to be read that link the chain to what the operator has named, unless the rescan under way reads them. */
    private OptionalLong unlinked(BooksSession session, Optional<ScanRow> underway) {
        return network(session).stream()
                .flatMap(network -> ancestor(session).flatMap(lowest -> rules.linkedFrom(network, lowest)).stream())
                .mapToLong(Long::longValue)
                .filter(from ->
                        underway.filter(scan -> scan.fromHeight() <= from).isEmpty())
                .findFirst();
    }

    private static Optional<Network> network(BooksSession session) {
        return BlockRows.fact(session.head(), NETWORK).flatMap(Network::ofWord);
    }

    private static OptionalLong lower(OptionalLong one, OptionalLong other) {
        return LongStream.concat(one.stream(), other.stream()).min();
    }

    /** Notes that a rescan from a height is to be done, unless the chain is not so high yet; from a lower one if the books need that anyway. */
    CompletionStage<Pending> beginScan(long fromHeight) {
        return epoch.write(session -> {
            OptionalLong needed = pending(session).next();
            beginScan(session, Math.min(fromHeight, needed.orElse(fromHeight)));
            return pending(session);
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

    /**
     * Blocks of a rescan; when the last one is the head's, the rescan joins it in the same commit. Empty when one of them is not the head's at its
     * height, as far as that is kept: then nothing is written.
     */
    CompletionStage<Optional<Scanned>> connectScan(long scan, List<Entry> blocks) {
        return epoch.write(session -> {
            if (isOfAnotherBranch(session.head(), blocks)) {
                return Optional.empty();
            }
            Page page = session.page(scan);
            standOn(session, page, blocks);
            blocks.forEach(entry -> connect(page, entry));
            BlockRow top = blocks.get(blocks.size() - 1).row();
            boolean meets = BlockRows.top(session.head())
                    .filter(head -> head.blockId().equals(top.blockId()))
                    .isPresent();
            if (meets) {
                books.forEach(book -> book.table().join(page));
                BlockRows.endScan(page);
                // Its last block is the head's: so the head stands on what that one stands on.
                scanStandsOn(session)
                        .filter(ground -> ancestor(session)
                                .filter(known -> !isBetter(ground, known))
                                .isEmpty())
                        .ifPresent(ground -> putPlace(session.head(), ANCESTOR, ground));
            }
            return Optional.of(new Scanned(top, meets, ancestor(session)));
        });
    }

    private static boolean isOfAnotherBranch(Page head, List<Entry> blocks) {
        long first = blocks.get(0).block().height();
        long last = blocks.get(blocks.size() - 1).block().height();
        Map<Long, Hash256> kept = new HashMap<>();
        BlockRows.between(head, first, last).forEach(row -> kept.put(row.height(), row.blockId()));
        return blocks.stream()
                .map(Entry::block)
                .anyMatch(
                        block -> !kept.getOrDefault(block.height(), block.id()).equals(block.id()));
    }

    /**
     * Notes on what the last of these blocks stands. A gap, where a rescan reads only some blocks, links nothing: it stands on the blocks above
     * the last one alone.
     */
    private void standOn(BooksSession session, Page page, List<Entry> blocks) {
        Optional<Hash256> below = BlockRows.top(page).map(BlockRow::blockId);
        Optional<BlockPlace> ground = scanStandsOn(session);
        for (Entry entry : blocks) {
            ChainBlock block = entry.block();
            if (!below.equals(Optional.of(block.parentId()))) {
                ground = Optional.of(new BlockPlace(block.height() - 1, block.parentId()));
            }
            boolean onGenesis = ground.filter(place -> place.height() == 0).isPresent();
            if (isCheckpoint(block.place()) && !onGenesis) {
                // A rescan that began below the checkpoint links to it as well as one that began above it.
                ground = Optional.of(block.place());
            }
            below = Optional.of(block.id());
        }
        ground.ifPresent(place -> putPlace(session.head(), SCAN_STANDS_ON, place));
    }

    private boolean isCheckpoint(BlockPlace place) {
        return rules.checkpoint().equals(Optional.of(place));
    }

    /** Whether it says more that the head stands on this block than that it stands on the known one. */
    private boolean isBetter(BlockPlace ground, BlockPlace known) {
        return !isCheckpoint(known) && (isCheckpoint(ground) || ground.height() < known.height());
    }

    private static Optional<BlockPlace> scanStandsOn(BooksSession session) {
        return BlockRows.fact(session.head(), SCAN_STANDS_ON).map(Bookkeeping::place);
    }

    /** Takes back what a rescan has read above a height; its last block then. */
    CompletionStage<Optional<BlockRow>> undoScan(long scan, long height) {
        return epoch.write(session -> {
            Page page = session.page(scan);
            books.forEach(book -> book.table().undo(page, height));
            BlockRows.undo(page, height);
            Optional<BlockRow> top = BlockRows.top(page);
            // The block that it stood on may have gone with the blocks above.
            top.map(BlockRow::place)
                    .filter(last -> scanStandsOn(session)
                            .filter(ground -> ground.height() <= last.height())
                            .isEmpty())
                    .ifPresent(last -> putPlace(session.head(), SCAN_STANDS_ON, last));
            return top;
        });
    }
}
