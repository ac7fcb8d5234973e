package org.chainwalletd.rpc;

import java.util.concurrent.Executor;

/**
 * Sender of a request body.
 *
 * @param address address as far as it can be trusted
 * @param presence reports when the sender has left
 * @param parked runs at most once, when only {@linkplain RpcMethod#longPoll() long polls} of the request are unanswered: these have a limit
 *     of their own and need no place among the running requests. Any other request keeps its place until its answer is written
 * @param room budget for the bytes of the answer
 * @param turns fair executor for the remaining work of a request that has used up its time slice; it alternates between senders
 * @param denied runs for each call outside the token's scope or with an ended token, including notifications and items of a batch
 */
public record Client(
        String address, ClientPresence presence, Runnable parked, AnswerRoom room, Executor turns, Runnable denied) {
    /** Creates a sender whose long work runs at once instead of in time slices. */
    public Client(String address, ClientPresence presence, Runnable parked, AnswerRoom room) {
        this(address, presence, parked, room, Runnable::run, () -> {});
    }

    /** Creates a sender that never leaves and whose requests are not limited. */
    public static Client staying(String address) {
        return new Client(address, new ClientPresence(), () -> {}, AnswerRoom.BOUNDLESS);
    }
}
