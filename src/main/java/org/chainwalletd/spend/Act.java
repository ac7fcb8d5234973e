package org.chainwalletd.spend;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.coins.Finding;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Transition;

/**
 * Something that a running spend asks of the world. Data only; {@link SpendRunner} performs it.
 *
 * @param <A> the answer
 */
sealed interface Act<A> {
    CompletionStage<A> by(SpendRunner runner);

    /** What can be spent, and for which chain. */
    record Gather(SpendPlan plan) implements Act<Gathered> {
        @Override
        public CompletionStage<Gathered> by(SpendRunner runner) {
            return runner.gather(this);
        }
    }

    record Gathered(Candidates candidates, Hash256 genesis) {}

    /**
     * Coins, chosen and held.
     *
     * @param replaces whether it takes the place of another spend
     */
    record Choose(SpendPlan plan, Candidates candidates, Set<Outpoint> excluded, boolean replaces)
            implements Act<Reservations.Choice> {
        @Override
        public CompletionStage<Reservations.Choice> by(SpendRunner runner) {
            return runner.choose(this);
        }
    }

    /** Outpoints of the address that somebody else's transaction in the mempool spends; none when a node cannot say. */
    record LookAtMempool(Address address, Set<Outpoint> chosen) implements Act<Set<Outpoint>> {
        @Override
        public CompletionStage<Set<Outpoint>> by(SpendRunner runner) {
            return runner.lookAtMempool(this);
        }
    }

    /** What these coins are worth, by their bytes. */
    record Prove(Set<Outpoint> coins) implements Act<Map<Outpoint, Finding>> {
        @Override
        public CompletionStage<Map<Outpoint, Finding>> by(SpendRunner runner) {
            return runner.prove(this);
        }
    }

    record Sign(Address address, byte[] message) implements Act<Signature> {
        @Override
        public CompletionStage<Signature> by(SpendRunner runner) {
            return runner.sign(this);
        }
    }

    /** Whether a node has these very bytes, which have not left this daemon. None when no node can say. */
    record FindTwin(Intent intent) implements Act<Boolean> {
        @Override
        public CompletionStage<Boolean> by(SpendRunner runner) {
            return runner.findTwin(this);
        }
    }

    /**
     * Makes the intent durable.
     *
     * @param capped whether the allowance can refuse it
     */
    record Open(Intent intent, boolean capped) implements Act<Opening> {
        @Override
        public CompletionStage<Opening> by(SpendRunner runner) {
            return runner.open(this);
        }
    }

    /** The same coins, of a spend whose intent may be durable already. */
    record Retake(Intent intent) implements Act<Reacquisition> {
        @Override
        public CompletionStage<Reacquisition> by(SpendRunner runner) {
            return runner.retake(this);
        }
    }

    /** Takes the spend in flight back from the spend monitor; false when it was given up since it was read. */
    record TakeBack(Intent intent) implements Act<Boolean> {
        @Override
        public CompletionStage<Boolean> by(SpendRunner runner) {
            return runner.takeBack(this);
        }
    }

    /** Asks every node for the spend. */
    record Locate(Intent intent) implements Act<Lookup.Whereabouts> {
        @Override
        public CompletionStage<Lookup.Whereabouts> by(SpendRunner runner) {
            return runner.locate(this);
        }
    }

    /** The same coins once more. */
    record Reacquire(Intent intent) implements Act<Reacquisition> {
        @Override
        public CompletionStage<Reacquisition> by(SpendRunner runner) {
            return runner.reacquire(this);
        }
    }

    /**
     * Takes the spend back from the spend monitor and makes its intent open again.
     *
     * @param capped whether the allowance can refuse it
     */
    record Reopen(Intent intent, boolean capped) implements Act<Opening> {
        @Override
        public CompletionStage<Opening> by(SpendRunner runner) {
            return runner.reopen(this);
        }
    }

    /**
     * Hands the bytes to the nodes. Never fails.
     *
     * @param earlier what may have become of these bytes before
     */
    record Send(Intent intent, Earlier earlier) implements Act<BroadcastOutcome> {
        @Override
        public CompletionStage<BroadcastOutcome> by(SpendRunner runner) {
            return runner.send(this);
        }
    }

    /** What may have become of bytes before they are sent. */
    enum Earlier {
        /** They have never left this daemon, and are a payment that could be made twice. */
        FRESH,
        /** If they were offered to nodes, then each one has refused them. */
        NOWHERE,
        /** An earlier send may have arrived. */
        PERHAPS_SENT
    }

    /** Lets a spend go that has failed, in the store already: its coins are free. */
    record LetGo(Intent intent) implements Act<Intent> {
        @Override
        public CompletionStage<Intent> by(SpendRunner runner) {
            return runner.letGo(this);
        }
    }

    /** Records that nobody can tell whose payment it is. */
    record RecordContest(Intent intent, String reason) implements Act<Transition> {
        @Override
        public CompletionStage<Transition> by(SpendRunner runner) {
            return runner.recordContest(this);
        }
    }

    /** Records that it failed. */
    record RecordFailure(Intent intent, IntentState state, String reason, boolean left) implements Act<Transition> {
        @Override
        public CompletionStage<Transition> by(SpendRunner runner) {
            return runner.recordFailure(this);
        }
    }
}
