package org.chainwalletd.store.books;

import org.chainwalletd.chain.Address;

/** Rows of the keyring beside books that several daemons share. */
final class SharedKeys {
    private SharedKeys() {}

    /** Tells whether there is a key for an address at this moment; none in a database that has only books. */
    static boolean has(Page head, Address address) {
        return head.queryOne("SELECT 1 WHERE to_regclass('keys') IS NOT NULL", row -> true)
                        .isPresent()
                && head.queryOne("SELECT 1 FROM keys WHERE address = ?", row -> true, (Object) address.toArray())
                        .isPresent();
    }
}
