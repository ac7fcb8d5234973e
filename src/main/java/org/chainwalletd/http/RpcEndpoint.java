package org.chainwalletd.http;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.access.Grant;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.RpcAnswer;

/** What answers the body of {@code POST /}: {@code RpcDispatcher::dispatch}, as the server sees it. */
@FunctionalInterface
public interface RpcEndpoint {
    /**
     * Must not block. Takes the room for a long answer from {@link Client#room}, and gives none that found no room.
     *
     * @param body not changed by anybody afterwards
     * @param grant of the token that came with the request; never empty here, a request without a valid token does not get this far
     */
    CompletionStage<RpcAnswer> dispatch(byte[] body, Optional<Grant> grant, Client client);
}
