package org.chainwalletd.account.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.account.endpoints.Question.Size;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.stage.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns what is asked of one endpoint of the account chain: whether it is known to be on the configured chain, how many calls are under way,
 * and the calls that wait. An endpoint is asked for its chain id first, and again after each call that it did not answer: behind the same
 * name there may be another one by then. After a restart nothing is known of it.
 */
final class Endpoint extends AbstractBehavior<Endpoint.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Endpoint.class);

    /** Small each; what they ask for is bounded when it comes. */
    private static final int LONGEST_QUEUE = 4_096;

    /** For memory that answers of other endpoints hold: they are read within seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration MEMORY_LOOK = Duration.ofMillis(20);

    sealed interface Command {}

    /** Puts a question; {@code answer} gets the raw result. */
    record Ask(Question<?> question, CompletableFuture<JsonNode> answer) implements Command {}

    /** Others may have given memory back. */
    private record Retry() implements Command {}

    /** @param ours the chain id, when it is the configured one */
    private record Identified(Outcome<BigInteger> ours, long begun) implements Command {}

    private record Answered(Ask ask, Outcome<JsonNode> result, long begun) implements Command {}

    /** The way to it. */
    interface Wire {
        /** Host and port. */
        String name();

        /** The {@code result} of a call, or an {@link AccountException}; always one of both within bounded time. */
        CompletionStage<JsonNode> call(Question<?> question);
    }

    private enum Identity {
        UNKNOWN,
        ASKED,
        CONFIRMED
    }

    private final TimerScheduler<Command> timers;
    private final Wire wire;
    private final BigInteger chainId;
    private final ByteBudget budget;
    private final EndpointFigures figures;
    private final Deque<Ask> waiting = new ArrayDeque<>();
    private Identity identity = Identity.UNKNOWN;
    private int underWay;
    /** Since when the first of the queue finds no memory, by {@link System#nanoTime}. */
    private OptionalLong shortSince = OptionalLong.empty();

    private Endpoint(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            Wire wire,
            BigInteger chainId,
            ByteBudget budget,
            EndpointFigures figures) {
        super(context);
        this.timers = timers;
        this.wire = wire;
        this.chainId = chainId;
        this.budget = budget;
        this.figures = figures;
    }

    /** @param budget of the heap for answers; what is sent goes out whether or not there is room */
    static Behavior<Command> create(Wire wire, BigInteger chainId, ByteBudget budget, EndpointFigures figures) {
        return Behaviors.setup(context ->
                Behaviors.withTimers(timers -> new Endpoint(context, timers, wire, chainId, budget, figures)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Ask.class, this::ask)
                .onMessage(Retry.class, retry -> proceed())
                .onMessage(Identified.class, this::identified)
                .onMessage(Answered.class, this::answered)
                .build();
    }

    private Behavior<Command> ask(Ask command) {
        if (waiting.size() >= LONGEST_QUEUE) {
            command.answer()
                    .completeExceptionally(
                            new AccountException.Unreachable(wire.name(), "too many questions wait for it"));
            return this;
        }
        waiting.add(command);
        return proceed();
    }

    private Behavior<Command> proceed() {
        if (identity == Identity.UNKNOWN && !waiting.isEmpty()) {
            identity = Identity.ASKED;
            Question<BigInteger> question =
                    new Question<>("eth_chainId", Question.noParams(), Size.SMALL, Quantities::number);
            long begun = System.nanoTime();
            getContext()
                    .pipeToSelf(
                            wire.call(question),
                            (result, failure) -> new Identified(checked(Outcome.of(result, failure)), begun));
        }
        while (identity == Identity.CONFIRMED && !waiting.isEmpty() && mayCall(waiting.peek())) {
            begin(waiting.remove());
        }
        return this;
    }

    private Outcome<BigInteger> checked(Outcome<JsonNode> answer) {
        return answer.fold(this::checked, Outcome.Failed::new);
    }

    /** Fails when the endpoint names no chain, or another one. */
    private Outcome<BigInteger> checked(JsonNode answer) {
        BigInteger named;
        try {
            named = Quantities.number(answer);
        } catch (IllegalArgumentException e) {
            return new Outcome.Failed<>(new AccountException.BadAnswer(wire.name(), "a chain id: " + e.getMessage()));
        }
        return named.equals(chainId)
                ? new Outcome.Done<>(named)
                : new Outcome.Failed<>(new AccountException.WrongChain(wire.name(), chainId, named));
    }

    private boolean mayCall(Ask ask) {
        if (underWay >= HttpEndpoint.MOST_AT_ONCE) {
            return false;
        }
        long heap = ask.question().size().heap();
        if (ask.question().isSend()) {
            budget.take(heap);
            return true;
        }
        if (budget.tryTake(heap)) {
            shortSince = OptionalLong.empty();
            return true;
        }
        if (underWay == 0) {
            awaitMemory(ask, heap);
        }
        return false;
    }

    /** Nothing of this endpoint will give any back. What answers of the others hold comes back soon, and nobody tells when. */
    private void awaitMemory(Ask ask, long heap) {
        long now = System.nanoTime();
        boolean isPatient = shortSince.isEmpty() || now - shortSince.getAsLong() < PATIENCE.toNanos();
        if (heap <= budget.limit() && isPatient) {
            shortSince = OptionalLong.of(shortSince.orElse(now));
        } else {
            shortSince = OptionalLong.empty();
            waiting.remove();
            ask.answer()
                    .completeExceptionally(
                            new AccountException.Unreachable(wire.name(), "there is no memory for its answer now"));
        }
        if (!waiting.isEmpty()) {
            timers.startSingleTimer(new Retry(), MEMORY_LOOK);
        }
    }

    private void begin(Ask ask) {
        underWay++;
        long begun = System.nanoTime();
        getContext()
                .pipeToSelf(
                        wire.call(ask.question()),
                        (result, failure) -> new Answered(ask, Outcome.of(result, failure), begun));
    }

    private Behavior<Command> identified(Identified command) {
        figures.ended(command.ours().failure(), System.nanoTime() - command.begun());
        return command.ours().fold(ours -> confirmed(), this::notOurs);
    }

    private Behavior<Command> confirmed() {
        identity = Identity.CONFIRMED;
        return proceed();
    }

    private Behavior<Command> notOurs(Throwable why) {
        LOG.warn("{}", why.getMessage());
        identity = Identity.UNKNOWN;
        List<Ask> refused = new ArrayList<>(waiting);
        waiting.clear();
        refused.forEach(ask -> ask.answer().completeExceptionally(why));
        return this;
    }

    private Behavior<Command> answered(Answered command) {
        underWay--;
        budget.give(command.ask().question().size().heap());
        figures.ended(command.result().failure(), System.nanoTime() - command.begun());
        command.result().match(command.ask().answer()::complete, failure -> failed(command.ask(), failure));
        return proceed();
    }

    private void failed(Ask ask, Throwable why) {
        if (why instanceof AccountException.Unreachable && identity == Identity.CONFIRMED) {
            identity = Identity.UNKNOWN;
        }
        ask.answer().completeExceptionally(why);
    }
}
