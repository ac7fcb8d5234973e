package org.chainwalletd.store.sql;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.WatchStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes a store that lacks payments with those recorded in {@code sent.log}. A payment known to have been accepted by a node is put back in
 * flight, and so is sent again. For the others it is unknown whether they were sent. A payment with a token is abandoned, its token stays bound and
 * its coins held, so that its caller can have the same bytes sent by repeating the call, and nothing else ever pays for that token. A payment without
 * a token is sent again, as after any restart: its caller cannot repeat it, and may have received success before the log recorded that; on the
 * account chain it is sent only if the log shows that its commit was made. A payment that the log contains twice is added once, so an interrupted
 * restore can be run again.
 */
public final class StoreRestore {
    private static final Logger LOG = LoggerFactory.getLogger(StoreRestore.class);

    public static final String DOUBTFUL =
            "the store was restored, and whether this was sent is not known: its call sends the same bytes when it is repeated with its client_token";
    static final String SEVERAL =
            "the store was restored, and several payments of this client_token may have been sent";

    private static final long NUMBERS_FORGOTTEN = 1_000_000_000;
    private static final int LINES_BYTES = 1 << 16;
    private static final int SENDS_AT_ONCE = 100;
    private static final int ROWS_AT_ONCE = 500;

    /**
     * Result of a restore.
     *
     * @param mark the commit that {@code sent.log} and the books must record from now on
     * @param complete whether every missing payment was restored
     * @param inFlight payments that are sent again
     * @param doubtful payments for which it is unknown whether they were sent
     * @param withheld claims whose transaction bytes the log does not contain
     * @param ended number of payments that were closed without success, or buried
     * @param account number of transactions of the account chain
     * @param unnamed payments of the account chain that were left out: no log shows that their commits were made, and their callers cannot repeat
     *     them
     * @param keys number of keys that were listed again, including keys that had been deleted
     * @param held number of payouts in the store that are held
     */
    public record Restored(
            CommitMark mark,
            boolean complete,
            List<Intent> inFlight,
            List<Intent> doubtful,
            List<Intent> withheld,
            int ended,
            int account,
            List<AccountSend> unnamed,
            int keys,
            long held) {
        public Restored {
            unnamed = List.copyOf(unnamed);
            inFlight = List.copyOf(inFlight);
            doubtful = List.copyOf(doubtful);
            withheld = List.copyOf(withheld);
        }
    }

    private final SqlSession session;
    private final SpendTable spends;
    private final PayoutTable payouts;
    private final Map<Long, OptionalLong> openings = new HashMap<>();
    /** Highest commit number in the log for each opening. */
    private final Map<Long, Long> logged = new HashMap<>();

    private final Set<Hash256> entered = new LinkedHashSet<>();
    private final Set<Hash256> undecided = new LinkedHashSet<>();
    /** Transactions of a commit that was announced and may not have been made: their callers may have received an answer that nothing was sent. */
    private final Set<Hash256> announced = new LinkedHashSet<>();

    /** Lines of commits that may not have been made; they are processed after all other lines. */
    private final List<SentLine> deferred = new ArrayList<>();

    /** Changes of account payments, processed after all payments were added, in the order of the logs. */
    private final List<SentLine> changes = new ArrayList<>();
    /** References of these payments. A change is based on the payment's row, so the payment's own commit was made, even if the change's was not. */
    private final Set<String> changedLater = new HashSet<>();

    private final Map<Hash256, Hash256> rivals = new LinkedHashMap<>();
    private final List<Intent> withheld = new ArrayList<>();
    private int kept;
    private final List<AccountSend> unnamed = new ArrayList<>();
    private int account;
    private int keys;
    /** Whether the commit whose lines are being processed was certainly made. */
    private boolean made;

    public StoreRestore(SqlSession session) throws SQLException {
        this.session = session;
        this.spends = new SpendTable(new SentLog.Lines(), new RowAges(Optional::empty));
        spends.load(session);
        this.payouts = new PayoutTable(new SentLog.Lines());
        payouts.load(session);
    }

    /** Creates or replaces the log in {@code folder}; the base of the new log is the whole current content of the store. */
    public static void writeLog(Path folder, SqlSession session) throws IOException, SQLException {
        SentLog.write(folder, Commits.last(session), Optional.empty(), sink -> base(session, sink));
    }

    /**
     * Writes, beside the log in {@code folder}, the log of a daemon on the database to which the store is moved.
     *
     * @param moved the only commit of the log
     */
    public static SentLog.Successor movedLog(Path folder, SqlSession session, CommitMark moved, SentLog.Shared shared)
            throws IOException {
        return SentLog.successor(
                folder,
                moved,
                Optional.of(shared),
                sink -> {
                    sink.take(SentLine.encode(new SentLine.Peer(shared.name(), moved.number())));
                    base(session, sink);
                },
                0);
    }

    /** Writes a log that is to replace the current one at a later commit. Reads one snapshot, in a transaction of a separate session. */
    static SentLog.Successor successor(Path folder, SqlSession session, long from) throws IOException, SQLException {
        session.execute("BEGIN");
        try {
            return SentLog.successor(
                    folder, Commits.last(session), Optional.empty(), sink -> base(session, sink), from);
        } finally {
            endReading(session);
        }
    }

    /** Ends a transaction that has only read: a failure spoils nothing that was read. */
    private static void endReading(SqlSession session) {
        try {
            session.execute("COMMIT");
        } catch (SQLException e) {
            LOG.debug("a transaction that has only read cannot be ended: {}", e.getMessage());
        }
    }

    private static void base(SqlSession session, SentLog.LinesSink sink) throws IOException {
        try {
            LineBuffer lines = new LineBuffer(sink);
            PayoutTable.visitWaiting(session, lines::add);
            KeptSpends.visit(session, row -> lines.add(new SentLine.Kept(KeptSpends.read(row))));
            session.visit(
                    "SELECT " + SpendRow.COLUMNS + " FROM spends WHERE id > ? ORDER BY id",
                    row -> writeSpend(session, SpendRow.read(row), lines),
                    0);
            writeOthers(session, lines);
            lines.flush();
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void writeSpend(SqlSession session, SpendRow row, LineBuffer lines) throws SQLException {
        lines.add(new SentLine.Spend(row.id(), row.intent(), row.held(), row.countedAt()));
        Optional<SentLine.Carried> carried = PayoutTable.carriedBy(session, row);
        if (carried.isPresent()) {
            lines.add(carried.get());
        }
    }

    /** Writes everything except the waiting payouts and the spends. */
    private static void writeOthers(SqlSession session, LineBuffer lines) throws SQLException {
        SqlSweeps.visit(session, lines::add);
        PayoutTable.visitCancelled(session, row -> lines.add(PayoutTable.readCancelled(row)));
        writeErased(session, lines);
        writeAccountSends(session, lines);
        writeUses(session, lines);
        writeWatched(session, lines);
    }

    private static void writeErased(SqlSession session, LineBuffer lines) throws SQLException {
        List<SentLine.Erased.Item> some = ErasedSpends.after(session, 0, ROWS_AT_ONCE);
        while (!some.isEmpty()) {
            lines.add(new SentLine.Erased(some));
            some = ErasedSpends.after(session, some.get(some.size() - 1).number(), ROWS_AT_ONCE);
        }
    }

    /** Writes the sums of the allowance. They follow the spends, because spends kept only for reporting do not contain their share. */
    private static void writeUses(SqlSession session, LineBuffer lines) throws SQLException {
        writeUses(Optional.empty(), AllowanceTable.ALL.minutes(session, Long.MIN_VALUE), lines);
        for (Map.Entry<String, List<AllowanceStore.Minute>> token :
                TokenUses.all(session).entrySet()) {
            writeUses(Optional.of(token.getKey()), token.getValue(), lines);
        }
    }

    private static void writeUses(Optional<String> name, List<AllowanceStore.Minute> minutes, LineBuffer lines)
            throws SQLException {
        for (int from = 0; from < minutes.size(); from += ROWS_AT_ONCE) {
            lines.add(new SentLine.Uses(name, minutes.subList(from, Math.min(from + ROWS_AT_ONCE, minutes.size()))));
        }
    }

    private static void writeWatched(SqlSession session, LineBuffer lines) throws SQLException {
        SqlSession.<WatchStore.WatchOnly>inPages(
                last -> WatchTable.after(session, last.map(WatchStore.WatchOnly::address), ROWS_AT_ONCE),
                watched -> lines.add(new SentLine.Watched(watched)));
    }

    private static void writeAccountSends(SqlSession session, LineBuffer lines) throws SQLException {
        SqlSession.<AccountSend>inPages(
                last -> AccountSendTable.all(
                        session,
                        "id > ? ORDER BY id LIMIT " + SENDS_AT_ONCE,
                        last.map(AccountSend::id).orElse(0L)),
                send -> lines.add(new SentLine.Account(send)));
    }

    /** Writes a log that is to replace the current log of a daemon, as {@link #successor(Path, SqlSession, long)} does. */
    public static SentLog.Successor successor(SentLog log, SqlSession session, long start, long from)
            throws IOException, SQLException {
        session.execute(session.dialect().beginReading());
        try {
            String store = Commits.id(session);
            CommitMark last = session.queryOne(
                            "SELECT random, counter FROM commits WHERE daemon = ? ORDER BY number DESC LIMIT 1",
                            row -> new CommitMark(store, row.number("random"), row.number("counter")),
                            start)
                    .orElseThrow();
            long number = session.number("SELECT max(number) FROM commits");
            SentLog.Shared shared = new SentLog.Shared(log.name().orElseThrow(), number);
            return SentLog.successor(
                    log.folder(), last, Optional.of(shared), sink -> ownBase(session, shared.name(), sink), from);
        } finally {
            endReading(session);
        }
    }

    /** Writes the spends of one daemon completely, and only the outcome of those of other daemons. */
    private static void ownBase(SqlSession session, String log, SentLog.LinesSink sink) throws IOException {
        record Owned(SpendRow row, boolean own) {}
        try {
            LineBuffer lines = new LineBuffer(sink);
            for (SentLine.Peer peer : peers(session)) {
                lines.add(peer);
            }
            PayoutTable.visitWaiting(session, lines::add);
            SqlSession.<Object[]>inPages(
                    last -> KeptSpends.ofLog(
                            session, log, last.map(KeptSpends::numberOf).orElse(0L), ROWS_AT_ONCE),
                    row -> lines.add(new SentLine.Kept(row)));
            SqlSession.<Owned>inPages(
                    last -> session.query(
                            "SELECT " + SpendRow.COLUMNS
                                    + ", runner IN (SELECT start FROM daemons WHERE log = ?) AS own"
                                    + " FROM spends WHERE id > ? ORDER BY id LIMIT ?",
                            row -> new Owned(SpendRow.read(row), row.truth("own")),
                            log,
                            last.map(each -> each.row().id()).orElse(0L),
                            ROWS_AT_ONCE),
                    each -> write(session, each.row(), each.own(), lines));
            writeOthers(session, lines);
            KeyringTable.writeTo(session, lines::add);
            lines.flush();
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns the logs of all daemons that write the store, each with its newest commit in the store. */
    public static List<SentLine.Peer> peers(SqlSession session) throws SQLException {
        return session.query(
                "SELECT name, coalesce(max(counter), 0) AS counter FROM logs LEFT JOIN daemons ON log = name"
                        + " LEFT JOIN commits ON daemon = start GROUP BY name ORDER BY name",
                row -> new SentLine.Peer(row.text("name"), row.number("counter")));
    }

    private static void write(SqlSession session, SpendRow row, boolean own, LineBuffer lines) throws SQLException {
        Intent intent = row.intent();
        if (own) {
            writeSpend(session, row, lines);
        } else if (intent.state() == IntentState.ACCEPTED || intent.state() == IntentState.CONFIRMED) {
            lines.add(new SentLine.Accepted(intent.txId()));
        } else if (intent.state() != IntentState.PREPARED) {
            lines.add(new SentLine.State(intent.txId(), intent.state(), intent.reason(), intent.changedAt()));
            lines.add(new SentLine.Held(intent.txId(), row.held()));
        }
    }

    /** Collects lines and passes them on as records of about {@link #LINES_BYTES} bytes. */
    private static final class LineBuffer {
        private final SentLog.LinesSink sink;
        private final ByteArrayOutputStream lines = new ByteArrayOutputStream();

        LineBuffer(SentLog.LinesSink sink) {
            this.sink = sink;
        }

        void add(SentLine line) throws SQLException {
            lines.writeBytes(SentLine.encode(line));
            if (lines.size() >= LINES_BYTES) {
                try {
                    flush();
                } catch (IOException e) {
                    throw new SQLException(e.getMessage(), e);
                }
            }
        }

        void flush() throws IOException {
            if (lines.size() > 0) {
                sink.take(lines.toByteArray());
                lines.reset();
            }
        }
    }

    /** Applies every change that the log in {@code folder} contains and the store lacks, in a transaction that the caller has begun. */
    void enterAll(Path folder) throws IOException, SQLException {
        CommitMark own = Commits.last(session);
        SentLog.Known end = SentLog.read(folder).orElseThrow();
        SentLog.replay(folder, new SentLog.Replay() {
            @Override
            public boolean wants(CommitMark mark) throws IOException {
                made = !mark.equals(end.last()) || end.last().equals(end.certain());
                logged.merge(mark.opening(), mark.number(), Math::max);
                return !mark.store().equals(own.store()) || !isThere(mark);
            }

            @Override
            public void line(SentLine line) throws IOException {
                try {
                    enterOrDefer(line);
                } catch (SQLException e) {
                    throw new IOException(e.getMessage(), e);
                }
            }
        });
        decide();
    }

    /**
     * Applies the lines of one commit or of a base.
     *
     * @param certain whether the commit was certainly made
     */
    public void enter(byte[] lines, boolean certain) throws IOException, SQLException {
        made = certain;
        for (SentLine line : SentLine.decode(lines, 0)) {
            enterOrDefer(line);
        }
    }

    /**
     * Applies a line, or defers it to the end: a commit that was announced but may not have been made must not take a token, payout or nonce used by
     * a commit that was made, in the store or in any of the logs.
     */
    private void enterOrDefer(SentLine line) throws SQLException {
        if (!made && line instanceof SentLine.AccountVersion version) {
            deferChange(version, version.reference());
            return;
        }
        boolean waits = !made
                && (line instanceof SentLine.Spend
                        || line instanceof SentLine.Submitted
                        || line instanceof SentLine.Carried
                        || line instanceof SentLine.Cancelled
                        || line instanceof SentLine.Account
                        || line instanceof SentLine.Sweep
                        || line instanceof SentLine.Kept kept && KeptSpends.isRaw(kept.row()));
        if (waits || !made && line instanceof SentLine.Accepted) {
            deferred.add(line);
        }
        if (!waits) {
            enter(line);
        }
    }

    private boolean isThere(CommitMark mark) throws IOException {
        try {
            if (!openings.containsKey(mark.opening())) {
                openings.put(mark.opening(), Commits.lastOf(session, mark.opening()));
            }
            OptionalLong last = openings.get(mark.opening());
            return last.isPresent() && mark.number() <= last.getAsLong();
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns whether the log contained this commit or a later one of its opening. */
    boolean hasSeen(CommitMark mark) {
        return logged.getOrDefault(mark.opening(), -1L) >= mark.number();
    }

    private void enter(SentLine line) throws SQLException {
        if (line instanceof SentLine.Spend spend) {
            enter(spend);
        } else if (line instanceof SentLine.Accepted accepted) {
            accept(accepted);
        } else if (line instanceof SentLine.State state) {
            enter(state);
        } else if (line instanceof SentLine.Held held) {
            Optional<SpendRow> row = SpendTable.find(session, held.txId());
            if (row.isPresent()) {
                spends.holdExactly(session, row.get(), held.held());
            }
        } else if (line instanceof SentLine.Kept receipt) {
            enter(receipt);
        } else if (line instanceof SentLine.Erased erased) {
            enter(erased);
        } else if (line instanceof SentLine.Uses uses) {
            enter(uses);
        } else if (line instanceof SentLine.Watched watched) {
            WatchTable.put(session, watched.row());
        } else if (line instanceof SentLine.Unwatched unwatched) {
            // Watching an address needlessly costs less than missing a deposit.
            if (made) {
                WatchTable.remove(session, unwatched.address());
            }
        } else if (line instanceof SentLine.Memo memo) {
            enter(memo);
        } else if (line instanceof SentLine.Submitted submitted) {
            enter(submitted);
        } else if (line instanceof SentLine.Carried carried) {
            enter(carried);
        } else if (line instanceof SentLine.Cancelled cancelled) {
            payouts.enter(session, cancelled);
        } else if (line instanceof SentLine.Sweep sweep) {
            SqlSweeps.enter(session, sweep);
        } else if (line instanceof SentLine.SweepPartEnded ended) {
            SqlSweeps.end(session, ended.id(), ended.part(), ended.ending());
        } else if (line instanceof SentLine.Sealed sealed) {
            KeyringTable.seal(session, sealed.place(), sealed.blob());
        } else if (line instanceof SentLine.KeyListed listed) {
            keys += KeyringTable.enter(session, listed) ? 1 : 0;
        } else if (line instanceof SentLine.KeyringHead head) {
            KeyringTable.set(session, head.head());
        } else if (line instanceof SentLine.Account send) {
            enter(send);
        } else if (line instanceof SentLine.AccountVersion version) {
            enter(version);
        } else if (line instanceof SentLine.AccountState state) {
            enter(state);
        }
    }

    /** Adds the record of a closed spend, replacing the row that an older store has of it. */
    private void enter(SentLine.Kept receipt) throws SQLException {
        Hash256 txId = KeptSpends.txIdOf(receipt.row());
        if (KeptSpends.isRaw(receipt.row())) {
            enterRaw(txId, receipt.row());
            return;
        }
        if (KeptSpends.knows(session::find, txId)) {
            return;
        }
        Optional<SpendRow> row = SpendTable.find(session, txId);
        if (row.isPresent()) {
            spends.holdExactly(session, row.get(), SpendRow.Held.NONE);
            SpendTable.remove(session, row.get().id());
            entered.remove(txId);
            undecided.remove(txId);
        }
        KeptSpends.insert(session, spends.numberFor(session, KeptSpends.numberOf(receipt.row())), receipt.row());
        kept++;
    }

    /** Adds a transaction that was signed elsewhere, replacing an older row of it; one of the daemon's own spends has its own line instead. */
    private void enterRaw(Hash256 txId, Object[] row) throws SQLException {
        Optional<KeptSpends.Raw> there = KeptSpends.raw(session, txId);
        if (there.isPresent() && there.get().changedAt() < KeptSpends.changedAt(row)) {
            KeptSpends.delete(session, there.get().number());
            KeptSpends.insert(session, there.get().number(), row);
        } else if (there.isEmpty() && !SpendTable.isMade(session::find, txId)) {
            KeptSpends.insert(session, spends.numberFor(session, KeptSpends.numberOf(row)), row);
        }
    }

    private void enter(SentLine.Erased erased) throws SQLException {
        for (SentLine.Erased.Item item : erased.items()) {
            if (!ErasedSpends.knows(session, item)) {
                ErasedSpends.insert(session, spends.numberFor(session, item.number()), item);
            }
        }
    }

    /** Never lowers a sum: with the logs of several daemons a spend may be counted twice, but is never left out. */
    private void enter(SentLine.Uses uses) throws SQLException {
        AllowanceTable sums = new AllowanceTable(uses.tokenName());
        for (AllowanceStore.Minute minute : uses.minutes()) {
            sums.countAtLeast(session, minute);
        }
    }

    private void enter(SentLine.Memo memo) throws SQLException {
        Optional<Long> number = SpendTable.find(session, memo.txId()).map(SpendRow::id);
        if (number.isEmpty()) {
            number = KeptSpends.ofTransaction(session, memo.txId()).map(SpendHistory.PastSpend::number);
        }
        if (number.isPresent()) {
            spends.setMemo(session, number.get(), memo.memo());
        }
    }

    private void enter(SentLine.Spend spend) throws SQLException {
        Intent intent = spend.intent();
        Optional<SpendRow> there = SpendTable.find(session, intent.txId());
        if (!made && (there.isPresent() || isTokenTaken(intent))) {
            return;
        }
        boolean replaces = there.filter(row -> row.intent().state() == IntentState.REFUSED
                        && !row.intent().token().equals(intent.token()))
                .isPresent();
        if (there.isPresent() && !replaces) {
            update(there.get(), spend);
            return;
        }
        if (KeptSpends.has(session, intent.txId())) {
            return;
        }
        if (spend.isWithheld()) {
            withheld.add(intent);
            return;
        }
        if (replaces) {
            KeptSpends.eraseReplaced(session, there.get());
            SpendTable.remove(session, there.get().id());
        }
        recordRival(intent);
        insert(spend);
    }

    /**
     * Returns whether the token of a spend, whose commit was announced but may not have been made, is bound to another payment. The commit was then
     * not made, so the spend was never sent and must not take the token. A binding that ended before the spend was opened is ignored.
     */
    private boolean isTokenTaken(Intent intent) throws SQLException {
        long opened = intent.changedAt();
        return SqlSpends.tokenTaken(session, intent, SqlSpends.bound(session, intent, opened), opened)
                .isPresent();
    }

    /**
     * Updates a spend that the store has to its state in the base of the log: a rewritten log no longer has the lines of the changes in between.
     * Blocks are read from the chain again.
     */
    private void update(SpendRow row, SentLine.Spend line) throws SQLException {
        if (line.countedAt().isPresent()) {
            countFrom(row, line.countedAt().getAsLong());
        } else if (row.countedAt().isPresent()) {
            // Nothing can be credited back for this spend any more: the sums in the base already exclude its use.
            spends.setCountedAt(session, row, OptionalLong.empty());
        }
        IntentState before = row.intent().state();
        IntentState state = line.intent().state();
        boolean byBlocks = state == IntentState.CONFIRMED || before == IntentState.CONFIRMED && state.inFlight();
        if (state.isStill(before) || byBlocks) {
            return;
        }
        enter(new SentLine.State(
                row.intent().txId(),
                state,
                line.intent().reason(),
                line.intent().changedAt()));
        SpendRow changed = SpendTable.find(session, row.intent().txId()).orElseThrow();
        if (state.inFlight()) {
            spends.holdFree(session, changed);
        } else {
            spends.holdExactly(session, changed, line.held());
        }
    }

    /** Records two payments of one token that may both have been sent. The daemon may send neither, because a token pays only once. */
    private void recordRival(Intent intent) throws SQLException {
        if (intent.token().isEmpty()) {
            return;
        }
        Optional<SpendRow> earlier =
                SpendTable.bound(session, intent.token().get().token(), Long.MIN_VALUE);
        if (earlier.filter(row -> row.intent().state() == IntentState.PREPARED).isPresent()) {
            rivals.put(intent.txId(), earlier.get().intent().txId());
        }
    }

    private void insert(SentLine.Spend spend) throws SQLException {
        Intent intent = spend.intent();
        // A confirmation is read from the chain again.
        Intent row = intent.state() == IntentState.CONFIRMED
                ? intent.in(IntentState.ACCEPTED, "", intent.changedAt())
                : intent;
        OptionalLong counted = spend.countedAt();
        spends.insert(
                session,
                spends.numberFor(session, spend.number()),
                row,
                counted.isPresent()
                        ? AllowanceTable.ALL.count(session, row.allowance(), counted.getAsLong())
                        : counted);
        if (counted.isPresent()) {
            TokenUses.countRestored(session, row, counted.getAsLong());
        }
        if (!row.state().inFlight()) {
            SpendRow inserted = SpendTable.find(session, row.txId()).orElseThrow();
            spends.holdExactly(session, inserted, spend.held());
            buryLost(inserted);
        }
        entered.add(row.txId());
        if (row.state() == IntentState.PREPARED) {
            undecided.add(row.txId());
            if (!made) {
                announced.add(row.txId());
            }
        }
    }

    private void accept(SentLine.Accepted accepted) throws SQLException {
        Optional<SpendRow> row = SpendTable.find(session, accepted.txId());
        if (undecided.remove(accepted.txId()) && row.isPresent()) {
            spends.enter(
                    session,
                    row.get(),
                    IntentState.ACCEPTED,
                    "",
                    row.get().intent().changedAt());
        }
    }

    /** Adds waiting payouts. An id that is bound by now, to a payout or to anything else, is left unchanged. */
    private void enter(SentLine.Submitted submitted) throws SQLException {
        List<String> ids = submitted.payouts().stream()
                .map(item -> item.order().payoutId())
                .toList();
        Set<String> unbound = new HashSet<>(SqlPayouts.unbound(session, ids));
        if (unbound.isEmpty()) {
            return;
        }
        long source = PayoutTable.source(session, submitted.from());
        for (SentLine.Submitted.Item item : submitted.payouts()) {
            if (unbound.contains(item.order().payoutId())) {
                payouts.enter(session, item, source, submitted.owner());
            }
        }
    }

    /** Adds the payouts of a batch. A batch that is lost for good releases them; one whose payouts are carried by another open batch is not sent. */
    private void enter(SentLine.Carried carried) throws SQLException {
        Optional<SpendRow> batch = SpendTable.find(session, carried.txId());
        if (batch.isPresent() && payouts.enter(session, batch.get(), carried)) {
            spends.enter(
                    session,
                    batch.get(),
                    IntentState.ABANDONED,
                    SEVERAL,
                    batch.get().intent().changedAt());
        }
    }

    private void enter(SentLine.State state) throws SQLException {
        Optional<SpendRow> row = SpendTable.find(session, state.txId());
        if (row.isEmpty()) {
            return;
        }
        spends.enter(session, row.get(), state.state(), state.reason(), state.at());
        if (state.state() == IntentState.PREPARED && row.get().intent().state().failed()) {
            countFrom(row.get(), state.at());
        }
        session.update(
                "UPDATE spends SET block_height = NULL, block_id = NULL, buried = 0 WHERE id = ?",
                row.get().id());
        if (buryLost(SpendTable.find(session, state.txId()).orElseThrow())) {
            payouts.free(session, row.get(), state.at());
        }
        if (state.state() == IntentState.PREPARED) {
            spends.holdFree(session, row.get());
            undecided.add(state.txId());
        } else {
            undecided.remove(state.txId());
        }
    }

    /** Moves the use of the allowance of a reopened spend to that time, so that it leaves the window of the caps later. */
    private void countFrom(SpendRow row, long at) throws SQLException {
        OptionalLong counted = row.countedAt();
        if (counted.isPresent() && counted.getAsLong() >= at) {
            return;
        }
        if (counted.isPresent()) {
            AllowanceTable.ALL.giveBack(session, row);
            TokenUses.giveBack(session, row);
        }
        spends.setCountedAt(
                session, row, AllowanceTable.ALL.count(session, row.intent().allowance(), at));
        TokenUses.countRestored(session, row.intent(), at);
    }

    /** Marks a spend that was closed by the chain as one that no block can contain any more. Returns whether it is one. */
    private boolean buryLost(SpendRow row) throws SQLException {
        boolean lost = row.intent().state() == IntentState.CONFLICTED
                && StandIns.onlyChainCloses(row.intent().kind());
        if (lost) {
            session.update("UPDATE spends SET buried = 1 WHERE id = ?", row.id());
        }
        return lost;
    }

    private void enter(SentLine.Account send) throws SQLException {
        AccountSend sent = send.send();
        Optional<AccountSend> there = AccountSendTable.taken(session, sent);
        if (there.isEmpty() && !made && mayBePaidAgain(sent)) {
            unnamed.add(sent);
        } else if (there.isEmpty()) {
            if (made || !SqlAccountSends.isBoundElsewhere(session, sent.reference())) {
                AccountSendTable.insert(session, sent);
                account++;
            }
        } else if (made && there.get().reference().equals(sent.reference())) {
            List<AccountSend.Version> versions = sent.versions();
            for (int i = there.get().versions().size(); i < versions.size(); i++) {
                AccountSendTable.insert(session, there.get().id(), i, versions.get(i));
            }
            enter(new SentLine.AccountState(
                    sent.reference(),
                    sent.state(),
                    sent.progress().outcome(),
                    sent.progress().changedAt()));
        }
    }

    /**
     * Returns whether the caller of a payment, whose commit was announced but may not have been made, may have paid in another way. True if the
     * payment has no name with which its caller could repeat it, and nothing shows that the commit was made; if it were restored, it would be sent
     * automatically.
     */
    private boolean mayBePaidAgain(AccountSend send) throws SQLException {
        return send.reference().startsWith(AccountSendStore.UNNAMED)
                && !changedLater.contains(send.reference())
                && !AccountSendTable.hasLater(session, send);
    }

    private void enter(SentLine.AccountState line) throws SQLException {
        if (!AccountSendTable.enter(
                session, "reference = ?", line.state(), line.outcome(), line.at(), line.reference())) {
            deferChange(line, line.reference());
        }
    }

    private void enter(SentLine.AccountVersion version) throws SQLException {
        Optional<AccountSend> send = AccountSendTable.one(session, "reference = ?", version.reference());
        if (send.isEmpty()) {
            deferChange(version, version.reference());
        } else if (send.get().versions().size() == version.before()) {
            AccountSendTable.insert(session, send.get().id(), version.before(), version.version());
        }
    }

    private void deferChange(SentLine line, String reference) {
        changes.add(line);
        changedLater.add(reference);
    }

    /**
     * Applies the deferred lines. Unnamed payments come last, highest nonce first: a payment below a used nonce is needed to close the nonce gap.
     */
    private void enterDeferred() throws SQLException {
        List<SentLine.Account> nameless = new ArrayList<>();
        for (SentLine line : deferred) {
            if (line instanceof SentLine.Account account
                    && account.send().reference().startsWith(AccountSendStore.UNNAMED)) {
                nameless.add(account);
            } else {
                enter(line);
            }
        }
        nameless.sort(
                Comparator.comparingLong((SentLine.Account line) -> line.send().nonce())
                        .reversed());
        for (SentLine.Account line : nameless) {
            enter(line);
        }
        for (SentLine line : List.copyOf(changes)) {
            enter(line);
        }
    }

    /** Decides, after all lines were applied, about the payments for which it is unknown whether they were sent. */
    public void decide() throws SQLException {
        made = false;
        enterDeferred();
        for (Hash256 txId : undecided) {
            Intent intent = SpendTable.find(session, txId).orElseThrow().intent();
            boolean repeatable = announced.contains(txId) || intent.token().isPresent();
            // A batch cannot be repeated by its caller: its payouts are bound to it, so sending it is the only way to
            // pay them exactly once.
            if (repeatable && !StandIns.onlyChainCloses(intent.kind())) {
                close(txId, IntentState.ABANDONED, DOUBTFUL);
            }
        }
        abandonRecalled();
        for (Map.Entry<Hash256, Hash256> rival : rivals.entrySet()) {
            Optional<SpendRow> earlier = SpendTable.find(session, rival.getValue());
            Optional<SpendRow> later = SpendTable.find(session, rival.getKey());
            if (mayHaveBeenSent(earlier) && mayHaveBeenSent(later)) {
                close(rival.getValue(), IntentState.ABANDONED, SEVERAL);
                close(rival.getKey(), IntentState.CONTESTED, SEVERAL);
                spends.freeAll(session, SpendTable.find(session, rival.getKey()).orElseThrow());
            }
        }
    }

    /**
     * Abandons in-flight batches that were recalled: in the base of a log, a block that contained such a batch hides that it must not be sent again.
     */
    private void abandonRecalled() throws SQLException {
        for (SpendRow row : SpendTable.select(session, SpendTable.OPEN)) {
            Intent intent = row.intent();
            boolean recalled = intent.kind().equals(StandIns.PAYOUT_BATCH)
                    && intent.state().inFlight()
                    && SpendTable.bound(session, StandIns.recallToken(intent.txId()), Long.MIN_VALUE)
                            .isPresent();
            if (recalled) {
                spends.enter(session, row, IntentState.ABANDONED, "", intent.changedAt());
            }
        }
    }

    private static boolean mayHaveBeenSent(Optional<SpendRow> row) {
        return row.map(SpendRow::intent)
                .filter(intent -> intent.state() == IntentState.PREPARED
                        || intent.reason().equals(DOUBTFUL))
                .isPresent();
    }

    private void close(Hash256 txId, IntentState state, String reason) throws SQLException {
        SpendRow row = SpendTable.find(session, txId).orElseThrow();
        spends.enter(session, row, state, reason, row.intent().changedAt());
    }

    /**
     * Begins a new opening, which makes the restored store the one of this datadir, whichever store it had before. Holds the queue's payouts and
     * stops the sweeps that were running.
     *
     * @param above highest commit number recorded elsewhere; the new one is greater
     * @param forgetful whether payments may still be missing
     */
    CommitMark begin(long above, boolean forgetful) throws SQLException {
        CommitMark last = Commits.last(session);
        long number = Math.max(last.number(), above) + 1;
        long random = new SecureRandom().nextLong() | 1;
        Commits.count(session, number);
        Commits.open(session, number, random);
        hold(random, forgetful);
        return new CommitMark(last.store(), random, number);
    }

    /**
     * Holds the queue's payouts and stops the sweeps that were running.
     *
     * @param generation of the queue from now on
     * @param forgetful whether payments may still be missing
     */
    public void hold(long generation, boolean forgetful) throws SQLException {
        PayoutTable.holdAll(session, generation);
        SqlSweeps.stopAll(session);
        if (forgetful) {
            session.update("UPDATE identity SET forgetful = 1 WHERE one = 1");
            // Numbers of lost spends were reported to callers and must never be assigned to other spends.
            spends.skipNumbers(session, NUMBERS_FORGOTTEN);
        }
    }

    public Restored report(CommitMark mark, boolean complete) throws SQLException {
        List<Intent> inFlight = new ArrayList<>();
        List<Intent> doubtful = new ArrayList<>();
        int ended = kept;
        for (Hash256 txId : entered) {
            Intent intent = SpendTable.find(session, txId).orElseThrow().intent();
            if (intent.state().inFlight()) {
                inFlight.add(intent);
            } else if (intent.reason().equals(DOUBTFUL) || intent.reason().equals(SEVERAL)) {
                doubtful.add(intent);
            } else {
                ended++;
            }
        }
        return new Restored(
                mark,
                complete,
                inFlight,
                doubtful,
                withheld,
                ended,
                account,
                unnamed,
                keys,
                PayoutTable.countWaiting(session));
    }
}
