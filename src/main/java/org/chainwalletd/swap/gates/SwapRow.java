package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.U64;

/**
 * Journal row of a swap, without its secret. Our acts and the observed chain state are kept apart: acts only accumulate, except that the permission
 * to claim can be withdrawn, and the chain state is replaced by each observation, so a reorganisation needs no rollback. The reported status is
 * derived from both.
 *
 * @param id ours, random
 * @param run id of the process that took the quote; no other process may execute it
 * @param minimumOut set by the quote's caller, in units; checked again before the lock
 * @param error human-readable reason why the swap deviates from its normal course
 * @param endedAt height of the chain at which the swap was first observed to be over, unsigned; empty before that, and after a reorganisation has
 * reopened it
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
    /** Prefix of the error of a swap whose gate was open but whose claim could not be made. */
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
     * Returns the status. Final evidence takes precedence over anything that was begun. A refunded lock does not end the swap while a claim may
     * still pay as well; otherwise statistics would count a paid swap as refunded.
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

    /** Tests whether a later block could still contain the pool's lock; the swap is then observed as often as an open one. */
    public boolean isMissed() {
        return poolLock instanceof PoolLock.Absent absent && absent.isFinal();
    }

    public SwapRow with(Acts now, long at) {
        return next(now, ownLock, poolLock, error(now, ownLock, poolLock), endedAt, at);
    }

    public SwapRow failing(Optional<String> why, long at) {
        return next(acts, ownLock, poolLock, why, endedAt, at);
    }

    /** Records the height at which the swap was first over, or clears it when the swap is open again. */
    public SwapRow at(OptionalLong tip, long at) {
        boolean over = status().isTerminal();
        if (over == endedAt.isPresent() || (over && tip.isEmpty())) {
            return this;
        }
        return next(acts, ownLock, poolLock, error, over ? tip : OptionalLong.empty(), at);
    }

    /** Tests whether nothing is at stake any more: our lock has finally ended and nothing is left to claim. */
    public boolean isSettled() {
        boolean ours = !(ownLock instanceof OwnLock.Locked)
                && !(ownLock instanceof OwnLock.Claimed claimed && !claimed.isFinal())
                && !(ownLock instanceof OwnLock.TakenBack back && !back.isFinal());
        return status().isTerminal() && ours && isClaimDecided();
    }

    /** Tests whether the pool's lock is finally ours or finally cannot become ours, or the secret was not revealed and may not be. */
    private boolean isClaimDecided() {
        return !(acts.claimPermitted() || acts.claimJournalled())
                || !(poolLock instanceof PoolLock.Locked
                        || (poolLock instanceof PoolLock.Claimed claimed && !claimed.isFinal()));
    }

    /**
     * Tests whether the swap need not be watched any more: it is settled, and has been over for {@link #WATCH_BLOCKS} blocks, so no reorganisation
     * is expected to reopen it.
     */
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
     * Returns the row after an observation. The state of a chain that could not be observed is kept; the secret counts as revealed when either
     * chain shows it.
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

    /** Tests whether the observed lock is ours. A row from an older backup may lack the mark of the lock that followed it. */
    private static boolean isOurs(OwnLock own) {
        return own instanceof OwnLock.Locked || own instanceof OwnLock.Claimed || own instanceof OwnLock.TakenBack;
    }

    private Optional<String> error(Acts now, OwnLock own, PoolLock pool) {
        return own instanceof OwnLock.Foreign || pool instanceof PoolLock.Foreign
                ? Optional.of(SLOT_TAKEN)
                : error.filter(why -> !isOvercome(why, now, own, pool));
    }

    /** Tests whether an error no longer applies. */
    private static boolean isOvercome(String why, Acts now, OwnLock own, PoolLock pool) {
        return why.equals(SLOT_TAKEN)
                || pool instanceof PoolLock.Claimed
                || why.equals(LOST) && !(own instanceof OwnLock.Claimed && pool.isGone())
                || why.equals(REFUND_OVERDUE) && !(own instanceof OwnLock.Locked || own instanceof OwnLock.Absent)
                || why.startsWith(PERMISSION_UNUSED) && now.claimJournalled()
                || why.equals(CLAIM_NOT_MINED) && !(pool instanceof PoolLock.Locked);
    }

    /** Tests whether our lock was sent but was neither observed nor found to be finally lost: it may exist nevertheless. */
    private boolean isUnseen(OwnLock own) {
        return own instanceof OwnLock.Absent && acts.locking() && acts.lockTx().isPresent();
    }

    /**
     * Tests whether our lock has been refundable for so long that an honest chain would have refunded it.
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
     * Tests whether a claim is journalled and in no block although half of its margin has passed.
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
     * Observation of both chains.
     *
     * @param ownLock empty when its chain could not be observed, which proves nothing about the lock
     * @param poolLock empty when its chain could not be observed, which proves nothing about the lock
     * @param secretShown whether a claim of either lock is in our journal, a mempool or a block
     */
    public record ChainObservation(Optional<OwnLock> ownLock, Optional<PoolLock> poolLock, boolean secretShown) {
        public static final ChainObservation NOTHING = new ChainObservation(Optional.empty(), Optional.empty(), false);
    }

    /** State of our own lock on its chain. Final means 60 blocks deep on the chain, or in a final block of the account chain. */
    public sealed interface OwnLock {
        /** The lock is in no block yet. */
        record Absent() implements OwnLock {}

        /**
         * The lock can never exist: its transaction finally reverted, its input or nonce was used otherwise, or it was abandoned before a
         * transaction was made. Another party's lock in the slot does not change that.
         */
        record Lost() implements OwnLock {}

        /**
         * The lock is in a block, with our sender, recipient, amount and deadline.
         *
         * @param reference outpoint of the HTLC, or hash lock of the slot
         * @param settledAt time of the block at which it reached its depth
         */
        record Locked(String reference, OptionalLong settledAt) implements OwnLock {}

        /** Another party's lock occupies the slot of our hash lock. */
        record Foreign() implements OwnLock {}

        /** Claimed by the pool, which published the secret. */
        record Claimed(String reference, String tx, boolean isFinal) implements OwnLock {}

        record TakenBack(String reference, String tx, boolean isFinal) implements OwnLock {}
    }

    /** State of the pool's lock on its chain. */
    public sealed interface PoolLock {
        /** Tests whether the pool's lock has finally ended, or was never made, so that nothing is left for us to claim. */
        default boolean isGone() {
            return false;
        }

        /**
         * No lock that fits the terms.
         *
         * @param since height of the followed tip at which it was first missing although our own lock was claimed, unsigned; empty before that, and
         * on the account chain, where a final block decides immediately
         * @param isFinal whether our own lock was finally claimed and no reorganisation is expected to bring a lock of the pool
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
         * @param reference outpoint of the HTLC, or hash lock of the slot
         * @param end timeout height, or deadline in Unix seconds, unsigned, from which on the pool can refund it; empty in rows of earlier releases
         */
        record Locked(String reference, OptionalLong end) implements PoolLock {}

        /** A lock with other terms occupies the slot of our hash lock. */
        record Foreign() implements PoolLock {}

        /** Claimed and thereby paid to us, regardless of the sender of the claim. */
        record Claimed(String reference, String tx, boolean isFinal) implements PoolLock {}

        record TakenBack(String reference, boolean isFinal) implements PoolLock {
            @Override
            public boolean isGone() {
                return isFinal;
            }
        }
    }

    /**
     * Refund condition of our own lock. The two legs differ by one: on the chain a reclaim needs a height above the timeout, in the contract a
     * refund is due at the deadline (chain protocol, appendix E.3). The contract's clock is block time; this machine's clock counts a quarter of an
     * hour later, for endpoints that report no block or an old one.
     */
    public static final class RefundDue {
        /** Seconds past the deadline from which the wall clock counts too, so that a stale block time cannot block a refund indefinitely. */
        private static final BigInteger GRACE_SECONDS = BigInteger.valueOf(900);

        private static final BigInteger GRACE_BLOCKS = BigInteger.valueOf(90);

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
         * Tests by this machine's clock whether the contract refunds, when no block shows it; a refund sent too early only reverts.
         *
         * @param now Unix seconds, of this machine
         */
        public static boolean byWallClock(long now, long deadline) {
            return BigInteger.valueOf(now).subtract(GRACE_SECONDS).compareTo(U64.toBigInteger(deadline)) >= 0;
        }

        /** Tests whether the refund has been due on the chain for {@link #GRACE_BLOCKS} blocks, about a quarter of an hour. */
        static boolean byManyBlocks(long tipHeight, long timeout) {
            return U64.toBigInteger(tipHeight).subtract(GRACE_BLOCKS).compareTo(U64.toBigInteger(timeout)) > 0;
        }
    }
}
