package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.LostSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.IntentStore.Unconfirmation;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.files.CrashPoint;

/**
 * Stores spends, the coins that they reserve and the tokens bound to them, in SQL. There is only one writer thread, so data that a unit of work has
 * read stays unchanged until it commits.
 */
public final class SqlSpends implements IntentStore, ReceiptStore, ReservationStore, SpendHistory, RawSendStore {
    private static final long NO_SPEND = 0;

    private final SqlStore store;
    private final SpendTable spends;
    private final RawSendTable rawSends;
    private final SqlAllowance allowance;
    private final PayoutTable payouts;
    private final SqlSweeps sweeps;

    SqlSpends(
            SqlStore store,
            SpendTable spends,
            RawSendTable rawSends,
            SqlAllowance allowance,
            PayoutTable payouts,
            SqlSweeps sweeps) {
        this.store = store;
        this.spends = spends;
        this.rawSends = rawSends;
        this.allowance = allowance;
        this.payouts = payouts;
        this.sweeps = sweeps;
    }

    /** Runs every check that can reject the spend before writing any part of it. */
    @Override
    public CompletionStage<Opening> open(Intent intent, long closedBefore, boolean capped, LongSupplier now) {
        return store.writeNew(GroupCommitWriter.Work.of(
                () -> lookups(intent, ended(closedBefore), allowance.stamp(now.getAsLong())),
                session -> opened(session, intent, List.of(), ended(closedBefore), capped, now)));
    }

    private long ended(long before) {
        return store.ages().ended(before);
    }

    /** Returns the lookups that {@link #opened} needs unless there is a collision. */
    private List<SqlSession.Lookup<?>> lookups(Intent intent, long closedBefore, long at) {
        List<SqlSession.Lookup<?>> lookups = new ArrayList<>(SpendTable.forOpening(intent, closedBefore));
        store.deletion(intent.from()).ifPresent(lookups::add);
        lookups.add(KeptSpends.confirmed(intent.txId()));
        lookups.add(AllowanceTable.ALL.of(AllowanceStore.Minute.startOf(at)));
        if (intent.token().isPresent()) {
            String token = intent.token().get().token();
            lookups.addAll(List.of(
                    PayoutTable.ofToken(token),
                    SqlSweeps.ofToken(token),
                    SqlAccountSends.ofToken(token),
                    KeptSpends.ofToken(token, closedBefore)));
        }
        return lookups;
    }

    @Override
    public boolean mayBeOtherThanSpends() {
        return payouts.any() || sweeps.any();
    }

    @Override
    public CompletionStage<Opening> openBatch(Intent intent, List<Long> carried, long closedBefore, LongSupplier now) {
        return store.writeNew(GroupCommitWriter.Work.of(
                () -> lookups(intent, ended(closedBefore), allowance.stamp(now.getAsLong())), session -> {
                    store.requireKeeper();
                    Optional<List<PayoutTable.Standing>> carriable = payouts.carriable(session, intent, carried);
                    return carriable.isPresent()
                            ? opened(session, intent, carriable.get(), ended(closedBefore), true, now)
                            : new Opening.PayoutsMoved();
                }));
    }

    private Opening opened(
            SqlSession session,
            Intent intent,
            List<PayoutTable.Standing> carried,
            long closedBefore,
            boolean capped,
            LongSupplier now)
            throws SQLException {
        requireKey(session, intent.from());
        allowance.moveFutureUses(session);
        Optional<SpendRow> there = SpendTable.find(session, intent.txId());
        Optional<SpendRow> bound = bound(session, intent, closedBefore);
        Optional<Opening> collision = collision(session, intent, there, bound, closedBefore);
        if (collision.isPresent()) {
            return collision.get();
        }
        // At most one of these spends and the new one can be mined, so the payment counts against the allowance only
        // once.
        List<SpendRow> replaced = Stream.concat(bound.stream(), there.stream()).toList();
        Optional<Opening.CapExceeded> exceeded =
                capped ? allowance.exceeded(session, intent, replaced) : Optional.empty();
        if (exceeded.isPresent()) {
            return exceeded.get();
        }
        for (SpendRow row : replaced) {
            allowance.giveBack(session, row);
            spends.setCountedAt(session, row, OptionalLong.empty());
        }
        if (there.isPresent()) {
            KeptSpends.eraseReplaced(session, there.get());
            SpendTable.remove(session, there.get().id());
        }
        long at = now.getAsLong();
        long id = spends.insert(session, intent, allowance.count(session, intent, at));
        sweeps.opened(intent);
        if (!carried.isEmpty()) {
            payouts.carry(session, intent, id, carried, intent.createdAt());
        }
        return new Opening.Opened(there.isPresent());
    }

    /** Rejects a spend whose key another daemon has deleted after it was signed: its change would be lost. */
    private void requireKey(SqlSession session, Address from) throws SQLException {
        Optional<SqlSession.Lookup<Boolean>> deletion = store.deletion(from);
        if (deletion.isPresent() && session.find(deletion.get()).isPresent()) {
            throw StoreException.unavailable("the key of " + from + " was deleted meanwhile: nothing was spent", null);
        }
    }

    static Optional<SpendRow> bound(SqlSession session, Intent intent, long closedBefore) throws SQLException {
        return intent.token().isEmpty()
                ? Optional.empty()
                : SpendTable.bound(session, intent.token().get().token(), closedBefore);
    }

    /**
     * Finds another use of the token of a spend.
     *
     * @param bound the spend to which the token is bound
     */
    static Optional<Opening> tokenTaken(SqlSession session, Intent intent, Optional<SpendRow> bound, long closedBefore)
            throws SQLException {
        if (intent.token().isEmpty()) {
            return Optional.empty();
        }
        String token = intent.token().get().token();
        if (PayoutTable.has(session::find, token) || SqlSweeps.has(session::find, token)) {
            return Optional.of(new Opening.TokenTaken(Hash256.ZERO));
        }
        if (bound.isPresent()) {
            return SpendTable.mayBeBuiltAgain(session, intent, bound.get())
                    ? Optional.empty()
                    : Optional.of(new Opening.TokenTaken(bound.get().intent().txId()));
        }
        Optional<Bound.ToReceipt> kept = KeptSpends.bound(session, token, closedBefore);
        if (kept.isPresent()) {
            return Optional.of(new Opening.TokenTaken(kept.get().txId()));
        }
        return SqlAccountSends.has(session::find, token)
                ? Optional.of(new Opening.TokenTaken(Hash256.ZERO))
                : Optional.empty();
    }

    private Optional<Opening> collision(
            SqlSession session, Intent intent, Optional<SpendRow> there, Optional<SpendRow> bound, long closedBefore)
            throws SQLException {
        if (SqlSweeps.hasEnded(session, intent)) {
            return Optional.of(new Opening.Ended());
        }
        Optional<Opening> tokenTaken = tokenTaken(session, intent, bound, closedBefore);
        if (tokenTaken.isPresent()) {
            return tokenTaken;
        }
        if (there.isPresent() && there.get().intent().state() != IntentState.REFUSED) {
            return Optional.of(new Opening.SameTransaction(spends.known(there.get())));
        }
        // Guards against a node that lists coins which were spent long ago: the transaction of a kept payment must not
        // pay again.
        if (KeptSpends.has(session, intent.txId())) {
            return Optional.of(new Opening.CoinTaken(intent.inputs().get(0), intent.txId()));
        }
        return taken(session, intent, NO_SPEND);
    }

    /** Finds an input held by a spend other than {@code own}, or planned by a running sweep; a stand-in may take the coins of its batch. */
    private Optional<Opening> taken(SqlSession session, Intent intent, long own) throws SQLException {
        Optional<Opening> taken = spends.taken(session, intent, own);
        return taken.isPresent() || StandIns.isStandIn(intent.kind()) ? taken : sweeps.plannedByOther(intent);
    }

    @Override
    public boolean isPlannedByOther(Outpoint coin, Optional<String> token) {
        return sweeps.isPlannedByOther(coin, token);
    }

    @Override
    public CompletionStage<Opening> reopen(Intent intent, boolean capped, LongSupplier clock) {
        return store.writeNew(session -> {
            allowance.moveFutureUses(session);
            long now = clock.getAsLong();
            Optional<SpendRow> found = SpendTable.find(session, intent.txId());
            if (found.isPresent() && !found.get().intent().token().equals(intent.token())) {
                return new Opening.SameTransaction(spends.known(found.get()));
            }
            Optional<IntentState> state = found.map(row -> row.intent().state());
            boolean still = state.filter(known -> known == intent.state() && known.failed())
                    .isPresent();
            if (!still || SpendTable.hasLostToken(session, found.get())) {
                return new Opening.Moved(state);
            }
            SpendRow row = found.get();
            Optional<Opening> taken = taken(session, intent, row.id());
            if (taken.isPresent()) {
                return taken.get();
            }
            Optional<Opening.CapExceeded> exceeded =
                    capped ? allowance.exceeded(session, row.intent(), List.of(row)) : Optional.empty();
            if (exceeded.isPresent()) {
                return exceeded.get();
            }
            store.adopt(session, row);
            spends.enter(session, row, IntentState.PREPARED, "", now);
            session.update("UPDATE spends SET buried = 0 WHERE id = ?", row.id());
            spends.holdFree(session, row);
            allowance.giveBack(session, row);
            spends.setCountedAt(session, row, allowance.count(session, row.intent(), now));
            return new Opening.Opened(false);
        });
    }

    @Override
    public CompletionStage<Adoption> adopt(Hash256 txId) {
        return store.isShared()
                ? store.write(GroupCommitWriter.Work.of(
                        () -> List.of(SpendTable.ofTransaction(txId)), session -> adopted(session, txId)))
                : CompletableFuture.completedFuture(new Adoption.Ours());
    }

    @Override
    public CompletionStage<Void> signOff(Set<Hash256> txIds) {
        return store.isShared()
                ? store.write(session -> {
                    store.signOff(session, txIds);
                    return null;
                })
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public Changes changedByOthers() {
        return spends.changedByOthers();
    }

    @Override
    public boolean isReservedInShared(Outpoint coin) {
        return store.isShared() && spends.isHeld(coin);
    }

    private Adoption adopted(SqlSession session, Hash256 txId) throws SQLException {
        Optional<SpendRow> row = SpendTable.find(session, txId);
        if (row.filter(there -> there.intent().state().inFlight()).isEmpty()) {
            return new Adoption.Moved(row.map(there -> there.intent().state()));
        }
        if (store.runsElsewhere(session, row.get())) {
            return new Adoption.Elsewhere();
        }
        store.adopt(session, row.get());
        return new Adoption.Ours();
    }

    /**
     * Writes a row only when a closed spend turns out to be in flight, or when other processes read the row; otherwise the acceptance of a spend in
     * flight is kept in memory and in the log.
     */
    @Override
    public CompletionStage<Transition> accept(Hash256 txId, Set<IntentState> before, long now, boolean signsOff) {
        return store.write(GroupCommitWriter.Work.of(() -> List.of(SpendTable.ofTransaction(txId)), session -> {
            Transition made = spends.change(session, txId, before, row -> accepted(session, row, now, signsOff));
            if (signsOff && !(made instanceof Transition.Made)) {
                store.signOff(session, Set.of(txId));
            }
            return made;
        }));
    }

    private void accepted(SqlSession session, SpendRow row, long now, boolean signsOff) throws SQLException {
        boolean together = signsOff && row.intent().state() == IntentState.PREPARED;
        if (row.intent().state().inFlight()) {
            spends.noteAccepted(session, row, now, together);
        } else {
            spends.enter(session, row, IntentState.ACCEPTED, "", now);
            session.update("UPDATE spends SET buried = 0 WHERE id = ?", row.id());
            payouts.followed(session, row, now);
        }
        if (together) {
            store.unmark(session, row);
        } else if (signsOff) {
            store.signOff(session, Set.of(row.intent().txId()));
        }
    }

    @Override
    public CompletionStage<Transition> failSent(
            Hash256 txId, IntentState before, IntentState outcome, String reason, long now) {
        return store.write(session -> {
            Optional<SpendRow> known = SpendTable.find(session, txId);
            return known.isPresent() && store.wasTakenOver(session, known.get())
                    ? new Transition.Stale(known.map(spends::known).map(Intent::state))
                    : spends.change(session, txId, before, row -> {
                        requireNodesMayClose(row);
                        store.requireRunnerOrKeeper(session, row);
                        store.requireSignedOff(session, row);
                        spends.enter(session, row, outcome, reason, now);
                        spends.freeAll(session, row);
                    });
        });
    }

    /**
     * Rejects spends that only the chain may close. If they were closed because of node answers, their payouts would be paid again, while anyone who
     * has the bytes could still get them mined.
     */
    private static void requireNodesMayClose(SpendRow row) {
        if (StandIns.onlyChainCloses(row.intent().kind())) {
            throw new IllegalStateException(
                    "only the chain may close spend " + row.intent().txId());
        }
    }

    @Override
    public CompletionStage<Transition> loseForGood(Hash256 txId, IntentState before, String reason, long now) {
        return store.write(session -> spends.change(session, txId, before, row -> {
            if (!StandIns.onlyChainCloses(row.intent().kind())) {
                throw new IllegalStateException("spend " + txId + " is closed by node answers, not by the chain");
            }
            store.requireKeeper();
            spends.enter(session, row, IntentState.CONFLICTED, reason, now);
            spends.freeAll(session, row);
            session.update("UPDATE spends SET buried = 1 WHERE id = ?", row.id());
            payouts.free(session, row, now);
        }));
    }

    @Override
    public CompletionStage<Optional<Hash256>> lostForGood(Set<Hash256> txIds) {
        return store.read(session -> {
            for (Hash256 txId : txIds) {
                Optional<SpendRow> row = SpendTable.find(session, txId);
                boolean lost = row.isPresent()
                        // A refused spend was perhaps only never sent: the same transaction may be made elsewhere.
                        ? row.get().intent().state() != IntentState.REFUSED
                                && SpendTable.isLostForGood(session, row.get())
                        : KeptSpends.isLost(session, txId);
                if (lost) {
                    return Optional.of(txId);
                }
            }
            return Optional.empty();
        });
    }

    @Override
    public CompletionStage<List<PackedSpend>> refused(Set<Hash256> txIds) {
        return store.read(session -> {
            List<PackedSpend> refused = new ArrayList<>();
            for (Hash256 txId : txIds) {
                SpendTable.find(session, txId)
                        .map(SpendRow::intent)
                        .filter(intent -> intent.state() == IntentState.REFUSED)
                        .ifPresent(intent -> refused.add(PackedSpend.of(txId, intent.inputs())));
            }
            return refused;
        });
    }

    @Override
    public CompletionStage<Transition> fail(
            Hash256 txId, IntentState before, IntentState outcome, String reason, long now) {
        return store.write(session -> changeByRunner(session, txId, before, row -> {
            requireNodesMayClose(row);
            spends.enter(session, row, outcome, reason, now);
            spends.freeAll(session, row);
            allowance.giveBack(session, row);
            spends.setCountedAt(session, row, OptionalLong.empty());
            // The bytes were never sent, so no block can contain them.
            session.update("UPDATE spends SET buried = 1 WHERE id = ?", row.id());
        }));
    }

    /**
     * Makes a change that relies on the bytes never having been sent, or belonging to another payment. Only a process that alone has ever run the
     * spend can know that; in any other the change is {@link Transition.Stale}.
     */
    private Transition changeByRunner(SqlSession session, Hash256 txId, IntentState before, SpendTable.Change change)
            throws SQLException {
        Optional<SpendRow> row = SpendTable.find(session, txId);
        return row.isPresent() && !store.mayConcludeUnsent(session, row.get())
                ? new Transition.Stale(row.map(spends::known).map(Intent::state))
                : spends.change(session, txId, before, change);
    }

    /** Keeps the use of the allowance counted, because a node has exactly this transaction. */
    @Override
    public CompletionStage<Transition> contest(Hash256 txId, String reason, long now) {
        return store.write(session -> changeByRunner(session, txId, IntentState.PREPARED, row -> {
            requireNodesMayClose(row);
            spends.enter(session, row, IntentState.CONTESTED, reason, now);
            spends.freeAll(session, row);
        }));
    }

    @Override
    public CompletionStage<Transition> abandon(Hash256 txId, String reason, long now) {
        return store.write(session -> spends.change(session, txId, IntentState.PREPARED, row -> {
            store.requireKeeper();
            store.requireSignedOff(session, row);
            spends.enter(session, row, IntentState.ABANDONED, reason, now);
        }));
    }

    @Override
    public CompletionStage<Transition> recall(Hash256 batch, Intent recall, String reason, LongSupplier now) {
        Set<IntentState> before = Set.of(IntentState.PREPARED, IntentState.ABANDONED);
        return store.writeNew(session -> {
            store.requireKeeper();
            if (SpendTable.bound(session, recall.token().orElseThrow().token(), Long.MIN_VALUE)
                    .isPresent()) {
                return new Transition.Stale(Optional.of(IntentState.ABANDONED));
            }
            return spends.change(session, batch, before, row -> {
                if (row.intent().state() != IntentState.ABANDONED) {
                    store.requireSignedOff(session, row);
                    spends.enter(session, row, IntentState.ABANDONED, reason, now.getAsLong());
                }
                CrashPoint.PAYOUTS_IN_RECALL.reached();
                Opening opening = opened(session, recall, List.of(), Long.MIN_VALUE, false, now);
                if (!(opening instanceof Opening.Opened)) {
                    throw new IllegalStateException(
                            "batch " + batch + " cannot be recalled by " + recall.txId() + ": " + opening);
                }
            });
        });
    }

    @Override
    public CompletionStage<List<Intent>> abandonedSince(long since) {
        return store.read(session -> {
            List<SpendRow> rows = new ArrayList<>(SpendTable.select(
                    session, SpendTable.CLOSED + " AND state = 'ABANDONED' AND changed_at >= ?", since));
            rows.addAll(SpendTable.select(
                    session, SpendTable.OPEN + " AND state = 'ABANDONED' AND changed_at >= ?", since));
            return rows.stream().map(SpendRow::intent).toList();
        });
    }

    /** Changes only the block if the spend was already confirmed. Allowance credited back for a failed spend counts again. */
    @Override
    public CompletionStage<Transition> confirm(Hash256 txId, IntentState before, BlockPlace place, long now) {
        return store.write(session -> spends.change(session, txId, before, row -> {
            store.requireKeeper();
            if (row.intent().state().failed() && row.countedAt().isEmpty()) {
                spends.setCountedAt(session, row, allowance.count(session, row.intent(), now));
            }
            if (row.intent().state() != IntentState.CONFIRMED) {
                spends.follow(session, row, IntentState.CONFIRMED, "", now);
            }
            spends.freeSpent(session, row);
            SpendTable.takeToken(session, row);
            session.update(
                    "UPDATE spends SET block_height = ?, block_id = ?, buried = 0 WHERE id = ?",
                    place.height(),
                    place.blockId(),
                    row.id());
            payouts.followed(session, row, now);
        }));
    }

    @Override
    public CompletionStage<Unconfirmation> unconfirm(Hash256 txId, long now) {
        return store.write(session -> {
            Transition transition = spends.change(session, txId, IntentState.CONFIRMED, row -> {
                store.requireKeeper();
                session.update(
                        "UPDATE spends SET block_height = NULL, block_id = NULL, buried = 0 WHERE id = ?", row.id());
                // A recalled batch is not sent again, even if a node still has it.
                boolean recalled = SpendTable.bound(session, StandIns.recallToken(txId), Long.MIN_VALUE)
                        .isPresent();
                spends.follow(session, row, recalled ? IntentState.ABANDONED : IntentState.ACCEPTED, "", now);
                spends.holdFree(session, row);
                payouts.followed(session, row, now);
            });
            return transition instanceof Transition.Stale stale
                    ? new Unconfirmation.NotConfirmed(stale.found())
                    : new Unconfirmation.BackInFlight(
                            SpendTable.find(session, txId).orElseThrow().intent());
        });
    }

    @Override
    public CompletionStage<Void> bury(List<Hash256> txIds) {
        return store.write(session -> {
            store.requireKeeper();
            for (Hash256 txId : txIds) {
                int buried = session.update(
                        "UPDATE spends SET buried = 1 WHERE NOT " + SpendTable.IN_FLIGHT + " AND held IS NULL"
                                + " AND short_id = ? AND tx_id = ?",
                        SpendRow.shortId(txId),
                        txId);
                Optional<SpendRow> batch = buried == 0 ? Optional.empty() : SpendTable.findBatch(session, txId);
                if (batch.isPresent()) {
                    payouts.followed(session, batch.get(), batch.get().intent().changedAt());
                }
            }
            return null;
        });
    }

    @Override
    public CompletionStage<List<LostSpend>> lost(long after, int most) {
        return store.read(session -> session.query(
                "SELECT id, tx_id, inputs, state FROM spends INDEXED BY spends_lost WHERE " + SpendTable.LOST
                        + " AND kind <> 'payout_batch' AND id > ? ORDER BY id LIMIT ?",
                row -> new LostSpend(
                        row.getLong(1),
                        PackedSpend.packed(row.getBytes(2), row.getBytes(3)),
                        IntentState.valueOf(row.getString(4))),
                after,
                most));
    }

    @Override
    public CompletionStage<List<ConfirmedSpend>> unburied() {
        return store.read(session -> session.query(
                "SELECT tx_id, inputs, block_height, block_id FROM spends WHERE " + SpendTable.UNBURIED
                        + " ORDER BY created_at",
                SqlSpends::confirmed));
    }

    private static ConfirmedSpend confirmed(Row row) throws SQLException {
        byte[] blockId = row.getBytes(4);
        return new ConfirmedSpend(
                PackedSpend.packed(row.getBytes(1), row.getBytes(2)),
                blockId == null ? Optional.empty() : Optional.of(new BlockPlace(row.getLong(3), Hash256.of(blockId))));
    }

    @Override
    public CompletionStage<Optional<Intent>> find(Hash256 txId) {
        return store.read(session -> SpendTable.find(session, txId).map(spends::known));
    }

    @Override
    public CompletionStage<Optional<Intent>> findForCertain(Hash256 txId) {
        return store.write(GroupCommitWriter.Work.of(() -> List.of(SpendTable.ofTransaction(txId)), session -> {
            session.dialect().touch(session);
            return SpendTable.find(session, txId).map(spends::known);
        }));
    }

    @Override
    public CompletionStage<Optional<Intent>> find(String token, long closedBefore) {
        return store.read(
                session -> SpendTable.bound(session, token, ended(closedBefore)).map(spends::known));
    }

    @Override
    public CompletionStage<Optional<Bound>> bound(String token, long closedBefore) {
        return store.read(session -> {
            Optional<Bound> other = PayoutTable.bound(session, token).map(Bound.class::cast);
            if (other.isEmpty()) {
                other = SqlSweeps.bound(session, token).map(Bound.class::cast);
            }
            if (other.isPresent()) {
                return other;
            }
            long before = ended(closedBefore);
            Optional<SpendRow> spend = SpendTable.bound(session, token, before);
            if (spend.isEmpty()) {
                Optional<Bound> kept = KeptSpends.bound(session, token, before).map(Bound.class::cast);
                return kept.isPresent()
                        ? kept
                        : SqlAccountSends.bound(session, token).map(Bound.class::cast);
            }
            Intent intent = spends.known(spend.get());
            boolean lost = intent.state().failed() && SpendTable.isLostForGood(session, spend.get());
            return Optional.of(new Bound.ToSpend(intent, lost));
        });
    }

    @Override
    public CompletionStage<List<Intent>> settled(long before, int most) {
        return store.read(session -> SpendTable.settled(session, ended(before), most).stream()
                .map(SpendRow::intent)
                .toList());
    }

    @Override
    public CompletionStage<Integer> keep(Map<Hash256, Bytes> answers) {
        return store.write(session -> {
            int kept = 0;
            for (Map.Entry<Hash256, Bytes> answer : answers.entrySet()) {
                Optional<SpendRow> spend = SpendTable.settled(session, answer.getKey());
                if (spend.isPresent()) {
                    KeptSpends.keep(session, spend.get(), answer.getValue());
                    SpendTable.remove(session, spend.get().id());
                    kept++;
                }
            }
            return kept;
        });
    }

    @Override
    public CompletionStage<Integer> forgetKept(long before, int most) {
        return store.write(session -> KeptSpends.expire(session, ended(before), most));
    }

    @Override
    public CompletionStage<List<Long>> fingerprints(int most) {
        return store.read(session -> session.query(
                "SELECT token_key FROM spends WHERE token_key IS NOT NULL" + " UNION ALL " + KeptSpends.ANSWERED_KEYS
                        + " LIMIT ?",
                row -> row.getLong(1),
                most));
    }

    @Override
    public CompletionStage<List<Intent>> inFlight() {
        return store.read(session -> {
            List<SpendRow> rows = new ArrayList<>(SpendTable.select(session, SpendTable.OPEN));
            rows.addAll(SpendTable.recalledWithoutCoins(session));
            return rows.stream()
                    .sorted(Comparator.<SpendRow>comparingLong(
                                    row -> row.intent().createdAt())
                            .thenComparingLong(SpendRow::id))
                    .map(spends::known)
                    .toList();
        });
    }

    @Override
    public CompletionStage<Optional<Hash256>> openSpendOf(Address address) {
        return store.read(session -> openSpendOf(session, address));
    }

    public static Optional<Hash256> openSpendOf(SqlSession session, Address address) throws SQLException {
        return SpendTable.select(session, SpendTable.OPEN).stream()
                .map(SpendRow::intent)
                .filter(intent -> intent.state().inFlight() && intent.concerns(address))
                .map(Intent::txId)
                .findFirst();
    }

    @Override
    public CompletionStage<List<Intent>> inClear(String kind, String tokensBegin, int most) {
        return store.read(session -> SpendTable.select(
                        session,
                        "kind = ? AND substr(token, 1, ?) = ? AND length(tx) > 0 AND substr(tx, 1, ?) <> ?"
                                + " ORDER BY id LIMIT ?",
                        kind,
                        tokensBegin.length(),
                        tokensBegin,
                        SealedBlob.magic().length,
                        SealedBlob.magic(),
                        most)
                .stream()
                .map(SpendRow::intent)
                .toList());
    }

    @Override
    public CompletionStage<Void> seal(Hash256 txId, Bytes sealed) {
        return store.write(session -> {
            // Overwrites the plaintext bytes in the file instead of only releasing their pages.
            session.dialect().overwrite(session, true);
            session.update(
                    "UPDATE spends SET tx = ? WHERE short_id = ? AND tx_id = ?", sealed, SpendRow.shortId(txId), txId);
            session.dialect().overwrite(session, false);
            return null;
        });
    }

    @Override
    public CompletionStage<Integer> forget(long before, int most, Function<Intent, Optional<Bytes>> answers) {
        return store.write(session -> {
            store.requireKeeper();
            List<SpendRow> closed = SpendTable.select(
                    session,
                    SpendTable.FINAL + " AND kind <> 'payout_batch' AND changed_at < ? ORDER BY changed_at, id LIMIT ?",
                    ended(before),
                    most);
            for (SpendRow row : closed) {
                KeptSpends.retire(session, row, answers.apply(row.intent()));
                SpendTable.remove(session, row.id());
            }
            return closed.size();
        });
    }

    @Override
    public CompletionStage<List<PastSpend>> after(long number, int most) {
        return store.read(session -> {
            session.execute(session.dialect().beginReading());
            try {
                List<PastSpend> page = new ArrayList<>(KeptSpends.after(session, number, most));
                page.addAll(past(session, "id > ? ORDER BY id LIMIT ?", number, most));
                page.sort(Comparator.comparingLong(PastSpend::number));
                return List.copyOf(page.subList(0, Math.min(most, page.size())));
            } finally {
                session.execute("COMMIT");
            }
        });
    }

    @Override
    public CompletionStage<Map<Long, Set<Address>>> payers(List<PastSpend> spends) {
        Map<Long, String> tokens = new LinkedHashMap<>();
        for (PastSpend spend : spends) {
            if (spend.kind().equals(SweepStore.KIND)) {
                spend.clientToken().ifPresent(token -> tokens.put(spend.number(), token));
            }
        }
        return tokens.isEmpty()
                ? CompletableFuture.completedFuture(Map.of())
                : store.read(session -> SqlSweeps.payers(session, tokens));
    }

    private List<PastSpend> past(SqlSession session, String where, Object... values) throws SQLException {
        return session.query(
                "SELECT " + SpendRow.COLUMNS + ", block_height FROM spends WHERE " + where,
                row -> past(SpendRow.read(row), row.ifNumber("block_height")),
                values);
    }

    private PastSpend past(SpendRow row, OptionalLong blockHeight) {
        Intent intent = spends.known(row);
        return new PastSpend(
                row.id(),
                intent.txId(),
                intent.kind(),
                intent.state(),
                Optional.of(intent.from()),
                intent.token().map(TokenBinding::token),
                OptionalLong.of(intent.createdAt()),
                intent.changedAt(),
                blockHeight,
                intent.details(),
                new Told.Whole(intent));
    }

    @Override
    public CompletionStage<Optional<PastSpend>> ofNumber(long number) {
        return store.read(session -> first(past(session, "id = ?", number), KeptSpends.ofNumber(session, number)));
    }

    @Override
    public CompletionStage<Optional<PastSpend>> ofTransaction(Hash256 txId) {
        return store.read(session -> first(
                past(session, "short_id = ? AND tx_id = ?", SpendRow.shortId(txId), txId),
                KeptSpends.ofTransaction(session, txId)));
    }

    @Override
    public CompletionStage<Optional<PastSpend>> ofToken(String token) {
        return store.read(session -> first(
                past(session, "token_key = ? AND token = ?", SpendTable.tokenKey(token), token),
                KeptSpends.ofToken(session::find, token)));
    }

    private static Optional<PastSpend> first(List<PastSpend> live, Optional<PastSpend> kept) {
        return live.isEmpty() ? kept : Optional.of(live.get(0));
    }

    @Override
    public CompletionStage<Optional<Hash256>> everBound(String token) {
        return store.read(session -> {
            List<PastSpend> live = past(session, "token_key = ? AND token = ?", SpendTable.tokenKey(token), token);
            return live.isEmpty()
                    ? KeptSpends.everBound(session::find, token)
                    : Optional.of(live.get(0).txId());
        });
    }

    @Override
    public CompletionStage<Boolean> setMemo(long number, Optional<String> memo) {
        return store.write(session -> spends.setMemo(session, number, memo));
    }

    @Override
    public CompletionStage<Integer> shorten(long before, int most, Function<PastSpend, Amounts> amounts) {
        return store.write(session -> KeptSpends.shorten(session, ended(before), most, amounts));
    }

    @Override
    public CompletionStage<Integer> erase(long before, int most) {
        return store.write(session -> KeptSpends.erase(session, ended(before), most));
    }

    @Override
    public CompletionStage<Optional<Sending>> begin(RawSend send, long now) {
        return store.writeNew(session -> rawSends.begin(session, send, now));
    }

    @Override
    public CompletionStage<Void> end(Sending sending, IntentState outcome, long now) {
        return store.write(session -> {
            rawSends.end(session, sending, outcome, now);
            return null;
        });
    }

    @Override
    public CompletionStage<List<Reservation>> all() {
        return store.read(session -> {
            List<Reservation> all = new ArrayList<>();
            for (SpendRow row : SpendTable.select(session, SpendTable.OPEN + " AND held IS NOT NULL")) {
                row.heldCoins()
                        .forEach(coin ->
                                all.add(new Reservation(coin, row.intent().txId())));
            }
            return all;
        });
    }

    @Override
    public CompletionStage<Transition> end(Hash256 txId, IntentState before) {
        return store.write(session -> spends.change(session, txId, before, row -> {
            requireNodesMayClose(row);
            store.requireKeeper();
            store.requireSignedOff(session, row);
            spends.freeAll(session, row);
        }));
    }

    @Override
    public CompletionStage<Transition> reserveAgain(Hash256 txId) {
        return store.write(
                session -> spends.change(session, txId, IntentState.PREPARED, row -> spends.holdFree(session, row)));
    }

    @Override
    public CompletionStage<List<Reservation>> abandon(Map<Hash256, Set<Outpoint>> named) {
        return store.write(session -> {
            store.requireKeeper();
            List<Reservation> ended = new ArrayList<>();
            for (Map.Entry<Hash256, Set<Outpoint>> spend : named.entrySet()) {
                for (Outpoint outpoint : spend.getValue()) {
                    Optional<SpendRow> holder = spends.holder(session, outpoint)
                            .filter(row -> row.intent().txId().equals(spend.getKey()))
                            .filter(row ->
                                    !StandIns.onlyChainCloses(row.intent().kind()));
                    if (holder.isPresent()) {
                        store.requireSignedOff(session, holder.get());
                    }
                    if (holder.isPresent() && !holder.get().intent().state().inFlight()) {
                        ended.add(end(session, holder.get(), outpoint));
                    }
                }
            }
            return ended;
        });
    }

    private Reservation end(SqlSession session, SpendRow holder, Outpoint outpoint) throws SQLException {
        spends.free(session, holder, outpoint);
        Coin coin = holder.intent().inputs().stream()
                .filter(input -> input.outpoint().equals(outpoint))
                .findFirst()
                .orElseThrow();
        return new Reservation(coin, holder.intent().txId());
    }
}
