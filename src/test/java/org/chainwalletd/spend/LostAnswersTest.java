package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Commits that are on disk although their answers were lost: a row found in the target state may be our own write, and the payment must
 * continue.
 */
class LostAnswersTest extends SpendCase {
    private static final int ALL = Integer.MAX_VALUE;

    /** Number of answers of each method that get lost from now on. */
    private final Map<String, AtomicInteger> losses = new ConcurrentHashMap<>();

    /** Method whose commits get no further than the log. */
    private volatile String inLog = "";

    /** Whether a spend is closed as lost just before it is found to be accepted. */
    private final AtomicBoolean closing = new AtomicBoolean();

    /** Commit that may take effect after the next start. */
    private volatile Optional<Stub.Call> leftInLog = Optional.empty();

    LostAnswersTest() {
        super(10_000);
    }

    @Override
    void prepare() {
        spends.before = store -> Stub.of(IntentStore.class, call -> answer(store, call));
        spends.opened = this::recover;
    }

    @BeforeEach
    void mine() {
        spends.devnet.mine(1);
    }

    private Object answer(IntentStore store, Stub.Call call) throws Throwable {
        if (call.name().equals(inLog)) {
            leftInLog = Optional.of(call);
            return unknown();
        }
        if (call.name().equals("findForCertain")) {
            leftInLog = Optional.empty();
        }
        if (call.name().equals("accept") && closing.compareAndSet(true, false)) {
            Hash256 txId = (Hash256) call.arguments()[0];
            Await.result(store.failSent(txId, IntentState.PREPARED, IntentState.CONFLICTED, "", 1));
        }
        Object answer = call.on(store);
        AtomicInteger left = losses.get(call.name());
        return left == null || left.getAndDecrement() <= 0
                ? answer
                : ((CompletionStage<?>) answer).thenCompose(done -> unknown());
    }

    private static CompletableFuture<Object> unknown() {
        return CompletableFuture.failedFuture(
                new StoreException(StoreException.Reason.UNKNOWN, "the disk fails", null));
    }

    /** Applies a commit left in the log, unless another one was written over it. */
    private void recover(Store store) {
        leftInLog.ifPresent(commit -> Await.result(commit.stage(store.intents())));
    }

    private void lose(String method, int answers) {
        losses.put(method, new AtomicInteger(answers));
    }

    private boolean isLost(String method) {
        return losses.get(method).get() < ALL;
    }

    private Receipt paid() {
        return pay(1_000, "token-lost-answer");
    }

    private void loseLastBlock() {
        spends.devnet.reorganise(1, false, List.of());
    }

    @Test
    void what_a_reorganisation_removed_is_sent_again_although_nobody_heard_that_it_is_in_flight() {
        Receipt receipt = paid();
        spends.confirmAll();
        lose("unconfirm", 1);

        loseLastBlock();

        spends.awaitAtNode("the node has it again", receipt.txId());
        spends.confirmAll();
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);
    }

    @Test
    void what_comes_back_before_anybody_has_heard_that_it_was_gone_is_confirmed() {
        Receipt receipt = paid();
        Transaction tx =
                spends.devnet.ledger().transaction(receipt.txId()).orElseThrow().tx();
        spends.confirmAll();
        lose("unconfirm", ALL);
        loseLastBlock();
        Await.until("it is in flight, and nobody knows", () -> isLost("unconfirm"));
        Await.until("that is on disk", () -> stateOf(receipt.txId()).inFlight());

        spends.devnet.ledger().submit(tx);
        spends.devnet.mine(1);

        spends.awaitAwake("it is confirmed", () -> stateOf(receipt.txId()) == IntentState.CONFIRMED);
        Await.until("its coins are let go", () -> spends.spending.inFlightUtxos() == 0);
    }

    @Test
    void a_spend_is_watched_until_it_is_buried_although_nobody_heard_that_it_is_confirmed() {
        Receipt receipt = paid();
        lose("confirm", 1);
        spends.confirmAll();
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);

        loseLastBlock();

        spends.awaitAtNode("the node has it again", receipt.txId());
        spends.confirmAll();
    }

    @Test
    void what_a_block_has_is_confirmed_although_it_was_closed_as_lost_before() {
        Receipt receipt = paid();
        Await.until("it is watched", () -> spends.spending.inFlightTransfers() == 1);
        get(spends.store
                .intents()
                .failSent(
                        receipt.txId(), IntentState.ACCEPTED, IntentState.CONFLICTED, "a lie", spends.clock.millis()));

        spends.confirmAll();

        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);
        assertThat(paid()).isEqualTo(receipt);
    }

    @Test
    void a_spend_that_is_contested_in_the_store_is_not_in_flight_indefinitely() {
        spends.lose();
        SpendRefusal.OutcomeUnknown unknown =
                refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-lost-answer"));
        Await.until("it is watched", () -> spends.spending.inFlightTransfers() == 1);
        get(spends.store.intents().contest(unknown.txId(), "a node had it", spends.clock.millis()));

        spends.node.faults(method -> LedgerNode.Fault.NONE);

        spends.awaitAwake(
                "it is let go", () -> spends.spending.inFlightTransfers() == 0 && spends.spending.inFlightUtxos() == 0);
    }

    @Test
    void a_refusal_that_was_left_in_the_log_does_not_close_what_was_sent_again_since() {
        inLog = "failSent";
        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        Hash256 txId =
                refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000)).txId();
        inLog = "";
        spends.node.refuseSends(null);
        spends.awaitAtNode("the node has it again", txId);

        spends.restart();
        spends.confirmAll();

        assertThat(stateOf(txId)).isEqualTo(IntentState.CONFIRMED);
    }

    @Test
    void what_its_caller_was_told_is_made_outweighs_that_it_was_closed_as_lost_a_moment_before() {
        closing.set(true);

        Receipt receipt = paid();

        Await.until("it is in flight", () -> stateOf(receipt.txId()) == IntentState.ACCEPTED);
        spends.restart();
        assertThat(spends.spending.inFlightTransfers()).isEqualTo(1);
        spends.confirmAll();
        assertThat(stateOf(receipt.txId())).isEqualTo(IntentState.CONFIRMED);
    }
}
