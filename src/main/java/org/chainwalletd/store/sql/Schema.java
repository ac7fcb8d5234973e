package org.chainwalletd.store.sql;

import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.WatchStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tables of the store, and the steps that upgrade older files. A released step is never edited: a new version appends one. */
public final class Schema {
    private static final Logger LOG = LoggerFactory.getLogger(Schema.class);

    /** Time in milliseconds that one statement of an upgrade may take on a server. */
    static final int UPGRADE_MILLIS = 3_600_000;

    /** Application id in the file header that marks a store of this daemon ("WDST"). */
    private static final long APPLICATION_ID = 0x57445354L;

    private static final List<List<String>> STEPS = List.of(
            intents(),
            burials(),
            spends(),
            accountSends(),
            swaps(),
            identity(),
            lostSpends(),
            sealedSends(),
            scans(),
            closedSpends(),
            keptReceipts(),
            openings(),
            copies(),
            paymentsAgain(),
            ownPayments(),
            payouts(),
            tokenUses(),
            watchOnly(),
            sweeps(),
            moves());

    /** Index of the first step that a new store runs; earlier steps only upgrade older files. */
    private static final int FIRST_STILL_USED = 2;

    private Schema() {}

    private static List<String> intents() {
        return List.of(
                """
            CREATE TABLE intents (
              tx_id BLOB NOT NULL PRIMARY KEY,
              kind TEXT NOT NULL,
              from_address BLOB NOT NULL,
              tx BLOB NOT NULL,
              inputs BLOB NOT NULL,
              built_at_height INTEGER NOT NULL,
              change_index INTEGER,
              token TEXT,
              digest BLOB,
              allowance INTEGER NOT NULL,
              created_at INTEGER NOT NULL,
              changed_at INTEGER NOT NULL,
              state TEXT NOT NULL,
              reason TEXT NOT NULL)""",
                "CREATE INDEX intents_by_state ON intents (state, changed_at)",
                "CREATE TABLE tokens (token TEXT NOT NULL PRIMARY KEY, intent BLOB NOT NULL) WITHOUT ROWID",
                """
            CREATE TABLE reservations (
              tx_id BLOB NOT NULL,
              output_index INTEGER NOT NULL,
              value INTEGER NOT NULL,
              intent BLOB NOT NULL,
              since INTEGER NOT NULL,
              PRIMARY KEY (tx_id, output_index)) WITHOUT ROWID""",
                "CREATE INDEX reservations_by_intent ON reservations (intent)",
                "CREATE TABLE allowance_uses (intent BLOB NOT NULL PRIMARY KEY, amount INTEGER NOT NULL, at INTEGER NOT NULL)"
                        + " WITHOUT ROWID",
                "CREATE INDEX allowance_uses_by_time ON allowance_uses (at)");
    }

    /** Adds the block of a confirmed spend, and whether it is buried. The blocks of spends confirmed before this step are looked up again. */
    private static List<String> burials() {
        return List.of(
                "ALTER TABLE intents ADD COLUMN block_height INTEGER",
                "ALTER TABLE intents ADD COLUMN block_id BLOB",
                "ALTER TABLE intents ADD COLUMN buried INTEGER NOT NULL DEFAULT 0",
                "CREATE INDEX intents_unburied ON intents (created_at) WHERE state = 'CONFIRMED' AND buried = 0");
    }

    /** Creates a table with one row per spend; {@link EarlierRows} moves the older rows into it. */
    private static List<String> spends() {
        return List.of(
                """
            CREATE TABLE spends (
              id INTEGER PRIMARY KEY,
              tx_id BLOB NOT NULL,
              short_id INTEGER NOT NULL,
              kind TEXT NOT NULL,
              from_address BLOB NOT NULL,
              tx BLOB NOT NULL,
              inputs BLOB NOT NULL,
              built_at_height INTEGER NOT NULL,
              change_index INTEGER,
              token TEXT,
              token_key INTEGER,
              digest BLOB,
              allowance INTEGER NOT NULL,
              counted_at INTEGER,
              created_at INTEGER NOT NULL,
              changed_at INTEGER NOT NULL,
              state TEXT NOT NULL,
              reason TEXT NOT NULL,
              held BLOB,
              block_height INTEGER,
              block_id BLOB,
              buried INTEGER NOT NULL DEFAULT 0)""",
                "CREATE INDEX spends_by_id ON spends (short_id)",
                "CREATE INDEX spends_by_token ON spends (token_key) WHERE token_key IS NOT NULL",
                "CREATE INDEX spends_open ON spends (created_at) WHERE " + SpendTable.OPEN,
                "CREATE INDEX spends_unburied ON spends (created_at) WHERE " + SpendTable.UNBURIED,
                "CREATE INDEX spends_closed ON spends (changed_at) WHERE " + SpendTable.CLOSED,
                "CREATE INDEX spends_still_counted ON spends (counted_at) WHERE " + SpendTable.STILL_COUNTED,
                "CREATE TABLE allowance_minutes (minute INTEGER PRIMARY KEY, amount BLOB NOT NULL)");
    }

    /** Creates the journal of the account chain. A nonce is assigned once, and a reference names one transaction. */
    private static List<String> accountSends() {
        return List.of(
                """
            CREATE TABLE account_sends (
              id INTEGER PRIMARY KEY,
              reference TEXT NOT NULL,
              digest BLOB NOT NULL,
              chain_id BLOB NOT NULL,
              kind TEXT NOT NULL,
              sender BLOB NOT NULL,
              recipient BLOB NOT NULL,
              value BLOB NOT NULL,
              data BLOB NOT NULL,
              nonce INTEGER NOT NULL,
              gas_limit INTEGER NOT NULL,
              fee_ceiling BLOB,
              pushing TEXT NOT NULL,
              owner TEXT,
              state TEXT NOT NULL,
              mined_hash BLOB,
              mined_number INTEGER,
              mined_block BLOB,
              succeeded INTEGER,
              created_at INTEGER NOT NULL,
              changed_at INTEGER NOT NULL)""",
                "CREATE UNIQUE INDEX account_sends_by_reference ON account_sends (reference)",
                "CREATE UNIQUE INDEX account_sends_by_nonce ON account_sends (chain_id, sender, nonce)",
                "CREATE INDEX account_sends_by_owner ON account_sends (owner, id) WHERE owner IS NOT NULL",
                "CREATE INDEX account_sends_open ON account_sends (id) WHERE " + AccountSendTable.OPEN,
                """
            CREATE TABLE account_versions (
              send INTEGER NOT NULL,
              number INTEGER NOT NULL,
              hash BLOB NOT NULL,
              raw BLOB NOT NULL,
              tip BLOB NOT NULL,
              max_fee BLOB NOT NULL,
              cancels INTEGER NOT NULL,
              created_at INTEGER NOT NULL,
              PRIMARY KEY (send, number)) WITHOUT ROWID""");
    }

    /** Creates the swap journal. A hash lock and a pool's id are each used only once. */
    private static List<String> swaps() {
        return List.of(
                """
            CREATE TABLE swaps (
              number INTEGER PRIMARY KEY,
              id TEXT NOT NULL,
              version INTEGER NOT NULL,
              pool_id TEXT NOT NULL,
              hash_lock BLOB NOT NULL,
              status TEXT NOT NULL,
              watched INTEGER NOT NULL,
              content BLOB NOT NULL,
              updated_at INTEGER NOT NULL)""",
                "CREATE UNIQUE INDEX swaps_by_id ON swaps (id)",
                "CREATE UNIQUE INDEX swaps_by_pool_id ON swaps (pool_id)",
                "CREATE UNIQUE INDEX swaps_by_hash_lock ON swaps (hash_lock)",
                "CREATE INDEX swaps_by_status ON swaps (status, number)",
                "CREATE INDEX swaps_watched ON swaps (number) WHERE " + SqlSwaps.WATCHED);
    }

    /** Adds the id of the store and the number of its commits, see {@link Commits}. */
    private static List<String> identity() {
        return List.of(
                "CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), id BLOB NOT NULL, commits INTEGER NOT NULL)",
                "INSERT INTO identity (one, id, commits) VALUES (1, randomblob(16), 0)");
    }

    /**
     * Keeps a spend that lost a conflict open until the transaction that it lost to is buried, so that it is never removed by elapsed time alone.
     */
    private static List<String> lostSpends() {
        return List.of(
                "DROP INDEX spends_closed",
                "CREATE INDEX spends_closed ON spends (changed_at) WHERE " + SpendTable.CLOSED,
                "CREATE INDEX spends_lost ON spends (id) WHERE " + SpendTable.LOST);
    }

    /**
     * Marks which rows of the account chain's journal are sealed, because a claim contains its secret. Existing rows are sealed later by their owner,
     * the only component that can seal them.
     */
    private static List<String> sealedSends() {
        return List.of(
                "ALTER TABLE account_sends ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0",
                "CREATE INDEX account_sends_unsealed ON account_sends (id) WHERE " + AccountSendTable.UNSEALED);
    }

    /** Creates cursors for chains that are read without books. */
    private static List<String> scans() {
        return List.of("CREATE TABLE scans (name TEXT PRIMARY KEY, block INTEGER NOT NULL) WITHOUT ROWID");
    }

    /** Extends the watched spends to refused and abandoned ones, which can still be mined just like spends that lost a conflict. */
    private static List<String> closedSpends() {
        return List.of("DROP INDEX spends_lost", "CREATE INDEX spends_lost ON spends (id) WHERE " + SpendTable.LOST);
    }

    /** Creates a table that kept only the answer of a buried payment; {@link KeptSpends} has replaced it. */
    private static List<String> keptReceipts() {
        return List.of(
                """
            CREATE TABLE kept_receipts (
              id INTEGER PRIMARY KEY,
              tx_id BLOB NOT NULL,
              short_id INTEGER NOT NULL,
              token_key INTEGER NOT NULL,
              token_rest INTEGER NOT NULL,
              digest BLOB NOT NULL,
              settled_at INTEGER NOT NULL,
              answer BLOB NOT NULL)""",
                "CREATE INDEX kept_receipts_by_id ON kept_receipts (short_id)",
                "CREATE INDEX kept_receipts_by_token ON kept_receipts (token_key)",
                "CREATE INDEX spends_settled ON spends (changed_at) WHERE " + SpendTable.SETTLED);
    }

    /** Adds the first commit of each opening, and whether payments may be missing after a restore, see {@link Commits}. */
    private static List<String> openings() {
        return List.of(
                "CREATE TABLE commits (number INTEGER PRIMARY KEY, random INTEGER NOT NULL)",
                "ALTER TABLE identity ADD COLUMN forgetful INTEGER NOT NULL DEFAULT 0");
    }

    /** Allows claims and refunds at nonces reported by endpoints: only nonces assigned by the journal are unique. */
    private static List<String> copies() {
        return List.of(
                "DROP INDEX account_sends_by_nonce",
                "CREATE UNIQUE INDEX account_sends_by_nonce ON account_sends (chain_id, sender, nonce) WHERE "
                        + AccountSendTable.GIVEN,
                "CREATE INDEX account_sends_copies ON account_sends (chain_id, sender, nonce) WHERE "
                        + AccountSendTable.COPIES);
    }

    /** Links the spends of a rebuilt payment to its first spend: they are one payment, whichever of them is mined. */
    private static List<String> paymentsAgain() {
        return List.of(
                "ALTER TABLE spends ADD COLUMN first_id INTEGER",
                "CREATE INDEX spends_again ON spends (first_id) WHERE first_id IS NOT NULL");
    }

    /**
     * Keeps a history of all spends: rows get the token's name, the memo and the fee, and spends needed only for reporting move to
     * {@code kept_spends}, see {@link KeptSpends}. From this version on, spend numbers are reported to callers, so the rows of {@code kept_receipts},
     * which {@link EarlierRows} moves, get numbers below all others.
     */
    private static List<String> ownPayments() {
        return List.of(
                "ALTER TABLE spends ADD COLUMN token_name TEXT",
                "ALTER TABLE spends ADD COLUMN memo TEXT",
                "ALTER TABLE spends ADD COLUMN fee INTEGER",
                "ALTER TABLE identity ADD COLUMN spends_after INTEGER NOT NULL DEFAULT 0",
                "CREATE TABLE shifted AS SELECT max(coalesce((SELECT max(id) FROM kept_receipts), 0),"
                        + " coalesce((SELECT max(id) FROM spends), 0)) AS by_many",
                "UPDATE spends SET id = id + (SELECT by_many FROM shifted), first_id = first_id + (SELECT by_many FROM shifted)"
                        + " WHERE EXISTS (SELECT 1 FROM kept_receipts)",
                "DROP TABLE shifted",
                """
            CREATE TABLE kept_spends (
              id INTEGER PRIMARY KEY,
              tx_id BLOB NOT NULL,
              short_id INTEGER NOT NULL,
              form INTEGER NOT NULL,
              kind TEXT,
              state TEXT,
              token_key INTEGER,
              token_rest INTEGER,
              digest BLOB,
              token TEXT,
              from_address BLOB,
              created_at INTEGER,
              settled_at INTEGER NOT NULL,
              block_height INTEGER,
              answer BLOB,
              amount INTEGER,
              fee INTEGER,
              token_name TEXT,
              memo TEXT)""",
                """
            CREATE TABLE erased_spends (
              id INTEGER PRIMARY KEY,
              tx_id BLOB NOT NULL,
              token_key INTEGER NOT NULL,
              token_rest INTEGER NOT NULL)""",
                "CREATE INDEX erased_spends_by_token ON erased_spends (token_key)",
                "CREATE INDEX kept_spends_by_id ON kept_spends (short_id)",
                "CREATE INDEX kept_spends_by_token ON kept_spends (token_key) WHERE token_key IS NOT NULL",
                "CREATE INDEX kept_spends_whole ON kept_spends (form, settled_at, token_key) WHERE "
                        + KeptSpends.NOT_SHORT);
    }

    /**
     * Creates the queue of payouts: {@code mark} is the state of a payout while no spend carries it, or the state to which it returns. Batches are
     * kept permanently.
     */
    private static List<String> payouts() {
        return List.of(
                "CREATE TABLE payout_sources (id INTEGER PRIMARY KEY, addresses BLOB NOT NULL UNIQUE)",
                """
            CREATE TABLE payouts (
              id INTEGER PRIMARY KEY,
              payout_id TEXT NOT NULL,
              to_address BLOB NOT NULL,
              amount INTEGER NOT NULL,
              datum BLOB,
              memo TEXT,
              source INTEGER NOT NULL,
              token_name TEXT,
              mark TEXT NOT NULL,
              released INTEGER NOT NULL DEFAULT 0,
              spend INTEGER,
              output_index INTEGER,
              submitted_at INTEGER NOT NULL,
              changed_at INTEGER NOT NULL,
              change INTEGER NOT NULL)""",
                "CREATE UNIQUE INDEX payouts_by_payout_id ON payouts (payout_id)",
                "CREATE INDEX payouts_by_change ON payouts (change, id)",
                "CREATE INDEX payouts_by_spend ON payouts (spend) WHERE spend IS NOT NULL",
                "CREATE INDEX payouts_waiting ON payouts (mark, id) WHERE " + PayoutTable.WAITING,
                """
            CREATE TABLE payout_attempts (
              payout INTEGER NOT NULL,
              spend INTEGER NOT NULL,
              output_index INTEGER NOT NULL,
              PRIMARY KEY (payout, spend)) WITHOUT ROWID""",
                "CREATE INDEX payout_attempts_by_spend ON payout_attempts (spend)",
                "CREATE TABLE payout_queue (one INTEGER PRIMARY KEY CHECK (one = 1), paused INTEGER NOT NULL,"
                        + " generation INTEGER NOT NULL)",
                "INSERT INTO payout_queue (one, paused, generation) VALUES (1, 0, 1)",
                "CREATE INDEX spends_batches ON spends (id) WHERE " + PayoutTable.OPEN_BATCH);
    }

    /** Creates the sums spent by named tokens that have a cap per period, see {@link TokenUses}. */
    private static List<String> tokenUses() {
        return List.of("""
            CREATE TABLE token_minutes (
              token_name TEXT NOT NULL,
              minute INTEGER NOT NULL,
              amount BLOB NOT NULL,
              PRIMARY KEY (token_name, minute)) WITHOUT ROWID""");
    }

    /** Creates the list of watch-only addresses, see {@link WatchStore}. */
    private static List<String> watchOnly() {
        return List.of(
                "CREATE TABLE watch_only (address BLOB NOT NULL PRIMARY KEY, label TEXT, birth INTEGER) WITHOUT ROWID");
    }

    /** Creates sweeps and their parts; the spend of a part is found by its token, see {@link SqlSweeps}. */
    private static List<String> sweeps() {
        return List.of(
                """
            CREATE TABLE sweeps (
              id INTEGER PRIMARY KEY,
              sweep_id BLOB NOT NULL,
              client_token TEXT NOT NULL,
              token_name TEXT,
              digest BLOB NOT NULL,
              from_addresses BLOB NOT NULL,
              to_address BLOB NOT NULL,
              min_value INTEGER NOT NULL,
              memo TEXT,
              state TEXT NOT NULL,
              reason TEXT NOT NULL,
              created_at INTEGER NOT NULL)""",
                "CREATE UNIQUE INDEX sweeps_by_token ON sweeps (client_token)",
                "CREATE UNIQUE INDEX sweeps_by_sweep_id ON sweeps (sweep_id)",
                "CREATE INDEX sweeps_running ON sweeps (id) WHERE " + SqlSweeps.RUNNING,
                """
            CREATE TABLE sweep_parts (
              sweep_id BLOB NOT NULL,
              number INTEGER NOT NULL,
              fee INTEGER NOT NULL,
              coins BLOB NOT NULL,
              ended INTEGER NOT NULL,
              PRIMARY KEY (sweep_id, number)) WITHOUT ROWID""");
    }

    /** Adds the database that a store was moved to; null while payments are made from this store. */
    private static List<String> moves() {
        return List.of("ALTER TABLE identity ADD COLUMN moved TEXT");
    }

    public static int version() {
        return STEPS.size();
    }

    /** Returns the statements that create the tables of a new store, without steps that only older versions need. */
    public static List<String> whole() {
        List<String> statements = new ArrayList<>(after(FIRST_STILL_USED));
        statements.add("DROP TABLE kept_receipts");
        // Prevents cursors issued by another store from being accepted by this one.
        statements.add("UPDATE payout_queue SET generation = " + (new SecureRandom().nextLong() | 1));
        return statements;
    }

    /** Returns the statements that upgrade a store of this version to the newest one. */
    public static List<String> after(long version) {
        return STEPS.subList((int) Math.min(version, STEPS.size()), STEPS.size()).stream()
                .flatMap(List::stream)
                .toList();
    }

    static void make(SqlSession session) throws SQLException {
        for (String statement : whole()) {
            session.execute(statement);
        }
        session.execute("PRAGMA application_id = " + APPLICATION_ID);
        session.execute("PRAGMA user_version = " + STEPS.size());
    }

    /** Upgrades the file to the newest version and moves its older rows. */
    static void migrate(SqlSession session, String file) throws SQLException {
        upgrade(session, file);
        new EarlierRows(session).moveAll();
    }

    /** Upgrades the tables without moving rows, each step in its own transaction. */
    static void upgrade(SqlSession session, String file) throws SQLException {
        long version = Sqlite.number(session, "user_version");
        long application = Sqlite.number(session, "application_id");
        if (application != APPLICATION_ID && (version != 0 || !Sqlite.isEmpty(session))) {
            throw StoreException.damaged(file + " is a database of another program, not this daemon's store");
        }
        if (version > STEPS.size()) {
            throw StoreException.damaged(file + " has version " + version
                    + ", written by a newer release; this one knows up to " + STEPS.size());
        }
        if (version > 0 && version < STEPS.size()) {
            LOG.info(
                    "upgrading the tables of {} from version {} to {}, which can take long if they have millions of rows",
                    file,
                    version,
                    STEPS.size());
        }
        for (int next = (int) version; next < STEPS.size(); next++) {
            session.execute("BEGIN IMMEDIATE");
            for (String statement : STEPS.get(next)) {
                session.execute(statement);
            }
            session.execute("PRAGMA application_id = " + APPLICATION_ID);
            session.execute("PRAGMA user_version = " + (next + 1));
            session.execute("COMMIT");
        }
    }

    /**
     * Takes a server's lock on upgrades for the open transaction. Another daemon may hold it as long as a statement of an upgrade may take, which is
     * waited for in short queries, so that a server without a response is noticed as usual.
     */
    public static void lockUpgrades(SqlSession session, String name, long lock) throws SQLException {
        long began = System.nanoTime();
        boolean waited = false;
        while (!session.has("SELECT 1 WHERE pg_try_advisory_xact_lock(?)", lock)) {
            if (System.nanoTime() - began > TimeUnit.MILLISECONDS.toNanos(UPGRADE_MILLIS)) {
                throw StoreException.unavailable(
                        "another daemon has been upgrading the tables of " + name + " for an hour", null);
            }
            if (!waited) {
                waited = true;
                LOG.info("waiting for another daemon, which creates or upgrades the tables of {}", name);
            }
            session.execute("SELECT pg_sleep(0.2)");
        }
    }

    /**
     * Executes statements that upgrade tables, in the open transaction on a server. One statement may rewrite or index many millions of rows and
     * take longer than the time after which a server without a response counts as gone: the daemon could never start then. It does not wait that long
     * for a reader, for example a backup, because the other daemons can write nothing meanwhile.
     */
    public static void upgradeServer(SqlSession session, String name, List<String> statements) throws SQLException {
        if (statements.isEmpty()) {
            return;
        }
        int usual = session.networkTimeout();
        session.networkTimeout(UPGRADE_MILLIS);
        session.execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'");
        for (int i = 0; i < statements.size(); i++) {
            LOG.info(
                    "upgrading the tables of {}, statement {} of {}, which can take long if they have millions of rows: {}",
                    name,
                    i + 1,
                    statements.size(),
                    statements.get(i).strip().replaceAll("\\s+", " "));
            session.execute(statements.get(i));
        }
        session.networkTimeout(usual);
    }

    /** Returns whether a table exists on a server; for a file use {@link Sqlite#hasTable}. */
    public static boolean isOnServer(SqlSession session, String table) throws SQLException {
        return session.has("SELECT 1 WHERE to_regclass(?) IS NOT NULL", table);
    }

    static boolean isNewest(SqlSession session) throws SQLException {
        return Sqlite.number(session, "user_version") == STEPS.size();
    }
}
