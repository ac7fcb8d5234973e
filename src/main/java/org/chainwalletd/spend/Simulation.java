package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Fees;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Coin;

/**
 * Preview of a spend (interface.md, section 4.7): {@code totalIn = totalOut + fee}.
 *
 * @param change value of the change; zero when there is none
 */
public record Simulation(
        long size,
        Amount fee,
        long feeRate,
        List<Coin> inputs,
        List<Receipt.PaidOutput> outputs,
        Amount totalIn,
        Amount totalOut,
        Amount change,
        long builtAtHeight) {
    public Simulation {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    static Simulation of(Draft draft) {
        List<Receipt.PaidOutput> outputs = new ArrayList<>();
        Amount totalOut = Amount.ZERO;
        Amount change = Amount.ZERO;
        for (int i = 0; i < draft.unsigned().outputs().size(); i++) {
            TxOutput output = draft.unsigned().outputs().get(i);
            boolean isChange =
                    draft.changeIndex().isPresent() && draft.changeIndex().getAsInt() == i;
            outputs.add(new Receipt.PaidOutput(output, isChange));
            totalOut = totalOut.plus(output.value());
            change = isChange ? output.value() : change;
        }
        return new Simulation(
                draft.shape().size(),
                draft.fee(),
                Fees.effectiveRate(draft.fee(), draft.shape().cost()),
                draft.inputs(),
                outputs,
                totalOut.plus(draft.fee()),
                totalOut,
                change,
                draft.builtAtHeight());
    }

    /** Computes what a spend would do now, with the same steps as a spend; holds, signs and writes nothing. */
    static final class Simulator {
        private final SpendEnvironment env;
        private final ActorRef<Reservations.Command> reservations;

        Simulator(SpendEnvironment env, ActorRef<Reservations.Command> reservations) {
            this.env = env;
            this.reservations = reservations;
        }

        CompletionStage<Simulation> simulate(SpendPlan plan) {
            try {
                plan.check();
                env.requireAllowed(plan, plan.leaving());
            } catch (SpendException e) {
                return CompletableFuture.failedFuture(e);
            }
            return plan.gather(env.node(), env.executor())
                    .thenComposeAsync(candidates -> new Preview(plan, candidates).choose(), env.executor())
                    .thenApplyAsync(
                            draft -> {
                                env.requireAllowed(plan, plan.leaving(draft));
                                return Simulation.of(draft);
                            },
                            env.executor());
        }

        /** Tries one selection after the other until bytes confirm one. */
        private final class Preview {
            private final SpendPlan plan;
            private final Candidates candidates;
            private final CoinDoubts doubts;

            private Preview(SpendPlan plan, Candidates candidates) {
                this.plan = plan;
                this.candidates = candidates;
                this.doubts = new CoinDoubts(plan, candidates);
            }

            private CompletionStage<Draft> choose() {
                CompletableFuture<Draft> reply = new CompletableFuture<>();
                reservations.tell(new Reservations.Preview(plan, candidates, doubts.excluded(), reply));
                return reply.handleAsync(
                                (draft, failure) -> failure == null
                                        ? prove(draft)
                                        : CompletableFuture.<Draft>failedFuture(explained(failure)),
                                env.executor())
                        .thenComposeAsync(proven -> proven, env.executor());
            }

            private Throwable explained(Throwable failure) {
                return Causes.of(failure) instanceof RuntimeException refusal ? doubts.explain(refusal) : failure;
            }

            private CompletionStage<Draft> prove(Draft draft) {
                CoinDoubts.Verdict verdict = doubts.judge(draft, env.outputs());
                return verdict instanceof CoinDoubts.Unseen unseen
                        ? env.outputs()
                                .find(unseen.outpoints())
                                .thenComposeAsync(found -> judged(draft, doubts.judge(draft, found)), env.executor())
                        : judged(draft, verdict);
            }

            private CompletionStage<Draft> judged(Draft draft, CoinDoubts.Verdict verdict) {
                if (!(verdict instanceof CoinDoubts.Doubted doubted)) {
                    return CompletableFuture.completedFuture(draft);
                }
                doubts.report(doubted, env.metrics());
                return doubts.mayChooseAgain() ? choose() : CompletableFuture.failedFuture(doubts.tooManyDoubts());
            }
        }
    }
}
