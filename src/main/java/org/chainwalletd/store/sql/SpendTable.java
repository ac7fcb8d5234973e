package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.IntentStore.Changed;
import org.chainwalletd.store.IntentStore.Changes;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.TokenBinding;

/**
 * The table {@code spends}: one row per spend, from its intent until it is forgotten. The conditions here repeat those of the partial indexes word
 * for word; otherwise SQLite would not use the indexes.
 */
public final class SpendTable {
    static final String IN_FLIGHT = Arrays.stream(IntentState.values())
            .filter(IntentState::inFlight)
            .map(state -> "'" + state + "'")
            .collect(Collectors.joining(", ", "state IN (", ")"));
    public static final String OPEN = "(" + IN_FLIGHT + " OR held IS NOT NULL)";
    static final String UNBURIED = "(state = 'CONFIRMED' AND buried = 0)";
    /**
     * Condition of spends that were closed without success, hold no coin, and could still be mined by anyone who has seen their bytes: until the
     * transaction that spends their coin instead is known to be buried.
     */
    static final String LOST = "(buried = 0 AND held IS NULL AND state IN ('REFUSED', 'CONFLICTED', 'ABANDONED'))";

    /** Condition of closed spends: they hold no coin, and nothing watches or resends them. */
    static final String CLOSED = "(held IS NULL AND (state IN ('REFUSED', 'ABANDONED')"
            + " OR state IN ('CONFIRMED', 'CONFLICTED') AND buried = 1))";

    /**
     * Condition of spends that may be forgotten once they are old enough. A spend qualifies only when it, or the transaction that spends its coin
     * instead, is buried: until then anyone who has seen its bytes can get them mined, and its token must not make another payment. A spend that was
     * never sent counts as buried. A spend that holds a coin does not qualify: one that was partly abandoned can stay in a mempool indefinitely.
     */
    static final String FINAL = "(" + CLOSED + " AND buried = 1)";

    /**
     * Condition of buried transfers that are needed only for the answer of their token. Locks, claims and swap spends are excluded: their owners
     * read the spends themselves again.
     */
    static final String SETTLED = "(state = 'CONFIRMED' AND buried = 1 AND held IS NULL AND kind = 'transfer'"
            + " AND token_key IS NOT NULL)";

    /**
     * Condition of spends closed without success that no block is expected to contain. The row does not say which of three reasons holds, and
     * whoever reads it must know that:
     *
     * <ul>
     *   <li>never sent ({@link SqlSpends#fail}), today only in state REFUSED: its token repeats the same bytes, and other parties may make the same
     *       transaction, which then can be mined;
     *   <li>lost, in any of these states: the transaction that spends its coin instead is buried, or the spend that was to create its coin is lost;
     *   <li>closed by the chain ({@link SqlSpends#loseForGood}), always in state CONFLICTED: lost, and decided in the commit that closes it.
     * </ul>
     *
     * <p>The second and the third have the same consequences. Only the first differs, and only for spends of its outputs: {@link
     * SqlSpends#lostForGood} and {@link KeptSpends#isLost} name no spend that is REFUSED, whatever the reason. The state decides the rest: a payment
     * is rebuilt, and a part of a sweep closed, only if it is CONFLICTED.
     */
    static final String LOST_FOR_GOOD =
            "(buried = 1 AND held IS NULL AND state IN ('REFUSED', 'CONFLICTED', 'ABANDONED'))";

    /**
     * The only kind of spend that is rebuilt with other coins after a conflict. All other kinds spend particular coins, or are referenced elsewhere
     * by transaction id.
     */
    private static final String BUILT_AGAIN = "transfer";

    static final String STILL_COUNTED = "(state = 'ABANDONED' AND counted_at IS NOT NULL)";

    /** PostgreSQL expression for the start number of the writing daemon. */
    public static final String RUNNER = "current_setting('walletd.runner')::bigint";

    /** Assignment that signs off a spend run by this process, for statements that update the row in PostgreSQL. */
    private static final String SIGNS_OFF = ", signed_off = CASE runner WHEN " + RUNNER + " THEN 1 ELSE signed_off END";

    private static final String SELECT = "SELECT " + SpendRow.COLUMNS + " FROM spends WHERE ";

    /** Change to a spend, applied once the spend was found in the expected state. */
    @FunctionalInterface
    interface Change {
        void apply(SpendRow row) throws SQLException;
    }

    /**
     * Maps each held coin to the number of the spend that holds it. The rows of the spends contain the same; this in-memory copy is changed only by
     * the writer, so that reserving and releasing coins needs no separate write. Rolls back with the transaction.
     */
    private final UndoableMap<Outpoint, Long> holdings = new UndoableMap<>();

    private final Accepted accepted = new Accepted();
    private final ChangedByOthers others = new ChangedByOthers();
    private final SentLog.Lines log;
    private final RowAges ages;
    private long lastId;

    /**
     * Creates the table's accessor.
     *
     * @param log receives a line for each change with which a restored store has to be completed
     * @param ages stamps each change
     */
    SpendTable(SentLog.Lines log, RowAges ages) {
        this.log = log;
        this.ages = ages;
    }

    /** Returns the map of held coins, which the writer commits and rolls back together with the rows. */
    GroupCommitWriter.InMemory inMemory() {
        return holdings;
    }

    /** Returns the spend of a row, in state {@code ACCEPTED} when a node is known to have accepted it since the row was written. */
    Intent known(SpendRow row) {
        return accepted.known(row.intent());
    }

    /** Loads the last number used and the coins held by spends from the rows. */
    void load(SqlSession session) throws SQLException {
        for (String last : List.of(
                "SELECT spends_after FROM identity WHERE one = 1",
                "SELECT coalesce(max(id), 0) FROM spends",
                "SELECT coalesce(max(id), 0) FROM kept_spends")) {
            lastId = Math.max(lastId, session.number(last));
        }
        for (SpendRow row : select(session, OPEN + " AND held IS NOT NULL")) {
            row.heldCoins().forEach(coin -> holdings.put(coin.outpoint(), row.id()));
        }
        holdings.settle();
    }

    /**
     * Reloads the spends with these numbers, which other processes have changed.
     *
     * @param found receives each of them that still exists
     */
    void reload(SqlSession session, Collection<Long> changed, Consumer<Intent> found) throws SQLException {
        holdings.removeAll(changed::contains);
        for (long id : changed) {
            lastId = Math.max(lastId, id);
            session.find(ofNumber(id)).ifPresent(there -> {
                SpendRow row = there.row();
                accepted.forget(row.intent().txId());
                row.heldCoins().forEach(coin -> holdings.put(coin.outpoint(), id));
                found.accept(row.intent());
                others.add(new Changed(row.intent(), !row.heldCoins().isEmpty(), there.buried()));
            });
        }
        holdings.settle();
    }

    /** Reloads all in-memory state, because other processes may have changed any row. */
    void reloadAll(SqlSession session) throws SQLException {
        holdings.removeAll(id -> true);
        accepted.forgetAll();
        load(session);
        others.addAny();
    }

    /** Implements {@link IntentStore#changedByOthers}. */
    Changes changedByOthers() {
        return others.take();
    }

    static List<SpendRow> select(SqlSession session, String where, Object... values) throws SQLException {
        return session.query(SELECT + where, SpendRow::read, values);
    }

    static Optional<SpendRow> find(SqlSession session, Hash256 txId) throws SQLException {
        return session.find(ofTransaction(txId));
    }

    static SqlSession.Lookup<SpendRow> ofTransaction(Hash256 txId) {
        return new SqlSession.Lookup<>(
                txId, SELECT + "short_id = ? AND tx_id = ?", SpendRow::read, SpendRow.shortId(txId), txId);
    }

    /** Returns whether a spend of the daemon, live or kept, has this transaction. */
    static boolean isMade(SqlSession.Finder finder, Hash256 txId) throws SQLException {
        return finder.find(ofTransaction(txId)).isPresent() || KeptSpends.knows(finder, txId);
    }

    private record Followed(SpendRow row, boolean buried) {}

    private static SqlSession.Lookup<Followed> ofNumber(long id) {
        return new SqlSession.Lookup<>(
                id,
                "SELECT " + SpendRow.COLUMNS + ", buried FROM spends WHERE id = ?",
                row -> new Followed(SpendRow.read(row), row.number("buried") == 1),
                id);
    }

    /** Returns the lookups for {@link #reload(SqlSession, Collection, Consumer)}. */
    static List<SqlSession.Lookup<?>> ofNumbers(Collection<Long> ids) {
        return ids.stream().<SqlSession.Lookup<?>>map(SpendTable::ofNumber).toList();
    }

    /** Lists the recalled batches that are not decided by the chain yet and whose coins other spends hold. */
    static List<SpendRow> recalledWithoutCoins(SqlSession session) throws SQLException {
        return session.query(
                "SELECT " + SpendRow.COLUMNS + " FROM spends INDEXED BY spends_batches WHERE " + PayoutTable.OPEN_BATCH
                        + " AND state = 'ABANDONED' AND held IS NULL",
                SpendRow::read);
    }

    static Optional<SpendRow> findBatch(SqlSession session, Hash256 txId) throws SQLException {
        return session.queryOne(
                SELECT + "short_id = ? AND tx_id = ? AND kind = 'payout_batch'",
                SpendRow::read,
                SpendRow.shortId(txId),
                txId);
    }

    /**
     * Finds the spend that the token is bound to, unless it is {@link #FINAL} and has not changed since {@code closedBefore} (milliseconds since
     * 1970).
     */
    static Optional<SpendRow> bound(SqlSession session, String token, long closedBefore) throws SQLException {
        return session.find(ofToken(token, closedBefore));
    }

    static SqlSession.Lookup<SpendRow> ofToken(String token, long closedBefore) {
        return new SqlSession.Lookup<>(
                token,
                SELECT + "token_key = ? AND token = ? AND NOT (" + FINAL + " AND changed_at < ?)",
                SpendRow::read,
                tokenKey(token),
                token,
                closedBefore);
    }

    /** Lists {@link #SETTLED} spends that have not changed since {@code before} (milliseconds since 1970), oldest first. */
    static List<SpendRow> settled(SqlSession session, long before, int most) throws SQLException {
        return session.query(
                "SELECT " + SpendRow.COLUMNS + " FROM spends INDEXED BY spends_settled WHERE " + SETTLED
                        + " AND changed_at < ? ORDER BY changed_at, id LIMIT ?",
                SpendRow::read,
                before,
                most);
    }

    static Optional<SpendRow> settled(SqlSession session, Hash256 txId) throws SQLException {
        return session.queryOne(
                "SELECT " + SpendRow.COLUMNS
                        + " FROM spends INDEXED BY spends_by_id WHERE short_id = ? AND tx_id = ? AND " + SETTLED,
                SpendRow::read,
                SpendRow.shortId(txId),
                txId);
    }

    static SqlSession.Lookup<SpendRow> ofId(long id) {
        return new SqlSession.Lookup<>(id, SELECT + "id = ?", SpendRow::read, id);
    }

    /** Returns the lookup of the transaction that a token is bound to in this table. */
    static SqlSession.Lookup<Hash256> transactionOf(String token) {
        return new SqlSession.Lookup<>(
                token,
                "SELECT tx_id FROM spends WHERE token_key = ? AND token = ?",
                SpendTable::txId,
                tokenKey(token),
                token);
    }

    /** Returns the lookup of the height of the block that contains a spend, and of whether the spend is lost for good. */
    static SqlSession.Lookup<Standing> standingOf(long id) {
        return new SqlSession.Lookup<>(
                id,
                "SELECT block_height, CASE WHEN " + LOST_FOR_GOOD
                        + " THEN 1 ELSE 0 END AS lost FROM spends WHERE id = ?",
                row -> new Standing(row.ifNumber("block_height"), row.flag("lost")),
                id);
    }

    /** Columns of a spend that record its outcome on the chain. */
    record Standing(OptionalLong blockHeight, boolean lostForGood) {}

    static Hash256 txId(Row row) throws SQLException {
        return Hash256.of(row.getBytes(1));
    }

    /**
     * Applies {@code change} if the spend is in state {@code before}. Runs on the only writer, so nothing is written between the comparison and the
     * change.
     */
    Transition change(SqlSession session, Hash256 txId, IntentState before, Change change) throws SQLException {
        return change(session, txId, Set.of(before), change);
    }

    /** Applies {@code change} if the spend is in one of the states {@code before}. */
    Transition change(SqlSession session, Hash256 txId, Set<IntentState> before, Change change) throws SQLException {
        Optional<SpendRow> row = find(session, txId);
        Optional<IntentState> found = row.map(there -> there.intent().state());
        if (found.filter(state -> before.stream().anyMatch(named -> named.isStill(state)))
                .isEmpty()) {
            return new Transition.Stale(found.map(stored -> accepted.known(txId, stored)));
        }
        change.apply(row.get());
        return new Transition.Made();
    }

    static boolean isLostForGood(SqlSession session, SpendRow row) throws SQLException {
        return session.has("SELECT 1 FROM spends WHERE id = ? AND " + LOST_FOR_GOOD, row.id());
    }

    /**
     * Returns whether {@code intent} may be opened for the token of {@code bound}, a spend that was closed by a conflict. A payment is rebuilt only
     * when the chain can never contain it twice: each earlier spend of the payment must be lost for good, or share a coin with the new one.
     */
    static boolean mayBeBuiltAgain(SqlSession session, Intent intent, SpendRow bound) throws SQLException {
        Intent lost = bound.intent();
        boolean samePayment = intent.kind().equals(BUILT_AGAIN)
                && lost.kind().equals(BUILT_AGAIN)
                && intent.token().equals(lost.token());
        if (!samePayment || lost.state() != IntentState.CONFLICTED) {
            return false;
        }
        long first = firstOf(session, bound.id());
        List<SpendRow> others = select(session, "(id = ? OR first_id = ?) AND NOT " + LOST_FOR_GOOD, first, first);
        return others.stream()
                .map(SpendRow::intent)
                .allMatch(other -> other.state().failed() && sharesCoin(other, intent));
    }

    /** Returns whether the payment was rebuilt, or its token now makes another payment; the bytes of this spend must not be sent any more then. */
    static boolean hasLostToken(SqlSession session, SpendRow row) throws SQLException {
        return row.intent().token().isPresent()
                && session.has("SELECT 1 FROM spends WHERE id = ? AND token_key IS NULL", row.id());
    }

    private static boolean sharesCoin(Intent one, Intent other) {
        return one.inputs().stream().anyMatch(other.inputs()::contains);
    }

    private static long firstOf(SqlSession session, long id) throws SQLException {
        return session.number("SELECT coalesce(first_id, id) FROM spends WHERE id = ?", id);
    }

    /** Rebinds the token to a spend that is in a block, if its payment was rebuilt in the meantime: the rebuilt spend can only lose now. */
    static void takeToken(SqlSession session, SpendRow row) throws SQLException {
        if (!hasLostToken(session, row)) {
            return;
        }
        String token = row.intent().token().orElseThrow().token();
        int taken = session.update(
                "UPDATE spends SET token_key = NULL WHERE token_key = ? AND token = ? AND coalesce(first_id, id) = ?",
                tokenKey(token),
                token,
                firstOf(session, row.id()));
        if (taken > 0) {
            session.update("UPDATE spends SET token_key = ? WHERE id = ?", tokenKey(token), row.id());
        }
    }

    /**
     * Adds a spend, reserves those of its inputs that no other spend holds, and binds its token to it. When the token was bound to a
     * {@code CONFLICTED} spend of the same payment, both rows are linked by {@code first_id}; replaying the log in the same order links them too.
     */
    long insert(SqlSession session, Intent intent, OptionalLong countedAt) throws SQLException {
        return insert(session, ++lastId, intent, countedAt);
    }

    /** Assigns the next number to a row of {@link KeptSpends} that was never a spend. */
    long nextNumber() {
        return ++lastId;
    }

    /** Skips {@code count} numbers, so that they are never assigned. */
    void skipNumbers(SqlSession session, long count) throws SQLException {
        lastId += count;
        session.update("UPDATE identity SET spends_after = ? WHERE one = 1", lastId);
    }

    /** Returns the number that the log recorded for a spend, or the next unused one if that number is taken or the log has none (0). */
    long numberFor(SqlSession session, long logged) throws SQLException {
        boolean free = logged > 0
                && !session.has("SELECT 1 FROM spends WHERE id = ?", logged)
                && !KeptSpends.hasNumber(session, logged);
        if (!free) {
            return ++lastId;
        }
        lastId = Math.max(lastId, logged);
        return logged;
    }

    /** Adds a spend as {@link #insert(SqlSession, Intent, OptionalLong)} does, under the unused number {@code id}. */
    long insert(SqlSession session, long id, Intent asked, OptionalLong countedAt) throws SQLException {
        Optional<First> first = Optional.empty();
        Intent intent = asked.in(asked.state(), asked.reason(), ages.stamp(asked.changedAt()));
        if (intent.token().isPresent()) {
            TokenBinding binding = intent.token().get();
            Optional<First> earlier = session.find(boundEarlier(binding.token()));
            first = earlier.filter(spend -> spend.isConflicted(binding));
            if (earlier.isPresent()) {
                session.update(
                        "UPDATE spends SET token_key = NULL WHERE token_key = ? AND token = ?",
                        tokenKey(binding.token()),
                        binding.token());
            }
        }
        if (first.isPresent()) {
            // A rebuilt payment keeps the token name and memo of the first request, regardless of those in the repeated
            // call.
            Intent.Details told = first.get().details();
            intent = intent.with(new Intent.Details(
                    told.tokenName(), told.memo(), asked.details().fee()));
        }
        byte[] held = SpendRow.Held.of(
                reserveFree(id, intent.inputs()), intent.inputs().size());
        session.deferCombined(
                intent.token().isEmpty()
                        ? List.of(intent.txId())
                        : List.of(intent.txId(), intent.token().get().token()),
                SqlSession.insertion("spends", SpendRow.COLUMNS + ", short_id, token_key, first_id"),
                id,
                intent.txId(),
                intent.kind(),
                intent.from(),
                intent.transaction(),
                Coin.encode(intent.inputs()),
                intent.builtAtHeight(),
                intent.changeIndex(),
                intent.token().map(TokenBinding::token),
                intent.token().map(TokenBinding::digest),
                intent.allowance(),
                intent.createdAt(),
                intent.changedAt(),
                intent.state(),
                intent.reason(),
                held,
                countedAt,
                intent.details().tokenName(),
                intent.details().memo(),
                intent.details().fee(),
                SpendRow.shortId(intent.txId()),
                intent.token().map(binding -> tokenKey(binding.token())),
                first.map(First::number));
        log.add(new SentLine.Spend(id, intent, held, countedAt));
        return id;
    }

    /**
     * Spend that a token was bound to until now, and the first spend of the same payment.
     *
     * @param number of the first spend
     * @param details of the spend that was bound
     */
    private record First(long number, Hash256 digest, IntentState state, Intent.Details details) {
        boolean isConflicted(TokenBinding binding) {
            return state == IntentState.CONFLICTED && digest.equals(binding.digest());
        }
    }

    private static SqlSession.Lookup<First> boundEarlier(String token) {
        return new SqlSession.Lookup<>(
                token,
                "SELECT coalesce(first_id, id) AS first, digest, state, token_name, memo, fee FROM spends"
                        + " WHERE token_key = ? AND token = ?",
                row -> new First(
                        row.number("first"),
                        row.hash("digest"),
                        IntentState.valueOf(row.text("state")),
                        SpendRow.details(row)),
                tokenKey(token),
                token);
    }

    /** Returns the lookups for opening a spend. */
    static List<SqlSession.Lookup<?>> forOpening(Intent intent, long closedBefore) {
        if (intent.token().isEmpty()) {
            return List.of(ofTransaction(intent.txId()));
        }
        String token = intent.token().get().token();
        return List.of(ofTransaction(intent.txId()), ofToken(token, closedBefore), boundEarlier(token));
    }

    /** Changes the caller's memo of a spend. Returns whether a spend with this number exists. */
    boolean setMemo(SqlSession session, long number, Optional<String> memo) throws SQLException {
        Optional<Hash256> txId = session.queryOne(
                "SELECT tx_id FROM spends WHERE id = ? UNION ALL SELECT tx_id FROM kept_spends WHERE id = ?",
                SpendTable::txId,
                number,
                number);
        if (txId.isPresent()) {
            session.update("UPDATE spends SET memo = ? WHERE id = ?", memo, number);
            KeptSpends.setMemo(session, number, memo);
            log.add(new SentLine.Memo(txId.get(), memo));
        }
        return txId.isPresent();
    }

    /**
     * Finds an input of {@code intent} that is held by a spend other than {@code own}, unless the intent may spend it as a stand-in for that spend
     * ({@link StandIns}).
     */
    Optional<Opening> taken(SqlSession session, Intent intent, long own) throws SQLException {
        for (Coin coin : intent.inputs()) {
            if (!isFreeFor(own, coin.outpoint())) {
                Intent by = holder(session, coin.outpoint()).orElseThrow().intent();
                if (!StandIns.mayTake(intent.kind(), by)) {
                    return Optional.of(new Opening.CoinTaken(coin, by.txId()));
                }
            }
        }
        return Optional.empty();
    }

    private boolean isFreeFor(long spend, Outpoint outpoint) {
        return holdings.get(outpoint).map(owner -> owner == spend).orElse(true);
    }

    boolean isHeld(Outpoint outpoint) {
        return holdings.get(outpoint).isPresent();
    }

    Optional<SpendRow> holder(SqlSession session, Outpoint outpoint) throws SQLException {
        Optional<Long> owner = holdings.get(outpoint);
        return owner.isEmpty() ? Optional.empty() : session.queryOne(SELECT + "id = ?", SpendRow::read, owner.get());
    }

    /**
     * Moves a spend to another state and logs it. State changes caused by a block use {@link #follow} instead and are not logged, because the block
     * can be read again.
     */
    void enter(SqlSession session, SpendRow row, IntentState state, String reason, long now) throws SQLException {
        long at = ages.stamp(now);
        write(session, row, state, reason, at);
        log.add(new SentLine.State(row.intent().txId(), state, reason, at));
    }

    /**
     * Notes in memory and in the log that a node has accepted a spend in flight. The row is written only if other processes read it, because they
     * answer a repeated token from it.
     *
     * @param signsOff whether the row, if written, also records that this process will not send the spend again
     */
    void noteAccepted(SqlSession session, SpendRow row, long now, boolean signsOff) throws SQLException {
        Intent intent = row.intent();
        accepted.heard(intent.txId(), now);
        log.add(new SentLine.Accepted(intent.txId()));
        if (session.dialect().isRemote() && intent.state() == IntentState.PREPARED) {
            List<Object> keys = new ArrayList<>(List.of(intent.txId(), row.id()));
            intent.token().ifPresent(binding -> keys.add(binding.token()));
            session.deferCombined(
                    keys,
                    "UPDATE spends SET state = '" + IntentState.ACCEPTED + "', changed_at = ?"
                            + (signsOff ? SIGNS_OFF : "") + " WHERE id = ?",
                    ages.stamp(now),
                    row.id());
        }
    }

    /** Moves a spend to another state because of a block, without logging it. */
    void follow(SqlSession session, SpendRow row, IntentState state, String reason, long now) throws SQLException {
        write(session, row, state, reason, ages.stamp(now));
    }

    private void write(SqlSession session, SpendRow row, IntentState state, String reason, long at)
            throws SQLException {
        session.update(
                "UPDATE spends SET state = ?, reason = ?, changed_at = ? WHERE id = ?", state, reason, at, row.id());
        accepted.forget(row.intent().txId());
    }

    void setCountedAt(SqlSession session, SpendRow row, OptionalLong countedAt) throws SQLException {
        session.update("UPDATE spends SET counted_at = ? WHERE id = ?", countedAt, row.id());
    }

    /** Reserves those inputs of a spend that no other spend holds. */
    void holdFree(SqlSession session, SpendRow row) throws SQLException {
        List<Coin> inputs = row.intent().inputs();
        write(session, row, SpendRow.Held.of(reserveFree(row.id(), inputs), inputs.size()));
    }

    private BitSet reserveFree(long id, List<Coin> inputs) {
        BitSet held = new BitSet();
        for (int i = 0; i < inputs.size(); i++) {
            held.set(i, reserveIfFree(id, inputs.get(i)));
        }
        return held;
    }

    /** Makes the spend hold the coin unless another spend holds it; returns whether it holds it now. */
    private boolean reserveIfFree(long id, Coin coin) {
        boolean free = isFreeFor(id, coin.outpoint());
        if (free) {
            holdings.put(coin.outpoint(), id);
        }
        return free;
    }

    void freeAll(SqlSession session, SpendRow row) throws SQLException {
        freeSpent(session, row);
        log(row, SpendRow.Held.NONE);
    }

    /** Releases all coins of a spend because a block has spent them, without logging it. */
    void freeSpent(SqlSession session, SpendRow row) throws SQLException {
        row.heldCoins().forEach(coin -> holdings.remove(coin.outpoint(), row.id()));
        write(session, row, SpendRow.Held.NONE);
    }

    private void log(SpendRow row, byte[] held) {
        if (!SpendRow.Held.same(held, row.held())) {
            log.add(new SentLine.Held(row.intent().txId(), held));
        }
    }

    /** Makes a spend hold exactly the coins in {@code held} (see {@link SpendRow.Held}), except those held by another spend. */
    void holdExactly(SqlSession session, SpendRow row, byte[] held) throws SQLException {
        List<Coin> inputs = row.intent().inputs();
        List<Coin> keeps = SpendRow.Held.coins(held, inputs);
        for (Coin coin : row.heldCoins()) {
            if (!keeps.contains(coin)) {
                holdings.remove(coin.outpoint(), row.id());
            }
        }
        BitSet kept = new BitSet();
        for (int i = 0; i < inputs.size(); i++) {
            kept.set(i, keeps.contains(inputs.get(i)) && reserveIfFree(row.id(), inputs.get(i)));
        }
        write(session, row, SpendRow.Held.of(kept, inputs.size()));
    }

    void free(SqlSession session, SpendRow row, Outpoint outpoint) throws SQLException {
        holdings.remove(outpoint, row.id());
        List<Coin> inputs = row.intent().inputs();
        BitSet held = SpendRow.Held.bits(row.held(), inputs.size());
        for (int i = 0; i < inputs.size(); i++) {
            if (inputs.get(i).outpoint().equals(outpoint)) {
                held.clear(i);
            }
        }
        byte[] left = SpendRow.Held.of(held, inputs.size());
        write(session, row, left);
        log(row, left);
    }

    private static void write(SqlSession session, SpendRow row, byte[] held) throws SQLException {
        if (!SpendRow.Held.same(held, row.held())) {
            session.update("UPDATE spends SET held = ? WHERE id = ?", held, row.id());
        }
    }

    static void remove(SqlSession session, long id) throws SQLException {
        session.update("DELETE FROM spends WHERE id = ?", id);
    }

    static long tokenKey(String token) {
        return TokenBinding.fingerprint(token);
    }

    /** Collects the spends that other processes have changed, starting with the first call of {@link #take}. */
    private static final class ChangedByOthers {
        /** Maximum number of spends collected; with more, the caller has to read everything again. */
        private static final int MOST = 10_000;

        private final Map<Hash256, Changed> spends = new LinkedHashMap<>();
        private boolean asked;
        private boolean incomplete;

        synchronized void add(Changed changed) {
            if (asked && !incomplete) {
                spends.put(changed.spend().txId(), changed);
                if (spends.size() > MOST) {
                    addAny();
                }
            }
        }

        synchronized void addAny() {
            incomplete = asked;
            spends.clear();
        }

        synchronized Changes take() {
            Changes changes = new Changes(incomplete, List.copyOf(spends.values()));
            asked = true;
            incomplete = false;
            spends.clear();
            return changes;
        }
    }

    /**
     * Remembers which spends stored as {@code PREPARED} a node has accepted, and when this process learnt it (milliseconds since 1970). Not written:
     * after a restart the nodes are asked again. Holds at most the spends in flight; also read by the reader thread.
     */
    private static final class Accepted {
        private final Map<Hash256, Long> heardAt = new ConcurrentHashMap<>();

        void heard(Hash256 txId, long now) {
            heardAt.put(txId, now);
        }

        void forgetAll() {
            heardAt.clear();
        }

        void forget(Hash256 txId) {
            heardAt.remove(txId);
        }

        /** Returns the spend in state {@code ACCEPTED} if its row says {@code PREPARED} and a node has accepted it since. */
        Intent known(Intent stored) {
            Long at = stored.state() == IntentState.PREPARED ? heardAt.get(stored.txId()) : null;
            return at == null ? stored : stored.in(IntentState.ACCEPTED, "", at);
        }

        IntentState known(Hash256 txId, IntentState stored) {
            return stored == IntentState.PREPARED && heardAt.containsKey(txId) ? IntentState.ACCEPTED : stored;
        }
    }
}
