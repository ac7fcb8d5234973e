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
 * few addresses are looked up one by one, many by one walk over all that is unspent; either way what was spent long ago costs nothing.
 */
final class CoinReading {
    /** More addresses than that are read by one walk. */
    private static final int SINGLY = 1_000;

    private static final String COVERED = "SELECT address FROM watched WHERE cover_height <= ?";

    private static final String STILL_THERE =
            " FROM coins INDEXED BY coins_unspent WHERE scan = 0 AND spent_height IS NULL AND height <= ?1";

    /** In blocks above the one that counts. */
    private static final String SPENT_SINCE =
            " FROM coins INDEXED BY coins_spent WHERE scan = 0 AND spent_height > ?1 AND height <= ?1";

    private static final String COINS = "SELECT tx_id, output_index, address, value, height, coinbase";
    private static final String OF_ADDRESS = " AND address = ?2";
    private static final String ALL_COINS =
            COINS + STILL_THERE + " UNION ALL " + COINS + SPENT_SINCE + " ORDER BY 1, 2";
    private static final String COINS_OF =
            COINS + STILL_THERE + OF_ADDRESS + " UNION ALL " + COINS + SPENT_SINCE + OF_ADDRESS + " ORDER BY 1, 2";

    private static final String MATURE = " AND (coinbase = 0 OR height <= ?2)";

    /** Upper and lower half of the values apart: together they are beyond what a signed number holds. */
    private static final String SUMS = "SELECT w.address, SUM((c.value >> 32) & 4294967295), SUM(c.value & 4294967295)"
            + " FROM watched w LEFT JOIN coins c INDEXED BY coins_unspent"
            + " ON c.scan = 0 AND c.spent_height IS NULL AND c.address = w.address AND c.height <= ?1"
            + " AND (c.coinbase = 0 OR c.height <= ?2) WHERE w.cover_height <= ?1";

    private static final String SUM_OF = SUMS + " AND w.address = ?3 GROUP BY w.address";
    private static final String ALL_SUMS = SUMS + " GROUP BY w.address";
    private static final String VALUES_SPENT_SINCE = "SELECT address, value" + SPENT_SINCE + MATURE;

    private static final long MOST_UPPER = 0xffff_ffffL;

    private CoinReading() {}

    /** Coins of each covered one of {@code addresses} after the block at {@code height}, by outpoint; the others are left out. */
    static Map<Address, List<OwnCoin>> unspent(Page head, long height, List<Address> addresses) {
        Map<Address, List<OwnCoin>> coins = new HashMap<>();
        if (addresses.size() <= SINGLY) {
            for (Address address : addresses) {
                if (isCovered(head, address, height)) {
                    coins.put(address, head.query(COINS_OF, CoinReading::coin, height, address.toArray()));
                }
            }
            return coins;
        }
        Set<Address> wanted = new HashSet<>(addresses);
        head.query(COVERED, row -> Address.of(row.getBytes(1)), height).stream()
                .filter(wanted::contains)
                .forEach(address -> coins.put(address, new ArrayList<>()));
        head.query(ALL_COINS, CoinReading::coin, height)
                .forEach(coin -> Optional.ofNullable(coins.get(coin.address())).ifPresent(list -> list.add(coin)));
        return coins;
    }

    private static boolean isCovered(Page head, Address address, long height) {
        return head.queryOne(COVERED + " AND address = ?", row -> true, height, address.toArray())
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

    /**
     * What each covered address has after the block at {@code height}, those that were not asked for perhaps as well.
     *
     * @param mature up to this height coinbases count
     * @throws ArithmeticException above 2^64-1, which no chain has
     */
    static Map<Address, Amount> sums(Page head, long height, long mature, List<Address> addresses) {
        Map<Address, Amount> sums = new HashMap<>(2 * addresses.size());
        if (addresses.size() <= SINGLY) {
            for (Address address : addresses) {
                head.queryOne(SUM_OF, CoinReading::sum, height, mature, address.toArray())
                        .ifPresent(sum -> sums.put(address, sum.amount()));
            }
        } else {
            head.query(ALL_SUMS, CoinReading::sum, height, mature)
                    .forEach(sum -> sums.put(sum.address(), sum.amount()));
        }
        head.query(
                        VALUES_SPENT_SINCE,
                        row -> new Sum(Address.of(row.getBytes(1)), Amount.ofUnsigned(row.getLong(2))),
                        height,
                        mature)
                .forEach(spent ->
                        sums.computeIfPresent(spent.address(), (address, amount) -> amount.plus(spent.amount())));
        return sums;
    }

    private record Sum(Address address, Amount amount) {}

    private static Sum sum(ResultSet row) throws SQLException {
        long lower = row.getLong(3);
        long upper = row.getLong(2) + (lower >>> Integer.SIZE);
        if (upper > MOST_UPPER) {
            throw new ArithmeticException("the coins of an address are worth more than 2^64-1");
        }
        return new Sum(Address.of(row.getBytes(1)), Amount.ofUnsigned(upper << Integer.SIZE | lower & MOST_UPPER));
    }
}
