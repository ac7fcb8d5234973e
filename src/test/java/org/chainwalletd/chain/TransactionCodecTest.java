package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.chainwalletd.chain.VectorTransactions.CHAIN;
import static org.chainwalletd.chain.VectorTransactions.hash;
import static org.chainwalletd.testkit.Vectors.bytes;
import static org.chainwalletd.testkit.Vectors.integer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class TransactionCodecTest {
    private static final Hash256 ID = Hash256.parse("aa".repeat(32));
    private static final TxOutput PLAIN = TxOutput.toAddress(Address.parse("bb".repeat(32)), Amount.of(1000));

    @TestFactory
    Stream<DynamicTest> transaction_vectors() {
        return Vectors.tests("transactions.json", TransactionCodecTest::checkTransaction);
    }

    @TestFactory
    Stream<DynamicTest> htlc_transaction_vectors() {
        return Vectors.tests("htlc.json", row -> row.has("serialised"), TransactionCodecTest::checkTransaction);
    }

    private static void checkTransaction(JsonNode row) {
        Transaction tx = VectorTransactions.build(row);
        byte[] serialised = bytes(row, "serialised");
        assertThat(TransactionCodec.encode(tx)).isEqualTo(serialised);
        assertThat(TransactionCodec.decode(serialised)).isEqualTo(tx);
        checkIdsAndLengths(row, CHAIN, tx);
    }

    @TestFactory
    Stream<DynamicTest> other_brand_vectors() {
        return Vectors.tests("other-brand.json", Vectors.where("type", "transaction"), row -> {
            Transaction tx = TransactionCodec.decode(bytes(row, "serialised"));
            assertThat(TransactionCodec.encode(tx)).isEqualTo(bytes(row, "serialised"));
            checkIdsAndLengths(row, ChainProfile.of(Vectors.text(row, "brand")), tx);
        });
    }

    private static void checkIdsAndLengths(JsonNode row, ChainProfile profile, Transaction tx) {
        assertThat(TransactionCodec.txId(profile, tx)).isEqualTo(hash(row, "tx_id"));
        assertThat(TransactionCodec.witnessTxId(profile, tx)).isEqualTo(hash(row, "witness_tx_id"));
        byte[] message = TransactionCodec.signingMessage(profile, hash(row, "genesis_block_id"), tx);
        assertThat(message).isEqualTo(bytes(row, "sig_message"));
        assertThat(TransactionCodec.signingMessageLength(tx)).isEqualTo(message.length);
        assertThat(TransactionCodec.unsignedLength(tx)).isEqualTo(TransactionCodec.encodeUnsigned(tx).length);
        assertThat(TransactionCodec.length(tx)).isEqualTo(bytes(row, "serialised").length);
        if (row.has("M")) {
            assertThat(message.length).isEqualTo(integer(row, "M").intValueExact());
            assertThat(TransactionCodec.length(tx))
                    .isEqualTo(integer(row, "size").intValueExact());
        }
    }

    /** Error texts of the recorded node if they exist; for the two limits our own. */
    private static final Map<String, String> EXPECTED = Map.ofEntries(
            Map.entry("empty", "UNEXPECTED_EOF"),
            Map.entry("three-bytes", "UNEXPECTED_EOF"),
            Map.entry("truncated-by-one", "UNEXPECTED_EOF"),
            Map.entry("script-length-past-end", "UNEXPECTED_EOF"),
            Map.entry("input-count-65535", "UNEXPECTED_EOF"),
            Map.entry("trailing-byte", "TRAILING_BYTES 227 of 228"),
            Map.entry("datum-flag-02", "INVALID_DATA non-canonical has_datum flag: 2 (expected 0 or 1)"),
            Map.entry("datum-hash-flag-ff", "INVALID_DATA non-canonical has_datum_hash flag: 255 (expected 0 or 1)"),
            Map.entry("redeemer-flag-02", "INVALID_DATA non-canonical has_redeemer flag: 2 (expected 0 or 1)"),
            Map.entry("datum-4097", "INVALID_DATA datum size 4097 exceeds maximum 4096"),
            Map.entry("redeemer-16385", "INVALID_DATA redeemer size 16385 exceeds maximum 16384"));

    @TestFactory
    Stream<DynamicTest> malformed_vectors_are_refused_in_the_words_of_a_node() {
        return Vectors.tests("transactions-malformed.json", row -> {
            DecodeException refusal = catchThrowableOfType(
                    DecodeException.class, () -> TransactionCodec.decode(bytes(row, "serialised")));
            String said = switch (refusal.kind()) {
                case UNEXPECTED_EOF -> "UNEXPECTED_EOF";
                case INVALID_DATA -> "INVALID_DATA " + refusal.detail();
                case TRAILING_BYTES -> "TRAILING_BYTES " + refusal.position() + " of " + refusal.total();
            };
            assertThat(said).isEqualTo(EXPECTED.get(Vectors.text(row, "name")));
            assertThat(refusal).hasMessageContaining("at byte " + refusal.position());
        });
    }

    @Test
    void a_transaction_without_inputs_and_outputs_is_four_zero_bytes() {
        Transaction empty = Transaction.unsigned(List.of(), List.of());
        assertThat(TransactionCodec.encode(empty)).isEqualTo(new byte[4]);
        assertThat(TransactionCodec.decode(new byte[4])).isEqualTo(empty);
    }

    @Test
    void nothing_is_signed_with_a_zero_genesis_id() {
        Transaction tx = Transaction.unsigned(List.of(new Outpoint(ID, 0)), List.of(PLAIN));
        assertThatThrownBy(() -> TransactionCodec.signingMessage(CHAIN, Hash256.ZERO, tx))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void encoding_needs_one_witness_per_input() {
        Transaction tx = Transaction.unsigned(List.of(new Outpoint(ID, 0)), List.of(PLAIN));
        assertThatThrownBy(() -> TransactionCodec.encode(tx)).isInstanceOf(IllegalArgumentException.class);
        assertThat(TransactionCodec.encodeUnsigned(tx)).hasSize(84);
    }

    @Test
    void encoding_refuses_what_decoding_would_refuse() {
        List<Outpoint> one = List.of(new Outpoint(ID, 0));
        Transaction datum = Transaction.unsigned(one, List.of(PLAIN.withDatum(Bytes.wrap(new byte[4097]))));
        Transaction script =
                Transaction.unsigned(one, List.of(TxOutput.toScript(Bytes.wrap(new byte[65_536]), Amount.of(1))));
        Transaction redeemer =
                new Transaction(one, List.of(PLAIN), List.of(new Witness(Bytes.EMPTY, Bytes.wrap(new byte[16_385]))));
        Transaction count = Transaction.unsigned(Collections.nCopies(65_536, one.get(0)), List.of(PLAIN));
        for (Transaction tx : List.of(datum, script, redeemer, count)) {
            assertThatThrownBy(() -> TransactionCodec.encode(tx.withWitnesses(
                            tx.witnesses().isEmpty()
                                    ? Collections.nCopies(tx.inputs().size(), Witness.EMPTY)
                                    : tx.witnesses())))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static List<Transaction> sequence(byte[] bytes, long count) {
        ByteReader in = new ByteReader(bytes);
        List<Transaction> transactions = TransactionCodec.readSequence(in, count);
        in.end("transactions");
        return transactions;
    }

    @Test
    void a_sequence_of_transactions_fills_its_bytes_exactly() {
        ByteArrayOutputStream blocks = new ByteArrayOutputStream();
        List<Transaction> expected = Vectors.rows("transactions.json").stream()
                .map(VectorTransactions::build)
                .toList();
        expected.forEach(tx -> blocks.writeBytes(TransactionCodec.encode(tx)));
        byte[] bytes = blocks.toByteArray();
        assertThat(sequence(bytes, expected.size())).isEqualTo(expected);
        assertThatThrownBy(() -> sequence(bytes, expected.size() - 1))
                .isInstanceOfSatisfying(
                        DecodeException.class,
                        e -> assertThat(e.kind()).isEqualTo(DecodeException.Kind.TRAILING_BYTES));
        for (long count : new long[] {expected.size() + 1, 0xffff_ffffL, Long.MAX_VALUE, -1}) {
            assertThatThrownBy(() -> sequence(bytes, count))
                    .isInstanceOfSatisfying(
                            DecodeException.class,
                            e -> assertThat(e.kind()).isEqualTo(DecodeException.Kind.UNEXPECTED_EOF));
        }
    }

    @Test
    void an_output_is_read_and_written_on_its_own() {
        TxOutput output = PLAIN.withDatum(Bytes.EMPTY).withDatumHash(Hash256.sha256(new byte[0]));
        assertThat(TransactionCodec.decodeOutput(TransactionCodec.encodeOutput(output)))
                .isEqualTo(output);
        assertThat(output.datumMatchesHash()).isTrue();
        assertThat(output.withDatum(Bytes.parse("00")).datumMatchesHash()).isFalse();
        assertThat(TransactionCodec.encodeOutput(PLAIN)).hasSize(44);
    }
}
