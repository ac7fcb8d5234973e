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
 * The way in for calls. A call that its first node takes at once, and answers, never meets the {@link Upstream} actor; one that has to
 * wait, or comes back without a result, is handed over to it. Thread-safe.
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
     * @param noun what those who are asked are called
     * @param clock milliseconds that never go back
     */
    UpstreamCalls(String noun, Rotation rotation, Exchanger exchanger, LongSupplier clock, UpstreamMetrics metrics) {
        this.noun = noun;
        this.rotation = rotation;
        this.exchanger = exchanger;
        this.clock = clock;
        this.metrics = metrics;
    }

    /** Sets the actor that difficult calls are handed to; told before the first call. */
    void handOverTo(ActorRef<Upstream.Command> actor) {
        upstream = actor;
    }

    /** Sets the watch that finds out which chain unknown nodes are of; until then they are not asked. */
    void judgedBy(Supplier<CompletionStage<Void>> watch) {
        judge = watch;
        rotation.nodes().forEach(node -> node.publish(UpstreamNode.NodeHealth.UNJUDGED));
    }

    /** Has the nodes judged that are not; completes when each of them was asked, whatever it said. */
    CompletionStage<Void> judge() {
        return judge.get();
    }

    Rotation rotation() {
        return rotation;
    }

    /** Noun for the upstreams that are asked. */
    String noun() {
        return noun;
    }

    /**
     * Asks, and completes with what {@code reader} made of the result, or with a {@link NodeException}.
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
        UpstreamNode node = hasOpenWay(call) ? rotation.firstTaker(call, start, now) : null;
        if (node != null && node.limiter.tryTakeInTurn(call.priority())) {
            underWay.add(call);
            abandonIfClosed(call);
            exchanger.send(
                    call,
                    node,
                    outcome -> ended(call, start, node, outcome),
                    () -> upstream.tell(new Upstream.PlaceFree(node)));
        } else {
            handOver(call, new Upstream.Ask(call, start));
        }
    }

    /** Tests whether a call may run in parallel: background calls that use a quota go one at a time, so that they never exceed their share. */
    private static boolean hasOpenWay(Call<?> call) {
        return call.priority() == Priority.FOREGROUND || call.bucket() == Bucket.NONE;
    }

    private <T> void ended(Call<T> call, int start, UpstreamNode node, AnswerDecoder.Attempt<T> outcome) {
        underWay.remove(call);
        if (outcome instanceof AnswerDecoder.Attempt.Result<T> result) {
            call.reply.complete(result.value());
            metrics.ended(call, "ok");
        } else {
            handOver(call, new Upstream.Tripped<>(call, start, node, outcome));
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

    /** Stops all calls: calls under way fail, and no new ones are made. */
    void close() {
        closed = true;
        underWay.forEach(UpstreamCalls::abandon);
    }
}
