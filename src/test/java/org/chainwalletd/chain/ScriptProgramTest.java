package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.chainwalletd.chain.VectorTransactions.CHAIN;

import java.util.HexFormat;
import org.chainwalletd.chain.DecodeException.Kind;
import org.chainwalletd.chain.ScriptProgram.HashVariant;
import org.junit.jupiter.api.Test;

class ScriptProgramTest {
    private static final String UNIT = "02";
    private static final String WITNESS = "0c";

    private static String u32(long number) {
        return HexFormat.of().formatHex(new ByteWriter(4).u32(number).finish());
    }

    private static String program(int nodes, String... parts) {
        return u32(nodes) + u32(0) + String.join("", parts);
    }

    private static String pair(int first, int second) {
        return "03" + u32(first) + u32(second);
    }

    private static String constant(String value) {
        return "0e" + u32(value.length() / 2) + value;
    }

    private static void accepted(String hex) {
        assertThat(ScriptProgram.decode(HexFormat.of().parseHex(hex))).isNotNull();
    }

    private static void refused(Kind kind, String detail, String hex) {
        DecodeException refusal = catchThrowableOfType(
                DecodeException.class, () -> ScriptProgram.decode(HexFormat.of().parseHex(hex)));
        assertThat(refusal).as(hex).isNotNull();
        assertThat(refusal.kind()).isEqualTo(kind);
        assertThat(refusal.detail()).contains(detail);
    }

    @Test
    void nodes_are_counted_reached_once_and_followed_by_nothing() {
        accepted(program(1, UNIT));
        accepted(program(3, pair(1, 2), UNIT, WITNESS));
        accepted(program(2, pair(1, 1), UNIT));
        refused(Kind.INVALID_DATA, "root index 0 of 0", program(0));
        refused(Kind.INVALID_DATA, "node count 2 with 1", program(2, UNIT));
        refused(Kind.INVALID_DATA, "node count 65536", program(65_536, UNIT.repeat(65_536)));
        refused(Kind.INVALID_DATA, "node count 4294967295", program(-1, UNIT));
        refused(Kind.INVALID_DATA, "root index 1 of 1", u32(1) + u32(1) + UNIT);
        refused(Kind.INVALID_DATA, "node 0 is not reachable", u32(2) + u32(1) + UNIT + UNIT);
        refused(Kind.INVALID_DATA, "node 2 is not reachable", program(3, pair(1, 1), UNIT, UNIT));
        refused(Kind.TRAILING_BYTES, "trailing bytes after program", program(1, UNIT, "00"));
        refused(Kind.INVALID_DATA, "unknown node tag 15", program(1, "0f"));
        refused(Kind.UNEXPECTED_EOF, "node count", "010000");
    }

    @Test
    void children_come_after_their_parents() {
        refused(Kind.INVALID_DATA, "child index 0 of node 0", program(2, pair(0, 1), UNIT));
        refused(Kind.INVALID_DATA, "child index 2 of node 0", program(2, pair(1, 2), UNIT));
        refused(Kind.INVALID_DATA, "child index 4294967295 of node 0", program(2, pair(-1, 1), UNIT));
        refused(Kind.INVALID_DATA, "child index 1 of node 1", program(3, pair(1, 2), pair(1, 2), UNIT));
    }

    @Test
    void a_constant_is_exactly_one_value() {
        accepted(program(1, constant("00")));
        accepted(program(1, constant("0306" + "ff".repeat(8) + "0801")));
        accepted(program(1, constant("04" + u32(2) + "0007" + "00".repeat(32))));
        refused(Kind.INVALID_DATA, "constant of 1 bytes in 2", program(1, constant("0000")));
        refused(Kind.INVALID_DATA, "constant of 2 bytes in 1", program(1, "0e" + u32(1) + "0801"));
        refused(Kind.INVALID_DATA, "non-canonical boolean flag: 2", program(1, constant("0802")));
        refused(Kind.INVALID_DATA, "unknown value tag 10", program(1, constant("0a")));
        refused(Kind.UNEXPECTED_EOF, "bytes", program(1, constant("05" + u32(0xffff_ffffL))));
        refused(Kind.UNEXPECTED_EOF, "constant", program(1, "0e" + u32(0xffff_ffffL) + "00"));
    }

    @Test
    void values_are_nested_at_most128_deep_and_lists_have_at_most65536_elements() {
        accepted(program(1, constant("01".repeat(128) + "00")));
        refused(Kind.INVALID_DATA, "nested deeper than 128", program(1, constant("02".repeat(129) + "00")));
        refused(Kind.INVALID_DATA, "nested deeper", program(1, constant(("04" + u32(1)).repeat(129) + "00")));
        accepted(program(1, constant("04" + u32(65_536) + "00".repeat(65_536))));
        refused(
                Kind.INVALID_DATA,
                "list of 65537 elements",
                program(1, constant("04" + u32(65_537) + "00".repeat(65_537))));
    }

    @Test
    void the_structural_hash_ignores_the_content_of_constants_and_variant_b_sees_their_type() {
        ScriptProgram one = ScriptProgram.decode(HexFormat.of().parseHex(program(1, constant("06" + "01".repeat(8)))));
        ScriptProgram two = ScriptProgram.decode(HexFormat.of().parseHex(program(1, constant("06" + "02".repeat(8)))));
        ScriptProgram other = ScriptProgram.decode(HexFormat.of().parseHex(program(1, constant("0801"))));
        for (HashVariant variant : HashVariant.values()) {
            assertThat(one.structuralHash(CHAIN, variant)).isPresent().isEqualTo(two.structuralHash(CHAIN, variant));
        }
        assertThat(other.structuralHash(CHAIN, HashVariant.A)).isEqualTo(one.structuralHash(CHAIN, HashVariant.A));
        assertThat(other.structuralHash(CHAIN, HashVariant.B)).isNotEqualTo(one.structuralHash(CHAIN, HashVariant.B));
        ScriptProgram identity = ScriptProgram.decode(HexFormat.of().parseHex(program(1, "00")));
        assertThat(identity.structuralHash(CHAIN, HashVariant.A)).isEmpty();
    }
}
