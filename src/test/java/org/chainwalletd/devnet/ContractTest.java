package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.devnet.ChainHarness.A;
import static org.chainwalletd.devnet.ChainHarness.B;
import static org.chainwalletd.devnet.ChainHarness.contract;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Spends of HTLC outputs with a node's reasons (chain protocol, sections 6.3 to 6.5 and 10.4). */
class ContractTest {
    private static final byte[] PREIMAGE = "a preimage of 27 characters".getBytes(StandardCharsets.US_ASCII);
    private static final long TIMEOUT = 20;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    private final ChainHarness on = new ChainHarness(chain);
    private Outpoint locked;

    @BeforeEach
    void lock() {
        locked = on.lock(contract(PREIMAGE, TIMEOUT), null, null);
    }

    private static String failure(String reason) {
        return "Transaction validation failed: ScriptEvalFailed { input_index: 0, reason: \"" + reason + "\" }";
    }

    private static String unconsumed(int used, int total) {
        return failure("script evaluation failed: WitnessError(\\\"unconsumed witness bytes: " + used + " of " + total
                + " consumed\\\")");
    }

    /** Sends the same spend with other witness data. */
    private String sendWith(Transaction tx, String witness, String redeemer) {
        Bytes extra = redeemer == null ? null : Bytes.parse(redeemer);
        return on.send(tx.withWitnesses(List.of(new Witness(Bytes.parse(witness), extra))));
    }

    private static String witness(Transaction tx) {
        return tx.witnesses().get(0).data().hex();
    }

    @Test
    void the_receiver_claims_with_the_preimage_before_and_after_the_timeout() {
        chain.mine(30);
        assertThat(on.send(on.claim(locked, B, PREIMAGE, 99_931))).isEqualTo("accepted");
    }

    @Test
    void both_encodings_of_the_claim_selector_are_valid() {
        Transaction claim = on.claim(locked, B, PREIMAGE, 99_000);
        assertThat(sendWith(claim, "0800" + witness(claim).substring(4), null)).isEqualTo("accepted");
    }

    @Test
    void both_encodings_of_the_reclaim_selector_are_valid() {
        chain.mine(30);
        Transaction reclaim = on.reclaim(locked, A, 99_000);
        assertThat(sendWith(reclaim, "0801" + witness(reclaim).substring(4), null))
                .isEqualTo("accepted");
    }

    @Test
    void a_redeemer_that_nobody_asked_for_costs_but_does_not_hurt() {
        Transaction claim = on.claim(locked, B, PREIMAGE, 99_000);
        assertThat(sendWith(claim, witness(claim), "00")).isEqualTo("accepted");
    }

    @Test
    void a_wrong_preimage_leaves_the_signature_unread() {
        assertThat(on.send(on.claim(locked, B, new byte[11], 99_000))).isEqualTo(unconsumed(18, 87));
    }

    @Test
    void a_reclaim_at_the_timeout_is_too_early_and_one_block_later_is_not() {
        chain.mine((int) (TIMEOUT - 1 - chain.node().tip().height()));
        assertThat(on.send(on.reclaim(locked, A, 99_000))).isEqualTo(unconsumed(2, 71));
        chain.mine(1);
        assertThat(on.send(on.reclaim(locked, A, 99_936))).isEqualTo("accepted");
    }

    @Test
    void only_the_named_parties_can_spend() {
        String refused = failure("script returned Bool(false) (expected Bool(true) or Right(Unit))");
        assertThat(on.send(on.claim(locked, A, PREIMAGE, 99_000))).isEqualTo(refused);
        chain.mine(30);
        assertThat(on.send(on.reclaim(locked, B, 99_000))).isEqualTo(refused);
    }

    @Test
    void witness_bytes_must_be_complete_and_consumed() {
        Transaction claim = on.claim(locked, B, PREIMAGE, 99_000);
        assertThat(sendWith(claim, witness(claim) + "00", null)).isEqualTo(unconsumed(103, 104));
        assertThat(sendWith(claim, "", null))
                .isEqualTo(failure("script evaluation failed: WitnessError(\\\"unexpected end of witness data\\\")"));
        assertThat(sendWith(claim, witness(claim).substring(0, 40), null))
                .isEqualTo(failure("script evaluation failed: WitnessError(\\\"unexpected end of witness data\\\")"));
    }

    @Test
    void a_selector_of_another_type_is_refused() {
        Transaction claim = on.claim(locked, B, PREIMAGE, 99_000);
        assertThat(sendWith(claim, "060100000000000000", null))
                .startsWith(
                        "Transaction validation failed: ScriptEvalFailed { input_index: 0, reason: \"script evaluation"
                                + " failed: WitnessError(\\\"witness type mismatch: expected Sum(Unit, Unit), got ");
    }

    @Test
    void an_output_with_only_a_datum_hash_wants_the_datum_as_redeemer() {
        byte[] datum = {1, 2, 3};
        Outpoint hashed = on.lock(contract(PREIMAGE, TIMEOUT), null, Hash256.sha256(datum));
        Transaction claim = on.claim(hashed, B, PREIMAGE, 99_000);
        assertThat(on.send(claim))
                .isEqualTo(failure(
                        "datum resolution failed: datum required: output has datum_hash but no datum provided"));
        assertThat(sendWith(claim, witness(claim), "04"))
                .isEqualTo(failure("datum resolution failed: datum hash mismatch"));
        assertThat(sendWith(claim, witness(claim), HexFormat.of().formatHex(datum)))
                .isEqualTo("accepted");
    }

    @Test
    void an_output_with_inline_datum_wants_no_redeemer() {
        byte[] datum = {1, 2, 3};
        Outpoint both = on.lock(contract(PREIMAGE, TIMEOUT), Bytes.of(datum), Hash256.sha256(datum));
        assertThat(on.send(on.claim(both, B, PREIMAGE, 99_000))).isEqualTo("accepted");
    }

    @Test
    void a_claim_pays_its_real_steps_and_not_less() {
        assertThat(on.send(on.claim(locked, B, PREIMAGE, 99_932)))
                .isEqualTo("Transaction validation failed: FeeBelowMinimum { fee: 68, min_fee: 69 }");
        assertThat(on.send(on.claim(locked, B, PREIMAGE, 99_931))).isEqualTo("accepted");
    }
}
