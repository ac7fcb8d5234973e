package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.chain.VectorTransactions.CHAIN;
import static org.chainwalletd.chain.VectorTransactions.hash;
import static org.chainwalletd.chain.VectorTransactions.verifies;
import static org.chainwalletd.testkit.Vectors.bytes;
import static org.chainwalletd.testkit.Vectors.integer;
import static org.chainwalletd.testkit.Vectors.text;
import static org.chainwalletd.testkit.Vectors.where;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ChainProfileTest {
    private static final List<DomainTag> SIGNED_RAW = List.of(DomainTag.SIG, DomainTag.MSG, DomainTag.QUOTE);

    @TestFactory
    Stream<DynamicTest> tags() {
        return Vectors.tests("tags.json", row -> {
            ChainProfile profile = ChainProfile.of(text(row, "brand"));
            DomainTag tag = DomainTag.valueOf(
                    "MNEMONIC-ED25519-V1".equals(text(row, "suffix"))
                            ? "MNEMONIC"
                            : text(row, "suffix").replace('-', '_'));
            assertThat(profile.tag(tag))
                    .isEqualTo(bytes(row, "tag_hex"))
                    .isEqualTo(text(row, "tag").getBytes(StandardCharsets.US_ASCII))
                    .hasSize(integer(row, "tag_length").intValueExact());
            assertThat(profile.hash(tag, new byte[1])).isEqualTo(hash(row, "h_of_00"));
        });
    }

    @Test
    void every_tag_has_a_vector() {
        assertThat(Vectors.rows("tags.json").stream()
                        .filter(row -> "chain".equals(text(row, "brand")))
                        .map(row -> text(row, "suffix")))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(DomainTag.values()).map(DomainTag::suffix).toList());
    }

    @Test
    void no_raw_signed_tag_is_a_prefix_of_another() {
        for (ChainProfile profile : List.of(CHAIN, ChainProfile.of("alpha"), ChainProfile.of("QQQQQ"))) {
            for (DomainTag one : SIGNED_RAW) {
                for (DomainTag other : SIGNED_RAW) {
                    if (one != other) {
                        String prefix = new String(profile.tag(one), StandardCharsets.US_ASCII);
                        assertThat(new String(profile.tag(other), StandardCharsets.US_ASCII))
                                .doesNotStartWith(prefix);
                    }
                }
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> addresses() {
        return Vectors.tests(
                "addresses.json",
                row -> assertThat(CHAIN.addressOf(PublicKey.parse(text(row, "public_key"))))
                        .isEqualTo(Address.parse(text(row, "address"))));
    }

    @TestFactory
    Stream<DynamicTest> addresses_of_another_brand() {
        return Vectors.tests(
                "other-brand.json",
                where("type", "address"),
                row -> assertThat(
                                ChainProfile.of(text(row, "brand")).addressOf(PublicKey.parse(text(row, "public_key"))))
                        .isEqualTo(Address.parse(text(row, "address"))));
    }

    @Test
    void a_signature_of_another_brand_verifies_over_its_own_message_only() {
        var row = Vectors.row("other-brand.json", "transaction");
        Transaction tx = TransactionCodec.decode(bytes(row, "serialised"));
        byte[] key = tx.witnesses().get(0).data().slice(0, 32);
        byte[] signature = bytes(row, "signature");
        for (ChainProfile profile : List.of(ChainProfile.of("alpha"), CHAIN)) {
            byte[] message = TransactionCodec.signingMessage(profile, hash(row, "genesis_block_id"), tx);
            assertThat(verifies(key, message, signature)).isEqualTo("alpha".equals(profile.brand()));
        }
    }

    @Test
    void the_brand_word_has_five_ascii_letters_of_either_case() {
        assertThat(ChainProfile.of("ChAiN").brand()).isEqualTo("chain");
        assertThat(ChainProfile.of("alpha").daemonName()).isEqualTo("alpha-walletd");
        assertThat(CHAIN.sealedRole("seed")).isEqualTo("chain-walletd/v1/seed".getBytes(StandardCharsets.US_ASCII));
        for (String word : List.of("", "chai", "chains", "cha1n", "chäin", "chai ", "chain\n", "İhain")) {
            assertThatThrownBy(() -> ChainProfile.of(word)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void networks_know_their_maturity_and_their_word() {
        assertThat(Network.MAINNET.coinbaseMaturity()).isEqualTo(360);
        assertThat(Network.TESTNET.coinbaseMaturity()).isEqualTo(10);
        assertThat(Network.DEVNET.coinbaseMaturity()).isEqualTo(1);
        assertThat(Network.ofWord("devnet")).contains(Network.DEVNET);
        assertThat(Network.ofWord("DEVNET")).isEmpty();
    }

    /** The block at 110 is the first that may spend a coinbase at 100, and it is the next block when the tip is at 109. */
    @Test
    void a_coinbase_is_mature_when_the_next_block_may_spend_it() {
        int maturity = Network.TESTNET.coinbaseMaturity();
        assertThat(Network.isMature(100, 108, maturity)).isFalse();
        assertThat(Network.isMature(100, 109, maturity)).isTrue();
        assertThat(Network.matureAt(100, maturity)).isEqualTo(109);
        assertThat(Network.newestMature(109, maturity)).isEqualTo(100);
        assertThat(Network.newestMature(3, maturity)).isNegative();
        assertThat(Network.isMature(7, 7, Network.DEVNET.coinbaseMaturity())).isTrue();
    }

    /** A node may list any 64-bit height. */
    @Test
    void a_coinbase_above_the_tip_is_not_mature() {
        for (long height : new long[] {110, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            assertThat(Network.isMature(height, 109, Network.TESTNET.coinbaseMaturity()))
                    .isFalse();
        }
    }
}
