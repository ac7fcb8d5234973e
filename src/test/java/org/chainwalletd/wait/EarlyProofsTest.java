package org.chainwalletd.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.chainwalletd.wait.TxWaits.TxSearch;
import org.junit.jupiter.api.Test;

/** Early proofs run on after their look-up has ended, so that the bound of look-ups does not bound them. */
class EarlyProofsTest {
    private static final int MOST = 8;
    private static final BlockPlace PLACE = new BlockPlace(100, Hash256.sha256(new byte[] {1}));
    private static final Optional<NodeClient.NodeTransaction> NAMED = Optional.of(
            new NodeClient.NodeTransaction(Hash256.ZERO, Bytes.EMPTY, false, PLACE.blockId(), PLACE.height()));

    private final Thread test = Thread.currentThread();
    /** Early proofs whose time has come, and which begin where the test says. */
    private final BlockingQueue<Runnable> due = new LinkedBlockingQueue<>();

    private final List<CompletableFuture<Boolean>> proofs = new ArrayList<>();
    private final TxSearch search = new TxSearch(new WaitSetup(
            WaitRig.PROFILE,
            null,
            List.of(),
            List::of,
            2,
            address -> false,
            Optional::empty,
            (txId, place) -> {
                proofs.add(new CompletableFuture<>());
                return proofs.get(proofs.size() - 1);
            },
            follower -> {},
            task -> {
                if (Thread.currentThread() == test) {
                    task.run();
                } else {
                    due.add(task);
                }
            },
            () -> 0));

    private static NodeClient node(CompletableFuture<Optional<NodeClient.NodeTransaction>> answer) {
        NodeClient.BlockSummary block = new NodeClient.BlockSummary(
                PLACE.blockId(),
                PLACE.height(),
                Hash256.ZERO,
                Hash256.ZERO,
                Hash256.ZERO,
                0,
                0,
                Hash256.ZERO,
                1,
                List.of(Hash256.ZERO));
        return Stub.of(
                NodeClient.class,
                call -> call.name().equals("transaction")
                        ? answer
                        : CompletableFuture.completedFuture(Optional.of(block)));
    }

    private void begin(int early) {
        for (int i = 0; i < early; i++) {
            due.remove().run();
        }
    }

    @Test
    void a_proof_that_hangs_keeps_its_place_after_its_look_up_and_one_that_ends_or_fails_frees_it() {
        List<CompletableFuture<Optional<NodeClient.NodeTransaction>>> late = new ArrayList<>();
        List<CompletableFuture<TxSearch.Found>> looks = new ArrayList<>();
        for (int i = 0; i < MOST + 4; i++) {
            late.add(new CompletableFuture<>());
            List<NodeClient> nodes = List.of(node(CompletableFuture.completedFuture(NAMED)), node(late.get(i)));
            looks.add(search.look(Hash256.ZERO, nodes).toCompletableFuture());
        }
        Await.until("the time for early proofs has come", () -> due.size() == MOST + 4);

        begin(MOST + 1);
        assertThat(proofs).hasSize(MOST);

        late.subList(0, MOST).forEach(answer -> answer.complete(NAMED));
        assertThat(looks.subList(0, MOST)).allMatch(CompletableFuture::isDone);
        begin(1);
        assertThat(proofs).hasSize(MOST);

        proofs.get(0).complete(false);
        begin(1);
        assertThat(proofs).hasSize(MOST + 1);

        proofs.get(1).completeExceptionally(new IllegalStateException("the books are closed"));
        begin(1);
        assertThat(proofs).hasSize(MOST + 2);
        proofs.get(MOST + 1).complete(true);
        assertThat(looks.get(MOST + 3)).isCompletedWithValue(new TxSearch.Found.At(PLACE));
    }
}
