package org.chainwalletd.store.books;

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
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.sql.Row;

/**
 * Reads the unspent coins of covered addresses, and their sums, as of a given block: later blocks may be written but not reported yet. A few
 * addresses are looked up one by one, many in a single pass over all unspent coins; either way, coins spent long ago cost nothing. Sums of many
 * addresses are cached, see {@link CoinSums}.
 */
final class CoinReading {
    /** Number of addresses above which a single pass over all unspent coins is used. */
    private static final int SINGLY = 1_000;

    private static final String COVERED = "SELECT address FROM watched WHERE " + LedgerTable.COVERED;

    private static final String STILL_THERE =
            " FROM coins INDEXED BY coins_unspent WHERE scan = 0 AND spent_height IS NULL AND height <= ?1";

    /** Coins spent by blocks above the given one. */
    private static final String SPENT_SINCE =
            " FROM coins INDEXED BY coins_spent WHERE scan = 0 AND spent_height > ?1 AND height <= ?1";

    private static final String COINS = "SELECT tx_id, output_index,"
            + " (SELECT a.address FROM addresses a WHERE a.id = coins.address), value, height, coinbase";
    private static final String OF_ADDRESS = " AND address = (SELECT id FROM addresses WHERE address = ?2)";
    private static final String ALL_COINS =
            COINS + STILL_THERE + " UNION ALL " + COINS + SPENT_SINCE + " ORDER BY 1, 2";
    private static final String COINS_OF =
            COINS + STILL_THERE + OF_ADDRESS + " UNION ALL " + COINS + SPENT_SINCE + OF_ADDRESS + " ORDER BY 1, 2";

    /** The most valuable coins; values are compared as unsigned numbers. */
    private static final String MOST_VALUABLE_OF = COINS + ", value < 0" + STILL_THERE + OF_ADDRESS + " UNION ALL "
            + COINS + ", value < 0" + SPENT_SINCE + OF_ADDRESS + " ORDER BY 7 DESC, 4 DESC, 1, 2 LIMIT ?3";

    private CoinReading() {}

    /** Reads the coins, as of the block at {@code height}, of each address that is covered; other addresses are left out. */
    static Map<Address, List<OwnCoin>> unspent(Page head, long height, List<Address> addresses) {
        Map<Address, List<OwnCoin>> coins = new HashMap<>();
        if (addresses.size() <= SINGLY) {
            for (Address address : addresses) {
                if (isCovered(head, address)) {
                    coins.put(address, head.query(COINS_OF, CoinReading::coin, height, address));
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

    /** Reads the most valuable coins of an address as {@link #unspent} does, at most {@code most}. */
    static Map<Address, List<OwnCoin>> mostValuable(Page head, long height, Address address, int most) {
        return isCovered(head, address)
                ? Map.of(address, head.query(MOST_VALUABLE_OF, CoinReading::coin, height, address, most))
                : Map.of();
    }

    private static boolean isCovered(Page head, Address address) {
        return head.has(COVERED + " AND address = ?", address);
    }

    private static OwnCoin coin(Row row) throws SQLException {
        return new OwnCoin(
                LedgerTable.outpoint(row),
                Address.of(row.getBytes(3)),
                Amount.ofUnsigned(row.getLong(4)),
                row.getLong(5),
                row.getInt(6) != 0);
    }

    /** Returns the balance of each address, in the order of {@code addresses}; empty for addresses that are not covered. */
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

    /**
     * Balances of all covered addresses as of one block, cached by the reader: the next query costs only the changes by later blocks. After any
     * other change (a reorganisation, an address added or covered, a rescan that has joined) they are read again, which takes some tenths of a
     * second per 100,000 addresses. Takes about 180 bytes per address.
     */
    static final class CoinSums {
        private static final String COLUMNS =
                "SELECT (SELECT a.address FROM addresses a WHERE a.id = coins.address) AS address,"
                        + " value, height, coinbase, spent_height";

        private static final String NOW = COLUMNS + STILL_THERE + " UNION ALL " + COLUMNS + SPENT_SINCE;

        /**
         * Query for the coins that blocks above ?1 up to ?2 have created or spent, and for coinbases at heights above ?3 up to ?4, which have
         * matured; each coin once.
         */
        private static final String SINCE = COLUMNS
                + " FROM coins INDEXED BY coins_by_height WHERE scan = 0 AND height > ?1 AND height <= ?2"
                + " UNION ALL " + COLUMNS
                + " FROM coins INDEXED BY coins_spent WHERE scan = 0 AND spent_height > ?1 AND spent_height <= ?2 AND height <= ?1"
                + " UNION ALL " + COLUMNS
                + " FROM coins INDEXED BY coins_by_height WHERE scan = 0 AND height > ?3 AND height <= ?4 AND height <= ?1"
                + " AND coinbase = 1 AND (spent_height IS NULL OR spent_height > ?2)";

        private final String changes;
        private final Map<Address, Holding> holdings = new HashMap<>();
        /** The addresses of the last query and their holdings: a wallet queries all its addresses, in the same order, at each tip. */
        private List<Address> asked = List.of();

        private List<Optional<Holding>> found = List.of();
        private Moment moment;

        /**
         * The block as of which balances are requested.
         *
         * @param height of the block
         * @param maturity blocks between a coinbase and the first block that may spend it
         */
        record Moment(long height, int maturity) {
            /** Returns the height up to which coinbases are mature, that is, spendable by the next block. */
            long mature() {
                return Network.newestMature(height, maturity);
            }
        }

        private static final class Holding {
            private Amount sum = Amount.ZERO;
        }

        /**
         * A coin with the heights at which it was created and spent.
         *
         * @param height of the block that created it
         * @param spent height of the block that spent it; {@link Long#MAX_VALUE} while unspent
         */
        private record Life(Address address, Amount value, long height, boolean coinbase, long spent) {
            static Life read(Row row) throws SQLException {
                return new Life(
                        row.address("address"),
                        row.amount("value"),
                        row.number("height"),
                        row.flag("coinbase"),
                        row.ifNumber("spent_height").orElse(Long.MAX_VALUE));
            }

            boolean counts(Moment at) {
                return height <= at.height() && spent > at.height() && (!coinbase || height <= at.mature());
            }
        }

        private CoinSums(Page head, Moment moment, String changes) {
            this.changes = changes;
            this.moment = moment;
            head.visit(COVERED, row -> holdings.put(Address.of(row.getBytes(1)), new Holding()));
            head.visit(NOW, row -> enter(Life.read(row)), moment.height());
        }

        private void enter(Life life) {
            if (life.counts(moment)) {
                find(life).ifPresent(holding -> holding.sum = holding.sum.plus(life.value()));
            }
        }

        private Optional<Holding> find(Life life) {
            return Optional.ofNullable(holdings.get(life.address()));
        }

        /**
         * Returns the balances as of a block, updated from the cached ones where possible.
         *
         * @throws ArithmeticException when a balance exceeds 2^64-1, which no valid chain contains
         */
        static CoinSums at(Page head, Moment moment) {
            BooksSession session = head.session();
            String changes = LedgerTable.changes(head);
            Optional<CoinSums> known = session.ifCached(CoinSums.class)
                    .filter(sums -> sums.changes.equals(changes)
                            && sums.moment.maturity() == moment.maturity()
                            && sums.moment.height() <= moment.height());
            // Partly updated balances must not stay cached if updating them fails.
            session.dropCache(CoinSums.class);
            CoinSums sums = known.orElseGet(() -> new CoinSums(head, moment, changes));
            sums.advance(head, moment);
            return session.cached(CoinSums.class, none -> sums);
        }

        private void advance(Page head, Moment to) {
            Moment from = moment;
            if (from.height() < to.height()) {
                List<Life> lives =
                        head.query(SINCE, Life::read, from.height(), to.height(), from.mature(), to.mature());
                // Subtract spent coins first, so that no intermediate sum overflows.
                lives.stream()
                        .filter(life -> life.counts(from) && !life.counts(to))
                        .forEach(
                                life -> find(life).ifPresent(holding -> holding.sum = holding.sum.minus(life.value())));
                lives.stream()
                        .filter(life -> !life.counts(from) && life.counts(to))
                        .forEach(life -> find(life).ifPresent(holding -> holding.sum = holding.sum.plus(life.value())));
                moment = to;
            }
        }

        /** Returns the balance of each address, in the order of {@code addresses}; empty for addresses that are not covered. */
        List<Optional<Amount>> of(List<Address> addresses) {
            if (!asked.equals(addresses)) {
                found = addresses.stream()
                        .map(address -> Optional.ofNullable(holdings.get(address)))
                        .toList();
                asked = List.copyOf(addresses);
            }
            return found.stream().map(holding -> holding.map(own -> own.sum)).toList();
        }
    }
}
