package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.swap.gates.SwapRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the open swaps into the {@link SwapBook} when background work starts on a daemon that runs no engine; another daemon on the same store may
 * run one. Owns nothing; after a restart it reads the journal again.
 */
public final class BookReader extends AbstractBehavior<BookReader.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(BookReader.class);

    public sealed interface Command {}

    private record Read(Outcome<List<SwapRow>> watched) implements Command {}

    private record Retry() implements Command {}

    private final TimerScheduler<Command> timers;
    private final SwapBook book;
    private final Supplier<CompletionStage<List<SwapRow>>> watched;
    private final Duration pace;

    private BookReader(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            SwapBook book,
            Supplier<CompletionStage<List<SwapRow>>> watched,
            Duration pace) {
        super(context);
        this.timers = timers;
        this.book = book;
        this.watched = watched;
        this.pace = pace;
        read();
    }

    /**
     * @param watched reads all watched swaps
     * @param pace delay between two attempts
     */
    public static Behavior<Command> create(
            SwapBook book, Supplier<CompletionStage<List<SwapRow>>> watched, Duration pace) {
        return Behaviors.setup(
                context -> Behaviors.withTimers(timers -> new BookReader(context, timers, book, watched, pace)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Read.class, this::onRead)
                .onMessage(Retry.class, retry -> read())
                .onSignal(PostStop.class, this::onStop)
                .build();
    }

    private Behavior<Command> read() {
        book.reading();
        Outcome.pipe(getContext(), watched.get(), Read::new);
        return this;
    }

    private Behavior<Command> onRead(Read read) {
        read.watched().match(book::read, this::again);
        return this;
    }

    private void again(Throwable failure) {
        LOG.error("the swap journal cannot be read: {}", failure.toString());
        timers.startSingleTimer(new Retry(), pace);
    }

    private Behavior<Command> onStop(PostStop stop) {
        book.outdate();
        return this;
    }
}
