package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.swap.engine.SwapEngine.StalledSwaps;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.gates.Units;
import org.chainwalletd.swap.pool.Direction;

/**
 * Entry point for calls about swaps. Stages fail with {@link SwapException}; quotes also with the exceptions of the pool, the account chain, the
 * keyring and the store. Stages complete on the daemon's own threads.
 *
 * @param changed receives new quotes, as {@link SwapSetup#changed} receives later changes
 */
public record SwapService(
        ActorRef<SwapEngine.Command> engine,
        Quoting quoting,
        SwapJournal journal,
        StalledSwaps stalledSwaps,
        Consumer<SwapRow> changed,
        Executor executor) {
    /** Time-out of a question to a swap, within which both chains are queried and a transaction is made, each with its own limits. */
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    /** Returns a warning that names the single party trusted with the whole amount of a swap; empty if there is none. */
    public Optional<String> warning() {
        return quoting.warning();
    }

    /** Returns a durable quote, which this process can execute until it expires. */
    public CompletionStage<SwapRow> quote(Quoting.Wanted wanted) {
        CompletableFuture<Boolean> room = new CompletableFuture<>();
        engine.tell(new SwapEngine.Room(room));
        return room.orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .thenComposeAsync(
                        there -> there
                                ? quoting.take(wanted, changed)
                                : CompletableFuture.failedFuture(Quoting.tooMany()),
                        executor)
                .thenApplyAsync(
                        held -> {
                            engine.tell(new SwapEngine.Adopt(held));
                            return held.row();
                        },
                        executor);
    }

    /**
     * Locks our side of a quote; for a swap that was already executed, returns its current row.
     *
     * @param minimumOut of the output, decimal in whole coins
     */
    public CompletionStage<SwapRow> execute(String id, Optional<String> minimumOut) {
        if (minimumOut.isEmpty()) {
            return executed(id, Optional.empty());
        }
        return status(id).thenComposeAsync(row -> executed(id, Optional.of(units(row, minimumOut.get()))), executor);
    }

    private CompletionStage<SwapRow> executed(String id, Optional<BigInteger> minimumOut) {
        return ask(id, reply -> new SwapQuestion.Execute(minimumOut, reply));
    }

    private static BigInteger units(SwapRow row, String decimal) {
        Direction direction = row.terms().direction();
        return Units.parse(decimal, Units.decimalsOut(direction))
                .orElseThrow(() -> notExecuted(
                        row.id(),
                        "min_amount_out has to be a decimal with at most " + Units.decimalsOut(direction)
                                + " decimals"));
    }

    /** Refunds our lock, when that is due. */
    public CompletionStage<SwapRow> refund(String id) {
        return ask(id, SwapQuestion.Refund::new);
    }

    public CompletionStage<SwapRow> status(String id) {
        return ask(id, SwapQuestion.Status::new);
    }

    /**
     * Returns a page of swaps, newest first.
     *
     * @param below value that the previous page returned
     */
    public CompletionStage<SwapJournal.Page> page(Optional<SwapStatus> status, Optional<Long> below, int limit) {
        return journal.page(status, below, limit);
    }

    /** Returns a short reason why swaps are not processed at the moment; empty when they are. */
    public Optional<String> stalled() {
        return stalledSwaps.why();
    }

    private CompletionStage<SwapRow> ask(String id, Function<CompletableFuture<SwapReply>, SwapQuestion> question) {
        CompletableFuture<SwapReply> reply = new CompletableFuture<>();
        engine.tell(new SwapEngine.Ask(id, question.apply(reply)));
        return reply.orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .handleAsync(
                        (answer, failure) -> {
                            if (failure != null) {
                                throw new SwapException.Unsettled(id, failure);
                            }
                            return row(id, answer);
                        },
                        executor);
    }

    private static SwapRow row(String id, SwapReply reply) {
        if (reply instanceof SwapReply.Current current) {
            return current.row();
        }
        if (reply instanceof SwapReply.Failed failed) {
            throw new SwapException.Unsettled(id, failed.cause());
        }
        if (reply instanceof SwapReply.LockUnknown unknown) {
            throw new SwapException.LockUnknown(id, unknown.cause());
        }
        throw refusal(id, reply);
    }

    /** Returns the refusal for a reply after which nothing was locked, revealed or refunded. */
    private static RefusedException refusal(String id, SwapReply reply) {
        if (reply instanceof SwapReply.Unknown) {
            return RefusedException.invalidParams("there is no swap " + id);
        }
        if (reply instanceof SwapReply.NotExecuted not) {
            return notExecuted(id, not.why());
        }
        if (reply instanceof SwapReply.NothingLocked nothing) {
            SwapStatus status = nothing.row().status();
            return RefusedException.invalidParams("swap " + id + " is " + status.word()
                    + ": there is no lock of ours to take back"
                    + (status.isTerminal() || status == SwapStatus.QUOTED ? "" : " at this moment"));
        }
        return new RefusedException(
                ErrorCode.TIMEOUT_NOT_REACHED,
                "the lock of swap " + id + " cannot be taken back yet; the daemon does it by itself when it can");
    }

    private static RefusedException notExecuted(String id, String why) {
        return RefusedException.invalidParams("swap " + id + " is not executed: " + why);
    }
}
