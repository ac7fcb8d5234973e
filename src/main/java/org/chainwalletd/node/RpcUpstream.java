package org.chainwalletd.node;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.config.Settings;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.node.AnswerJson.ResultReader;
import org.chainwalletd.stage.Spawner;

/**
 * JSON-RPC calls to services other than nodes, with the same rotation, failover, sweeps, connection limits and size limits. Every stage fails with
 * {@link NodeException}. Thread-safe.
 */
public final class RpcUpstream {
    /** Answers of indexers may take this fraction (1/n) of the bytes of all answers, so that they leave room for those of nodes. */
    private static final int PART = 4;

    private static final Call.Kind KIND = new Call.Kind(Bucket.NONE, false);

    private final UpstreamCalls calls;

    private RpcUpstream(UpstreamCalls calls) {
        this.calls = calls;
    }

    /**
     * Creates the transport to indexers.
     *
     * @param settings with their URLs
     * @param bearer token sent with each request
     */
    public static RpcUpstream toIndexers(
            Spawner spawner, Settings.Node settings, Optional<String> bearer, Nodes.Transport transport) {
        ByteBudget part = transport.answers().within(transport.answers().limit() / PART);
        Nodes.Transport limited =
                new Nodes.Transport(transport.peers(), part, transport.executor(), transport.metrics());
        return new RpcUpstream(
                Nodes.Upstreams.start(spawner, settings, UpstreamKind.indexer(bearer), limited, Nodes.MILLIS, () -> {})
                        .calls());
    }

    /**
     * Sends a call.
     *
     * @param params a JSON object, ASCII
     * @param reader parses the result
     */
    public <T> CompletionStage<T> call(String method, String params, ResultReader<T> reader) {
        return calls.ask(method, params, KIND, View.WHOLE, reader);
    }
}
