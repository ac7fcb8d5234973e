package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.htlc.HtlcChanges;
import org.chainwalletd.store.books.htlc.HtlcRows;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cost of a block, a listing page or a balance must not grow with the number of records: every statement of the books finds its rows by an
 * index. Completeness is checked against the sources.
 */
class BooksPlanTest {
    private static final Address OURS = Address.of(hash(1).toArray());
    private static final PublicKey KEY = PublicKey.of(hash(2).toArray());
    private static final Outpoint COIN = new Outpoint(hash(3), 0);
    private static final Bytes PREIMAGE = Bytes.parse("00");
    private static final Outpoint LOCK = new Outpoint(hash(4), 0);
    private static final BlockPlace PLACE = new BlockPlace(5, hash(5));

    /**
     * Statements that may scan a table, because they need all its rows (each covered address, each watched one at the end of a rescan, uncovered
     * ones, all unspent coins at a start) or because it has only a few.
     */
    private static final Pattern ALL_WANTED =
            Pattern.compile("SELECT address FROM watched( WHERE history_from <= MAX\\(birth, 1\\))? => .*"
                    + "|UPDATE watched SET (history_from|birth) = .* => .*|SELECT birth FROM watched INDEXED BY watched_unread .*"
                    + "|SELECT tx_id, output_index FROM coins INDEXED BY coins_unspent .*"
                    + "|SELECT scan, from_height FROM scans .*|INSERT INTO scans .*|INSERT INTO watched .*SCAN scans.*"
                    + "|SELECT address FROM watched INDEXED BY watched_without_key .*"
                    + "|DELETE FROM coins WHERE scan IN .*SCAN scans.*"
                    + "|SELECT name FROM sqlite_master.*");

    @TempDir
    Path folder;

    private final LedgerTable ledger = new LedgerTable();
    private final CreditTable credits = new CreditTable(page -> address -> true);
    private final HtlcTable htlcs = new HtlcTable(page -> address -> true);
    private final SpendingTable spendings =
            new SpendingTable(page -> new SpendingTable.View(address -> true, outpoint -> true));
    private final List<BookTable<?, ?>> tables = List.of(ledger, htlcs, credits, spendings);
    private final Map<String, String> plans = new TreeMap<>();

    @AutoClose
    private Books file;

    private static Hash256 hash(int number) {
        return Hash256.sha256(new byte[] {(byte) number});
    }

    @BeforeEach
    void open() {
        file = Books.open(folder, tables);
    }

    @Test
    void every_statement_of_the_books_finds_its_rows_by_an_index() throws IOException {
        write(this::blocks);
        write(this::coins);
        write(this::locks);
        write(this::told);
        write(session -> rescan(session.page(1)));
        write(session -> undo(session));
        asked();
        Await.result(file.write(this::explain));
        Await.result(file.read(this::explain));

        assertThat(plans).isNotEmpty();
        assertThat(plans.entrySet().stream().map(plan -> plan.getKey() + " => " + plan.getValue()))
                .filteredOn(plan -> plan.contains("SCAN "))
                .allMatch(plan -> plan.replace("SCAN CONSTANT ROW", "").indexOf("SCAN ") < 0
                        || ALL_WANTED.matcher(plan).matches());
        assertThat(plan("FROM credits c WHERE c.scan = 0 AND c.active = 1 AND c.height <= ?"))
                .as("a reader of the feed begins where it stands")
                .contains("credits_by_height (scan=? AND active=? AND (height,position)>(?,?) AND height<?)");
        assertThat(plan("AND c.scan = 0 AND c.active = 1 AND c.height <= ?"))
                .contains("(height,position)>(?,?) AND height<?");
        assertThat(plan("forgotten = 0 AND state = ? AND role = ? AND (lock_height"))
                .as("a page of HTLCs begins after the one before")
                .contains("lock_height,tx_id,output_index)>(?,?,?)");
        assertThat(plans.keySet())
                .as("a page of HTLCs reads as many rows as it has, for no index has their amounts")
                .noneMatch(sql -> sql.contains("state = ? AND role = ?") && sql.contains("amount <"));
        for (String half : List.of("(height, id) >", "(spent_height, id) >")) {
            assertThat(plan(half))
                    .as("a page of a history costs what it tells")
                    .contains("(scan=? AND address=? AND ", "height>?")
                    .doesNotContain("TEMP B-TREE");
        }
        assertThat(plans.entrySet().stream().filter(plan -> plan.getKey().contains("substr(")))
                .as("what is looked up by an outpoint is found by it, not by all that its scan has")
                .isNotEmpty()
                .allMatch(plan -> plan.getValue().contains("(<expr>=?)"));
        assertThat(notUsed()).as("statements that this test leaves out").isEmpty();
    }

    private String plan(String part) {
        return plans.entrySet().stream()
                .filter(plan -> plan.getKey().contains(part))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();
    }

    private void write(Function<BooksSession, Object> work) {
        Await.result(file.write(work::apply));
    }

    private Object explain(BooksSession session) {
        List<String> used = session.statements().stream()
                .filter(sql -> sql.matches("(?s)(INSERT|UPDATE|DELETE|SELECT).*"))
                .toList();
        used.forEach(sql -> plans.put(
                sql.replaceAll("\\s+", " "),
                session.head()
                        .query("EXPLAIN QUERY PLAN " + sql, row -> row.text("detail"))
                        .toString()));
        return null;
    }

    private Object blocks(BooksSession session) {
        Page head = session.head();
        BlockRows.putFact(head, "network", "devnet");
        BlockRows.fact(head, "network");
        BlockRows.put(head, new BlockRow(10_005, hash(6), hash(5), 0, hash(0), true));
        BlockRows.undo(head, 10_004);
        BlockRows.put(head, new BlockRow(5, PLACE.blockId(), Hash256.ZERO, 0, hash(0), true));
        BlockRows.put(head, new BlockRow(4, hash(7), hash(8), 0, hash(0), false));
        BlockRows.all(head);
        BlockRows.top(head);
        BlockRows.told(head);
        BlockRows.from(head, 3);
        BlockRows.between(head, 3, 7);
        BlockRows.has(head, PLACE);
        BlockRows.isWorkChecked(head, 1, 5);
        BlockRows.withoutWork(head, 1, 5, 9);
        BlockRows.checkWork(head, PLACE);
        BlockRows.beginScan(head, 1);
        BlockRows.beginScan(head, 1);
        BlockRows.beginScan(head, 1);
        return BlockRows.scans(head);
    }

    private Object coins(BooksSession session) {
        Page head = session.head();
        ledger.begin(head, 4);
        ledger.view(head).isWatched(OURS);
        ledger.write(head, new LedgerChange.Created(new OwnCoin(COIN, OURS, Amount.of(7), 5, false)));
        ledger.write(head, new LedgerChange.Spent(COIN, 6, hash(7)));
        spendings.write(head, new Spending(COIN, hash(7), PLACE));
        return null;
    }

    private static HtlcTable.Locked lock(long height) {
        return new HtlcTable.Locked(
                LOCK,
                new HtlcParams(KEY, KEY, Hash256.sha256(PREIMAGE.toArray()), 3),
                OURS,
                OURS,
                Amount.of(9),
                HtlcTable.SENDER,
                height);
    }

    private Object locks(BooksSession session) {
        Page head = session.head();
        HtlcRows.see(head, lock(HtlcTable.NOWHERE), List.of(COIN));
        HtlcRows.lose(head, LOCK);
        htlcs.write(head, lock(5));
        htlcs.view(head).has(LOCK);
        HtlcTable.redeemer(head, LOCK, new HtlcSpend.Reclaim(Bytes.EMPTY));
        HtlcRows.seeClaim(head, new HtlcTable.Claimed(LOCK, hash(9), 0, PREIMAGE, HtlcTable.NOWHERE));
        HtlcRows.seeReclaim(head, new HtlcTable.Reclaimed(LOCK, hash(9), 0, HtlcTable.NOWHERE));
        HtlcTable.Locked open = new HtlcTable.Locked(
                COIN, new HtlcParams(KEY, KEY, hash(8), 5), OURS, OURS, Amount.of(9), HtlcTable.SENDER, 4);
        htlcs.write(head, open);
        htlcs.write(head, new HtlcTable.Passed(6));
        HtlcRows.forget(head, LOCK);
        HtlcRows.Position start = HtlcRows.Position.before(0);
        HtlcRows.ofHashLock(head, hash(8));
        HtlcRows.payable(head, hash(8), KEY, Amount.of(9), 9);
        HtlcRows.anyOfHashLock(head, hash(8), 9);
        HtlcRows.claimedOfHashLock(head, hash(8), 9);
        HtlcRows.ofState(head, HtlcTable.LOCKED, HtlcTable.SENDER, start, 9);
        HtlcRows.overdue(head, HtlcRows.OpenPosition.START, 9);
        HtlcRows.open(head, HtlcRows.OpenPosition.START, 9);
        HtlcRows.ofParty(head, OURS, HtlcTable.LOCKED, HtlcTable.SENDER, start, 9);
        HtlcRows.changedAbove(head, 3, 6);
        HtlcRows.pending(head, 9);
        HtlcRows.counts(head);
        HtlcChanges.last(head);
        HtlcChanges.after(head, 0, 9);
        HtlcChanges.drop(head, 1);
        return null;
    }

    private static Credit credit(BlockPlace block) {
        return new Credit(COIN, OURS, Amount.of(7), block, 0, false, false, false, Optional.empty());
    }

    private Object told(BooksSession session) {
        Page head = session.head();
        CreditTable.see(head, credit(Credit.nowhere(COIN.txId())));
        CreditTable.pending(head, 9);
        CreditTable.lose(head, COIN.txId());
        Credit pending = new Credit(
                new Outpoint(hash(12), 0),
                OURS,
                Amount.of(7),
                Credit.nowhere(hash(12)),
                0,
                false,
                false,
                false,
                Optional.empty());
        CreditTable.see(head, pending);
        credits.write(head, credit(PLACE));
        return null;
    }

    private Object rescan(Page page) {
        tables.forEach(table -> {
            table.join(page);
            table.drop(page);
        });
        credits.undo(page, 4);
        BlockRows.endScan(page);
        return null;
    }

    private void asked() {
        LedgerBooks books = new LedgerBooks(file);
        List<Address> many = Stream.iterate(0, i -> i + 1)
                .limit(1_001)
                .map(i -> Address.of(Hash256.sha256(new byte[] {(byte) (int) i, 1, (byte) (i >> 8)})
                        .toArray()))
                .toList();
        Await.result(books.watch(List.of(OURS), true, 0));
        Await.result(books.settle(Map.of(OURS, 0L), List.of()));
        Await.result(books.settleWatchOnly(Map.of(many.get(0), OptionalLong.of(3)), List.of(), address -> false));
        Await.result(books.settleWatchOnly(Map.of(), List.of(many.get(0)), address -> false));
        Await.result(books.watchOnly());
        Await.result(books.allWatched());
        write(session -> ledger.unread(session.head(), Optional.empty()));
        Await.result(books.coversAny(List.of(OURS)));
        Await.result(file.read(session -> ledger.view(session.head()).isWatched(OURS)));
        Await.result(books.settle(Map.of(), many));
        for (List<Address> asked : List.of(List.of(OURS), many)) {
            Await.result(books.unspent(PLACE, asked));
            Await.result(books.sums(PLACE, 1, asked));
        }
        Await.result(books.mostValuable(PLACE, OURS, 9));
        Await.result(books.history(OURS, 0, 9, Optional.empty(), 9));
        Await.result(books.flow(new MoneyFlow.Wanted(PLACE, 1, List.of(), -1)));
        Await.result(books.verified(java.util.Set.of(COIN)));
        Await.result(books.heights(List.of(new LedgerBooks.Sought(hash(7), List.of(COIN)))));
        Await.result(new SpendingBooks(file)
                .fates(PLACE, List.of(new SpendingBooks.Question(hash(7), List.of(COIN), Optional.of(PLACE)))));
        feed();
        BlockPlace next = new BlockPlace(6, hash(11));
        write(session -> {
            BlockRows.put(session.head(), new BlockRow(6, next.blockId(), PLACE.blockId(), 0, hash(0), true));
            return null;
        });
        Await.result(books.sums(next, 1, many));
    }

    private void feed() {
        CreditFeed feed = new CreditFeed(file, () -> Optional.of(PLACE));
        for (Optional<Address> address : List.of(Optional.<Address>empty(), Optional.of(OURS))) {
            Await.result(feed.now(0, address));
            for (int depth = 0; depth < 2; depth++) {
                Await.result(feed.read(Await.result(feed.beginning(depth, address)), true, 100));
            }
        }
        Await.result(feed.payment(Await.result(feed.beginning(0, Optional.of(OURS))), Amount.ZERO));
        Await.result(feed.confirmed(List.of(OURS), 1, 10));
        write(session -> {
            BlockRows.put(session.head(), new BlockRow(2_000, hash(10), hash(5), 10, hash(0), true));
            BlockRows.scans(session.head()).forEach(scan -> BlockRows.endScan(session.page(scan.scan())));
            return CreditPruning.prune(session.head(), 9, 100);
        });
    }

    private Object undo(BooksSession session) {
        BlockPlace untold = new BlockPlace(6, hash(12));
        credits.begin(session.head(), 0);
        BlockRows.put(session.head(), new BlockRow(6, untold.blockId(), PLACE.blockId(), 0, hash(0), false));
        credits.write(session.head(), credit(untold));
        credits.undo(session.head(), 5);
        BlockRows.undo(session.head(), 5);
        tables.forEach(table -> table.undo(session.head(), 4));
        tables.forEach(table -> table.beginAnew(session.head(), 4));
        credits.write(session.head(), credit(PLACE));
        return null;
    }

    /** Returns fragments of statements in the sources that were never executed, except statements that create tables or move rows. */
    private List<String> notUsed() throws IOException {
        List<String> missing = new ArrayList<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java/org/chainwalletd/store/books"))) {
            for (Path source : sources.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList()) {
                if (!source.endsWith("Books.java")
                        && !source.endsWith("BookSchema.java")
                        && !source.endsWith("ShortKeys.java")
                        && !source.endsWith("PostgresBooks.java")
                        // Only on a server, by primary key.
                        && !source.endsWith("SharedKeys.java")
                        // Reads all rows of each table before a daemon uses them.
                        && !source.endsWith("BooksMove.java")) {
                    pieces(Files.readString(source))
                            .filter(piece -> plans.keySet().stream().noneMatch(sql -> sql.contains(piece)))
                            .forEach(piece -> missing.add(source.getFileName() + ": " + piece));
                }
            }
        }
        return missing;
    }

    private static Stream<String> pieces(String source) {
        String code = source.replaceAll("(?m)^\\s*(/\\*\\*|\\*|//).*$", "");
        return Stream.concat(
                        Pattern.compile("(?s)\"\"\"(.*?)\"\"\"").matcher(code).results(),
                        Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"")
                                .matcher(code.replaceAll("(?s)\"\"\".*?\"\"\"", ""))
                                .results())
                .map(found -> found.group(1).strip().replaceAll("\\s+", " "))
                .filter(text -> Pattern.compile("\\b(SELECT|FROM|INTO|UPDATE|SET|WHERE|AND|ORDER BY|GROUP BY) [a-z(?]")
                        .matcher(text)
                        .find())
                .filter(text -> !text.startsWith("CREATE ")
                        && !text.contains("randomblob")
                        && !text.contains("gen_random")
                        && !text.contains("pg_get_serial_sequence"))
                .filter(text -> !text.contains("earlier_"));
    }
}
