package org.chainwalletd.rpc;

import java.util.concurrent.Executor;

/**
 * Sender of a request body.
 *
 * @param address address as far as it can be trusted
 * @param presence tells when the sender has left
 * @param parked runs at most once, when only {@linkplain RpcMethod#longPoll() long polls} of the request are left: they are counted by themselves and
 *     need no place among the requests in work. Any other request keeps its place until its answer is written
 * @param room budget in which the bytes of the answer are counted
 * @param turns executor for work that has used up its turn; it runs one piece of this sender's work after one of each other's
 * @param denied runs for each call that the token's scope does not contain, or whose token has ended: also for one that gets no answer, or is an item
 *     of a batch
 */
public record Client(
        String address, ClientPresence presence, Runnable parked, AnswerRoom room, Executor turns, Runnable denied) {
    /** Creates a sender whose long work is done at once, without turns. */
    public Client(String address, ClientPresence presence, Runnable parked, AnswerRoom room) {
        this(address, presence, parked, room, Runnable::run, () -> {});
    }

    /** Creates a sender that never leaves, and whose requests are not counted. */
    public static Client staying(String address) {
        return new Client(address, new ClientPresence(), () -> {}, AnswerRoom.BOUNDLESS);
    }
}
