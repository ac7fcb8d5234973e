package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.Optional;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.RawSendStore.RawSend;
import org.chainwalletd.store.RawSendStore.Sending;

/** Transactions that were signed elsewhere: rows of {@link KeptSpends} that change until their sends have ended. */
final class RawSendTable {
    private final SpendTable spends;
    private final RowAges ages;
    private final SentLog.Lines log;

    RawSendTable(SpendTable spends, RowAges ages, SentLog.Lines log) {
        this.spends = spends;
        this.ages = ages;
        this.log = log;
    }

    /** Records that a transaction is about to be sent, unless it is one of the daemon's own spends. */
    Optional<Sending> begin(SqlSession session, RawSend send, long now) throws SQLException {
        if (SpendTable.isMade(session::find, send.txId())) {
            return Optional.empty();
        }
        Optional<KeptSpends.Raw> there = KeptSpends.raw(session, send.txId());
        if (there.isPresent()) {
            return Optional.of(again(session, there.get(), now));
        }
        long number = spends.nextNumber();
        long at = ages.stamp(now);
        KeptSpends.insertRaw(session, number, send, now, at);
        log(session, number);
        return Optional.of(new Sending(number, at, true));
    }

    /** Begins another send and stamps the row anew, so that a refusal of a send still in progress no longer decides the state. */
    private Sending again(SqlSession session, KeptSpends.Raw row, long now) throws SQLException {
        boolean accepted = row.state() == IntentState.ACCEPTED;
        long at = accepted ? row.changedAt() : change(session, row, IntentState.PREPARED, now);
        return new Sending(row.number(), at, row.state().failed());
    }

    /** Records the outcome of a send. */
    void end(SqlSession session, Sending sending, IntentState outcome, long now) throws SQLException {
        Optional<KeptSpends.Raw> row = KeptSpends.raw(session, sending.number());
        if (row.isPresent() && row.get().state() != outcome && mayEnd(sending, outcome, row.get())) {
            change(session, row.get(), outcome, now);
        }
    }

    private static boolean mayEnd(Sending sending, IntentState outcome, KeptSpends.Raw row) {
        return outcome != IntentState.REFUSED || sending.alone() && row.changedAt() == sending.at();
    }

    /** Changes a row and returns its stamp, which is later than all earlier ones. */
    private long change(SqlSession session, KeptSpends.Raw row, IntentState state, long now) throws SQLException {
        long at = Math.max(ages.stamp(now), row.changedAt() + 1);
        KeptSpends.changeRaw(session, row.number(), state, at);
        log(session, row.number());
        return at;
    }

    private void log(SqlSession session, long number) throws SQLException {
        log.add(new SentLine.Kept(KeptSpends.row(session, number)));
    }
}
