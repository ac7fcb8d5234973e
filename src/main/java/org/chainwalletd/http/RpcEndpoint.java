package org.chainwalletd.http;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.rpc.Scope;

/** What answers the body of {@code POST /}: {@code RpcDispatcher::dispatch}, as the server sees it. */
@FunctionalInterface
public interface RpcEndpoint {
    /**
     * Must not block, and must not throw or fail without having run {@link Client#parked}.
     *
     * @param body not changed by anybody afterwards
     * @param scope of the token that came with the request; never empty here, a request without a valid token does not get this far
     */
    CompletionStage<RpcAnswer> dispatch(byte[] body, Optional<Scope> scope, Client client);
}
