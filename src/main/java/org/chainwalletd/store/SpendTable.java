package org.chainwalletd.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.IntentStore.Transition;

/**
 * The table {@code spends}: one row for each spend that was decided on, from its intent until it is forgotten. Its conditions are those of
 * the partial indexes, word for word, or SQLite would not use them.
 */
final class SpendTable {
    static final String IN_FLIGHT = Arrays.stream(IntentState.values())
            .filter(IntentState::inFlight)
            .map(state -> "'" + state + "'")
            .collect(Collectors.joining(", ", "state IN (", ")"));
    static final String OPEN = "(" + IN_FLIGHT + " OR held IS NOT NULL)";
    static final String UNBURIED = "(state = 'CONFIRMED' AND buried = 0)";
    /**
     * Closed without success, and nobody looks after it, although whoever has seen its bytes can have them mined: until what spends its coin
     * instead is known to be too deep for a reorganisation.
     */
    static final String LOST = "(buried = 0 AND held IS NULL AND state IN ('REFUSED', 'CONFLICTED', 'ABANDONED'))";

    /** What nobody runs any more. */
    static final String CLOSED = "(held IS NULL AND (state IN ('REFUSED', 'ABANDONED')"
            + " OR state IN ('CONFIRMED', 'CONFLICTED') AND buried = 1))";

    /**
     * It may be forgotten in time. Not before it, or what spends its coin instead, is buried: until then whoever has seen its bytes can have them
     * mined, and its token must not make another payment meanwhile. What was never sent counts as buried. Nor while it holds a coin: a spend that
     * was abandoned in part stays in a mempool as long as it likes.
     */
    static final String FINAL = "(" + CLOSED + " AND buried = 1)";

    /** Needs no more than to be answered. Whoever locks, claims or swaps reads its own spends again, so these stay as they are. */
    static final String SETTLED = "(state = 'CONFIRMED' AND buried = 1 AND held IS NULL AND kind = 'transfer'"
            + " AND token_key IS NOT NULL)";

    /** Closed without success, and what spends its coin instead is too deep for a reorganisation: it can never be mined. */
    static final String LOST_FOR_GOOD =
            "(buried = 1 AND held IS NULL AND state IN ('REFUSED', 'CONFLICTED', 'ABANDONED'))";

    /** The kind of spend that is built again when it has lost. All others take certain coins, or others name their transactions. */
    private static final String BUILT_AGAIN = "transfer";

    static final String STILL_COUNTED = "(state = 'ABANDONED' AND counted_at IS NOT NULL)";

    private static final String SELECT = "SELECT " + SpendRow.COLUMNS + " FROM spends WHERE ";

    /** What is done to a spend that is in the state that was asked for. */
    @FunctionalInterface
    interface Change {
        void apply(SpendRow row) throws SQLException;
    }

    private final Holdings holdings = new Holdings();
    private final Accepted accepted = new Accepted();
    private final SentLog.Lines log;
    private long lastId;

    /** @param log hears of each change that a store is to be completed by */
    SpendTable(SentLog.Lines log) {
        this.log = log;
    }

    /** Coins that spends hold. */
    GroupCommitWriter.InMemory inMemory() {
        return holdings;
    }

    /** A spend as its row has it, and that a node has taken it since, when that was heard. */
    Intent known(SpendRow row) {
        return accepted.known(row.intent());
    }

    /** Goes on where the rows end: the last number, and what they hold. */
    void takeUp(SqlSession session) throws SQLException {
        for (String last : List.of(
                "SELECT spends_after FROM identity WHERE one = 1",
                "SELECT coalesce(max(id), 0) FROM spends",
                "SELECT coalesce(max(id), 0) FROM kept_spends")) {
            lastId = Math.max(
                    lastId, session.queryOne(last, row -> row.getLong(1)).orElseThrow());
        }
        for (SpendRow row : select(session, OPEN + " AND held IS NOT NULL")) {
            row.heldCoins().forEach(coin -> holdings.take(row.id(), coin.outpoint()));
        }
        holdings.settle();
    }

    /** Others have changed these spends. */
    void follow(SqlSession session, Collection<Long> changed) throws SQLException {
        holdings.freeAll(changed::contains);
        for (long id : changed) {
            lastId = Math.max(lastId, id);
            for (SpendRow row : select(session, "id = ?", id)) {
                accepted.forget(row.intent().txId());
                row.heldCoins().forEach(coin -> holdings.take(row.id(), coin.outpoint()));
            }
        }
        holdings.settle();
    }

    /** Others may have changed any. */
    void readAgain(SqlSession session) throws SQLException {
        holdings.freeAll(id -> true);
        accepted.forgetAll();
        takeUp(session);
    }

    static List<SpendRow> select(SqlSession session, String where, Object... values) throws SQLException {
        return session.query(SELECT + where, SpendRow::read, values);
    }

    static Optional<SpendRow> find(SqlSession session, Hash256 txId) throws SQLException {
        byte[] key = txId.toArray();
        return session.queryOne(SELECT + "short_id = ? AND tx_id = ?", SpendRow::read, SpendRow.shortId(key), key);
    }

    static Optional<SpendRow> findBatch(SqlSession session, Hash256 txId) throws SQLException {
        byte[] key = txId.toArray();
        return session.queryOne(
                SELECT + "short_id = ? AND tx_id = ? AND kind = 'payout_batch'",
                SpendRow::read,
                SpendRow.shortId(key),
                key);
    }

    /** The spend that the token is bound to, unless it is closed and has not changed since {@code closedBefore}. */
    static Optional<SpendRow> bound(SqlSession session, String token, long closedBefore) throws SQLException {
        return session.queryOne(
                SELECT + "token_key = ? AND token = ? AND NOT (" + FINAL + " AND changed_at < ?)",
                SpendRow::read,
                tokenKey(token),
                token,
                closedBefore);
    }

    /** Those that have not changed since {@code before}, the oldest first. */
    static List<SpendRow> settled(SqlSession session, long before, int most) throws SQLException {
        return session.query(
                "SELECT " + SpendRow.COLUMNS + " FROM spends INDEXED BY spends_settled WHERE " + SETTLED
                        + " AND changed_at < ? ORDER BY changed_at, id LIMIT ?",
                SpendRow::read,
                before,
                most);
    }

    static Optional<SpendRow> settled(SqlSession session, Hash256 txId) throws SQLException {
        byte[] key = txId.toArray();
        return session.queryOne(
                "SELECT " + SpendRow.COLUMNS
                        + " FROM spends INDEXED BY spends_by_id WHERE short_id = ? AND tx_id = ? AND " + SETTLED,
                SpendRow::read,
                SpendRow.shortId(key),
                key);
    }

    static Hash256 txIdOf(SqlSession session, long id) throws SQLException {
        return session.queryOne("SELECT tx_id FROM spends WHERE id = ?", SpendTable::txId, id)
                .orElseThrow();
    }

    static Hash256 txId(Row row) throws SQLException {
        return Hash256.of(row.getBytes(1));
    }

    /** Nothing else writes between the comparison and the change. */
    Transition change(SqlSession session, Hash256 txId, IntentState before, Change change) throws SQLException {
        return change(session, txId, Set.of(before), change);
    }

    /** @param before any of them */
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
        return session.queryOne("SELECT 1 FROM spends WHERE id = ? AND " + LOST_FOR_GOOD, found -> true, row.id())
                .isPresent();
    }

    /**
     * Whether {@code intent} may be made for the token of {@code bound}, which has lost: a payment is built again only when no block, nor any
     * two, can have it twice. So each earlier spend of the payment is lost for good, or the new one spends a coin of it.
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

    /** Whether its payment was built again, or its token makes another payment by now: its bytes are not to be sent any more. */
    static boolean hasLostToken(SqlSession session, SpendRow row) throws SQLException {
        return row.intent().token().isPresent()
                && session.queryOne("SELECT 1 FROM spends WHERE id = ? AND token_key IS NULL", found -> true, row.id())
                        .isPresent();
    }

    private static boolean sharesCoin(Intent one, Intent other) {
        return one.inputs().stream().anyMatch(other.inputs()::contains);
    }

    private static long firstOf(SqlSession session, long id) throws SQLException {
        return session.queryOne("SELECT coalesce(first_id, id) FROM spends WHERE id = ?", row -> row.getLong(1), id)
                .orElseThrow();
    }

    /**
     * A block has the spend: when its payment was built again meanwhile, this is what the token stands for all the same, and the later one can
     * only lose.
     */
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
     * Adds a spend, which holds what nothing else does, and makes the token its own. When the token stands for a spend of the same payment that
     * has lost, they belong together from now on; so they do when the log is read again, in the same order.
     */
    long insert(SqlSession session, Intent intent, OptionalLong countedAt) throws SQLException {
        return insert(session, ++lastId, intent, countedAt);
    }

    /** Leaves so many numbers out. */
    void skipNumbers(SqlSession session, long count) throws SQLException {
        lastId += count;
        session.update("UPDATE identity SET spends_after = ? WHERE one = 1", lastId);
    }

    /** A number that the log has, unless it is taken or not told there: then the next one. */
    long numberFor(SqlSession session, long logged) throws SQLException {
        boolean free = logged > 0
                && session.queryOne("SELECT 1 FROM spends WHERE id = ?", row -> row.getLong(1), logged)
                        .isEmpty()
                && !KeptSpends.hasNumber(session, logged);
        if (!free) {
            return ++lastId;
        }
        lastId = Math.max(lastId, logged);
        return logged;
    }

    /** As {@link #insert(SqlSession, Intent, OptionalLong)}, under a free number. */
    long insert(SqlSession session, long id, Intent asked, OptionalLong countedAt) throws SQLException {
        Optional<First> first = Optional.empty();
        Intent intent = asked;
        if (intent.token().isPresent()) {
            TokenBinding binding = intent.token().get();
            long key = tokenKey(binding.token());
            first = session.queryOne(
                    "SELECT coalesce(first_id, id) AS first, token_name, memo, fee FROM spends"
                            + " WHERE token_key = ? AND token = ? AND digest = ? AND state = 'CONFLICTED'",
                    row -> new First(row.number("first"), SpendRow.details(row)),
                    key,
                    binding.token(),
                    binding.digest().toArray());
            session.update(
                    "UPDATE spends SET token_key = NULL WHERE token_key = ? AND token = ?", key, binding.token());
        }
        if (first.isPresent()) {
            // The payment is told as it was asked for first, whatever a repeated call says of it.
            Intent.Details told = first.get().details();
            intent = asked.with(new Intent.Details(
                    told.tokenName(), told.memo(), asked.details().fee()));
        }
        byte[] txId = intent.txId().toArray();
        byte[] held =
                SpendRow.Held.of(takeFree(id, intent.inputs()), intent.inputs().size());
        session.update(
                "INSERT INTO spends (" + SpendRow.COLUMNS
                        + ", short_id, token_key, first_id)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                id,
                txId,
                intent.kind(),
                intent.from().toArray(),
                intent.transaction().toArray(),
                SpendRow.encode(intent.inputs()),
                intent.builtAtHeight(),
                intent.changeIndex().isPresent() ? intent.changeIndex().getAsInt() : null,
                intent.token().map(TokenBinding::token).orElse(null),
                intent.token().map(binding -> binding.digest().toArray()).orElse(null),
                intent.allowance().bits(),
                intent.createdAt(),
                intent.changedAt(),
                intent.state().name(),
                intent.reason(),
                held,
                orNull(countedAt),
                intent.details().tokenName().orElse(null),
                intent.details().memo().orElse(null),
                intent.details().fee().map(fee -> fee.bits()).orElse(null),
                SpendRow.shortId(txId),
                intent.token().map(binding -> tokenKey(binding.token())).orElse(null),
                first.map(First::number).orElse(null));
        log.add(new SentLine.Spend(id, intent, held, countedAt));
        return id;
    }

    /** @param details of the spend that the token stands for until now */
    private record First(long number, Intent.Details details) {}

    /** Changes what the caller says of a spend; whether there is one with this number. */
    boolean setMemo(SqlSession session, long number, Optional<String> memo) throws SQLException {
        Optional<Hash256> txId = session.queryOne(
                "SELECT tx_id FROM spends WHERE id = ? UNION ALL SELECT tx_id FROM kept_spends WHERE id = ?",
                SpendTable::txId,
                number,
                number);
        if (txId.isPresent()) {
            session.update("UPDATE spends SET memo = ? WHERE id = ?", memo.orElse(null), number);
            KeptSpends.setMemo(session, number, memo);
            log.add(new SentLine.Memo(txId.get(), memo));
        }
        return txId.isPresent();
    }

    /** An input of {@code intent} that another spend than {@code own} holds, and not for its sake ({@link StandIns}). */
    Optional<Opening> taken(SqlSession session, Intent intent, long own) throws SQLException {
        for (Coin coin : intent.inputs()) {
            if (!holdings.isFreeFor(own, coin.outpoint())) {
                Intent by = holder(session, coin.outpoint()).orElseThrow().intent();
                if (!StandIns.mayTake(intent.kind(), by)) {
                    return Optional.of(new Opening.CoinTaken(coin, by.txId()));
                }
            }
        }
        return Optional.empty();
    }

    Optional<SpendRow> holder(SqlSession session, Outpoint outpoint) throws SQLException {
        Optional<Long> owner = holdings.owner(outpoint);
        return owner.isEmpty() ? Optional.empty() : session.queryOne(SELECT + "id = ?", SpendRow::read, owner.get());
    }

    /** What blocks say can be read in them again, and is not logged: see {@link #follow}. */
    void enter(SqlSession session, SpendRow row, IntentState state, String reason, long now) throws SQLException {
        follow(session, row, state, reason, now);
        log.add(new SentLine.State(row.intent().txId(), state, reason, now));
    }

    /** A node has taken it; that is no news worth a row. */
    void heardAccepted(Hash256 txId, long now) {
        accepted.heard(txId, now);
        log.add(new SentLine.Accepted(txId));
    }

    /** As {@link #enter}, because of a block. */
    void follow(SqlSession session, SpendRow row, IntentState state, String reason, long now) throws SQLException {
        session.update(
                "UPDATE spends SET state = ?, reason = ?, changed_at = ? WHERE id = ?",
                state.name(),
                reason,
                now,
                row.id());
        accepted.forget(row.intent().txId());
    }

    void countsSince(SqlSession session, SpendRow row, OptionalLong countedAt) throws SQLException {
        session.update("UPDATE spends SET counted_at = ? WHERE id = ?", orNull(countedAt), row.id());
    }

    /** From now on it holds as many of its inputs as nothing else does. */
    void holdFree(SqlSession session, SpendRow row) throws SQLException {
        List<Coin> inputs = row.intent().inputs();
        write(session, row, SpendRow.Held.of(takeFree(row.id(), inputs), inputs.size()));
    }

    private BitSet takeFree(long id, List<Coin> inputs) {
        BitSet held = new BitSet();
        for (int i = 0; i < inputs.size(); i++) {
            Outpoint outpoint = inputs.get(i).outpoint();
            if (holdings.isFreeFor(id, outpoint)) {
                holdings.take(id, outpoint);
                held.set(i);
            }
        }
        return held;
    }

    void freeAll(SqlSession session, SpendRow row) throws SQLException {
        freeSpent(session, row);
        log(row, SpendRow.Held.NONE);
    }

    /** As {@link #freeAll}, because a block has spent them. */
    void freeSpent(SqlSession session, SpendRow row) throws SQLException {
        row.heldCoins().forEach(coin -> holdings.free(row.id(), coin.outpoint()));
        write(session, row, SpendRow.Held.NONE);
    }

    private void log(SpendRow row, byte[] held) {
        if (!SpendRow.Held.same(held, row.held())) {
            log.add(new SentLine.Held(row.intent().txId(), held));
        }
    }

    /** It holds only these of what it holds. */
    void holdOnly(SqlSession session, SpendRow row, byte[] held) throws SQLException {
        List<Coin> keeps = SpendRow.Held.coins(held, row.intent().inputs());
        for (Coin coin : row.heldCoins()) {
            if (!keeps.contains(coin)) {
                holdings.free(row.id(), coin.outpoint());
            }
        }
        write(session, row, held);
    }

    void free(SqlSession session, SpendRow row, Outpoint outpoint) throws SQLException {
        holdings.free(row.id(), outpoint);
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

    static Long orNull(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }

    /**
     * Which coin is held by which spend: what the rows of the spends say, kept in memory by the writer, which alone changes it, so that holding
     * and freeing coins costs no write of its own. Goes back with the transaction that it belongs to. Used on the writer's thread only.
     */
    private static final class Holdings implements GroupCommitWriter.InMemory {
        /** How a coin was held before a change; the owner is null when it was free. */
        private record Before(Outpoint outpoint, Long owner) {}

        private final Map<Outpoint, Long> owners = new HashMap<>();
        private final List<Before> journal = new ArrayList<>();

        /** The row of the spend that holds {@code outpoint}. */
        Optional<Long> owner(Outpoint outpoint) {
            return Optional.ofNullable(owners.get(outpoint));
        }

        boolean isFreeFor(long spend, Outpoint outpoint) {
            Long owner = owners.get(outpoint);
            return owner == null || owner == spend;
        }

        void take(long spend, Outpoint outpoint) {
            journal.add(new Before(outpoint, owners.put(outpoint, spend)));
        }

        /** Frees it when {@code spend} is who holds it. */
        void free(long spend, Outpoint outpoint) {
            if (owners.remove(outpoint, spend)) {
                journal.add(new Before(outpoint, spend));
            }
        }

        void freeAll(Predicate<Long> spends) {
            owners.values().removeIf(spends);
        }

        @Override
        public int mark() {
            return journal.size();
        }

        @Override
        public void undoTo(int mark) {
            while (journal.size() > mark) {
                Before before = journal.remove(journal.size() - 1);
                if (before.owner() == null) {
                    owners.remove(before.outpoint());
                } else {
                    owners.put(before.outpoint(), before.owner());
                }
            }
        }

        @Override
        public void settle() {
            journal.clear();
        }
    }

    /**
     * Which of the spends that are {@code PREPARED} on disk a node has taken, and when that was heard. It is not worth a write: after a restart
     * the nodes are asked. Holds no more than what is in flight; read by the reader's thread too.
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

        /** What is known of a spend beyond what its row says. */
        Intent known(Intent stored) {
            Long at = stored.state() == IntentState.PREPARED ? heardAt.get(stored.txId()) : null;
            return at == null ? stored : stored.in(IntentState.ACCEPTED, "", at);
        }

        IntentState known(Hash256 txId, IntentState stored) {
            return stored == IntentState.PREPARED && heardAt.containsKey(txId) ? IntentState.ACCEPTED : stored;
        }
    }
}
