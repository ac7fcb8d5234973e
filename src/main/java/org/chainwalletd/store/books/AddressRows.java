package org.chainwalletd.store.books;

import java.util.List;
import org.chainwalletd.chain.Address;

/**
 * Addresses that were paid, each once, under a number that the rows of coins and of credits name instead: an address is ten times as long, and
 * would stand in each of their indexes. None is ever deleted.
 */
final class AddressRows {
    static final String NAME = "addresses";

    static final List<List<String>> STEPS =
            List.of(List.of("CREATE TABLE addresses (id INTEGER PRIMARY KEY, address BLOB NOT NULL UNIQUE)"));

    private AddressRows() {}

    /** Gives the address a number if it has none. */
    static void put(Page page, Address address) {
        page.update("INSERT OR IGNORE INTO addresses (address) VALUES (?)", (Object) address.toArray());
    }
}
