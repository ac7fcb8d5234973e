package org.chainwalletd.follow;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes up for the proofs of work that were not checked while the chain was being caught up with. Headers prove themselves by their ids, so
 * any node may send them; what has passed is written into the book of blocks, and is not computed again.
 */
final class WorkProof {
    private static final Logger LOG = LoggerFactory.getLogger(WorkProof.class);
    /** Some tens of seconds of work: whoever needs more asks again. */
    private static final int MOST = 64;

    private final Books file;
    private final NodeClient any;
    private final WorkCheck work;
    private final Executor executor;

    WorkProof(Books file, NodeClient any, WorkCheck work, Executor executor) {
        this.file = file;
        this.any = any;
        this.work = work;
        this.executor = executor;
    }

    /** Whether the work of every followed block between two heights, both included, is checked when this ends. */
    CompletionStage<Boolean> of(long from, long to) {
        return file.read(session -> BlockRows.withoutWork(session.head(), from, to, MOST))
                .thenComposeAsync(this::each, executor)
                .thenComposeAsync(
                        done -> file.read(session -> BlockRows.isWorkChecked(session.head(), from, to)), executor);
    }

    /** The lowest first; the rest waits for the next time when one does not pass. */
    private CompletionStage<Void> each(List<BlockRow> blocks) {
        if (blocks.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return passes(blocks.get(0))
                .thenComposeAsync(
                        passed -> passed
                                ? written(blocks.get(0))
                                        .thenComposeAsync(done -> each(blocks.subList(1, blocks.size())), executor)
                                : CompletableFuture.completedFuture(null),
                        executor);
    }

    private CompletionStage<Void> written(BlockRow block) {
        return file.write(session -> {
            BlockRows.checkWork(session.head(), block.place());
            return null;
        });
    }

    private CompletionStage<Boolean> passes(BlockRow block) {
        return any.block(block.blockId())
                .thenComposeAsync(told -> passes(block, told), executor)
                .thenApplyAsync(
                        passed -> {
                            if (!passed) {
                                LOG.warn("the work of block {} is not proven", block.place());
                            }
                            return passed;
                        },
                        executor);
    }

    private CompletionStage<Boolean> passes(BlockRow block, Optional<NodeClient.BlockSummary> told) {
        return told.filter(header -> header.blockId().equals(block.blockId()))
                .filter(header -> BlockReader.judge(header, block.height()).isEmpty())
                .map(header -> work.passes(header.header(), block.blockId()))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }
}
