package org.chainwalletd.rpc;

/**
 * Who sent a request body.
 *
 * @param address the caller's address as far as it can be trusted
 * @param presence tells when it has left
 * @param parked runs at most once, when nothing of the request is worked on any more but its {@linkplain RpcMethod#longPoll() long polls}:
 *     they are counted by themselves and need no place among the requests in work. Any other request keeps its place until its answer is
 *     written
 * @param room where the bytes of the answer are counted
 */
public record Client(String address, ClientPresence presence, Runnable parked, AnswerRoom room) {
    /** One that stays, and whose requests nobody counts. */
    public static Client staying(String address) {
        return new Client(address, new ClientPresence(), () -> {}, AnswerRoom.BOUNDLESS);
    }
}
