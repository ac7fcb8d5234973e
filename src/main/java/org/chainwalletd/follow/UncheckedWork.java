package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;

/**
 * Proofs of work that were left out while the chain was being caught up with, because a node named a tip far above the blocks that it had: they
 * keep the newest blocks from being told. Headers prove themselves by their ids, so any node may send them; what has passed is written into the
 * book of blocks.
 */
final class UncheckedWork {
    /** Some seconds of work, between which new blocks are looked for. */
    private static final int MOST = 8;

    private final Books file;
    private final NodeClient any;
    private final HeaderCheck check;
    private final Executor executor;

    UncheckedWork(Books file, NodeClient any, HeaderCheck check, Executor executor) {
        this.file = file;
        this.any = any;
        this.check = check;
        this.executor = executor;
    }

    /**
     * Outcome for some blocks.
     *
     * @param fault of the first one that nobody worked for
     */
    record Checked(List<BlockPlace> worked, Optional<Fault> fault) {}

    /** Checks the first of these blocks, and no further than where one fails or no node shows its header. */
    CompletionStage<Checked> of(List<BlockRow> blocks) {
        return next(blocks.subList(0, Math.min(MOST, blocks.size())), List.of())
                .thenComposeAsync(
                        checked -> file.write(session -> {
                            checked.worked().forEach(place -> BlockRows.checkWork(session.head(), place));
                            return checked;
                        }),
                        executor);
    }

    private CompletionStage<Checked> next(List<BlockRow> blocks, List<BlockPlace> worked) {
        if (blocks.isEmpty()) {
            return CompletableFuture.completedFuture(new Checked(worked, Optional.empty()));
        }
        BlockRow block = blocks.get(0);
        return any.block(block.blockId())
                .thenComposeAsync(
                        told -> told.filter(header -> header.blockId().equals(block.blockId()))
                                .filter(header -> BlockReader.judge(header, block.height())
                                        .isEmpty())
                                .map(header -> check.judgeWork(header.header(), block.blockId(), block.height())
                                        .thenComposeAsync(judged -> judged(judged, blocks, worked), executor))
                                .orElseGet(() -> next(List.of(), worked)),
                        executor);
    }

    private CompletionStage<Checked> judged(HeaderCheck.Judged judged, List<BlockRow> blocks, List<BlockPlace> worked) {
        if (judged.fault().isPresent()) {
            return CompletableFuture.completedFuture(new Checked(worked, judged.fault()));
        }
        List<BlockPlace> more = new ArrayList<>(worked);
        more.add(blocks.get(0).place());
        return next(blocks.subList(1, blocks.size()), more);
    }
}
