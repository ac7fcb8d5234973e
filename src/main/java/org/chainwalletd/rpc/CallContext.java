package org.chainwalletd.rpc;

/**
 * Who calls: what an audit line and a limit need to know.
 *
 * @param requestId unique within this process, also in the log context
 * @param scope of the token that was presented
 * @param client the caller's address as far as it can be trusted
 */
public record CallContext(String requestId, Scope scope, String client) {}
