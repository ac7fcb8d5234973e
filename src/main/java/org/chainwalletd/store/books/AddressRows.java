package org.chainwalletd.store.books;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;

/**
 * Addresses that were paid, each once, with a number that the rows of coins and credits use instead: an address is ten times as long and would be
 * repeated in each of their indexes. No row is ever deleted, so the writer may cache the numbers.
 */
final class AddressRows {
    static final String NAME = "addresses";

    static final List<List<String>> STEPS =
            List.of(List.of("CREATE TABLE addresses (id INTEGER PRIMARY KEY, address BLOB NOT NULL UNIQUE)"));

    /** Maximum number of cached addresses, about 100 bytes each. */
    private static final int REMEMBERED = 8_192;

    private final Map<Address, Long> numbers = new HashMap<>();

    private AddressRows() {}

    /** Returns the number of the address, assigning one if it has none. */
    static long number(Page page, Address address) {
        Map<Address, Long> known = page.session().cached(AddressRows.class, none -> new AddressRows()).numbers;
        Long number = known.get(address);
        if (number == null) {
            number = find(page, address);
            if (known.size() >= REMEMBERED) {
                known.clear();
            }
            known.put(address, number);
        }
        return number;
    }

    private static long find(Page page, Address address) {
        page.update("INSERT INTO addresses (address) VALUES (?) ON CONFLICT DO NOTHING", address);
        return page.number("SELECT id FROM addresses WHERE address = ?", address);
    }
}
