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
 * View of one hash lock in the daemon's own books, all of it as of one followed tip. Contains only HTLCs with a key of this daemon as a party. The
 * number of rows read is bounded, however many HTLCs others create under a hash lock.
 */
public record HashLockBooks(Books books, Supplier<Optional<FollowedTip>> tip) {
    private static final int MOST = 16;

    /**
     * HTLC as recorded in the books.
     *
     * @param block of its lock; empty while it is in none, or in one so old that its id is not kept
     * @param settledAt time of the block at which it reached the required depth, Unix seconds
     * @param workChecked whether the work of all blocks from its own to the tip was checked
     */
    public record Found(HtlcRow row, Optional<BlockRow> block, OptionalLong settledAt, boolean workChecked) {
        public boolean isMined() {
            return row.lockHeight().isPresent();
        }

        /** Returns the height of the block with the claim; empty while none contains one. */
        public OptionalLong claimedAt() {
            return row.claim().map(HtlcRow.Spend::height).orElseGet(OptionalLong::empty);
        }

        /** Returns the height of the block with the reclaim; empty while none contains one. */
        public OptionalLong takenBackAt() {
            return row.reclaim().map(HtlcRow.Spend::height).orElseGet(OptionalLong::empty);
        }

        /** Tests whether a block or a mempool has a claim with the right preimage. A claim with another preimage is invalid. */
        public boolean isBeingClaimed() {
            return row.claim()
                    .flatMap(HtlcRow.Spend::preimage)
                    .filter(preimage -> HtlcWitness.hashLockOf(preimage.toArray())
                            .equals(row.params().hashLock()))
                    .isPresent();
        }

        /** Tests whether it is in a block and no block spends it. */
        public boolean isOpen() {
            return isMined() && claimedAt().isEmpty() && takenBackAt().isEmpty();
        }
    }

    /**
     * @param found HTLCs of sufficient value that the receiver can claim, oldest first; those in no block last
     * @param secretShown whether a preimage of the hash lock is known from a claim, in a block or outside
     * @param all outpoints under the hash lock, including decoys, up to a bound
     */
    public record View(FollowedTip tip, List<Found> found, boolean secretShown, List<Outpoint> all) {
        public View {
            found = List.copyOf(found);
            all = List.copyOf(all);
        }

        /** Returns the depth of a block at this height; 1 for the tip. */
        public long depth(long height) {
            return tip.height() - height + 1;
        }
    }

    /**
     * @param receiver key that may claim
     * @param least minimum value
     * @param depth number of blocks after which it counts as settled
     * @param known outpoint that is included in any case, however many others there are
     */
    public record Question(Hash256 hashLock, PublicKey receiver, Amount least, long depth, Optional<Outpoint> known) {}

    /** Returns the view; empty before the first block and while the followed chain is being changed, when a later call succeeds. */
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

    /** Tests whether the preimage is public. A claim in a mempool counts only if its preimage matches the hash lock. */
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
