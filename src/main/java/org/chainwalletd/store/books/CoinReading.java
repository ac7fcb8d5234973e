package org.chainwalletd.store.books;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;

/**
 * Reads the unspent coins of covered addresses, and their sums, as they were after a block: later ones may be written and not be told yet. A
 * few addresses are looked up one by one, many by one walk over all that is unspent; either way what was spent long ago costs nothing. Sums
 * of many are kept in mind, {@link CoinSums}.
 */
final class CoinReading {
    /** More addresses than that are read by one walk. */
    private static final int SINGLY = 1_000;

    private static final String COVERED = "SELECT address FROM watched WHERE " + LedgerTable.COVERED;

    private static final String STILL_THERE =
            " FROM coins INDEXED BY coins_unspent WHERE scan = 0 AND spent_height IS NULL AND height <= ?1";

    /** In blocks above the one that counts. */
    private static final String SPENT_SINCE =
            " FROM coins INDEXED BY coins_spent WHERE scan = 0 AND spent_height > ?1 AND height <= ?1";

    private static final String COINS = "SELECT tx_id, output_index,"
            + " (SELECT a.address FROM addresses a WHERE a.id = coins.address), value, height, coinbase";
    private static final String OF_ADDRESS = " AND address = (SELECT id FROM addresses WHERE address = ?2)";
    private static final String ALL_COINS =
            COINS + STILL_THERE + " UNION ALL " + COINS + SPENT_SINCE + " ORDER BY 1, 2";
    private static final String COINS_OF =
            COINS + STILL_THERE + OF_ADDRESS + " UNION ALL " + COINS + SPENT_SINCE + OF_ADDRESS + " ORDER BY 1, 2";

    private CoinReading() {}

    /** Coins of each covered one of {@code addresses} after the block at {@code height}, by outpoint; the others are left out. */
    static Map<Address, List<OwnCoin>> unspent(Page head, long height, List<Address> addresses) {
        Map<Address, List<OwnCoin>> coins = new HashMap<>();
        if (addresses.size() <= SINGLY) {
            for (Address address : addresses) {
                if (isCovered(head, address)) {
                    coins.put(address, head.query(COINS_OF, CoinReading::coin, height, address.toArray()));
                }
            }
            return coins;
        }
        Set<Address> wanted = new HashSet<>(addresses);
        head.query(COVERED, row -> Address.of(row.getBytes(1))).stream()
                .filter(wanted::contains)
                .forEach(address -> coins.put(address, new ArrayList<>()));
        head.query(ALL_COINS, CoinReading::coin, height)
                .forEach(coin -> Optional.ofNullable(coins.get(coin.address())).ifPresent(list -> list.add(coin)));
        return coins;
    }

    private static boolean isCovered(Page head, Address address) {
        return head.queryOne(COVERED + " AND address = ?", row -> true, (Object) address.toArray())
                .isPresent();
    }

    private static OwnCoin coin(ResultSet row) throws SQLException {
        return new OwnCoin(
                LedgerTable.outpoint(row),
                Address.of(row.getBytes(3)),
                Amount.ofUnsigned(row.getLong(4)),
                row.getLong(5),
                row.getInt(6) != 0);
    }

    /** What each of {@code addresses} has, in their order; empty for those that are not covered. */
    static List<Optional<Amount>> sums(Page head, CoinSums.Moment moment, List<Address> addresses) {
        if (addresses.size() > SINGLY) {
            return CoinSums.at(head, moment).of(addresses);
        }
        Map<Address, List<OwnCoin>> coins = unspent(head, moment.height(), addresses);
        return addresses.stream()
                .map(address -> Optional.ofNullable(coins.get(address)).map(own -> sum(own, moment)))
                .toList();
    }

    private static Amount sum(List<OwnCoin> coins, CoinSums.Moment moment) {
        return coins.stream()
                .filter(coin -> !coin.coinbase() || coin.height() <= moment.mature())
                .map(OwnCoin::value)
                .reduce(Amount.ZERO, Amount::plus);
    }
}
