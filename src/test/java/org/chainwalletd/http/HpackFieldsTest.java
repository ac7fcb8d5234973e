package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks from RFC 7541, appendix C, and forms that those do not have. */
class HpackFieldsTest {
    @ParameterizedTest
    @CsvSource({
        "400a637573746f6d2d6b65790d637573746f6d2d686561646572, 1",
        "040c2f73616d706c652f70617468, 1",
        "100870617373776f726406736563726574, 1",
        "82, 1",
        "828684410f7777772e6578616d706c652e636f6d, 4",
        "828684be58086e6f2d6361636865, 5",
        "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565, 5",
        "828684418cf1e3c2e5f23a6ba0ab90f4ff, 4",
        "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3, 4",
        "3fe11f, 0",
        "ff00ff808001, 2",
        "000000, 1",
        "'', 0",
    })
    void the_fields_of_a_block_are_counted(String block, int fields) {
        HpackFields counter = new HpackFields();
        counter.begin();
        for (byte octet : HexFormat.of().parseHex(block)) {
            counter.read(octet);
        }

        assertThat(counter.fields()).isEqualTo(fields);
    }
}
