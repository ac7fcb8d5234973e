package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.chain.VectorTransactions.CHAIN;
import static org.chainwalletd.chain.VectorTransactions.bytesOf;
import static org.chainwalletd.chain.VectorTransactions.hash;
import static org.chainwalletd.chain.VectorTransactions.verifies;
import static org.chainwalletd.testkit.Vectors.bytes;
import static org.chainwalletd.testkit.Vectors.integer;
import static org.chainwalletd.testkit.Vectors.text;
import static org.chainwalletd.testkit.Vectors.where;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.ScriptProgram.HashVariant;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class HtlcTest {
    @TestFactory
    Stream<DynamicTest> scripts_from_parameters_and_back() {
        return Vectors.tests("htlc.json", where("type", "script"), row -> {
            HtlcParams params = new HtlcParams(
                    PublicKey.parse(text(row, "sender")),
                    PublicKey.parse(text(row, "receiver")),
                    hash(row, "hash_lock"),
                    Vectors.u64(row, "timeout_height"));
            Bytes script = bytesOf(row, "script");
            assertThat(HtlcScript.build(params)).isEqualTo(script);
            assertThat(HtlcScript.recognise(script)).contains(params);
            assertThat(Hash256.sha256(script.toArray())).isEqualTo(hash(row, "script_sha256"));
            ScriptProgram program = ScriptProgram.decode(script.toArray());
            assertThat(program.nodeCount()).isEqualTo(41);
            assertThat(program.structuralHash(CHAIN, HashVariant.A))
                    .contains(hash(row, "contract_hash_a"))
                    .contains(HtlcScript.contractHash(CHAIN, HashVariant.A));
            assertThat(program.structuralHash(CHAIN, HashVariant.B))
                    .contains(hash(row, "contract_hash_b"))
                    .contains(HtlcScript.contractHash(CHAIN, HashVariant.B));
            assertThat(HtlcScript.contractHash(ChainProfile.of("alpha"), HashVariant.A))
                    .isNotEqualTo(hash(row, "contract_hash_a"));
        });
    }

    @TestFactory
    Stream<DynamicTest> other_scripts_are_not_recognised() {
        return Vectors.tests(
                "htlc.json",
                where("type", "not-htlc"),
                row -> assertThat(HtlcScript.recognise(bytesOf(row, "script"))).isEmpty());
    }

    @Test
    void every_byte_outside_the_four_holes_matters() {
        Bytes script = bytesOf(Vectors.row("htlc.json", "script-basic"), "script");
        int holes = 0;
        for (int i = 0; i < script.length(); i++) {
            byte[] changed = script.toArray();
            changed[i] ^= 1;
            boolean inHole = i >= 95 && i < 127 || i >= 171 && i < 179 || i >= 262 && i < 294 || i >= 338 && i < 370;
            holes += inHole ? 1 : 0;
            assertThat(HtlcScript.isHtlc(Bytes.wrap(changed))).as("byte " + i).isEqualTo(inHole);
        }
        assertThat(holes).isEqualTo(104);
    }

    @TestFactory
    Stream<DynamicTest> locks() {
        return Vectors.tests("htlc.json", where("type", "lock"), row -> {
            Transaction tx = VectorTransactions.build(row);
            assertThat(HtlcScript.recognise(tx.outputs().get(0).script())).isPresent();
            JsonNode input = row.required("inputs").get(0);
            byte[] message = TransactionCodec.signingMessage(CHAIN, hash(row, "genesis_block_id"), tx);
            assertThat(verifies(bytes(input, "public_key"), message, bytes(row, "signature")))
                    .isTrue();
            assertThat(tx.witnesses())
                    .containsExactly(Witness.plain(PublicKey.of(bytes(input, "public_key")), bytes(row, "signature")));
        });
    }

    /** The two branches of the script, checked by their conditions; the error texts of a failing evaluation belong to the development node. */
    @TestFactory
    Stream<DynamicTest> spends() {
        return Vectors.tests("htlc.json", row -> List.of("claim", "reclaim").contains(text(row, "type")), row -> {
            Transaction tx = VectorTransactions.build(row);
            HtlcParams params = HtlcScript.recognise(
                            bytesOf(row.required("inputs").get(0), "script"))
                    .orElseThrow();
            byte[] message = TransactionCodec.signingMessage(CHAIN, hash(row, "genesis_block_id"), tx);
            Optional<HtlcSpend> spend = HtlcWitness.classify(tx.witnesses().get(0));
            boolean valid =
                    spend.isPresent() && holds(spend.get(), params, message, Vectors.u64(row, "spending_height"));
            assertThat(valid).isEqualTo(Vectors.flag(row, "valid"));
            if (valid) {
                assertThat(spend.get() instanceof HtlcSpend.Claim).isEqualTo("claim".equals(text(row, "type")));
                assertThat(steps(spend.get(), message.length))
                        .isEqualTo(integer(row, "steps").longValueExact());
            }
        });
    }

    private static boolean holds(HtlcSpend spend, HtlcParams params, byte[] message, long height) {
        byte[] signature = spend.signature().toArray();
        if (spend instanceof HtlcSpend.Claim claim) {
            return HtlcWitness.hashLockOf(claim.preimage().toArray()).equals(params.hashLock())
                    && verifies(params.receiver().toArray(), message, signature);
        }
        return params.reclaimableInBlock(height) && verifies(params.sender().toArray(), message, signature);
    }

    private static long steps(HtlcSpend spend, int messageLength) {
        return spend instanceof HtlcSpend.Claim claim
                ? TxShape.HtlcEvaluation.claimSteps(
                        messageLength, claim.preimage().length())
                : TxShape.HtlcEvaluation.reclaimSteps(messageLength);
    }

    @TestFactory
    Stream<DynamicTest> closed_form_steps() {
        return Vectors.tests("htlc.json", where("type", "steps"), row -> {
            int messageLength = integer(row, "M").intValueExact();
            int preimageLength = integer(row, "preimage_length").intValueExact();
            assertThat(TxShape.HtlcEvaluation.claimSteps(messageLength, preimageLength))
                    .isEqualTo(integer(row, "claim_steps").longValueExact());
            assertThat(TxShape.HtlcEvaluation.reclaimSteps(messageLength))
                    .isEqualTo(integer(row, "reclaim_steps").longValueExact());
        });
    }

    @TestFactory
    Stream<DynamicTest> witness_classification() {
        return Vectors.tests("htlc.json", where("type", "witness"), row -> {
            Optional<HtlcSpend> spend = HtlcWitness.classify(new Witness(bytesOf(row, "witness"), null));
            switch (text(row, "class")) {
                case "claim" ->
                    assertThat(spend)
                            .hasValueSatisfying(s -> assertThat(s)
                                    .isInstanceOfSatisfying(
                                            HtlcSpend.Claim.class,
                                            claim ->
                                                    assertThat(claim.preimage()).isEqualTo(bytesOf(row, "preimage"))));
                case "reclaim" ->
                    assertThat(spend).hasValueSatisfying(s -> assertThat(s).isInstanceOf(HtlcSpend.Reclaim.class));
                default -> assertThat(spend).isEmpty();
            }
        });
    }

    @Test
    void every_witness_we_write_is_classified_as_what_it_is() {
        byte[] signature = new byte[64];
        Arrays.fill(signature, (byte) 0x5a);
        for (int length : new int[] {0, 1, 5, 31, 32, 33, 64, 65_458, HtlcWitness.MAX_PREIMAGE_BYTES}) {
            byte[] preimage = new byte[length];
            Arrays.fill(preimage, (byte) 5);
            Witness witness = HtlcWitness.claim(preimage, signature);
            assertThat(witness.data().length()).isEqualTo(HtlcWitness.claimLength(length));
            assertThat(HtlcWitness.classify(witness))
                    .contains(new HtlcSpend.Claim(Bytes.of(preimage), Bytes.of(signature)));
            assertThat(HtlcWitness.classify(new Witness(witness.data(), Bytes.parse("00"))))
                    .as("a redeemer is ignored")
                    .isPresent();
        }
        Witness reclaim = HtlcWitness.reclaim(signature);
        assertThat(reclaim.data().length()).isEqualTo(HtlcWitness.RECLAIM_LENGTH);
        assertThat(HtlcWitness.classify(reclaim)).contains(new HtlcSpend.Reclaim(Bytes.of(signature)));
    }

    @Test
    void no_prefix_and_no_extension_of_a_spend_is_a_spend() {
        byte[] signature = new byte[64];
        for (Witness witness : List.of(
                HtlcWitness.claim(new byte[0], signature),
                HtlcWitness.claim(new byte[32], signature),
                HtlcWitness.reclaim(signature))) {
            byte[] data = witness.data().toArray();
            for (int length = 0; length <= data.length + 3; length++) {
                Witness changed = new Witness(Bytes.wrap(Arrays.copyOf(data, length)), null);
                assertThat(HtlcWitness.classify(changed).isPresent())
                        .as("length " + length)
                        .isEqualTo(length == data.length);
            }
        }
        assertThat(HtlcWitness.classify(Witness.EMPTY)).isEmpty();
    }

    @Test
    void preimages_and_signatures_of_wrong_length_are_refused() {
        assertThatThrownBy(() -> HtlcWitness.claim(new byte[65_460], new byte[64]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HtlcWitness.claim(new byte[32], new byte[63]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HtlcWitness.reclaim(new byte[65])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_reclaim_needs_a_block_strictly_above_the_timeout_compared_unsigned() {
        PublicKey key = PublicKey.parse("8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c");
        HtlcParams high = new HtlcParams(key, key, Hash256.ZERO, Long.MIN_VALUE);
        assertThat(high.reclaimableInBlock(Long.MAX_VALUE)).isFalse();
        assertThat(high.reclaimableInBlock(Long.MIN_VALUE)).isFalse();
        assertThat(high.reclaimableInBlock(Long.MIN_VALUE + 1)).isTrue();
        assertThat(new HtlcParams(key, key, Hash256.ZERO, -1L).reclaimableInBlock(-1L))
                .isFalse();
    }
}
