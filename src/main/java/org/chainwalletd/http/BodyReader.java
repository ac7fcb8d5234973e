package org.chainwalletd.http;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.RequestEntity;
import org.apache.pekko.http.scaladsl.model.EntityStreamException;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.stage.Causes;

/** Collects a body that did not arrive in one piece with its head. */
final class BodyReader {
    /** What is read and dropped of a body over the limit, so that its sender gets to read the refusal instead of a reset. */
    private static final long DROPPED_BYTES = 32L << 20;

    /**
     * @param kept the body; null when it was not wanted, could not be held, or {@code total} is over the limit
     * @param total bytes received
     */
    record Received(ByteString kept, long total) {}

    private final Materializer materializer;
    private final int limit;
    private final Duration deadline;

    BodyReader(Materializer materializer, int limit, Duration deadline) {
        this.materializer = materializer;
        this.limit = limit;
        this.deadline = deadline;
    }

    boolean tooLong(long bytes) {
        return bytes > limit;
    }

    /** Whether it is clear from the head that the body is too long to be even read and dropped. */
    boolean hopeless(RequestEntity entity) {
        return entity.getContentLengthOption().orElse(0) > limit + DROPPED_BYTES;
    }

    /** Where the bytes of one body are counted. */
    interface Keeper {
        /** False when they cannot be held. */
        boolean keep(int bytes);

        /** Nobody wants the body any more: what comes of it is read and dropped. Idempotent. */
        void drop();
    }

    /**
     * Reads to the end of the body. Fails when it does not come in time or does not end. The stage is one that Pekko made: continue with
     * an executor.
     *
     * @param keep whether anybody will look at it: what a caller without a token sends must not fill the memory
     * @param keeper asked for each part. When it cannot keep one nothing is kept, and the rest is read and dropped, so that the sender gets
     *     to read why
     * @param threads where the body is read
     */
    CompletionStage<Received> read(RequestEntity entity, boolean keep, Keeper keeper, ConnectionClass.Threads threads) {
        if (!keep) {
            keeper.drop();
        }
        return entity.getDataBytes()
                .completionTimeout(deadline)
                .toMat(
                        Sink.<Received, ByteString>fold(
                                new Received(keep ? ByteString.emptyByteString() : null, 0),
                                (before, next) -> add(before, next, keeper)),
                        Keep.right())
                .addAttributes(threads.attributes())
                .run(materializer);
    }

    /** Whether {@link #read} has failed because the client has left, and not because of anything that was refused to it. */
    static boolean isGone(Throwable failure) {
        Throwable cause = Causes.of(failure);
        return !(cause instanceof EndlessException
                || cause instanceof EntityStreamException
                || cause instanceof TimeoutException);
    }

    /** What to answer when {@link #read} has failed so. The connection is of no use any more. */
    HttpResponse refusal(Throwable failure) {
        Throwable cause = Causes.of(failure);
        HttpResponse refusal;
        if (cause instanceof EndlessException) {
            refusal = tooLongRefusal();
        } else if (cause instanceof EntityStreamException) {
            refusal = Responses.refusal(400, "the body is not encoded as its head says");
        } else {
            refusal = Responses.refusal(408, "the body did not arrive in time");
        }
        return refusal.addHeader(Responses.CLOSE);
    }

    HttpResponse tooLongRefusal() {
        return Responses.refusal(413, "the request body is longer than " + limit + " bytes");
    }

    /** The body goes on beyond what is even read and dropped. */
    private static final class EndlessException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EndlessException() {
            super("the body does not end", null, false, false);
        }
    }

    private Received add(Received before, ByteString next, Keeper keeper) {
        long total = before.total() + next.size();
        if (total > limit + DROPPED_BYTES) {
            throw new EndlessException();
        }
        if (before.kept() != null && !tooLong(total) && keeper.keep(next.size())) {
            return new Received(before.kept().concat(next), total);
        }
        keeper.drop();
        return new Received(null, total);
    }
}
