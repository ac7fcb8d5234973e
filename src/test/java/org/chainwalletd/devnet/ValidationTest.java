package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.devnet.ChainHarness.A;
import static org.chainwalletd.devnet.ChainHarness.B;
import static org.chainwalletd.devnet.ChainHarness.CHAIN;
import static org.chainwalletd.devnet.ChainHarness.op;
import static org.chainwalletd.devnet.ChainHarness.to;
import static org.chainwalletd.devnet.ChainHarness.unsigned;

import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The validation table of chain protocol, section 10.4: every kind of invalid transaction, with a node's text. */
class ValidationTest {
    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    private final ChainHarness on = new ChainHarness(chain);

    private void refused(String failure, Transaction tx) {
        assertThat(on.send(tx)).isEqualTo("Transaction validation failed: " + failure);
    }

    @Test
    void a_transaction_without_outputs_is_refused() {
        Transaction tx = on.signed(A, List.of(on.fund(A, 10_000)));
        refused("NoOutputs", tx);
    }

    @Test
    void a_transaction_above_one_mebibyte_is_refused() {
        Outpoint coin = on.fund(A, 1_000_000);
        TxOutput large = new TxOutput(Amount.of(1_000), Bytes.wrap(new byte[65_000]), null, null);
        Transaction tx = on.signed(
                A, List.of(coin), Stream.generate(() -> large).limit(17).toArray(TxOutput[]::new));
        refused("TxTooLarge { size: " + TransactionCodec.length(tx) + " }", tx);
    }

    @Test
    void an_input_listed_twice_is_refused() {
        Outpoint coin = on.fund(A, 10_000);
        refused("DuplicateInput(" + op(coin) + ")", on.signed(A, List.of(coin, coin), to(B, 500)));
    }

    @Test
    void an_output_below_the_dust_threshold_is_refused() {
        Outpoint coin = on.fund(A, 10_000);
        refused("OutputBelowDust { output_index: 1, value: 199 }", on.signed(A, List.of(coin), to(B, 200), to(A, 199)));
    }

    @Test
    void a_datum_that_does_not_match_its_hash_is_refused() {
        Outpoint coin = on.fund(A, 10_000);
        TxOutput output = to(B, 500).withDatum(Bytes.parse("0102")).withDatumHash(Hash256.ZERO);
        refused("DatumHashMismatch(0)", on.signed(A, List.of(coin), output));
    }

    @Test
    void an_unknown_output_cannot_be_spent() {
        Outpoint coin = new Outpoint(on.fund(A, 10_000).txId(), 7);
        refused("UtxoNotFound(" + op(coin) + ")", on.signed(A, List.of(coin), to(B, 500)));
    }

    @Test
    void unconfirmed_outputs_cannot_be_spent() {
        Transaction first = on.signed(A, List.of(on.fund(A, 10_000)), to(A, 9_000));
        assertThat(on.send(first)).isEqualTo("accepted");
        Outpoint change = new Outpoint(TransactionCodec.txId(CHAIN, first), 0);
        refused("UtxoNotFound(" + op(change) + ")", on.signed(A, List.of(change), to(B, 8_000)));
    }

    @Test
    void output_values_beyond_the_inputs_are_refused() {
        Outpoint coin = on.fund(A, 10_000);
        refused("InsufficientInputValue", on.signed(A, List.of(coin), to(B, 10_001)));
    }

    @Test
    void sums_beyond_64_bits_are_refused() {
        Outpoint coin = on.fund(A, 10_000);
        refused("ValueOverflow", on.signed(A, List.of(coin), to(B, -1L), to(B, 200)));
    }

    @Test
    void scripts_other_than_an_address_or_the_contract_are_refused() {
        Outpoint coin = on.fund(A, 10_000);
        TxOutput empty = TxOutput.toScript(Bytes.EMPTY, Amount.of(500));
        refused("IllTypedScript(1)", on.signed(A, List.of(coin), to(A, 500), empty));
    }

    @Test
    void a_plain_witness_of_another_length_is_refused() {
        Transaction tx = on.signed(A, List.of(on.fund(A, 10_000)), to(B, 500));
        byte[] shortened = tx.witnesses().get(0).data().slice(0, 95);
        refused(
                "WitnessInvalid { input_index: 0, reason: \"witness length 95 != 96\" }",
                tx.withWitnesses(List.of(new Witness(Bytes.wrap(shortened), null))));
    }

    @Test
    void a_redeemer_on_a_plain_input_is_refused() {
        Transaction tx = on.signed(A, List.of(on.fund(A, 10_000)), to(B, 500));
        Witness redeemed = new Witness(tx.witnesses().get(0).data(), Bytes.parse("00"));
        refused("Phase1HasRedeemer { input_index: 0 }", tx.withWitnesses(List.of(redeemed)));
    }

    @Test
    void only_the_owner_of_the_address_can_spend() {
        Outpoint coin = on.fund(A, 10_000);
        refused("PubkeyHashMismatch { input_index: 0 }", on.signed(B, List.of(coin), to(B, 500)));
    }

    @Test
    void a_signature_for_another_chain_is_invalid() {
        Outpoint first = on.fund(A, 10_000);
        Outpoint second = on.fund(A, 10_000);
        Transaction tx = unsigned(List.of(first, second), to(B, 500));
        byte[] elsewhere = A.sign(Hash256.parse("11".repeat(32)), tx);
        Witness good = Witness.plain(A.key, on.sign(A, tx));
        refused(
                "SignatureInvalid { input_index: 1 }",
                tx.withWitnesses(List.of(good, Witness.plain(A.key, elsewhere))));
    }

    @Test
    void the_minimum_fee_is_accepted_and_one_less_is_not() {
        Outpoint coin = on.fund(A, 10_000);
        refused("FeeBelowMinimum { fee: 62, min_fee: 63 }", on.signed(A, List.of(coin), to(B, 9_938)));
        assertThat(on.send(on.signed(A, List.of(coin), to(B, 9_937)))).isEqualTo("accepted");
    }

    @Test
    void the_step_budget_ends_at_1623_inputs() {
        List<Outpoint> coins = on.manySmall(7);
        chain.mine(1);
        refused(
                "ScriptEvalFailed { input_index: 1623, reason: \"total script cost 20007680 exceeds"
                        + " per-transaction budget 20000000\" }",
                on.signed(A, coins.subList(0, 1_624), to(B, 200_000)));
        assertThat(on.send(on.signed(A, coins.subList(0, 1_623), to(B, 200_000))))
                .isEqualTo("accepted");
    }

    @Test
    void a_coinbase_shape_is_refused() {
        Transaction coinbase = unsigned(List.of(new Outpoint(Hash256.ZERO, 11)), to(A, 500));
        assertThat(on.send(coinbase.withWitnesses(List.of(Witness.EMPTY))))
                .isEqualTo("Mempool pre-check failed: coinbase transactions not allowed");
    }

    @Test
    void the_first_of_two_conflicting_payments_wins() {
        Outpoint coin = on.fund(A, 10_000);
        Transaction first = on.signed(A, List.of(coin), to(B, 9_000));
        assertThat(on.send(first)).isEqualTo("accepted");
        assertThat(on.send(first)).isEqualTo("Mempool pre-check failed: transaction already in mempool");
        assertThat(on.send(on.signed(A, List.of(coin), to(B, 500))))
                .isEqualTo("Mempool pre-check failed: double-spend of " + op(coin));
        chain.mine(1);
        refused("UtxoNotFound(" + op(coin) + ")", first);
    }

    @Test
    void the_same_transaction_with_another_witness_is_the_same_transaction() {
        Outpoint contract = on.lock(ChainHarness.contract(new byte[32], 1_000), null, null);
        Transaction claim = on.claim(contract, B, new byte[32], 90_000);
        Witness usual = claim.witnesses().get(0);
        byte[] data = usual.data().toArray();
        data[0] = 8;
        assertThat(on.send(claim)).isEqualTo("accepted");
        assertThat(on.send(claim.withWitnesses(List.of(new Witness(Bytes.wrap(data), null)))))
                .isEqualTo("Mempool pre-check failed: transaction already in mempool");
    }

    @Test
    void data_beyond_the_limits_of_the_encoding_is_refused_by_the_parser() {
        assertThat(on.sendHex(Vectors.text(Vectors.row("transactions-malformed.json", "datum-4097"), "serialised")))
                .startsWith("Failed to deserialize transaction: InvalidData(\"");
    }
}
