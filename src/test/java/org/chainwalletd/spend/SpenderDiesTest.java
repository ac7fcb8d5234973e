package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

/** A fault of ours ends a running spend after its intent was durable: the spend monitor continues, without a restart. */
class SpenderDiesTest extends SpendCase {
    private volatile String faulty = "";

    SpenderDiesTest() {
        super(50_000);
    }

    @Override
    void prepare() {
        spends.before = this::faulty;
    }

    private IntentStore faulty(IntentStore store) {
        return Stub.of(IntentStore.class, call -> {
            if (call.name().equals(faulty)) {
                faulty = "";
                throw new IllegalStateException("a fault of ours");
            }
            return call.on(store);
        });
    }

    /** Makes the intent durable, but leaves its continuation without a thread. */
    private IntentStore losingOpened(IntentStore store) {
        return Stub.of(IntentStore.class, call -> {
            Object answer = call.on(store);
            if (!call.name().equals("open") || !faulty.equals("open")) {
                return answer;
            }
            faulty = "";
            return ((CompletionStage<?>) answer)
                    .thenCompose(opened -> CompletableFuture.failedFuture(
                            new RejectedExecutionException("no thread for what comes next")));
        });
    }

    @Test
    void right_after_its_intent_was_written_it_is_looked_after_although_nobody_can_ask_for_it_again() {
        spends.before = this::losingOpened;
        spends.restart();
        faulty = "open";

        Hash256 txId =
                refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000)).txId();

        spends.awaitAtNode("it is sent", txId);
        assertPaid(1);
    }

    @Test
    void at_its_end_the_caller_is_answered_and_the_spend_is_looked_after() {
        faulty = "accept";

        Hash256 txId = refusal(SpendRefusal.OutcomeUnknown.class, transfer(1_000, "token-end"))
                .txId();

        assertThat(pay(1_000, "token-end").txId()).isEqualTo(txId);
        assertPaid(1);
    }
}
