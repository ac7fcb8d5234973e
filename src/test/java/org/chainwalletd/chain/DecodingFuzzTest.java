package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;

/**
 * Hostile bytes for every decoder of the package: each decoder either returns a value that encodes to the same bytes, or throws
 * {@link DecodeException}. A normal build replays the corpus under {@code DecodingFuzzTestInputs};
 * {@code JAZZER_FUZZ=1 mvn test -Djazzer.hooks=true -Dtest='DecodingFuzzTest#transactions'} searches for new inputs, one method at a time.
 */
class DecodingFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void transactions(byte[] bytes) {
        Transaction tx;
        try {
            tx = TransactionCodec.decode(bytes);
        } catch (DecodeException expected) {
            return;
        }
        assertThat(TransactionCodec.encode(tx)).isEqualTo(bytes);
        tx.witnesses().forEach(HtlcWitness::classify);
    }

    @FuzzTest(maxDuration = "5m")
    void blocks(byte[] bytes) {
        Block block;
        try {
            block = Block.decode(bytes);
        } catch (DecodeException expected) {
            return;
        }
        assertThat(block.encode()).isEqualTo(bytes);
    }

    @FuzzTest(maxDuration = "5m")
    void scripts(byte[] bytes) {
        HtlcScript.recognise(Bytes.of(bytes))
                .ifPresent(params -> assertThat(HtlcScript.build(params)).isEqualTo(Bytes.of(bytes)));
        try {
            ScriptProgram.decode(bytes).structuralHash(ChainProfile.of("chain"), ScriptProgram.HashVariant.B);
        } catch (DecodeException expected) {
            assertThat(HtlcScript.isHtlc(Bytes.of(bytes))).isFalse();
        }
    }

    @FuzzTest(maxDuration = "5m")
    void witnesses(byte[] bytes) {
        Witness witness = new Witness(Bytes.of(bytes), null);
        HtlcWitness.classify(witness).ifPresent(spend -> {
            byte[] signature = spend.signature().toArray();
            Witness usual = spend instanceof HtlcSpend.Claim claim
                    ? HtlcWitness.claim(claim.preimage().toArray(), signature)
                    : HtlcWitness.reclaim(signature);
            assertThat(usual.data().slice(2, usual.data().length()))
                    .isEqualTo(witness.data().slice(2, bytes.length));
        });
    }
}
