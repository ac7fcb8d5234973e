package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SqlPayouts;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.SqlSpends;
import org.chainwalletd.store.sql.SqlSwaps;
import org.chainwalletd.store.sql.SqlSweeps;

/** Reasons, from the rows of a shared store, why a key must not be deleted; used by a deletion under the store lock. */
final class KeyUses {
    /** Finds HTLCs that neither party has spent; the table belongs to the books and may not exist. */
    private static final String OPEN_HTLC =
            "SELECT 1 FROM htlcs WHERE scan = 0 AND %s = ? AND state IN (0, 1) AND forgotten = 0 LIMIT 1";

    private KeyUses() {}

    /**
     * Returns why the key of an address is still needed, worded for the caller; empty when it may be deleted.
     *
     * @param isKeeper whether this daemon does the background work, and so knows the keys of swaps, whose journal is sealed
     */
    static Optional<String> of(SqlSession session, Address address, boolean isKeeper) throws SQLException {
        Optional<String> spend = SqlSpends.openSpendOf(session, address)
                .map(txId -> "the spend " + txId + " of this daemon needs it until it is settled");
        if (spend.isPresent()) {
            return spend;
        }
        Optional<String> payout =
                SqlPayouts.waitingFrom(session, address).map(id -> "the payout " + id + " waits to be paid from it");
        if (payout.isPresent()) {
            return payout;
        }
        Optional<String> sweep = SqlSweeps.unfinishedFrom(session, address)
                .map(token -> "the sweep " + token + " still moves its coins");
        if (sweep.isPresent()) {
            return sweep;
        }
        return isKeeper || !anySwap(session)
                ? openHtlc(session, address)
                : Optional.of(
                        "a swap is open, and only the daemon that does the background work knows whether it needs this"
                                + " key: delete it there");
    }

    private static boolean anySwap(SqlSession session) throws SQLException {
        return session.has("SELECT 1 FROM swaps WHERE " + SqlSwaps.WATCHED + " LIMIT 1");
    }

    private static Optional<String> openHtlc(SqlSession session, Address address) throws SQLException {
        if (!Schema.isOnServer(session, "htlcs")) {
            return Optional.empty();
        }
        for (String party : new String[] {"sender_address", "receiver_address"}) {
            if (session.has(OPEN_HTLC.formatted(party), (Object) address.toArray())) {
                return Optional.of("an open HTLC needs it");
            }
        }
        return Optional.empty();
    }
}
