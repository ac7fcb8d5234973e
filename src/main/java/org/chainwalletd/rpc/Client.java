package org.chainwalletd.rpc;

import java.util.concurrent.Executor;

/**
 * Who sent a request body.
 *
 * @param address the caller's address as far as it can be trusted
 * @param presence tells when it has left
 * @param parked runs at most once, when nothing of the request is worked on any more but its {@linkplain RpcMethod#longPoll() long polls}:
 *     they are counted by themselves and need no place among the requests in work. Any other request keeps its place until its answer is
 *     written
 * @param room where the bytes of the answer are counted
 * @param turns where work goes on that has taken its turn, one piece of this caller's after one of each other's
 * @param denied run for each call that the token's scope does not contain: also for one that is not answered, or in its place in a batch
 */
public record Client(
        String address, ClientPresence presence, Runnable parked, AnswerRoom room, Executor turns, Runnable denied) {
    /** Whose long work is done at once. */
    public Client(String address, ClientPresence presence, Runnable parked, AnswerRoom room) {
        this(address, presence, parked, room, Runnable::run, () -> {});
    }

    /** One that stays, and whose requests nobody counts. */
    public static Client staying(String address) {
        return new Client(address, new ClientPresence(), () -> {}, AnswerRoom.BOUNDLESS);
    }
}
