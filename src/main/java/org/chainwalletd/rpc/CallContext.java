package org.chainwalletd.rpc;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;

/** Context of a call: data for audit lines and limits, and whether the caller is still connected. */
public final class CallContext {
    private final String requestId;
    private final Grant grant;
    private final String client;
    private final ClientPresence presence;
    private final Optional<String> name;
    private CompletableFuture<Void> callerLeft;
    private ClientPresence.Registration listening;
    private boolean ended;

    public CallContext(String requestId, Grant grant, String client, ClientPresence presence) {
        this(requestId, grant, client, presence, Optional.empty());
    }

    CallContext(String requestId, Grant grant, String client, ClientPresence presence, Optional<String> name) {
        this.name = name;
        this.requestId = requestId;
        this.grant = grant;
        this.client = client;
        this.presence = presence;
    }

    /** Id of the request, unique within this process; also in the log context. */
    public String requestId() {
        return requestId;
    }

    /** Scope of the token that was presented. */
    public Scope scope() {
        return grant.scope();
    }

    /** Rights of the token that was presented. */
    public Grant grant() {
        return grant;
    }

    /**
     * Unique name of the call, in hexadecimal, assigned by the daemon that received it and forwarded it; every execution under this name is
     * the same call. Empty for a call received here.
     */
    public Optional<String> name() {
        return name;
    }

    /** Caller's address as far as it can be trusted. */
    public String client() {
        return client;
    }

    /**
     * Completes when the caller has left: its connection was closed or reset, its HTTP/2 stream was reset, or its token has ended. After
     * the call has ended it does not complete any more; a stage first requested then is already complete. Never fails. An HTTP/1 client that has
     * closed only its sending side counts as connected while the server works for it ({@code HttpLimits.halfClosed}).
     *
     * <p>Meant for {@linkplain RpcMethod#longPoll() long polls}. A call that has started to move money ignores it and runs to its end.
     */
    public synchronized CompletionStage<Void> callerLeft() {
        if (callerLeft == null) {
            CompletableFuture<Void> leaving = new CompletableFuture<>();
            callerLeft = leaving;
            if (ended) {
                leaving.complete(null);
            } else {
                ClientPresence.Registration connection = presence.whenLeft(() -> leaving.complete(null));
                Runnable token = grant.whenEnded(() -> leaving.complete(null));
                listening = () -> {
                    connection.cancel();
                    token.run();
                };
            }
        }
        return callerLeft;
    }

    /** Whether the caller's connection or stream is closed. Unlike {@link #callerLeft}, does not consider the token. */
    public boolean hasLeft() {
        return presence.left();
    }

    /** Whether nobody may have the answer any more: the caller has left, or its token has ended. Work that has not begun is not done then. */
    public boolean isGone() {
        return hasLeft() || grant.hasEnded();
    }

    /** Ends the context and removes its listeners, because the call has been answered. */
    synchronized void end() {
        ended = true;
        if (listening != null) {
            listening.cancel();
            listening = null;
        }
    }

    ClientPresence presence() {
        return presence;
    }
}
