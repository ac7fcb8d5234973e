package org.chainwalletd.node;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.node.AnswerJson.ResultReader;

/**
 * Entry point of calls. A call that its first node accepts at once and answers does not involve the {@link Upstream} actor; a call that has to
 * wait, or gets no result, is handed over to it. Thread-safe.
 */
final class UpstreamCalls {
    private final String noun;
    private final Rotation rotation;
    private final AtomicLong ids = new AtomicLong();
    private final Exchanger exchanger;
    private final LongSupplier clock;
    private final UpstreamMetrics metrics;
    private final Set<Call<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile ActorRef<Upstream.Command> upstream;
    private volatile Supplier<CompletionStage<Void>> judge = () -> CompletableFuture.completedFuture(null);
    private volatile boolean closed;

    /**
     * @param noun name for the upstreams in messages
     * @param clock monotonic milliseconds
     */
    UpstreamCalls(String noun, Rotation rotation, Exchanger exchanger, LongSupplier clock, UpstreamMetrics metrics) {
        this.noun = noun;
        this.rotation = rotation;
        this.exchanger = exchanger;
        this.clock = clock;
        this.metrics = metrics;
    }

    /** Sets the actor to which difficult calls are handed over; must be called before the first call. */
    void handOverTo(ActorRef<Upstream.Command> actor) {
        upstream = actor;
    }

    /** Sets the check that finds out the chain of unknown nodes. From then on a node is not asked before it has been checked. */
    void judgedBy(Supplier<CompletionStage<Void>> watch) {
        judge = watch;
        rotation.nodes().forEach(node -> node.publish(UpstreamNode.NodeHealth.UNJUDGED));
    }

    /** Checks the nodes that have not been checked; completes when each of them was asked, whatever it answered. */
    CompletionStage<Void> judge() {
        return judge.get();
    }

    Rotation rotation() {
        return rotation;
    }

    /** Returns the name for the upstreams in messages. */
    String noun() {
        return noun;
    }

    /**
     * Sends a call. Completes with the value that {@code reader} returned, or with a {@link NodeException}.
     *
     * @param params a JSON object, ASCII
     */
    <T> CompletableFuture<T> ask(String method, String params, Call.Kind kind, View view, ResultReader<T> reader) {
        long id = ids.incrementAndGet();
        String request =
                "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + ",\"id\":" + id + "}";
        Call<T> call = new Call<>(method, request.getBytes(StandardCharsets.US_ASCII), id, kind, view, reader);
        begin(call);
        return call.reply;
    }

    private <T> void begin(Call<T> call) {
        int start = rotation.start(call.view);
        long now = clock.getAsLong();
        if (call.timeouts != null) {
            call.timeouts.begin(now);
        }
        UpstreamNode node = mayBypassActor(call) ? rotation.firstAccepting(call, start, now) : null;
        if (node != null && node.limiter.tryTakeInTurn(call.priority())) {
            underWay.add(call);
            abandonIfClosed(call);
            exchanger.send(
                    call,
                    node,
                    outcome -> ended(call, start, node, outcome),
                    () -> upstream.tell(new Upstream.ConnectionFree(node)));
        } else {
            handOver(call, new Upstream.Ask(call, start));
        }
    }

    /**
     * Returns whether a call may skip {@link Upstream}. Background calls that use a quota go through it one at a time, so that they never exceed
     * their share.
     */
    private static boolean mayBypassActor(Call<?> call) {
        return call.priority() == Priority.FOREGROUND || call.bucket() == Bucket.NONE;
    }

    private <T> void ended(Call<T> call, int start, UpstreamNode node, AnswerDecoder.Attempt<T> outcome) {
        underWay.remove(call);
        if (outcome instanceof AnswerDecoder.Attempt.Result<T> result) {
            call.reply.complete(result.value());
            metrics.ended(call, "ok");
        } else {
            handOver(call, new Upstream.FirstAttemptFailed<>(call, start, node, outcome));
        }
    }

    private void handOver(Call<?> call, Upstream.Command how) {
        upstream.tell(how);
        abandonIfClosed(call);
    }

    private void abandonIfClosed(Call<?> call) {
        if (closed) {
            abandon(call);
        }
    }

    static void abandon(Call<?> call) {
        call.reply.completeExceptionally(new NodeException.Unreachable("the call " + call.method + " was abandoned"));
    }

    /** Fails all calls under way and all later ones. */
    void close() {
        closed = true;
        underWay.forEach(UpstreamCalls::abandon);
    }
}
