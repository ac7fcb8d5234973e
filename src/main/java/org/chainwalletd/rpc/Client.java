package org.chainwalletd.rpc;

/**
 * Who sent a request body.
 *
 * @param address the caller's address as far as it can be trusted
 * @param presence tells when it has left
 * @param parked runs once, when nothing of the request is worked on any more but its {@linkplain RpcMethod#longPoll() long polls}: they
 *     are counted by themselves and need no place among the requests in work. Runs at the latest before the answer is given
 */
public record Client(String address, ClientPresence presence, Runnable parked) {
    /** One that stays, and whose requests nobody counts. */
    public static Client staying(String address) {
        return new Client(address, new ClientPresence(), () -> {});
    }
}
