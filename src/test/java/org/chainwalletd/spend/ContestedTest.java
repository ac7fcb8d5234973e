package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.nio.file.Path;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.LedgerNode.Fault;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A node already has bytes that are sent for the first time: they are another payment's, or the node returns false data. */
class ContestedTest extends SpendCase {
    @TempDir
    Path elsewhere;

    ContestedTest() {
        super(50_000);
    }

    @Override
    void prepare() {
        spends.limits = SpendHarness.perDay(10_000);
    }

    private Hash256 contested(String token) {
        return refusal(SpendRefusal.Contested.class, transfer(1_000, token)).txId();
    }

    @Test
    void it_is_neither_acknowledged_nor_paid_again_whatever_its_token_asks() {
        spends.fund(payer, 40_000);
        onSend(Fault.UNTRUE);
        Hash256 txId = contested("token-contest");
        onSend(Fault.NONE);

        assertThat(contested("token-contest")).isEqualTo(txId);
        spends.devnet.mine(1);
        spends.awaitFollowed();
        assertThat(contested("token-contest")).isEqualTo(txId);
        spends.restart();
        assertThat(contested("token-contest")).isEqualTo(txId);

        assertThat(spends.coins(shop)).hasSize(1);
        assertThat(spends.intent(txId).state()).isEqualTo(IntentState.CONTESTED);
        assertThat(spends.spending.inFlightTransfers()).isZero();
        Await.until("its coins are free", () -> spends.spending.inFlightUtxos() == 0);
        assertThat(spent()).isEqualTo(Amount.of(1_069));
    }

    @Test
    void another_token_pays_with_a_transaction_of_its_own() {
        onSend(Fault.UNTRUE);
        Hash256 txId = contested("token-contest");
        onSend(Fault.NONE);
        spends.devnet.mine(1);

        Receipt other = pay(1_000, "token-other");

        assertThat(other.txId()).isNotEqualTo(txId);
        assertPaid(2);
    }

    @Test
    void what_another_daemon_with_the_key_has_sent_is_seen_before_anything_is_written() {
        Receipt first = pay(1_000, "token-first");
        spends.crash();
        spends.startOver(elsewhere);

        refusal(SpendRefusal.InFlightExhausted.class, transfer(1_000, "token-second"));

        assertThat(get(spends.store.intents().find(first.txId()))).isEmpty();
        spends.devnet.mine(1);
        pay(1_000, "token-second");
        assertPaid(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILED", "FAILED_STORAGE"})
    void a_payment_that_a_node_has_after_an_internal_error_is_made(Fault failed) {
        onSend(failed);

        Hash256 txId = pay(1_000, "token-error").txId();

        onSend(Fault.NONE);
        assertPaid(1);
        assertThat(stateOf(txId)).isEqualTo(IntentState.CONFIRMED);
        assertThat(pay(1_000, "token-error").txId()).isEqualTo(txId);
    }

    @ParameterizedTest
    @CsvSource({
        "-32602,Transaction validation failed: NoInputs",
        "-32603,'Tip changed during validation, try again'",
        "-32603,Rate limit exceeded: max 60 tx submissions per minute"
    })
    void bytes_that_a_node_has_although_it_did_not_take_them_are_contested(int code, String refusal) {
        spends.node.onSend(tx -> spends.devnet.ledger().submit(tx));
        spends.node.refuseSends(code, refusal);

        Hash256 txId = contested("token-contest");

        spends.node.refuseSends(null);
        assertThat(contested("token-contest")).isEqualTo(txId);
    }

    @Test
    void a_refused_transaction_that_becomes_the_payment_of_another_token_may_have_arrived_before() {
        refusedByNode(1_000, "token-aaaa");
        onSend(Fault.UNTRUE);

        pay(1_000, "token-bbbb");

        onSend(Fault.NONE);
        spends.confirmAll();
        pay(1_000, "token-aaaa");
        assertPaid(2);
    }
}
