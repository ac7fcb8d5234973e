package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.U64;

/**
 * Row of a swap as the journal has it, without its secret. What we did and what the chains show are kept apart: the first only grows, the second
 * is replaced by each look, so a reorganisation needs no step back. What is told follows from both.
 *
 * @param id ours, random
 * @param run of the process that took the quote; no other may execute it
 * @param minimumOut of the quote's caller, in units, checked again before the lock
 * @param error why it does not go on as hoped, for people
 * @param endedAt height of the chain at which it was first seen to be over, unsigned; empty while it is not, and once a reorganisation has
 *     opened it again
 * @param createdAt Unix seconds
 * @param updatedAt Unix seconds
 */
public record SwapRow(
        String id,
        String poolSwapId,
        String run,
        SwapTerms terms,
        Optional<BigInteger> minimumOut,
        Acts acts,
        OwnLock ownLock,
        PoolLock poolLock,
        Optional<String> error,
        OptionalLong endedAt,
        long createdAt,
        long updatedAt) {
    public static final long WATCH_BLOCKS = 8_640;
    /** Begins the reason of a swap whose gate was open and whose claim could not be made. */
    public static final String PERMISSION_UNUSED = "the claim was permitted and could not be made: ";

    public static final String CLAIM_NOT_MINED =
            "the claim was sent and is in no block, although half of the time that was left for it is gone";
    public static final String LOST = "the pool claimed our lock, and its own is gone";
    public static final String REFUND_OVERDUE =
            "our lock could be taken back for a quarter of an hour and still stands, or cannot be seen: see whether nodes and endpoints answer";
    public static final String SLOT_TAKEN = "slot taken: somebody else's lock has our hash lock in the contract";

    public static SwapRow quoted(
            String id, String poolSwapId, String run, SwapTerms terms, Optional<BigInteger> minimumOut, long now) {
        return new SwapRow(
                id,
                poolSwapId,
                run,
                terms,
                minimumOut,
                Acts.NONE,
                new OwnLock.Absent(),
                new PoolLock.Absent(),
                Optional.empty(),
                OptionalLong.empty(),
                now,
                now);
    }

    /**
     * Status of the swap. Final evidence comes first: what is proved counts whatever else was begun. A refunded lock does not end the swap while a
     * claim may still pay as well; otherwise statistics would count the swap as one that brought nothing.
     */
    public SwapStatus status() {
        if (poolLock instanceof PoolLock.Claimed claimed && claimed.isFinal()) {
            return SwapStatus.COMPLETED;
        }
        if (ownLock instanceof OwnLock.TakenBack back && back.isFinal() && isClaimDecided()) {
            return SwapStatus.REFUNDED;
        }
        if (isLost()) {
            return SwapStatus.LOST;
        }
        if (ownLock instanceof OwnLock.Lost) {
            return SwapStatus.FAILED;
        }
        if (!acts.locking()) {
            return acts.expired() ? SwapStatus.EXPIRED : SwapStatus.QUOTED;
        }
        return open();
    }

    private SwapStatus open() {
        if (ownLock instanceof OwnLock.TakenBack || (acts.refunding() && ownLock instanceof OwnLock.Locked)) {
            return SwapStatus.REFUNDING;
        }
        if (acts.claimJournalled()) {
            return SwapStatus.CLAIMING;
        }
        if (!(ownLock instanceof OwnLock.Locked)) {
            return SwapStatus.LOCKING;
        }
        return poolLock instanceof PoolLock.Locked ? SwapStatus.POOL_LOCKED : SwapStatus.USER_LOCKED;
    }

    private boolean isLost() {
        return ownLock instanceof OwnLock.Claimed claimed && claimed.isFinal() && poolLock.isGone();
    }

    /** Whether a block could still bring what is missing: it is looked for as often as while it was open. */
    public boolean isMissed() {
        return poolLock instanceof PoolLock.Absent absent && absent.isFinal();
    }

    public SwapRow with(Acts now, long at) {
        return next(now, ownLock, poolLock, error(now, ownLock, poolLock), endedAt, at);
    }

    public SwapRow failing(Optional<String> why, long at) {
        return next(acts, ownLock, poolLock, why, endedAt, at);
    }

    /** Notes since which block it is over, or that it is not. */
    public SwapRow at(OptionalLong tip, long at) {
        boolean over = status().isTerminal();
        if (over == endedAt.isPresent() || (over && tip.isEmpty())) {
            return this;
        }
        return next(acts, ownLock, poolLock, error, over ? tip : OptionalLong.empty(), at);
    }

    /** Whether nothing of it is at stake any more: what was locked is gone for good, and nothing is left to be claimed. */
    public boolean isSettled() {
        boolean ours = !(ownLock instanceof OwnLock.Locked)
                && !(ownLock instanceof OwnLock.Claimed claimed && !claimed.isFinal())
                && !(ownLock instanceof OwnLock.TakenBack back && !back.isFinal());
        return status().isTerminal() && ours && isClaimDecided();
    }

    /** Whether the pool's lock is ours for good, or can be so no more; or the secret has never left, nor may leave. */
    private boolean isClaimDecided() {
        return !(acts.claimPermitted() || acts.claimJournalled())
                || !(poolLock instanceof PoolLock.Locked
                        || (poolLock instanceof PoolLock.Claimed claimed && !claimed.isFinal()));
    }

    /** Whether nobody needs to look at it any more: it is settled, and has been over for so many blocks that no reorganisation opens it again. */
    public boolean isOver(OptionalLong tip) {
        if (!isSettled() || endedAt.isEmpty() || tip.isEmpty()) {
            return false;
        }
        long since = tip.getAsLong() - endedAt.getAsLong();
        return Long.compareUnsigned(tip.getAsLong(), endedAt.getAsLong()) >= 0
                && Long.compareUnsigned(since, WATCH_BLOCKS) >= 0;
    }

    private SwapRow next(Acts done, OwnLock own, PoolLock pool, Optional<String> why, OptionalLong ended, long at) {
        return new SwapRow(id, poolSwapId, run, terms, minimumOut, done, own, pool, why, ended, createdAt, at);
    }

    /**
     * Row after a look at the chains. What could not be looked at stays as it was; the secret is public when either chain shows it.
     */
    public SwapRow seeing(ChainObservation observation, long at) {
        OwnLock own = observation.ownLock().orElse(ownLock);
        PoolLock pool = observation.poolLock().orElse(poolLock);
        Acts now = acts;
        if (isOurs(own) && !now.locking()) {
            now = now.lock();
        }
        if (observation.secretShown() || own instanceof OwnLock.Claimed || pool instanceof PoolLock.Claimed) {
            now = now.journalClaim();
        }
        if (pool instanceof PoolLock.Claimed claimed && !claimed.tx().isEmpty()) {
            now = now.claimedBy(claimed.tx());
        }
        if (own instanceof OwnLock.TakenBack back && !back.tx().isEmpty()) {
            now = now.refundedBy(back.tx());
        }
        boolean same = own.equals(ownLock) && pool.equals(poolLock) && now.equals(acts);
        return same ? this : next(now, own, pool, error(now, own, pool), endedAt, at);
    }

    /** A row of an older backup may not know of the lock that it led to. */
    private static boolean isOurs(OwnLock own) {
        return own instanceof OwnLock.Locked || own instanceof OwnLock.Claimed || own instanceof OwnLock.TakenBack;
    }

    private Optional<String> error(Acts now, OwnLock own, PoolLock pool) {
        return own instanceof OwnLock.Foreign || pool instanceof PoolLock.Foreign
                ? Optional.of(SLOT_TAKEN)
                : error.filter(why -> !isOvercome(why, now, own, pool));
    }

    /** Whether what was told stands in the way no more. */
    private static boolean isOvercome(String why, Acts now, OwnLock own, PoolLock pool) {
        return why.equals(SLOT_TAKEN)
                || pool instanceof PoolLock.Claimed
                || why.equals(LOST) && !(own instanceof OwnLock.Claimed && pool.isGone())
                || why.equals(REFUND_OVERDUE) && !(own instanceof OwnLock.Locked || own instanceof OwnLock.Absent)
                || why.startsWith(PERMISSION_UNUSED) && now.claimJournalled()
                || why.equals(CLAIM_NOT_MINED) && !(pool instanceof PoolLock.Locked);
    }

    /** Whether our lock has left, and no look has found it nor found out that it never comes: it may stand all the same. */
    private boolean isUnseen(OwnLock own) {
        return own instanceof OwnLock.Absent && acts.locking() && acts.lockTx().isPresent();
    }

    /**
     * Whether our lock can be taken back for so long that an honest chain would have done it.
     *
     * @param tip height of the followed tip, unsigned
     */
    public boolean isRefundOverdue(long now, OptionalLong tip) {
        if (!(ownLock instanceof OwnLock.Locked || isUnseen(ownLock))) {
            return false;
        }
        return terms.direction().isSell()
                ? tip.isPresent() && RefundDue.byManyBlocks(tip.getAsLong(), terms.timeout())
                : RefundDue.byWallClock(now, terms.timeout());
    }

    /**
     * Whether a claim is journalled and in no block although half of its margin is gone.
     *
     * @param tip height of the followed tip, unsigned
     */
    public boolean isClaimLate(SwapLimits.Span margins, long now, OptionalLong tip) {
        if (!acts.claimJournalled()
                || !(poolLock instanceof PoolLock.Locked locked)
                || locked.end().isEmpty()) {
            return false;
        }
        BigInteger end = U64.toBigInteger(locked.end().getAsLong());
        if (terms.direction().isSell()) {
            return end.subtract(BigInteger.valueOf(now)).compareTo(BigInteger.valueOf(margins.secs() / 2)) <= 0;
        }
        return tip.isPresent()
                && end.subtract(U64.toBigInteger(tip.getAsLong())).compareTo(BigInteger.valueOf(margins.blocks() / 2))
                        <= 0;
    }

    /**
     * Observation of both chains at one look.
     *
     * @param ownLock empty when its chain could not be looked at, which proves nothing
     * @param poolLock the same
     * @param secretShown whether a claim of either lock is in our journal, a mempool or a block
     */
    public record ChainObservation(Optional<OwnLock> ownLock, Optional<PoolLock> poolLock, boolean secretShown) {
        public static final ChainObservation NOTHING = new ChainObservation(Optional.empty(), Optional.empty(), false);
    }

    /** State of our own lock on its chain. Final means at 60 blocks on the chain, or in a final block of the account chain. */
    public sealed interface OwnLock {
        /** The lock is in no block yet. */
        record Absent() implements OwnLock {}

        /**
         * Final: it reverted, its input or nonce went elsewhere, or it was abandoned before any was made.
         * A foreign lock in its slot does not change that.
         */
        record Lost() implements OwnLock {}

        /**
         * The lock is in a block, with our sender, recipient, amount and deadline.
         *
         * @param reference the outpoint of the HTLC, or the hash lock of the slot
         * @param settledAt time of the block with which it reached its depth
         */
        record Locked(String reference, OptionalLong settledAt) implements OwnLock {}

        /** Another party's lock has the slot of our hash lock. */
        record Foreign() implements OwnLock {}

        /** Claimed by the pool, which published the secret. */
        record Claimed(String reference, String tx, boolean isFinal) implements OwnLock {}

        record TakenBack(String reference, String tx, boolean isFinal) implements OwnLock {}
    }

    /** State of the pool's lock on its chain. */
    public sealed interface PoolLock {
        /** Whether nothing is there for us any more, for good. */
        default boolean isGone() {
            return false;
        }

        /**
         * No lock that fits the terms.
         *
         * @param since height of the followed tip at which it was first missed although our own lock was claimed, unsigned; empty before that, and
         *     on the account chain, whose final block says it at once
         * @param isFinal whether our own lock was claimed for good and no reorganisation is expected to bring one
         */
        record Absent(OptionalLong since, boolean isFinal) implements PoolLock {
            public Absent() {
                this(OptionalLong.empty(), false);
            }

            @Override
            public boolean isGone() {
                return isFinal;
            }
        }

        /**
         * @param reference the outpoint of the HTLC, or the hash lock of the slot
         * @param end its timeout height or deadline in Unix seconds, unsigned: from then on the pool can take it back; empty in rows of earlier
         *     releases
         */
        record Locked(String reference, OptionalLong end) implements PoolLock {}

        /** A lock with other terms has the slot of our hash lock. */
        record Foreign() implements PoolLock {}

        /** Claimed, and so paid to us, whoever sent the claim. */
        record Claimed(String reference, String tx, boolean isFinal) implements PoolLock {}

        record TakenBack(String reference, boolean isFinal) implements PoolLock {
            @Override
            public boolean isGone() {
                return isFinal;
            }
        }
    }

    /**
     * Time of refund of our own lock. The two legs differ by one: on the chain a reclaim needs a height above the timeout, in the contract
     * a refund is due at the deadline (chain protocol, appendix E.3). The contract's clock is the time of blocks; this machine's counts a
     * quarter of an hour later, for endpoints that tell none or an old one.
     */
    public static final class RefundDue {
        /** Seconds past the deadline from which the wall clock counts too: one old block time must not hold a refund for ever. */
        private static final BigInteger PATIENCE_SECONDS = BigInteger.valueOf(900);

        private static final BigInteger PATIENCE_BLOCKS = BigInteger.valueOf(90);

        private RefundDue() {}

        /** @param tipHeight of the followed tip; both unsigned */
        public static boolean onTheChain(long tipHeight, long timeout) {
            return Long.compareUnsigned(tipHeight, timeout) > 0;
        }

        /** @param blockTime of the newest block of the account chain; both in Unix seconds, unsigned */
        public static boolean inTheContract(long blockTime, long deadline) {
            return Long.compareUnsigned(blockTime, deadline) >= 0;
        }

        /**
         * Tests by this machine's clock whether the contract refunds, when no block shows it; a refund that is sent too early merely reverts.
         *
         * @param now Unix seconds, of this machine
         */
        public static boolean byWallClock(long now, long deadline) {
            return BigInteger.valueOf(now).subtract(PATIENCE_SECONDS).compareTo(U64.toBigInteger(deadline)) >= 0;
        }

        /** Whether it has been due on the chain for about as long. */
        static boolean byManyBlocks(long tipHeight, long timeout) {
            return U64.toBigInteger(tipHeight).subtract(PATIENCE_BLOCKS).compareTo(U64.toBigInteger(timeout)) > 0;
        }
    }
}
