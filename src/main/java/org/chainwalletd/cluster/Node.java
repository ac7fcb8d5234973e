package org.chainwalletd.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/** Connections of this daemon with the other daemons of its database. May end by itself at any time. Thread-safe; only {@link #close} blocks. */
public interface Node {
    /** Returns the address at which other nodes reach this one, in the form passed to {@link #join}. */
    String address();

    /**
     * Joins the cluster of the nodes at these addresses, at least one of which must be reachable.
     *
     * @param others empty to form a cluster of this node alone
     */
    void join(List<String> others);

    /** Returns whether this node is a full member of a cluster, possibly alone. */
    boolean isUp();

    /** Returns whether the node has ended, by itself or by {@link #close}. */
    boolean hasEnded();

    /** Returns the addresses of all members of the cluster, including this one, reachable or not. */
    Set<String> members();

    /** Returns the number of {@link #members} reachable from this node, including itself. */
    int reachable();

    /** Sends a hint to the other daemons. May be lost. */
    void hint(Hint hint);

    /**
     * Forwards a call to the daemon that does the background work. When a daemon replies that it does not do that work (any more), the same call
     * goes to the one that does: the reply may be forged, but each daemon begins a call at most once, so this is safe.
     *
     * @return never fails
     */
    CompletionStage<Answer> hand(Call call);

    /** Leaves the cluster and ends, within {@code timeout} if possible. */
    void close(Duration timeout);

    /**
     * Announcement of a change, as known when it was sent.
     *
     * @param of kind of change: {@code store} or {@code books}
     * @param number of the newest commit or block
     */
    record Hint(String of, long number) {}

    /**
     * A call that another daemon answers.
     *
     * @param token name of the caller's token; for a classic token the word of its scope
     * @param named whether the token is a named one
     * @param client address of the caller
     * @param millis time of forwarding by the clock of the database, as far as it is known; milliseconds since 1970
     * @param request JSON with one call in UTF-8; may contain secrets
     */
    record Call(String token, boolean named, String client, long millis, byte[] request) {}

    /** Outcome of forwarding a call. */
    sealed interface Answer {
        /** The call was never sent: no daemon that answers calls is known, or too many calls are waiting. */
        record NotBegun() implements Answer {}

        /** The call may have been executed, and there will be no answer. */
        record Lost() implements Answer {}

        /**
         * The call was answered.
         *
         * @param status HTTP status
         * @param body JSON in UTF-8; empty for a call without an id
         */
        record Given(int status, byte[] body) implements Answer {}
    }

    /**
     * Callbacks that serve the other daemons.
     *
     * @param keeps whether this daemon does the background work and so answers forwarded calls
     * @param answers answers such a call; a failure counts as {@link Answer.Lost}
     * @param hears receives a hint of another daemon; must not block
     */
    record Duties(BooleanSupplier keeps, Function<Call, CompletionStage<Answer>> answers, Consumer<Hint> hears) {}

    /** Maximum length of a forwarded request, in bytes. */
    int MAX_REQUEST_BYTES = 2 << 20;

    /** Maximum length of an answer, in bytes. */
    int MAX_ANSWER_BYTES = 3 << 20;
}
