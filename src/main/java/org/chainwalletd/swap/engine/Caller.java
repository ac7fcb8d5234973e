package org.chainwalletd.swap.engine;

import java.util.Optional;
import org.chainwalletd.swap.gates.OwnLock;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.Legs;

/**
 * Whoever waits for the round that is under way, if anybody does, and what is answered. Belongs to the {@link SwapActor}, which alone touches
 * it.
 */
public final class Caller {
    private final SwapSetup setup;
    private Optional<SwapQuestion> question = Optional.empty();

    Caller(SwapSetup setup) {
        this.setup = setup;
    }

    void asks(SwapQuestion asked, SwapRow row) {
        question = Optional.of(asked);
        if (asked instanceof SwapQuestion.Execute) {
            setup.changed().executing(row);
        }
    }

    /** Whether the failure of this step is what the question came to. */
    boolean waitsFor(Step step) {
        return step instanceof Step.SendLock
                || step instanceof Step.TakeBack
                        && question.filter(SwapQuestion.Refund.class::isInstance)
                                .isPresent();
    }

    /**
     * What was asked for comes in the same round, judged by the same look: answers where something speaks against it.
     *
     * @param mayHaveLocked whether our lock is to leave, or the write that says so may be in the store
     * @return the step that was asked for and is not among the swap's own
     */
    Optional<Step> judge(SwapRow row, LastLook look, boolean mayHaveLocked) {
        if (question.isEmpty()) {
            return Optional.empty();
        }
        if (question.get() instanceof SwapQuestion.Execute execute) {
            return execute(execute, row, look, mayHaveLocked);
        }
        againstRefund(row, look.view()).ifPresent(against -> answer(against, row, mayHaveLocked));
        return Optional.empty();
    }

    private Optional<Step> execute(SwapQuestion.Execute execute, SwapRow row, LastLook look, boolean mayHaveLocked) {
        if (row.acts().locking()) {
            return Optional.empty();
        }
        Optional<String> against = setup.stopping().getAsBoolean()
                ? Optional.of("the daemon is being stopped; nothing was sent")
                : Decision.againstExecuting(row, execute.minimumOut(), look.known(setup));
        if (against.isEmpty()) {
            return Optional.of(new Step.SendLock());
        }
        answer(
                mayHaveLocked
                        ? new SwapReply.Failed(new IllegalStateException(against.get()))
                        : new SwapReply.NotExecuted(against.get()),
                row,
                mayHaveLocked);
        return Optional.empty();
    }

    private static Optional<SwapReply> againstRefund(SwapRow row, Legs.View view) {
        if (view.observation().ownLock().isEmpty()) {
            return Optional.of(
                    new SwapReply.Failed(new IllegalStateException("the chain of our lock could not be looked at")));
        }
        if (!(row.ownLock() instanceof OwnLock.Locked)) {
            return Optional.of(new SwapReply.NothingLocked(row));
        }
        return view.refundDue() ? Optional.empty() : Optional.of(new SwapReply.NotDue(row));
    }

    void answer(SwapReply reply, SwapRow row, boolean mayHaveLocked) {
        question.ifPresent(asked -> {
            boolean isExecute = asked instanceof SwapQuestion.Execute;
            if (isExecute) {
                setup.changed().executed(row);
            }
            boolean unknown = mayHaveLocked && reply instanceof SwapReply.Failed;
            asked.reply().complete(unknown ? asked.unknown(((SwapReply.Failed) reply).cause()) : reply);
        });
        question = Optional.empty();
    }
}
