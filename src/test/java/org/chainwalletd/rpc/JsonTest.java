package org.chainwalletd.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.I64;
import org.chainwalletd.wire.Json;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.RawJson;
import org.chainwalletd.wire.U32;
import org.junit.jupiter.api.Test;

class JsonTest {
    private static final String HEX = "00aaff".concat("11".repeat(29));

    enum State {
        LOCKED,
        LOCKED_EXPIRED
    }

    record Values(Address address, Hash256 txId, PublicKey pubkey, Bytes scriptHex, Amount amount, State state) {
        public boolean isBig() {
            return true;
        }

        public String getSomething() {
            return "x";
        }
    }

    record Numbers(long unsigned, @I64 long lag, @U32 long index, int count, List<Long> many, Long boxed) {}

    record Absent(
            Optional<Hash256> id,
            OptionalLong height,
            OptionalInt index,
            String label,
            @OrNull Optional<Hash256> shownId,
            @OrNull OptionalLong shownHeight,
            @OrNull String shown,
            List<String> list) {}

    private static String write(Object value) {
        return new String(Json.write(value), UTF_8);
    }

    @Test
    void value_types_are_lower_case_hex_and_members_snake_case() {
        Values values = new Values(
                Address.parse(HEX.toUpperCase(Locale.ROOT)),
                Hash256.parse(HEX),
                PublicKey.parse(HEX),
                Bytes.parse("AB"),
                Amount.MAX,
                State.LOCKED_EXPIRED);
        assertThat(write(values))
                .isEqualTo("{\"address\":\"%1$s\",\"tx_id\":\"%1$s\",\"pubkey\":\"%1$s\",\"script_hex\":\"ab\","
                                .formatted(HEX)
                        + "\"amount\":18446744073709551615,\"state\":\"locked_expired\"}");
    }

    @Test
    void longs_are_unsigned_unless_marked() {
        assertThat(write(new Numbers(-1L, -1L, 4294967295L, 7, List.of(Long.MIN_VALUE, 0L), -2L)))
                .isEqualTo("{\"unsigned\":18446744073709551615,\"lag\":-1,\"index\":4294967295,\"count\":7,"
                        + "\"many\":[9223372036854775808,0],\"boxed\":18446744073709551614}");
    }

    @Test
    void what_is_absent_is_left_out_unless_null_is_asked_for_and_an_empty_list_stays() {
        assertThat(write(new Absent(
                        Optional.empty(),
                        OptionalLong.empty(),
                        OptionalInt.empty(),
                        null,
                        Optional.empty(),
                        OptionalLong.empty(),
                        null,
                        List.of())))
                .isEqualTo("{\"shown_id\":null,\"shown_height\":null,\"shown\":null,\"list\":[]}");
        assertThat(write(new Absent(
                        Optional.of(Hash256.ZERO),
                        OptionalLong.of(-1),
                        OptionalInt.of(0),
                        "",
                        Optional.of(Hash256.ZERO),
                        OptionalLong.of(0),
                        "",
                        List.of(""))))
                .isEqualTo(
                        "{\"id\":\"%1$s\",\"height\":18446744073709551615,\"index\":0,\"label\":\"\",\"shown_id\":\"%1$s\","
                                        .formatted(Hash256.ZERO)
                                + "\"shown_height\":0,\"shown\":\"\",\"list\":[\"\"]}");
    }

    record Revealed(Address address, SecretBytes secretHex, List<SecretBytes> mnemonic) {}

    @Test
    void a_secret_is_written_once_and_overwritten() {
        SecretBytes secret = SecretBytes.takeOver("gr\u00fc\"\n".getBytes(UTF_8));
        SecretBytes word = SecretBytes.takeOver("abandon".getBytes(UTF_8));
        assertThat(write(new Revealed(Address.parse(HEX), secret, List.of(word))))
                .isEqualTo(
                        "{\"address\":\"" + HEX + "\",\"secret_hex\":\"gr\u00fc\\\"\\n\",\"mnemonic\":[\"abandon\"]}");
        assertThat(secret.isClosed()).isTrue();
        assertThat(word.isClosed()).isTrue();
    }

    sealed interface Shape {}

    record Circle(long radius) implements Shape {}

    @Test
    void a_result_of_several_shapes_is_written_as_what_it_is() throws Exception {
        assertThat(Json.writerFor(Shape.class).writeValueAsString(new Circle(2)))
                .isEqualTo("{\"radius\":2}");
    }

    @Test
    void raw_json_is_written_as_it_stands() {
        assertThat(write(new RawJson("{\"a\": 1}"))).isEqualTo("{\"a\": 1}");
    }
}
