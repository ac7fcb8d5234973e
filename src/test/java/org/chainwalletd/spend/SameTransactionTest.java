package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.node.NodeClient.NodeTransaction;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

/** Two tokens make the same payment from the only coin, so that both have the identical transaction: it pays for one of them. */
class SameTransactionTest extends SpendCase {
    private static final String FIRST = "token-first";
    private static final String SECOND = "token-second";

    private SlowNode node;
    /** Receives the name of a method of the store and the supplier of the store's answer. */
    private volatile BiFunction<String, Supplier<CompletionStage<?>>, CompletionStage<?>> answering =
            (method, store) -> store.get();

    SameTransactionTest() {
        super(50_000);
    }

    /** Node that answers when the test lets it. */
    private static final class SlowNode extends LedgerNode {
        private final AtomicReference<Held> lookup = new AtomicReference<>();
        private final AtomicReference<Held> send = new AtomicReference<>();

        SlowNode(SpendHarness spends) {
            super(spends.devnet.ledger(), spends.executor);
        }

        @Override
        public CompletionStage<Optional<NodeTransaction>> transaction(Hash256 txId) {
            Held held = lookup.getAndSet(null);
            return held == null
                    ? super.transaction(txId)
                    : held.until().thenCompose(released -> super.transaction(txId));
        }

        @Override
        public CompletionStage<Hash256> sendRawTransaction(Bytes bytes) {
            CompletionStage<Hash256> answer = super.sendRawTransaction(bytes);
            Held held = send.getAndSet(null);
            return held == null ? answer : held.until().thenCompose(released -> answer);
        }
    }

    /** Waiting call. */
    private record Held(CompletableFuture<Void> begun, CompletableFuture<Void> release) {
        Held() {
            this(new CompletableFuture<>(), new CompletableFuture<>());
        }

        CompletionStage<Void> until() {
            begun.complete(null);
            return release;
        }
    }

    @Override
    void prepare() {
        node = new SlowNode(spends);
        spends.client = node;
        spends.before = store -> Stub.of(
                IntentStore.class,
                call -> call.answersWithStage()
                        ? answering.apply(call.name(), () -> call.stage(store))
                        : call.on(store));
    }

    private CompletionStage<Receipt> pay(String token) {
        return transfer(1_000, token);
    }

    /** The first token is refused and used again: the request for the location of its transaction waits. */
    private Held refusedAndAskedAgain(AtomicReference<CompletionStage<Receipt>> again) {
        node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        refusal(SpendRefusal.UpstreamFailed.class, pay(FIRST));
        node.refuseSends(null);
        Held lookup = new Held();
        node.lookup.set(lookup);
        again.set(pay(FIRST));
        get(lookup.begun());
        return lookup;
    }

    private void onePaymentIsMade() {
        assertPaid(1);
    }

    @Test
    void a_refused_payment_is_not_answered_with_the_transaction_that_another_token_is_sending() {
        AtomicReference<CompletionStage<Receipt>> first = new AtomicReference<>();
        Held lookup = refusedAndAskedAgain(first);
        Held send = new Held();
        node.send.set(send);
        CompletionStage<Receipt> second = pay(SECOND);
        get(send.begun());
        Await.until("the node has it", () -> spends.pending(payer) > 0);

        lookup.release().complete(null);

        refusal(SpendRefusal.InFlightExhausted.class, first.get());
        send.release().complete(null);
        assertThat(get(second)).isEqualTo(get(pay(SECOND)));
        onePaymentIsMade();
    }

    @Test
    void a_payment_that_cannot_be_opened_again_is_not_answered_with_the_transaction_of_another_token() {
        AtomicReference<CompletionStage<Receipt>> first = new AtomicReference<>();
        Held lookup = refusedAndAskedAgain(first);
        get(pay(SECOND));
        answering = (method, store) -> method.equals("reopen")
                ? CompletableFuture.failedFuture(
                        new StoreException(StoreException.Reason.UNAVAILABLE, "the disk is full", null))
                : store.get();

        lookup.release().complete(null);

        refusal(SpendRefusal.InFlightExhausted.class, first.get());
        onePaymentIsMade();
    }

    @Test
    void the_payment_whose_transaction_another_token_has_asked_for_is_watched_until_it_is_confirmed() {
        AtomicReference<CompletionStage<Receipt>> first = new AtomicReference<>();
        Held lookup = refusedAndAskedAgain(first);
        get(pay(SECOND));

        lookup.release().complete(null);

        refusal(SpendRefusal.DoubleSpend.class, first.get());
        onePaymentIsMade();
    }

    @Test
    void a_refused_payment_that_a_node_has_is_not_answered_before_no_other_token_can_take_its_transaction() {
        AtomicReference<Transaction> refused = new AtomicReference<>();
        node.onSend(refused::set);
        Held open = new Held();
        Held accept = new Held();
        AtomicReference<CompletionStage<Receipt>> first = new AtomicReference<>();
        Held lookup = refusedAndAskedAgain(first);
        AtomicReference<Held> next = new AtomicReference<>(open);
        answering = (method, store) -> {
            Held held = method.equals("open") ? next.getAndSet(null) : null;
            if (held != null) {
                return held.until().thenCompose(released -> store.get());
            }
            return method.equals("accept") ? accept.until().thenCompose(released -> store.get()) : store.get();
        };
        node.onSend(tx -> accept.release().complete(null));
        CompletionStage<Receipt> second = pay(SECOND);
        get(open.begun());
        spends.devnet.ledger().submit(refused.get());

        lookup.release().complete(null);
        get(accept.begun());
        open.release().complete(null);

        refusal(SpendRefusal.InFlightExhausted.class, first.get());
        get(second);
        onePaymentIsMade();
    }
}
