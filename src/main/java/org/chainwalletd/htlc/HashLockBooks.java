package org.chainwalletd.htlc;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.htlc.HtlcRow;
import org.chainwalletd.store.books.htlc.HtlcRows;

/**
 * View of one hash lock in the daemon's own books, all of it as of one followed tip. Only what our keys are a party of is there. However
 * many HTLCs somebody makes under a hash lock, few are read.
 */
public record HashLockBooks(Books books, Supplier<Optional<FollowedTip>> tip) {
    private static final int MOST = 16;

    /**
     * HTLC as the books have it.
     *
     * @param block of its lock; empty while it is in none, or in one so old that its id is not kept
     * @param settledAt time of the block with which it reached the demanded depth, Unix seconds
     * @param workChecked whether the work of all blocks from its own to the tip was checked
     */
    public record Found(HtlcRow row, Optional<BlockRow> block, OptionalLong settledAt, boolean workChecked) {
        public boolean isMined() {
            return row.lockHeight().isPresent();
        }

        /** Height of the block with the claim; empty while none has one. */
        public OptionalLong claimedAt() {
            return row.claim().map(HtlcRow.Spend::height).orElseGet(OptionalLong::empty);
        }

        /** Height of the block with the reclaim; empty while none has one. */
        public OptionalLong takenBackAt() {
            return row.reclaim().map(HtlcRow.Spend::height).orElseGet(OptionalLong::empty);
        }

        /** Whether a preimage is known that claims it, by a block or by a mempool. A claim with another one is nobody's. */
        public boolean isBeingClaimed() {
            return row.claim()
                    .flatMap(HtlcRow.Spend::preimage)
                    .filter(preimage -> HtlcWitness.hashLockOf(preimage.toArray())
                            .equals(row.params().hashLock()))
                    .isPresent();
        }

        /** Whether it is in a block and nothing in a block spends it. */
        public boolean isOpen() {
            return isMined() && claimedAt().isEmpty() && takenBackAt().isEmpty();
        }
    }

    /**
     * @param found worth enough and claimable by the right key, the oldest first; those that are in no block last
     * @param secretShown whether a preimage of the hash lock is known from a claim, in a block or outside
     * @param all under the hash lock, decoys too, up to a bound
     */
    public record View(FollowedTip tip, List<Found> found, boolean secretShown, List<Outpoint> all) {
        public View {
            found = List.copyOf(found);
            all = List.copyOf(all);
        }

        /** Depth of a block at this height; 1 for the tip. */
        public long depth(long height) {
            return tip.height() - height + 1;
        }
    }

    /**
     * @param receiver whose claim it waits for
     * @param least what it must be worth
     * @param depth after how many blocks it counts as settled
     * @param known one that is told of in any case, however many others there are
     */
    public record Question(Hash256 hashLock, PublicKey receiver, Amount least, long depth, Optional<Outpoint> known) {}

    /** Empty before the first block, and while the followed chain is being changed: then another look says more. */
    public CompletionStage<Optional<View>> look(Question question) {
        Optional<FollowedTip> now = tip.get();
        return books.read(session -> now.filter(at -> BlockRows.has(session.head(), at.place()))
                .map(at -> view(session.head(), at, question)));
    }

    private static View view(Page head, FollowedTip tip, Question question) {
        List<HtlcRow> rows = new ArrayList<>(
                HtlcRows.payable(head, question.hashLock(), question.receiver(), question.least(), MOST));
        question.known()
                .filter(known -> rows.stream().noneMatch(row -> row.outpoint().equals(known)))
                .flatMap(known -> HtlcRows.find(head, known))
                .ifPresent(rows::add);
        List<Found> found = rows.stream()
                .flatMap(row -> row.asOf(tip.height()).stream())
                .map(row -> found(head, tip, row, question.depth()))
                .toList();
        List<Outpoint> all = HtlcRows.anyOfHashLock(head, question.hashLock(), MOST).stream()
                .map(HtlcRow::outpoint)
                .toList();
        return new View(tip, found, isShown(head, question.hashLock()), all);
    }

    /** A claim of a mempool is only somebody's word until its preimage opens the hash lock. */
    private static boolean isShown(Page head, Hash256 hashLock) {
        return HtlcRows.claimedOfHashLock(head, hashLock, MOST).stream()
                .flatMap(row -> row.claim().stream())
                .flatMap(claim -> claim.preimage().stream())
                .anyMatch(preimage -> HtlcWitness.hashLockOf(preimage.toArray()).equals(hashLock));
    }

    private static Found found(Page head, FollowedTip tip, HtlcRow row, long depth) {
        if (row.lockHeight().isEmpty()) {
            return new Found(row, Optional.empty(), OptionalLong.empty(), false);
        }
        long height = row.lockHeight().getAsLong();
        long settled = height + depth - 1;
        Optional<BlockRow> settling = settled <= tip.height() ? BlockRows.at(head, settled) : Optional.empty();
        return new Found(
                row,
                BlockRows.at(head, height),
                settling.map(block -> OptionalLong.of(block.timestamp())).orElseGet(OptionalLong::empty),
                BlockRows.isWorkChecked(head, height, tip.height()));
    }
}
