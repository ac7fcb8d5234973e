package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;

/**
 * Next steps of a swap, as a pure function of the known facts. Claim and refund are independent: once a claim is journalled it is pushed regardless
 * of the deadlines, and the refund runs beside it as soon as it is due. Until the claim is journalled, the gate is evaluated before each attempt.
 */
public final class Decision {
    private Decision() {}

    /**
     * Facts from one observation, in addition to the row.
     *
     * @param run id of this process
     * @param wallSeconds Unix seconds
     * @param complete whether both chains were observed; otherwise no lock and no secret is sent and no quote is abandoned, because the row may
     * come from an older backup
     * @param permission whether our lock may be sent now
     * @param refundDue whether our own lock can be refunded, by the clock of its own chain
     * @param gate whether the secret may be revealed for the first time; empty when the gate could not be evaluated, which counts as closed
     */
    public record Known(
            String run,
            long wallSeconds,
            boolean complete,
            LockPermission permission,
            boolean refundDue,
            Optional<GateVerdict> gate) {}

    /** Returns the steps to take now, in order; empty while the swap waits or when it is over. */
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
        if (row.acts().claimJournalled()) {
            return row.poolLock() instanceof PoolLock.Locked ? Optional.of(new Step.PushClaim()) : Optional.empty();
        }
        boolean mayReveal = row.ownLock() instanceof OwnLock.Locked lock
                && lock.settledAt().isPresent()
                && row.poolLock() instanceof PoolLock.Locked
                && known.complete()
                && !known.refundDue()
                && !row.acts().refunding();
        if (mayReveal && known.gate().filter(GateVerdict::isOpen).isPresent()) {
            return known.gate().map(gate -> gate.byRelay() ? new Step.RevealByRelay() : new Step.Reveal());
        }
        return row.acts().claimPermitted() && known.complete() ? againstClaim(mayReveal, known) : Optional.empty();
    }

    /**
     * Returns the step that withdraws the permission. A gate that could not be evaluated may still be open, so the permission then stays until
     * there is a verdict.
     */
    private static Optional<Step> againstClaim(boolean mayReveal, Known known) {
        if (!mayReveal) {
            return Optional.of(new Step.WithdrawPermission(
                    known.refundDue() ? "our own lock can be taken back" : "there is no claim to be made any more"));
        }
        return known.gate().flatMap(GateVerdict::closed).map(Step.WithdrawPermission::new);
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
        return clear(known.permission());
    }

    private static Optional<Step> clear(LockPermission permission) {
        if (permission instanceof LockPermission.Granted) {
            return Optional.of(new Step.SendLock());
        }
        return permission instanceof LockPermission.Refused against
                ? Optional.of(new Step.AbandonLock(against.why()))
                : Optional.empty();
    }

    /**
     * Returns the reason against locking for a quote, from the same observation; empty when there is none.
     *
     * @param minimumOut in units of the output, in addition to the amount of the quote
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
        return tooLittle ? Optional.of("the quote pays less than min_amount_out") : against(known.permission());
    }

    private static Optional<String> against(LockPermission permission) {
        if (permission instanceof LockPermission.Granted) {
            return Optional.empty();
        }
        return permission instanceof LockPermission.Refused against
                ? Optional.of(against.why())
                : Optional.of("it cannot be judged whether a lock is safe now; nothing was sent: "
                        + ((LockPermission.Unjudged) permission).why());
    }
}
