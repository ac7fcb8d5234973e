package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.swap.gates.SwapRow;

/** Question to a swap. Each is answered, also when nobody looks after the swap any more, or at this moment. */
public sealed interface SwapQuestion {
    CompletableFuture<SwapReply> reply();

    /** Whether the row is all that it takes, and {@link #by} the answer. */
    boolean isAnsweredBy(SwapRow row);

    /** The answer by the row alone: as the swap stands, nothing is to be done. */
    default SwapReply by(SwapRow row) {
        return new SwapReply.Standing(row);
    }

    /** The answer when whoever worked at it has gone, and nobody knows how far that came. */
    default SwapReply unknown(Throwable cause) {
        return new SwapReply.Failed(cause);
    }

    /**
     * Locks our side, if it is still only a quote.
     *
     * @param minimumOut in units of the output, beside that of the quote
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
                    : new SwapReply.Standing(row);
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
        record Standing(SwapRow row) implements SwapReply {}

        record Unknown(String id) implements SwapReply {}

        /** The swap was not executed, and nothing was sent. */
        record NotExecuted(String why) implements SwapReply {}

        /** There is no lock of ours to refund: there never was one, or it is over. */
        record NothingLocked(SwapRow row) implements SwapReply {}

        record NotDue(SwapRow row) implements SwapReply {}

        /** Our lock may have left, or may leave still: its act is durable, or may be. It goes on by itself. */
        record LockUnknown(Throwable cause) implements SwapReply {}

        /** The store or a chain could not be asked; what was begun goes on by itself. */
        record Failed(Throwable cause) implements SwapReply {}
    }
}
