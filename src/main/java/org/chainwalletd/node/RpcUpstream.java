package org.chainwalletd.node;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.config.Settings;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.stage.Spawner;

/**
 * JSON-RPC calls to services that are not nodes but are asked in the same way: with rotation, failover, sweeps, places and caps. Every
 * stage fails with {@link NodeException}. Thread-safe.
 */
public final class RpcUpstream {
    /** Divisor of the bytes that all answers may hold: those of indexers have one part in so many, so that they keep no node out. */
    private static final int PART = 4;

    private static final Call.Kind KIND = new Call.Kind(Bucket.NONE, false);

    private final UpstreamCalls calls;

    private RpcUpstream(UpstreamCalls calls) {
        this.calls = calls;
    }

    /**
     * Transport to indexers.
     *
     * @param settings with their URLs
     * @param bearer token that goes with each request
     */
    public static RpcUpstream toIndexers(
            Spawner spawner, Settings.Node settings, Optional<String> bearer, Nodes.Transport transport) {
        ByteBudget part = transport.answers().within(transport.answers().limit() / PART);
        Nodes.Transport narrower =
                new Nodes.Transport(transport.peers(), part, transport.executor(), transport.metrics());
        return new RpcUpstream(
                Nodes.Upstreams.start(spawner, settings, UpstreamKind.indexer(bearer), narrower, Nodes.MILLIS, () -> {})
                        .calls());
    }

    /**
     * Call to an upstream.
     *
     * @param params a JSON object, ASCII
     * @param reader gets the result
     */
    public <T> CompletionStage<T> call(String method, String params, ResultReader<T> reader) {
        return calls.ask(method, params, KIND, View.WHOLE, reader);
    }
}
