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

/** Writes blocks to all books, in one commit per batch together with the block ids. Stages fail with {@code StoreException}. */
final class Bookkeeping {
    private static final String NETWORK = "network";
    private static final String ANCESTOR = "ancestor";
    /** Fact: the lowest block to which the last block read by the current rescan is linked by ids. */
    private static final String SCAN_LINKED_TO = "scan_stands_on";

    /** Number of blocks below a known tip that are read again: reorganisations are rarely deeper. */
    private static final long REREAD = 20;
    /** Number of new blocks above which reading the whole chain costs no more than reading the difference. */
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
     * @param workChecked whether its proof of work was computed, or the network demands none
     */
    record Entry(ChainBlock block, boolean workChecked) {
        BlockRow row() {
            return new BlockRow(
                    block.height(), block.id(), block.parentId(), block.timestamp(), block.target(), workChecked);
        }
    }

    /**
     * Chain as stored in the file.
     *
     * @param network decided at the first start; a node that reports another one later does not change it
     * @param ancestor the lowest block to which the rows are linked by ids
     */
    record Known(List<BlockRow> rows, Optional<Network> network, Optional<BlockPlace> ancestor) {}

    CompletionStage<Known> load() {
        return file.read(session -> new Known(BlockRows.all(session.head()), network(session), ancestor(session)));
    }

    /**
     * Head of books that another daemon writes.
     *
     * @param chain kept blocks up to the highest one
     * @param publishable height up to which blocks may be published; empty before the first block
     * @param scans the current rescan, and what is to be read after it
     * @param lastScan number of the rescan that joined last; 0 before the first
     */
    record SharedHead(
            HeaderChain chain,
            OptionalLong publishable,
            Optional<Network> network,
            Optional<BlockPlace> ancestor,
            Pending scans,
            long lastScan) {}

    /** @param known the chain as read before; must not change during the call */
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

    /** Reads only the last blocks if they extend the known chain, otherwise all. */
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
                chain.truncateTo(fork.height());
                last.subList(i + 1, last.size()).forEach(chain::append);
                return chain;
            }
        }
        return HeaderChain.of(BlockRows.all(head));
    }

    /** Returns the stored ancestor, or the lowest kept block for books of an earlier release, which did not store it. */
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
     * Writes the headers that the followed chain starts with. Their transactions are indexed only if a rescan from {@code rescan} reads them.
     *
     * @param ancestor the lowest block to which the headers are linked
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
     * Replaces the followed chain by one that shares no block with it: one commit undoes the old chain and writes the headers that the new chain
     * starts with. The blocks below, as far as the books had read them, are read again by a rescan, so that the feed reports all differences
     * between both chains. A rescan under way notices by itself that the blocks below it have changed.
     */
    CompletionStage<Known> replaceChain(List<BlockRow> headers, BlockPlace ancestor) {
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

    /** Writes blocks, in order, on top of the head. */
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

    /** Undoes all changes of blocks above {@code height}. */
    CompletionStage<Void> undo(long height) {
        return epoch.write(session -> {
            // Books first: they find out what they have indexed from the rows of the blocks.
            books.forEach(book -> book.table().undo(session.head(), height));
            BlockRows.undo(session.head(), height);
            return null;
        });
    }

    /**
     * The first rescan that has not joined, if there is one.
     *
     * @param top the last block that it has read
     * @param next first block to read after it; empty when nothing is left to read
     */
    record Pending(Optional<ScanRow> scan, Optional<BlockRow> top, OptionalLong next, Optional<Network> network) {
        private boolean isDue() {
            return scan.isEmpty() && next.isPresent();
        }
    }

    /**
     * Outcome of writing some blocks of a rescan.
     *
     * @param joined whether the rescan has met the head, so that its rows are visible to all readers
     * @param ancestor the lowest block to which the head is linked by ids
     */
    record Scanned(BlockRow top, boolean joined, Optional<BlockPlace> ancestor) {}

    /**
     * Returns the rescan to do, and starts one if it is due. It is due when a book has not read the whole history of an address, however the
     * address was added, or when the chain is not linked to the operator's genesis or checkpoint. So only the books decide; needs that arise during
     * a rescan are covered together by the next one.
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

    /**
     * Returns the height from which blocks must be read to link the chain to the operator's genesis or checkpoint; empty if not needed, or if the
     * rescan under way reads them.
     */
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

    /** Records a rescan from a height, unless the chain is shorter; it starts lower if the books need that anyway. */
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
     * Writes blocks of a rescan. If the last one is the head's top, the rescan joins the head in the same commit. Returns empty, and writes
     * nothing, if a block differs from the one that the head keeps at its height.
     */
    CompletionStage<Optional<Scanned>> connectScan(long scan, List<Entry> blocks) {
        return epoch.write(session -> {
            if (isOfAnotherBranch(session.head(), blocks)) {
                return Optional.empty();
            }
            Page page = session.page(scan);
            recordLink(session, page, blocks);
            blocks.forEach(entry -> connect(page, entry));
            BlockRow top = blocks.get(blocks.size() - 1).row();
            boolean joins = BlockRows.top(session.head())
                    .filter(head -> head.blockId().equals(top.blockId()))
                    .isPresent();
            if (joins) {
                books.forEach(book -> book.table().join(page));
                BlockRows.endScan(page);
                // The last block is the head's: so the head is linked to the same block.
                scanLinkedTo(session)
                        .filter(linkedTo -> ancestor(session)
                                .filter(known -> !isBetter(linkedTo, known))
                                .isEmpty())
                        .ifPresent(linkedTo -> putPlace(session.head(), ANCESTOR, linkedTo));
            }
            return Optional.of(new Scanned(top, joins, ancestor(session)));
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
     * Records the block to which the last of these blocks is linked. Where a rescan skips blocks, the link is broken: blocks above the gap are
     * linked only to the parent of the first of them.
     */
    private void recordLink(BooksSession session, Page page, List<Entry> blocks) {
        Optional<Hash256> below = BlockRows.top(page).map(BlockRow::blockId);
        Optional<BlockPlace> linkedTo = scanLinkedTo(session);
        for (Entry entry : blocks) {
            ChainBlock block = entry.block();
            if (!below.equals(Optional.of(block.parentId()))) {
                linkedTo = Optional.of(new BlockPlace(block.height() - 1, block.parentId()));
            }
            boolean onGenesis = linkedTo.filter(place -> place.height() == 0).isPresent();
            if (isCheckpoint(block.place()) && !onGenesis) {
                // A rescan that began below the checkpoint is linked to it just like one that began above it.
                linkedTo = Optional.of(block.place());
            }
            below = Optional.of(block.id());
        }
        linkedTo.ifPresent(place -> putPlace(session.head(), SCAN_LINKED_TO, place));
    }

    private boolean isCheckpoint(BlockPlace place) {
        return rules.checkpoint().equals(Optional.of(place));
    }

    /** Returns whether a link of the head down to {@code linkedTo} says more than the known one. */
    private boolean isBetter(BlockPlace linkedTo, BlockPlace known) {
        return !isCheckpoint(known) && (isCheckpoint(linkedTo) || linkedTo.height() < known.height());
    }

    private static Optional<BlockPlace> scanLinkedTo(BooksSession session) {
        return BlockRows.fact(session.head(), SCAN_LINKED_TO).map(Bookkeeping::place);
    }

    /** Undoes what a rescan has read above a height. Returns its last block then. */
    CompletionStage<Optional<BlockRow>> undoScan(long scan, long height) {
        return epoch.write(session -> {
            Page page = session.page(scan);
            books.forEach(book -> book.table().undo(page, height));
            BlockRows.undo(page, height);
            Optional<BlockRow> top = BlockRows.top(page);
            // The block to which the rescan was linked may have been undone too.
            top.map(BlockRow::place)
                    .filter(last -> scanLinkedTo(session)
                            .filter(linkedTo -> linkedTo.height() <= last.height())
                            .isEmpty())
                    .ifPresent(last -> putPlace(session.head(), SCAN_LINKED_TO, last));
            return top;
        });
    }
}
