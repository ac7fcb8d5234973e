package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.swap.gates.SwapRow;

/** Question to a swap. Each one is answered, even when the swap is no longer watched or not being processed at the moment. */
public sealed interface SwapQuestion {
    CompletableFuture<SwapReply> reply();

    /** Tests whether the row alone determines the answer, which is then {@link #by}. */
    boolean isAnsweredBy(SwapRow row);

    /** Returns the answer from the row alone, for a swap whose state requires no action. */
    default SwapReply by(SwapRow row) {
        return new SwapReply.Current(row);
    }

    /** Returns the answer when the component that processed the question has ended and its progress is unknown. */
    default SwapReply unknown(Throwable cause) {
        return new SwapReply.Failed(cause);
    }

    /**
     * Locks our side, if the swap is still only a quote.
     *
     * @param minimumOut in units of the output, in addition to the amount of the quote
     */
    record Execute(Optional<BigInteger> minimumOut, CompletableFuture<SwapReply> reply) implements SwapQuestion {
        @Override
        public boolean isAnsweredBy(SwapRow row) {
            return row.acts().locking() || row.status().isTerminal();
        }

        @Override
        public SwapReply by(SwapRow row) {
            return row.acts().expired() && !row.acts().locking()
                    ? new SwapReply.NotExecuted("the quote has expired")
                    : new SwapReply.Current(row);
        }

        @Override
        public SwapReply unknown(Throwable cause) {
            return new SwapReply.LockUnknown(cause);
        }
    }

    record Refund(CompletableFuture<SwapReply> reply) implements SwapQuestion {
        @Override
        public boolean isAnsweredBy(SwapRow row) {
            return !row.status().holdsMoney();
        }

        @Override
        public SwapReply by(SwapRow row) {
            return new SwapReply.NothingLocked(row);
        }
    }

    record Status(CompletableFuture<SwapReply> reply) implements SwapQuestion {
        @Override
        public boolean isAnsweredBy(SwapRow row) {
            return true;
        }
    }

    sealed interface SwapReply {
        record Current(SwapRow row) implements SwapReply {}

        record Unknown(String id) implements SwapReply {}

        /** The swap was not executed, and nothing was sent. */
        record NotExecuted(String why) implements SwapReply {}

        /** There is no lock of ours to refund: there never was one, or it has ended. */
        record NothingLocked(SwapRow row) implements SwapReply {}

        record NotDue(SwapRow row) implements SwapReply {}

        /** Our lock may have been sent or may still be sent, because its act is durable or may be. The swap continues by itself. */
        record LockUnknown(Throwable cause) implements SwapReply {}

        /** The store or a chain could not be queried; a step that was begun continues by itself. */
        record Failed(Throwable cause) implements SwapReply {}
    }
}
