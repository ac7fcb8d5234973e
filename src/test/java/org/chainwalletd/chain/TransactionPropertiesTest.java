package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.chainwalletd.chain.VectorTransactions.CHAIN;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.chainwalletd.chain.TxShape.InputKind;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.Test;

class TransactionPropertiesTest {
    private final RandomTransactions random = new RandomTransactions(Seeded.random("TransactionPropertiesTest"));

    @Test
    void decoding_undoes_encoding() {
        for (int i = 0; i < 500; i++) {
            Transaction tx = random.any();
            byte[] bytes = TransactionCodec.encode(tx);
            assertThat(TransactionCodec.decode(bytes)).isEqualTo(tx);
            assertThat(TransactionCodec.length(tx)).isEqualTo(bytes.length);
            assertThat(Arrays.copyOf(bytes, (int) TransactionCodec.unsignedLength(tx)))
                    .isEqualTo(TransactionCodec.encodeUnsigned(tx));
        }
    }

    @Test
    void the_id_ignores_witnesses_and_the_witness_id_does_not() {
        for (int i = 0; i < 50; i++) {
            Transaction tx = random.any();
            if (tx.inputs().isEmpty()) {
                continue;
            }
            Transaction other = tx.withWitnesses(
                    Collections.nCopies(tx.inputs().size(), new Witness(Bytes.parse("c0ffee"), Bytes.parse("00"))));
            assertThat(TransactionCodec.txId(CHAIN, other)).isEqualTo(TransactionCodec.txId(CHAIN, tx));
            assertThat(TransactionCodec.witnessTxId(CHAIN, other))
                    .isNotEqualTo(TransactionCodec.witnessTxId(CHAIN, tx));
        }
    }

    @Test
    void no_prefix_of_a_transaction_is_a_transaction() {
        for (byte[] bytes : samples()) {
            for (int length = 0; length < bytes.length; length++) {
                byte[] prefix = Arrays.copyOf(bytes, length);
                DecodeException refusal =
                        catchThrowableOfType(DecodeException.class, () -> TransactionCodec.decode(prefix));
                assertThat(refusal).as("length " + length).isNotNull();
                assertThat(refusal.kind()).isEqualTo(DecodeException.Kind.UNEXPECTED_EOF);
            }
        }
    }

    @Test
    void every_one_byte_change_decodes_to_other_bytes_that_encode_back_or_is_refused() {
        for (byte[] bytes : samples()) {
            byte[] changed = bytes.clone();
            for (int at = 0; at < bytes.length; at++) {
                for (int flip : new int[] {0x01, 0x02, 0x80, 0xff}) {
                    changed[at] = (byte) (bytes[at] ^ flip);
                    checkDecodesCanonically(changed);
                }
                changed[at] = bytes[at];
            }
        }
    }

    @Test
    void decoding_allocates_in_proportion_to_its_input() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] worst = new byte[1 << 20];
        List<byte[]> hostile = new ArrayList<>(samples());
        for (int counts : new int[] {0x0000_ffff, 0xffff_0000, 0xffff_ffff}) {
            for (int length : new int[] {4, 5, 1_000, worst.length}) {
                byte[] bytes = Arrays.copyOf(worst, length);
                LittleEndian.putInt(bytes, 0, counts);
                hostile.add(bytes);
            }
        }
        for (byte[] bytes : hostile) {
            // The first time includes the cost of class loading and linking.
            decodeOrRefuse(bytes);
            long before = threads.getCurrentThreadAllocatedBytes();
            decodeOrRefuse(bytes);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("input of " + bytes.length).isLessThan(16 * 1024 + 16L * bytes.length);
        }
    }

    private static void decodeOrRefuse(byte[] bytes) {
        try {
            TransactionCodec.decode(bytes);
        } catch (DecodeException expected) {
            assertThat(expected.position()).isLessThanOrEqualTo(bytes.length);
        }
    }

    private static void checkDecodesCanonically(byte[] bytes) {
        Transaction tx;
        try {
            tx = TransactionCodec.decode(bytes);
        } catch (DecodeException expected) {
            return;
        }
        assertThat(TransactionCodec.encode(tx)).isEqualTo(bytes);
    }

    private static List<byte[]> samples() {
        List<byte[]> samples = new ArrayList<>();
        for (String name : List.of("payment-datum-and-hash", "two-inputs-two-keys", "payment-empty-datum")) {
            samples.add(Vectors.bytes(Vectors.row("transactions.json", name), "serialised"));
        }
        for (String name : List.of("lock-basic", "claim-with-redeemer")) {
            samples.add(Vectors.bytes(Vectors.row("htlc.json", name), "serialised"));
        }
        return samples;
    }

    @Test
    void an_estimate_from_counts_and_lengths_costs_what_the_finished_transaction_costs() {
        for (int round = 0; round < 200; round++) {
            List<Outpoint> inputs = new ArrayList<>();
            List<Witness> witnesses = new ArrayList<>();
            List<InputKind> kinds = new ArrayList<>();
            List<TxOutput> outputs = new ArrayList<>();
            TxShape estimate = TxShape.EMPTY;
            for (int i = random.below(5); i >= 0; i--) {
                TxOutput output = random.output();
                outputs.add(output);
                estimate = estimate.plusOutput(output);
            }
            for (int i = random.below(12); i >= 0; i--) {
                inputs.add(random.outpoint());
                int preimage = random.below(300);
                int kind = random.below(4);
                kinds.add(kind > 2 ? InputKind.PLAIN : InputKind.HTLC);
                switch (kind) {
                    case 0 -> {
                        witnesses.add(HtlcWitness.claim(new byte[preimage], new byte[64]));
                        estimate = estimate.plusClaim(preimage);
                    }
                    case 1 -> {
                        witnesses.add(HtlcWitness.reclaim(new byte[64]));
                        estimate = estimate.plusReclaim();
                    }
                    case 2 -> {
                        Witness claim = HtlcWitness.claim(new byte[preimage], new byte[64]);
                        witnesses.add(new Witness(claim.data(), Bytes.wrap(new byte[preimage])));
                        estimate = estimate.plusClaim(preimage).plusRedeemer(preimage);
                    }
                    default -> {
                        witnesses.add(Witness.plain(PublicKey.of(new byte[32]), new byte[64]));
                        estimate = estimate.plusPlainInputs(1);
                    }
                }
            }
            Transaction tx = new Transaction(inputs, outputs, witnesses);
            TxShape finished = TxShape.of(tx, kinds);
            assertThat(estimate.cost()).isEqualTo(finished.cost());
            assertThat(estimate.minimumFee()).isEqualTo(finished.minimumFee());
            assertThat(estimate.steps()).isEqualTo(finished.steps());
            assertThat(estimate.size()).isEqualTo(TransactionCodec.length(tx));
            assertThat(estimate.signingMessageLength()).isEqualTo(TransactionCodec.signingMessageLength(tx));
            assertThat(estimate.inputs()).isEqualTo(inputs.size());
            assertThat(estimate.outputs()).isEqualTo(outputs.size());
        }
    }

    @Test
    void every_htlc_is_recognised_with_its_parameters() {
        for (int i = 0; i < 200; i++) {
            HtlcParams params = random.htlc();
            assertThat(HtlcScript.recognise(HtlcScript.build(params))).contains(params);
        }
    }

    /** Transactions of every shape that the encoding allows, mostly small, reproducible from a seed. */
    private static final class RandomTransactions {
        private final Random random;

        RandomTransactions(Random random) {
            this.random = random;
        }

        Transaction any() {
            List<Outpoint> inputs = new ArrayList<>();
            List<Witness> witnesses = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                inputs.add(outpoint());
                witnesses.add(new Witness(bytes(150, 65_535), random.nextInt(4) == 0 ? bytes(40, 16_384) : null));
            }
            List<TxOutput> outputs = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                outputs.add(output());
            }
            return new Transaction(inputs, outputs, witnesses);
        }

        Outpoint outpoint() {
            return new Outpoint(hash(), random.nextInt() & 0xffff_ffffL);
        }

        TxOutput output() {
            Bytes script = switch (random.nextInt(4)) {
                case 0 -> HtlcScript.build(htlc());
                case 1 -> bytes(60, 65_535);
                default -> Bytes.wrap(hash().toArray());
            };
            return new TxOutput(
                    Amount.ofUnsigned(random.nextLong()),
                    script,
                    random.nextInt(3) == 0 ? bytes(80, 4_096) : null,
                    random.nextInt(3) == 0 ? hash() : null);
        }

        HtlcParams htlc() {
            return new HtlcParams(
                    PublicKey.of(hash().toArray()), PublicKey.of(hash().toArray()), hash(), random.nextLong());
        }

        Hash256 hash() {
            byte[] bytes = new byte[32];
            random.nextBytes(bytes);
            return Hash256.of(bytes);
        }

        int below(int bound) {
            return random.nextInt(bound);
        }

        /** Returns mostly less than {@code usual} bytes, occasionally exactly the limit. */
        Bytes bytes(int usual, int limit) {
            byte[] bytes = new byte[random.nextInt(50) == 0 ? limit : random.nextInt(usual)];
            random.nextBytes(bytes);
            return Bytes.wrap(bytes);
        }
    }
}
