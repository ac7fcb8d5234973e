package org.chainwalletd.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A mempool of more bytes than a look-up keeps, or of more transactions than arrive in its time. */
class MempoolLookTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final Address PAID = Address.of(new byte[32]);
    private static final int COUNT = 64;
    /** Transactions of almost the longest kind that a look-up keeps. */
    private static final int KEPT = 4;

    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final Map<Hash256, Bytes> pool = new LinkedHashMap<>();
    private final List<Hash256> asked = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong clock = new AtomicLong(1_000);
    /** Completed unless the node answers only half of the requests. */
    private CompletableFuture<Void> released = CompletableFuture.completedFuture(null);

    /** Requests while it answers only half of them. */
    private final AtomicInteger gated = new AtomicInteger();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private static Transaction almostAMegabyte(long number) {
        List<TxOutput> outputs = new ArrayList<>();
        outputs.add(TxOutput.toAddress(PAID, Amount.of(1_000)));
        Bytes script = Bytes.wrap(new byte[ChainProfile.MAX_VAR_BYTES]);
        for (int i = 0; i < 15; i++) {
            outputs.add(TxOutput.toScript(script, Amount.of(1_000)));
        }
        return new Transaction(List.of(new Outpoint(Hash256.ZERO, number)), outputs, List.of(Witness.EMPTY));
    }

    private static Transaction payment(long number) {
        return new Transaction(
                List.of(new Outpoint(Hash256.ZERO, number)),
                List.of(TxOutput.toAddress(PAID, Amount.of(1_000))),
                List.of(Witness.EMPTY));
    }

    private void pend(Transaction tx) {
        pool.put(TransactionCodec.txId(PROFILE, tx), Bytes.wrap(TransactionCodec.encode(tx)));
    }

    private NodeClient node() {
        return Stub.of(NodeClient.class, call -> switch (call.name()) {
            case "addressMempools" ->
                CompletableFuture.completedFuture(List.of(new NodeClient.AddressMempool(
                        1,
                        pool.keySet().stream()
                                .map(id -> new NodeClient.MempoolEntry(
                                        id, List.of(new NodeClient.Received(0, Amount.of(1_000))), List.of()))
                                .toList())));
            case "transaction" -> {
                Hash256 id = (Hash256) call.arguments()[0];
                Optional<NodeClient.NodeTransaction> answer =
                        Optional.of(new NodeClient.NodeTransaction(id, pool.get(id), true, null, null));
                asked.add(id);
                if (!released.isDone() && gated.incrementAndGet() % 2 == 0) {
                    yield released.thenApply(free -> answer);
                }
                yield CompletableFuture.completedFuture(answer);
            }
            default -> throw new UnsupportedOperationException(call.name());
        });
    }

    @Test
    void a_look_up_keeps_transactions_of_at_most_a_block_and_reports_the_rest_as_missing() {
        for (int i = 0; i < COUNT; i++) {
            pend(almostAMegabyte(i));
        }
        MempoolLook look = new MempoolLook(PROFILE, node(), executor, clock::get);

        MempoolLook.Found found = Await.result(look.at(List.of(PAID), (address, id) -> false));

        assertThat(found.transactions()).hasSize(KEPT);
        assertThat(found.missing())
                .hasSize(COUNT - KEPT)
                .doesNotContainAnyElementsOf(found.transactions().keySet());
        assertThat(asked).hasSizeLessThan(COUNT / 2);
        assertThat(found.unrequested()).doesNotContainAnyElementsOf(asked).hasSize(COUNT - asked.size());

        look.keepMissing(found);
        MempoolLook.Found again = Await.result(look.fetchMissing());
        assertThat(again.transactions()).hasSize(KEPT);
        assertThat(again.paid().values()).allMatch(paid -> paid.get(PAID).equals(Amount.of(1_000)));
    }

    @Test
    void a_look_up_ends_with_its_time_if_half_of_the_requests_get_no_answer() {
        for (int i = 0; i < COUNT; i++) {
            pend(payment(i));
        }
        MempoolLook look = new MempoolLook(PROFILE, node(), executor, clock::get);
        released = new CompletableFuture<>();

        CompletionStage<MempoolLook.Found> looking = look.at(List.of(PAID), (address, id) -> false);
        Await.until("all further requests wait", () -> gated.get() == 2 * MempoolLook.AT_ONCE);
        clock.addAndGet(MempoolLook.MOST_MILLIS);
        released.complete(null);

        MempoolLook.Found found = Await.result(looking);
        assertThat(asked).hasSize(2 * MempoolLook.AT_ONCE);
        assertThat(found.transactions().keySet()).containsExactlyInAnyOrderElementsOf(asked);
        assertThat(found.missing()).hasSize(COUNT - asked.size());
        assertThat(found.unrequested()).containsExactlyInAnyOrderElementsOf(found.missing());

        look.keepMissing(found);
        MempoolLook.Found again = Await.result(look.fetchMissing());
        assertThat(again.missing()).isEmpty();
    }
}
