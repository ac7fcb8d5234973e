package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.StoreFaults;
import org.chainwalletd.testkit.Walks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Externally signed transactions are on disk before a node receives them, and afterwards with their outcome. */
@Walks({CrashPoint.SPEND_AFTER_INTENT, CrashPoint.SPEND_AFTER_BROADCAST})
class RawSendsTest extends SpendCase {
    private static final String REFUSAL = "Mempool rejected transaction: fee density too low for mempool";

    RawSendsTest() {
        super(10_000, 10_000);
    }

    /** Signals that the process dies. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @AfterEach
    void watchNothing() {
        CrashPoint.watch(null);
    }

    private Transaction raw(long amount) {
        return spends.foreign(payer, spends.coins(payer).get(0).outpoint(), shop, amount);
    }

    private CompletionStage<Hash256> send(Transaction tx) {
        return spends.spending.sendRaw(Bytes.wrap(TransactionCodec.encode(tx)), "worker");
    }

    private static Hash256 idOf(Transaction tx) {
        return TransactionCodec.txId(SpendHarness.PROFILE, tx);
    }

    private List<PastSpend> all() {
        return get(spends.store.history().after(0, 10));
    }

    private PastSpend only() {
        assertThat(all()).hasSize(1);
        return all().get(0);
    }

    private boolean isInMempool(Transaction tx) {
        return get(spends.node.transaction(idOf(tx))).isPresent();
    }

    @Test
    void it_is_recorded_before_a_node_gets_it_and_accepted_afterwards() {
        Transaction tx = raw(9_000);
        List<PastSpend> before = new ArrayList<>();
        spends.node.onSend(sent -> before.addAll(all()));

        assertThat(get(send(tx))).isEqualTo(idOf(tx));

        assertThat(before).singleElement().satisfies(spend -> {
            assertThat(spend.state()).isEqualTo(IntentState.PREPARED);
            assertThat(spend.txId()).isEqualTo(idOf(tx));
        });
        OwnPayment told = OwnPayment.of(only());
        assertThat(only().state()).isEqualTo(IntentState.ACCEPTED);
        assertThat(only().details().tokenName()).contains("worker");
        assertThat(told.from()).contains(payer);
        assertThat(told.amounts().amount()).contains(Amount.of(9_000));
        assertThat(told.amounts().fee()).isEmpty();
        assertThat(told.outputs().orElseThrow())
                .containsExactly(new Receipt.PaidOutput(tx.outputs().get(0), false));
        assertThat(spends.spending.inFlightTransfers()).isZero();
    }

    @Test
    void one_that_no_node_accepts_is_refused_and_may_be_sent_again() {
        spends.node.refuseSends(REFUSAL);
        Transaction tx = raw(9_000);
        SpendRefusal.UpstreamFailed refused = refusal(SpendRefusal.UpstreamFailed.class, send(tx));
        assertThat(refused.message())
                .contains("fee density too low")
                .contains("transaction " + idOf(tx) + " was sent and refused");
        assertThat(refused.sent()).contains(idOf(tx));
        assertThat(only().state()).isEqualTo(IntentState.REFUSED);

        spends.node.refuseSends(null);
        get(send(tx));
        assertThat(only().state()).isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void one_whose_coin_no_node_knows_yet_is_named() {
        Transaction tx = raw(9_000);
        spends.node.faults(method -> switch (method) {
            case "send_raw_transaction", "get_transaction" -> LedgerNode.Fault.LAGGING;
            default -> LedgerNode.Fault.NONE;
        });

        SpendRefusal.UpstreamFailed early = refusal(SpendRefusal.UpstreamFailed.class, send(tx));

        assertThat(early.message()).contains("has the block of each input yet");
        assertThat(early.sent()).contains(idOf(tx));
    }

    @Test
    void one_that_never_leaves_the_daemon_is_not_named() {
        spends.node.fault("send_raw_transaction", LedgerNode.Fault.FORESEEN);

        assertThat(refusal(SpendRefusal.UpstreamFailed.class, send(raw(9_000))).sent())
                .isEmpty();
    }

    @Test
    void one_that_has_lost_its_coin_is_conflicted() {
        Transaction tx = raw(9_000);
        get(send(raw(8_000)));
        refusal(SpendRefusal.DoubleSpend.class, send(tx));
        assertThat(all()).extracting(PastSpend::state).containsExactly(IntentState.ACCEPTED, IntentState.CONFLICTED);
    }

    @Test
    void one_whose_answer_is_lost_stays_unknown_until_it_is_sent_again() {
        Transaction tx = raw(9_000);
        spends.node.faults(method -> LedgerNode.Fault.LOST_QUESTION);
        assertThat(refusal(SpendRefusal.UpstreamFailed.class, send(tx)).message())
                .contains("unknown");
        assertThat(only().state()).isEqualTo(IntentState.PREPARED);

        spends.node.faults(method -> LedgerNode.Fault.NONE);
        spends.node.refuseSends(REFUSAL);
        refusal(SpendRefusal.UpstreamFailed.class, send(tx));
        assertThat(only().state()).as("the first may have arrived").isEqualTo(IntentState.PREPARED);
        spends.node.refuseSends(null);
        get(send(tx));
        assertThat(only().state()).isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void a_spend_of_the_daemon_that_is_sent_raw_is_reported_once() {
        Hash256 own = pay(1_000, "token-own").txId();
        Bytes bytes = spends.intent(own).transaction();
        assertThat(get(spends.spending.sendRaw(bytes, "worker"))).isEqualTo(own);
        assertThat(only().kind()).isEqualTo("transfer");
    }

    @Test
    void two_callers_at_once_have_one_row() {
        Transaction tx = raw(9_000);
        List<CompletionStage<Hash256>> both = List.of(send(tx), send(tx));
        both.forEach(answer -> assertThat(get(answer)).isEqualTo(idOf(tx)));
        assertThat(only().state()).isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void nothing_is_sent_that_cannot_be_recorded_and_an_outcome_that_cannot_is_answered_nevertheless() {
        Transaction tx = raw(9_000);
        StoreFaults.failWrites(spends.store, true);
        assertThatThrownBy(() -> get(send(tx)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot be written");
        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");
        StoreFaults.failWrites(spends.store, false);
        assertThat(all()).isEmpty();

        spends.node.onSend(sent -> StoreFaults.failWrites(spends.store, true));
        assertThat(get(send(tx))).isEqualTo(idOf(tx));
        assertThat(only().state()).isEqualTo(IntentState.PREPARED);
        StoreFaults.failWrites(spends.store, false);
        spends.node.onSend(sent -> {});
        get(send(tx));
        assertThat(only().state()).isEqualTo(IntentState.ACCEPTED);
    }

    @Test
    void bytes_that_are_no_transaction_leave_no_row() {
        assertThatThrownBy(() -> get(spends.spending.sendRaw(Bytes.parse("0102"), "worker")))
                .isInstanceOf(RuntimeException.class);
        assertThat(all()).isEmpty();
    }

    @Test
    void a_daemon_that_dies_tells_afterwards_that_it_does_not_know() {
        for (CrashPoint point : List.of(CrashPoint.SPEND_AFTER_INTENT, CrashPoint.SPEND_AFTER_BROADCAST)) {
            Transaction tx = raw(9_000);
            CrashPoint.watch(reached -> {
                if (reached == point) {
                    throw new Killed();
                }
            });
            assertThatThrownBy(() -> get(send(tx))).isInstanceOf(Killed.class);
            CrashPoint.watch(null);
            spends.restart();
            assertThat(isInMempool(tx)).isEqualTo(point == CrashPoint.SPEND_AFTER_BROADCAST);
            PastSpend told = get(spends.store.history().ofTransaction(idOf(tx))).orElseThrow();
            assertThat(told.state()).isEqualTo(IntentState.PREPARED);

            assertThat(get(send(tx))).isEqualTo(idOf(tx));
            PastSpend again =
                    get(spends.store.history().ofTransaction(idOf(tx))).orElseThrow();
            assertThat(again.number()).isEqualTo(told.number());
            assertThat(again.state()).isEqualTo(IntentState.ACCEPTED);
            spends.devnet.mine(1);
        }
    }

    @Test
    void of_a_large_transaction_the_count_and_the_sum_are_kept_and_of_an_absurd_one_no_sum() {
        List<Outpoint> inputs = Collections.nCopies(300, new Outpoint(Hash256.ZERO, 0xffff_ffffL));
        List<Witness> scripts = Collections.nCopies(300, new Witness(Bytes.parse("0102"), null));
        TxOutput lock =
                TxOutput.toScript(Bytes.parse("51".repeat(1_000)), Amount.of(7)).withDatum(Bytes.parse("00"));
        Transaction many = new Transaction(inputs, Collections.nCopies(251, lock), scripts);
        RawContent content = RawContent.of(many, Optional.empty());
        assertThat(RawContent.read(content.encode())).isEqualTo(content);
        assertThat(content.outputs()).isEmpty();
        assertThat(content.outputCount()).isEqualTo(251);
        assertThat(content.paid()).contains(Amount.of(251 * 7));
        assertThat(content.inputs()).hasSize(RawContent.MAX_INPUTS);
        assertThat(RawContent.sender(SpendHarness.PROFILE, many)).isEmpty();

        TxOutput most = TxOutput.toAddress(shop, Amount.MAX);
        Transaction absurd = new Transaction(inputs, Collections.nCopies(250, most), scripts);
        RawContent told = RawContent.of(absurd, Optional.of(payer));
        assertThat(RawContent.read(told.encode())).isEqualTo(told);
        assertThat(told.paid()).isEmpty();
        assertThat(told.outputs().orElseThrow()).hasSize(250);
        assertThat(RawContent.of(absurd, Optional.of(shop)).paid()).contains(Amount.ZERO);
        assertThat(RawContent.of(many, Optional.empty()).encode().length()).isLessThan(16_384);
        assertThat(told.encode().length()).isLessThan(16_384);
    }
}
