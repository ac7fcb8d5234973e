package org.chainwalletd.node;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.net.HttpAnswer;

/**
 * One question to the nodes. The final members are the question; the others are the notes of {@link Upstream}, which alone touches them.
 */
final class Call<T> {
    final String method;
    final byte[] request;
    final long id;
    final Bucket bucket;
    final boolean mayBeMissing;
    final Pin pin;
    final int attempts;
    final Patience patience;
    final ResultReader<T> reader;
    final CompletableFuture<T> reply = new CompletableFuture<>();

    final long began = System.nanoTime();

    int start;
    int sweep;
    List<NodeState> order = List.of();
    int step;
    int attempt;
    int tipRaces;
    NodeState waitingFor;
    boolean answerLost;
    String lastFailure = "";

    /**
     * @param mayBeMissing whether older nodes lack the method: such nodes are passed over for a while once they have said so
     * @param pin the one node to ask, or null for all
     * @param attempts sweeps before the call fails; 0 for the configured number
     * @param patience how long it may wait for quotas, together with other calls; null not to wait
     */
    Call(
            String method,
            byte[] request,
            long id,
            Bucket bucket,
            boolean mayBeMissing,
            Pin pin,
            int attempts,
            Patience patience,
            ResultReader<T> reader) {
        this.method = method;
        this.request = request;
        this.id = id;
        this.bucket = bucket;
        this.mayBeMissing = mayBeMissing;
        this.pin = pin;
        this.attempts = attempts;
        this.patience = patience;
        this.reader = reader;
    }

    Outcome<T> decode(HttpAnswer answer) {
        return AnswerDecoder.decode(answer, id, method, reader);
    }

    /** The time that the calls of a patient client have together; it begins with the first one. */
    static final class Patience {
        private final long millis;
        private long end;
        private boolean begun;

        Patience(Duration time) {
            this.millis = time.toMillis();
        }

        void begin(long now) {
            if (!begun) {
                begun = true;
                end = now + millis;
            }
        }

        boolean allows(long pause, long now) {
            return now + pause - end <= 0;
        }
    }

    /** The one node of a pinned client: named, or chosen by {@link Upstream} at the first call and kept. */
    static final class Pin {
        final String url;
        NodeState node;

        /**
         * @param url null to let {@link Upstream} choose
         */
        Pin(String url) {
            this.url = url;
        }
    }
}
