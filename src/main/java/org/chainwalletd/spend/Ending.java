package org.chainwalletd.spend;

import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;

/** How a running spend ends, and who looks after it from then on. */
sealed interface Ending {
    /** Tells the neighbours, and says what the caller gets. */
    SpendResult by(SpendRunner runner);

    /** A node has it: the caller gets the receipt, the spend monitor the intent. */
    record Accepted(Intent intent, boolean holdsCoins) implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.accepted(this);
        }
    }

    /** It is durable, and what became of it is not known: the spend monitor goes on. */
    record InFlight(Intent intent, boolean holdsCoins, Throwable failure) implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.inFlight(this);
        }
    }

    /** The store cannot say whether its intent is durable: nothing was sent, and nothing that it holds is free until that is known. */
    record Doubtful(Intent intent, Throwable failure) implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.doubtful(this);
        }
    }

    /** It failed, in the store already. */
    record Failed(Intent intent, IntentState state, Throwable failure) implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.failed(this);
        }
    }

    /** Nobody can tell whose payment its transaction is, the store knows that: it is not sent again, and never a success. */
    record Contested(Intent intent, Throwable failure) implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.contested(this);
        }
    }

    /** Nothing was decided: what it holds is free. */
    record Refused(Throwable failure) implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.refused(this);
        }
    }

    /** Its token stands for another spend already: nothing was written, and what it holds is free. */
    record TokenTaken() implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.tokenTaken();
        }
    }

    /** It stays given up, and its coins are watched as before. */
    record StaysAbandoned(Intent intent, Throwable failure) implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.staysAbandoned(this);
        }
    }

    /** Somebody else has found out meanwhile that it succeeded, and looks after it. */
    record FoundPaid(Intent intent) implements Ending {
        @Override
        public SpendResult by(SpendRunner runner) {
            return runner.foundPaid(this);
        }
    }
}
