package org.chainwalletd.keyring.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.chainwalletd.chain.Address;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

class AddressIndexTest {
    private static final int ROWS = 3_000;

    /** Few different leading bytes, so that many addresses have the same slot, and some addresses twice. */
    @Test
    void finds_the_last_row_of_each_address_and_nothing_else() {
        Random random = Seeded.random("colliding addresses");
        byte[] records = new byte[ROWS * KeyColumns.RECORD];
        Map<Address, Integer> model = new HashMap<>();
        int half = ROWS / 2;
        AddressIndex index = null;
        for (int row = 0; row < ROWS; row++) {
            byte[] address = row > 0 && random.nextInt(10) == 0
                    ? Arrays.copyOfRange(
                            records, (row - 1) * KeyColumns.RECORD, (row - 1) * KeyColumns.RECORD + Address.LENGTH)
                    : Seeded.bytes(random, Address.LENGTH);
            Arrays.fill(address, 0, 3, (byte) 0);
            address[0] &= 3;
            System.arraycopy(address, 0, records, row * KeyColumns.RECORD, Address.LENGTH);
            model.put(Address.of(address), row);
            if (row == half) {
                index = AddressIndex.of(records, row + 1);
            } else if (row > half) {
                index.add(records, row);
            }
        }
        for (Map.Entry<Address, Integer> expected : model.entrySet()) {
            assertThat(index.find(records, expected.getKey().toArray())).isEqualTo(expected.getValue());
        }
        for (int i = 0; i < 100; i++) {
            byte[] stranger = Seeded.bytes(random, Address.LENGTH);
            Arrays.fill(stranger, 0, 4, (byte) 0);
            assertThat(index.find(records, stranger)).isEqualTo(-1);
        }
    }
}
