package org.chainwalletd.store.books;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.htlc.HtlcRows;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.testkit.Await;

/** Sample books with a row of every kind: spent and unspent, in undone blocks, unconfirmed, and of a rescan that has not joined. */
final class BooksSample {
    private static final int MATURITY = 3;
    private static final List<Address> OURS = List.of(address(1), address(2), address(3));
    private static final PublicKey KEY = PublicKey.of(hash(50).toArray());
    private static final long SCAN = 1;
    /** Number of an outpoint that is never spent. */
    private static final int NEVER = 0;

    private final LedgerTable ledger = new LedgerTable();
    private final HtlcTable htlcs = new HtlcTable(page -> address -> true);
    private final CreditTable credits = new CreditTable(page -> OURS::contains);
    private final SpendingTable spendings =
            new SpendingTable(page -> new SpendingTable.View(OURS::contains, outpoint -> false));
    private final List<BookTable<?, ?>> tables = List.of(ledger, htlcs, credits, spendings);
    private final Set<Outpoint> outpoints = new LinkedHashSet<>();

    List<BookTable<?, ?>> tables() {
        return tables;
    }

    private static Hash256 hash(int number) {
        return Hash256.sha256(new byte[] {(byte) number, (byte) (number >> 8)});
    }

    private static Address address(int number) {
        return Address.of(hash(1_000 + number).toArray());
    }

    /** Returns the block at a height of a branch; ids differ between branches. */
    private static BlockPlace place(long height, int branch) {
        return new BlockPlace(height, hash((int) (2_000 + 100 * branch + height)));
    }

    void write(Books file) {
        LedgerBooks books = new LedgerBooks(file);
        Await.result(file.write(session -> {
            BlockRows.putFact(session.head(), "network", "testnet");
            block(session.head(), place(0, 0));
            return null;
        }));
        Await.result(books.watch(OURS.subList(0, 1), true, 100));
        Await.result(books.watch(OURS.subList(1, 2), false, 0));
        Await.result(file.write(session -> {
            chain(session.head());
            return null;
        }));
        Await.result(books.watch(OURS.subList(2, 3), false, 0));
        Await.result(file.write(session -> {
            Page scan = session.page(SCAN);
            BlockRows.beginScan(session.head(), 1);
            block(scan, place(1, 0));
            pay(scan, 11, 0, OURS.get(0), place(1, 0), 0);
            pay(scan, 12, 0, OURS.get(2), place(1, 0), 1);
            block(scan, place(2, 0));
            spend(scan, 12, 0, 13, place(2, 0));
            pay(scan, 13, 1, OURS.get(2), place(2, 0), 7);
            return null;
        }));
    }

    private void chain(Page head) {
        block(head, place(1, 0));
        pay(head, 11, 0, OURS.get(0), place(1, 0), 0);
        block(head, place(2, 0));
        pay(head, 14, 1, OURS.get(0), place(2, 0), 1L << 32);
        pay(head, 14, 0, OURS.get(1), place(2, 0), 2L << 32);
        htlcs.write(
                head,
                new HtlcTable.Locked(
                        new Outpoint(hash(15), 0),
                        new HtlcParams(KEY, KEY, hash(60), 3),
                        OURS.get(0),
                        OURS.get(1),
                        Amount.of(9),
                        HtlcTable.SENDER,
                        2));
        block(head, place(3, 0));
        spend(head, 11, 0, 16, place(3, 0));
        pay(head, 16, 0, OURS.get(0), place(3, 0), 1L << 32);
        CreditTable.see(head, credit(17, 0, OURS.get(0), Credit.nowhere(hash(17)), 0));
        block(head, place(4, 0));
        pay(head, 17, 0, OURS.get(0), place(4, 0), 1L << 32);
        spend(head, 14, 1, 17, place(4, 0));
        tables.forEach(table -> table.undo(head, 3));
        BlockRows.undo(head, 3);
        block(head, place(4, 1));
        pay(head, 18, 0, OURS.get(1), place(4, 1), 1L << 32);
        CreditTable.see(head, credit(19, 0, OURS.get(1), Credit.nowhere(hash(19)), 0));
        CreditTable.see(head, credit(20, 0, OURS.get(0), Credit.nowhere(hash(20)), 0));
        CreditTable.lose(head, hash(20));
    }

    private void block(Page page, BlockPlace place) {
        BlockRows.put(
                page,
                new BlockRow(
                        place.height(),
                        place.blockId(),
                        place(place.height() - 1, 0).blockId(),
                        place.height(),
                        hash(70),
                        true));
    }

    private OwnCoin coin(int tx, int index, Address address, long bits, long height, boolean coinbase) {
        return new OwnCoin(new Outpoint(hash(tx), index), address, Amount.ofUnsigned(bits), height, coinbase);
    }

    private Credit credit(int tx, int index, Address address, BlockPlace block, long position) {
        return new Credit(
                new Outpoint(hash(tx), index),
                address,
                Amount.ofUnsigned(100L * tx + index),
                block,
                position,
                tx == 16,
                tx == 16,
                position == 0,
                tx == 14 ? Optional.of(Bytes.parse("c0ffee")) : Optional.empty());
    }

    private void pay(Page page, int tx, int index, Address address, BlockPlace block, long position) {
        Credit credit = credit(tx, index, address, block, position);
        ledger.write(
                page,
                new LedgerChange.Created(
                        coin(tx, index, address, credit.amount().bits(), block.height(), credit.coinbase())));
        credits.write(page, credit);
    }

    void credit(Page page, Credit credit) {
        credits.write(page, credit);
    }

    private void spend(Page page, int tx, int index, int by, BlockPlace block) {
        Outpoint outpoint = new Outpoint(hash(tx), index);
        ledger.write(page, new LedgerChange.Spent(outpoint, block.height(), hash(by)));
        spendings.write(page, new Spending(outpoint, hash(by), block));
    }

    /** Undoes the head to the position of the rescan, joins the rescan, and adds two more blocks. */
    void goOn(Books file) {
        Await.result(file.write(session -> {
            Page head = session.head();
            tables.forEach(table -> table.undo(head, 2));
            BlockRows.undo(head, 2);
            tables.forEach(table -> table.join(session.page(SCAN)));
            BlockRows.endScan(session.page(SCAN));
            block(head, place(3, 2));
            spend(head, 13, 1, 21, place(3, 2));
            block(head, place(4, 2));
            pay(head, 19, 0, OURS.get(1), place(4, 2), 1L << 32);
            pay(head, 17, 0, OURS.get(0), place(4, 2), 2L << 32);
            return null;
        }));
    }

    /**
     * Returns the results of all queries that the daemon makes.
     *
     * @param top the last block
     */
    String read(Books file, long top, int branch) {
        List<String> lines = new ArrayList<>();
        LedgerBooks books = new LedgerBooks(file);
        BlockPlace at = place(top, branch);
        for (Address address : OURS) {
            lines.add("watched " + Await.result(books.find(address)));
            lines.add("history "
                    + Await.result(books.history(address, 0, top, Optional.empty(), 100))
                            .map(LedgerBooks.History::entries)
                            .orElse(List.of()));
        }
        lines.add("unspent "
                + new TreeMap<>(Await.result(books.unspent(at, OURS)).orElseThrow().entrySet().stream()
                        .collect(java.util.stream.Collectors.toMap(
                                entry -> entry.getKey().hex(), Map.Entry::getValue))));
        lines.add("sums " + Await.result(books.sums(at, MATURITY, OURS)).orElseThrow());
        for (int tx = 10; tx < 22; tx++) {
            outpoints.add(new Outpoint(hash(tx), 0));
            outpoints.add(new Outpoint(hash(tx), 1));
        }
        for (Outpoint outpoint : outpoints) {
            Map<Outpoint, Map.Entry<Amount, Bytes>> verified = new HashMap<>();
            Await.result(books.verified(Set.of(outpoint)))
                    .forEach((place, output) -> verified.put(place, Map.entry(output.value(), output.script())));
            lines.add("verified " + verified);
        }
        lines.add("fates "
                + Await.result(new SpendingBooks(file)
                        .fates(
                                at,
                                List.of(question(11, 16), question(14, 17), question(12, 13), question(18, NEVER)))));
        CreditFeed feed = new CreditFeed(file, () -> Optional.of(place(top, 0)));
        for (int depth = 0; depth < 3; depth++) {
            for (Optional<Address> address : List.of(Optional.<Address>empty(), Optional.of(OURS.get(0)))) {
                CreditFeed.Batch batch =
                        Await.result(feed.read(Await.result(feed.beginning(depth, address)), true, 100));
                batch.events().forEach(event -> lines.add("told " + address.isPresent() + " " + event));
            }
        }
        lines.add("pending " + Await.result(file.read(session -> CreditTable.pending(session.head(), 9))));
        lines.add("last "
                + Await.result(file.read(session ->
                        session.head().queryOne("SELECT MAX(number) FROM credit_log", row -> row.getLong(1)))));
        lines.add("locks " + Await.result(file.read(session -> HtlcRows.ofHashLock(session.head(), hash(60)))));
        return String.join("\n", lines) + "\n";
    }

    private static SpendingBooks.Question question(int tx, int by) {
        return new SpendingBooks.Question(
                hash(by), List.of(new Outpoint(hash(tx), tx == 14 ? 1 : 0)), Optional.empty());
    }
}
