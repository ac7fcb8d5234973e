package org.chainwalletd.node;

import java.util.concurrent.CompletableFuture;
import org.chainwalletd.node.AnswerJson.ResultReader;

/** Question to the nodes. Never changed; its outcome completes {@link #reply} once, whoever brings it. */
final class Call<T> {
    final String method;
    final byte[] request;
    final long id;
    final Kind kind;
    final View view;
    /** Timeouts while it waits for quotas; null when it does not wait. */
    final View.Timeouts timeouts;

    final ResultReader<T> reader;
    final CompletableFuture<T> reply = new CompletableFuture<>();

    final long began = System.nanoTime();

    /**
     * Properties of a method.
     *
     * @param mayBeMissing whether older nodes lack the method: such nodes are passed over for a while once they have said so
     * @param mostAnswerBytes longest answer body that is read when the configuration allows longer ones
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

    /**
     * @param request the JSON-RPC request with {@code id}
     */
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

    /** The one node to ask, or null for all. */
    UpstreamNode only() {
        return view.only();
    }
}
