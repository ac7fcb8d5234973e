package org.chainwalletd.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/** Connections of this daemon with the others of its database. May end by itself at any time. Safe for threads; only {@link #close} blocks. */
public interface Node {
    /** Address at which other nodes reach this one, as they are told it. */
    String address();

    /**
     * Joins the nodes at these addresses, of which one must be reached.
     *
     * @param others empty: begins alone
     */
    void join(List<String> others);

    /** Whether this node and others know each other, or it has begun alone. */
    boolean isUp();

    /** Whether the node has ended, by itself or by {@link #close}. */
    boolean hasEnded();

    /** Addresses of all nodes that know each other, this one's included, reachable or not. */
    Set<String> members();

    /** Number of the nodes among {@link #members} that are reachable from this one, itself included. */
    int reachable();

    /** Tells the other daemons that there is something new. May be lost. */
    void hint(Hint hint);

    /**
     * Hands a call to the daemon that does the background work. One that says that it does not, or does no more, is believed in this only: the same call,
     * which each daemon begins once at most, goes to the one that does.
     *
     * @return never fails
     */
    CompletionStage<Answer> hand(Call call);

    /** Leaves the others and ends, within {@code patience} as far as that is possible. */
    void close(Duration patience);

    /**
     * Something new, as far as it was known when it was told.
     *
     * @param of what is new: {@code store} or {@code books}
     * @param number of the newest commit or block
     */
    record Hint(String of, long number) {}

    /**
     * A call that another daemon answers.
     *
     * @param token name of the caller's token; for a classic one the word of its scope
     * @param named whether the token is one that the operator has named
     * @param client address of the caller
     * @param millis when it was handed over, by the clock of the database as far as that is known; milliseconds since 1970
     * @param request JSON with one call in UTF-8; may hold secrets
     */
    record Call(String token, boolean named, String client, long millis, byte[] request) {}

    /** Outcome of handing a call over. */
    sealed interface Answer {
        /** It was never sent: nobody who answers is known here, or too much waits already. */
        record NotBegun() implements Answer {}

        /** It may have been carried out, and there will be no answer. */
        record Lost() implements Answer {}

        /**
         * It was answered.
         *
         * @param status HTTP status
         * @param body JSON in UTF-8; empty for a call without an id
         */
        record Given(int status, byte[] body) implements Answer {}
    }

    /**
     * Duties of this daemon towards the others.
     *
     * @param keeps whether this daemon does the background work and answers calls that are handed over
     * @param answers answers such a call; a failure counts as {@link Answer.Lost}
     * @param hears takes a hint of another daemon; must not block
     */
    record Duties(BooleanSupplier keeps, Function<Call, CompletionStage<Answer>> answers, Consumer<Hint> hears) {}

    /** Longest request that is handed over, in bytes. */
    int MAX_REQUEST_BYTES = 2 << 20;

    /** Longest answer, in bytes. */
    int MAX_ANSWER_BYTES = 3 << 20;
}
