package org.chainwalletd.store.books;

import org.chainwalletd.chain.Address;

/** Queries the rows of the keyring and of the money store in the same database as shared books. */
final class SharedKeys {
    private SharedKeys() {}

    /** Returns whether the keyring now has a key for an address; false in a database that has only books. */
    static boolean has(Page head, Address address) {
        return isIn("keys", head, address);
    }

    /** Returns whether the store has a row for a watch-only address. */
    static boolean isWatchedWithout(Page head, Address address) {
        return isIn("watch_only", head, address);
    }

    /** Returns whether the money store is in the same database; false also for a file. */
    static boolean haveStore(Page head) {
        return head.session().isShared() && exists("watch_only", head);
    }

    private static boolean exists(String table, Page head) {
        return head.has("SELECT 1 WHERE to_regclass('" + table + "') IS NOT NULL");
    }

    private static boolean isIn(String table, Page head, Address address) {
        return exists(table, head) && head.has("SELECT 1 FROM " + table + " WHERE address = ?", address);
    }
}
