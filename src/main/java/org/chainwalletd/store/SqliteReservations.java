package org.chainwalletd.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** The outpoints in flight, in SQLite: the inputs of the spends that hold them. */
final class SqliteReservations implements ReservationStore {
    private static final String BY_THE_OPERATOR = "abandoned by the operator";

    private final SqliteStore store;
    private final SpendTable spends;

    SqliteReservations(SqliteStore store, SpendTable spends) {
        this.store = store;
        this.spends = spends;
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
        return store.write(session -> spends.change(session, txId, before, row -> spends.freeAll(session, row)));
    }

    @Override
    public CompletionStage<Transition> reserveAgain(Hash256 txId) {
        return store.write(
                session -> spends.change(session, txId, IntentState.PREPARED, row -> spends.holdFree(session, row)));
    }

    @Override
    public CompletionStage<List<Reservation>> abandon(List<Outpoint> outpoints, long now) {
        return store.write(session -> {
            List<Reservation> ended = new ArrayList<>();
            for (Outpoint outpoint : outpoints) {
                Optional<SpendRow> holder = spends.holder(session, outpoint);
                if (holder.isPresent()) {
                    ended.add(end(session, holder.get(), outpoint, now));
                }
            }
            return ended;
        });
    }

    private Reservation end(SqlSession session, SpendRow holder, Outpoint outpoint, long now) throws SQLException {
        if (holder.intent().state().inFlight()) {
            spends.enter(session, holder, IntentState.ABANDONED, BY_THE_OPERATOR, now);
        }
        spends.free(session, holder, outpoint);
        Coin coin = holder.intent().inputs().stream()
                .filter(input -> input.outpoint().equals(outpoint))
                .findFirst()
                .orElseThrow();
        return new Reservation(coin, holder.intent().txId());
    }
}
