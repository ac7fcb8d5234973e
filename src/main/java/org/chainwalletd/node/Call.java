package org.chainwalletd.node;

import java.util.concurrent.CompletableFuture;
import org.chainwalletd.node.AnswerJson.ResultReader;

/** Call to the nodes. Immutable; its outcome completes {@link #reply} once, on whichever thread gets it. */
final class Call<T> {
    final String method;
    final byte[] request;
    final long id;
    final Kind kind;
    final View view;
    /** Limit of the time that the call waits for quotas; null if it does not wait. */
    final View.Timeouts timeouts;

    final ResultReader<T> reader;
    final CompletableFuture<T> reply = new CompletableFuture<>();

    final long began = System.nanoTime();

    /**
     * Properties of a method.
     *
     * @param mayBeMissing whether older nodes lack the method; a node that reported so is skipped for a while
     * @param mostAnswerBytes maximum length of an answer body, if the configuration does not set a lower one
     */
    record Kind(Bucket bucket, boolean mayBeMissing, int mostAnswerBytes) {
        Kind(Bucket bucket, boolean mayBeMissing) {
            this(bucket, mayBeMissing, Integer.MAX_VALUE);
        }

        /** Returns this kind with the answer limit of a batch of {@code count} questions. */
        Kind times(int count) {
            return new Kind(bucket, mayBeMissing, Math.multiplyExact(mostAnswerBytes, count));
        }
    }

    /** @param request the JSON-RPC request with {@code id} */
    Call(String method, byte[] request, long id, Kind kind, View view, ResultReader<T> reader) {
        this.method = method;
        this.request = request;
        this.id = id;
        this.kind = kind;
        this.view = view;
        this.timeouts = view.timeoutsOfOneCall();
        this.reader = reader;
    }

    Priority priority() {
        return view.priority();
    }

    Bucket bucket() {
        return kind.bucket();
    }

    /** Returns the only node to ask, or null for all. */
    UpstreamNode only() {
        return view.only();
    }
}
