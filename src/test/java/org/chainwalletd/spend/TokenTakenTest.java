package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A token pays once, even for a daemon that learns only from the store, when writing, that it is bound. */
class TokenTakenTest extends SpendCase {
    private SpendService beside;
    /** Whether the second daemon has tried to make a payment durable: until then it treats each token as new. */
    private volatile boolean opens;

    TokenTakenTest() {
        super(10_000, 10_000, 10_000, 10_000);
    }

    @Override
    void prepare() {
        spends.limits = new AllowanceStore.Limits(Optional.empty(), Optional.of(Amount.of(2_138)), Duration.ofHours(1));
    }

    @BeforeEach
    void second() {
        spends.before = intents -> watched(IntentStore.class, intents, method -> {
            opens |= method.equals("open");
            return Optional.empty();
        });
        spends.beforeReceipts = receipts -> watched(
                ReceiptStore.class,
                receipts,
                method -> method.equals("bound") && !opens
                        ? Optional.of(CompletableFuture.completedFuture(Optional.empty()))
                        : Optional.empty());
        beside = spends.beside();
    }

    /**
     * @param answer answer to a call of this name, instead of the store's
     */
    private static <S> S watched(Class<S> part, S store, Function<String, Optional<Object>> answer) {
        return part.cast(Stub.of(part, call -> {
            Optional<Object> other = answer.apply(call.name());
            return other.isPresent() ? other.get() : call.on(store);
        }));
    }

    @Test
    void the_call_answers_the_receipt_of_the_payment_that_was_made_meanwhile() {
        Receipt paid = pay(1_000, "token-one");

        CompletionStage<Receipt> first = beside.transfer(request(payer, shop, 1_000, "token-one"));
        CompletionStage<Receipt> second = beside.transfer(request(payer, shop, 1_000, "token-one"));

        assertThat(List.of(get(first), get(second))).containsOnly(paid);
        assertThat(opens).isTrue();
        Await.until("it holds no coins", () -> beside.inFlightUtxos() == 0);
        assertPaid(1);
    }

    @Test
    void other_parameters_are_refused_and_nothing_is_sent() {
        pay(1_000, "token-one");
        spends.node.forgetCalls();

        refusal(SpendRefusal.TokenConflict.class, beside.transfer(request(payer, shop, 999, "token-one")));

        assertThat(spends.node.calls()).doesNotContain("send_raw_transaction");
        assertThat(spent()).isEqualTo(Amount.of(1_069));
    }

    @Test
    void a_payment_that_was_refused_is_sent_again_with_the_same_bytes() {
        refusedByNode(1_000, "token-one");

        Receipt paid = get(beside.transfer(request(payer, shop, 1_000, "token-one")));

        assertThat(pay(1_000, "token-one").txId()).isEqualTo(paid.txId());
        assertThat(spent()).isEqualTo(Amount.of(1_069));
        assertPaid(1);
    }

    @Test
    void two_daemons_on_one_store_share_one_cap() {
        pay(1_000);
        get(beside.transfer(request(payer, shop, 1_000)));

        refusal(SpendRefusal.AllowanceExceeded.class, transfer(1_000));
        refusal(SpendRefusal.AllowanceExceeded.class, beside.transfer(request(payer, shop, 1_000)));
        assertThat(get(beside.allowanceStatus()).remaining()).contains(Amount.ZERO);
    }
}
