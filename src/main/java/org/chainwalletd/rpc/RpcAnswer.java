package org.chainwalletd.rpc;

/**
 * What the caller gets.
 *
 * @param status HTTP status (interface.md, section 7.1)
 * @param body JSON in UTF-8; empty for status 204. Not to be changed
 */
public record RpcAnswer(int status, byte[] body) {
    static final RpcAnswer NO_CONTENT = new RpcAnswer(204, new byte[0]);
}
