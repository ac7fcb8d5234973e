package org.chainwalletd.swap;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a swap does next, as a function of what is known. Claim and refund are independent: once the secret may have left, the claim is
 * pushed whatever the clocks say, and the refund runs beside it as soon as it is due.
 */
public final class Decision {
    private Decision() {}

    /**
     * What one look says beside the row.
     *
     * @param run of this process
     * @param wallSeconds Unix seconds
     * @param complete whether both chains were seen: without that no lock leaves, no secret, and no quote is given up, for it may be the row
     *     of an older backup
     * @param poolSeen whether the chain of the pool's lock was seen
     * @param clearance whether our lock may leave now
     * @param refundDue whether our own lock can be taken back, by its own chain's clock
     * @param gate whether the secret may leave for the first time; empty when it could not be judged, which keeps it closed
     */
    public record Known(
            String run,
            long wallSeconds,
            boolean complete,
            boolean poolSeen,
            Clearance clearance,
            boolean refundDue,
            Optional<GateVerdict> gate) {}

    /** The steps to take now, in their order; none when the swap waits or is over. */
    public static List<Step> next(SwapRow row, Known known) {
        if (!row.acts().locking()) {
            return beforeTheLock(row, known);
        }
        List<Step> steps = new ArrayList<>();
        claim(row, known).ifPresent(steps::add);
        ownLock(row, known).ifPresent(steps::add);
        return steps;
    }

    private static List<Step> beforeTheLock(SwapRow row, Known known) {
        boolean over = known.wallSeconds() >= row.terms().offer().expiresAt()
                || !row.run().equals(known.run());
        return over && known.complete() && !row.acts().expired() ? List.of(new Step.Expire()) : List.of();
    }

    private static Optional<Step> claim(SwapRow row, Known known) {
        if (!(row.poolLock() instanceof PoolLock.Locked)) {
            return Optional.empty();
        }
        if (row.acts().revealed()) {
            return isOut(row) || known.poolSeen() ? Optional.of(new Step.PushClaim()) : Optional.empty();
        }
        boolean mayReveal = row.ownLock() instanceof OwnLock.Locked lock
                && lock.settledAt().isPresent()
                && known.complete()
                && !known.refundDue()
                && !row.acts().refunding()
                && known.gate().filter(GateVerdict::isOpen).isPresent();
        return mayReveal ? Optional.of(new Step.Reveal()) : Optional.empty();
    }

    /**
     * Whether the secret is known to have left. Where it is only written that it may have, the process may have died before it did, and the
     * pool may have taken its lock back since: that is looked at first.
     */
    private static boolean isOut(SwapRow row) {
        return row.acts().claimTx().isPresent() || row.ownLock() instanceof OwnLock.Claimed;
    }

    private static Optional<Step> ownLock(SwapRow row, Known known) {
        if (row.ownLock() instanceof OwnLock.Locked) {
            return known.refundDue() ? Optional.of(new Step.TakeBack()) : Optional.empty();
        }
        if (row.ownLock() instanceof OwnLock.Foreign && known.complete()) {
            return Optional.of(new Step.AbandonLock(SwapRow.SLOT_TAKEN));
        }
        if (!(row.ownLock() instanceof OwnLock.Absent) || !known.complete()) {
            return Optional.empty();
        }
        if (row.acts().abandoning()) {
            return Optional.of(new Step.AbandonLock("it is given up"));
        }
        return clear(known.clearance());
    }

    private static Optional<Step> clear(Clearance clearance) {
        if (clearance instanceof Clearance.Clear) {
            return Optional.of(new Step.SendLock());
        }
        return clearance instanceof Clearance.Against against
                ? Optional.of(new Step.AbandonLock(against.why()))
                : Optional.empty();
    }

    /**
     * What speaks against locking for a quote, by the same look.
     *
     * @param minimumOut in units of the output, beside that of the quote
     */
    public static Optional<String> againstExecuting(SwapRow row, Optional<BigInteger> minimumOut, Known known) {
        if (!known.complete()) {
            return Optional.of("not both chains could be looked at; nothing was sent");
        }
        if (!row.run().equals(known.run()) || !next(row, known).isEmpty()) {
            return Optional.of("the quote has expired");
        }
        boolean tooLittle = minimumOut
                .filter(minimum -> row.terms().received().units().compareTo(minimum) < 0)
                .isPresent();
        return tooLittle ? Optional.of("the quote pays less than min_amount_out") : against(known.clearance());
    }

    private static Optional<String> against(Clearance clearance) {
        if (clearance instanceof Clearance.Clear) {
            return Optional.empty();
        }
        return clearance instanceof Clearance.Against against
                ? Optional.of(against.why())
                : Optional.of("it cannot be judged whether a lock is safe now; nothing was sent: "
                        + ((Clearance.Unjudged) clearance).why());
    }
}
