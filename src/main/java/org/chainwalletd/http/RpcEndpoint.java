package org.chainwalletd.http;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.rpc.Scope;

/** What answers the body of {@code POST /}: the JSON-RPC layer as the server sees it. */
@FunctionalInterface
public interface RpcEndpoint {
    /**
     * @param status HTTP status
     * @param body empty with 204
     */
    record Answer(int status, byte[] body) {}

    /**
     * Must not block and must not touch {@code body} after the stage is complete.
     *
     * @param scope of the token; empty: no valid token was presented, the answer is -32001
     * @param client address of the caller as far as it can be trusted
     */
    CompletionStage<Answer> answer(byte[] body, Optional<Scope> scope, String client);
}
