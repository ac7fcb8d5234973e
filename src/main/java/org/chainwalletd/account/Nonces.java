package org.chainwalletd.account;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.StoreException;

/**
 * Owns the next nonce of each of our addresses, and the requests that wait for one. Makes transactions from the requests of an address in batches,
 * one batch at a time, and passes each transaction to the {@link SendWatch} once it is durable. A request whose reference is known is answered from
 * the journal. The journal determines the next nonce; a restart drops requests without a nonce, whose callers were not answered.
 *
 * <p>Keeps no state between terms. A transaction in preparation when a term ends is either journalled and sent in the next term, or not made; its
 * callers are answered accordingly.
 */
final class Nonces extends AbstractBehavior<Nonces.Command> {
    sealed interface Command {}

    /** Makes a transaction, or answers with the record that its reference already has. */
    record Send(SendRequest request, CompletableFuture<SendRecord> answer) implements Command {}

    /** Asks the {@link SendWatch} for the commitments, once it has received the transactions that are now in preparation. */
    record Commit(EvmAddress from, CompletableFuture<OpenSends.Commitments> answer) implements Command {}

    /** Stops accepting requests; answers when no batch is in preparation. */
    record Drain(CompletableFuture<Void> answer) implements Command {}

    private record Found(String reference, Outcome<Optional<AccountSend>> row) implements Command {}

    private record BindingFound(String reference, Outcome<Boolean> isBound) implements Command {}

    private record ReadAgain(EvmAddress from) implements Command {}

    private record LineRead(EvmAddress from, Outcome<List<AccountSend>> open) implements Command {}

    private record Made(EvmAddress from, Outcome<List<SendMaker.Outcome>> outcomes) implements Command {}

    /** Request without a nonce, with all callers that wait for it. */
    private record Pending(SendRequest request, Hash256 digest, List<CompletableFuture<SendRecord>> answers) {}

    private enum Stage {
        /** The journal must be read first: at the start, and after a write with unknown outcome. */
        UNREAD,
        READING,
        IDLE,
        MAKING
    }

    /** State of one address. */
    private static final class Line {
        private final List<String> queue = new ArrayList<>();
        private Stage stage = Stage.UNREAD;
        /** Whether the outcome of the last write is unknown. The rows that are read may then still change until another commit has succeeded. */
        private boolean inDoubt;

        private List<String> batch = List.of();
        private CompletionStage<List<SendMaker.Outcome>> making = CompletableFuture.completedFuture(List.of());
        /** Questions about commitments that arrived while a batch was in preparation. */
        private final List<Commit> asking = new ArrayList<>();
    }

    /**
     * Dependencies.
     *
     * @param terms terms of all writers of this journal
     * @param stops called with an address and the reason why nothing new is sent from it; must not block
     * @param record returns the current record of a row
     */
    record Parts(
            SendSetup setup,
            WritingTerms terms,
            Supplier<OpenSwaps> swaps,
            NonceCheck check,
            BiConsumer<EvmAddress, String> stops,
            ActorRef<SendWatch.Command> watch,
            Function<AccountSend, SendRecord> record) {}

    private final TimerScheduler<Command> timers;
    private final SendSetup setup;
    private final Supplier<OpenSwaps> swaps;
    private final ActorRef<SendWatch.Command> watch;
    private final Function<AccountSend, SendRecord> record;
    private final WritingTerms.Term term;
    private final SendMaker maker;
    private final Map<String, Pending> pending = new LinkedHashMap<>();
    private final Map<EvmAddress, Line> lines = new HashMap<>();
    private final List<CompletableFuture<Void>> drains = new ArrayList<>();

    private Nonces(ActorContext<Command> context, TimerScheduler<Command> timers, Parts parts) {
        super(context);
        this.term = parts.terms().begin();
        this.setup = parts.setup().during(term);
        this.swaps = parts.swaps();
        this.watch = parts.watch();
        this.record = parts.record();
        this.maker = new SendMaker(setup, parts.check(), parts.stops());
        this.timers = timers;
        parts.check().forget();
    }

    static Behavior<Command> create(Parts parts) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new Nonces(context, timers, parts)));
    }

    /** Refuses commands between two terms, when no transaction in preparation can still get a nonce. */
    static void whileStopped(Command command) {
        if (command instanceof Send send) {
            Background.refuse(send.answer());
        } else if (command instanceof Commit commit) {
            Background.refuse(commit.answer());
        } else if (command instanceof Drain drain) {
            drain.answer().complete(null);
        }
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Send.class, this::send)
                .onMessage(Commit.class, this::commit)
                .onMessage(Drain.class, this::drain)
                .onMessage(Found.class, this::found)
                .onMessage(BindingFound.class, this::bindingFound)
                .onMessage(ReadAgain.class, this::readAgain)
                .onMessage(LineRead.class, this::lineRead)
                .onMessage(Made.class, this::made)
                .onSignal(PostStop.class, this::ended)
                .build();
    }

    /** Fails requests without a nonce; the callers of transactions in preparation are answered with the outcome. */
    private Behavior<Command> ended(PostStop stop) {
        term.end();
        List<CompletableFuture<Void>> left = new ArrayList<>();
        for (Line line : lines.values()) {
            line.asking.forEach(asked -> Background.refuse(asked.answer()));
            if (line.stage == Stage.MAKING) {
                List<Pending> batch = line.batch.stream().map(pending::remove).toList();
                left.add(line.making
                        .handleAsync(
                                (outcomes, failure) -> leave(batch, Outcome.of(outcomes, failure)),
                                setup.threads().continuations())
                        .toCompletableFuture());
            }
        }
        pending.values().forEach(asked -> asked.answers().forEach(Background::refuse));
        CompletableFuture.allOf(left.toArray(CompletableFuture[]::new))
                .whenCompleteAsync(
                        (done, failure) -> drains.forEach(answer -> answer.complete(null)),
                        setup.threads().continuations());
        return this;
    }

    private Void leave(List<Pending> batch, Outcome<List<SendMaker.Outcome>> outcomes) {
        outcomes.match(
                all -> {
                    for (int i = 0; i < all.size(); i++) {
                        leave(batch.get(i), all.get(i));
                    }
                },
                failure -> batch.forEach(
                        asked -> asked.answers().forEach(answer -> answer.completeExceptionally(failure))));
        return null;
    }

    private void leave(Pending asked, SendMaker.Outcome outcome) {
        for (CompletableFuture<SendRecord> answer : asked.answers()) {
            if (outcome instanceof SendMaker.Outcome.Made made) {
                answer.complete(record.apply(made.send()));
            } else {
                answer.completeExceptionally(((SendMaker.Outcome.Refused) outcome).why());
            }
        }
    }

    private Behavior<Command> send(Send command) {
        SendRequest request = command.request();
        if (!drains.isEmpty()) {
            return refuse(command, SendRefusal.shuttingDown());
        }
        Hash256 digest = request.digest();
        Pending same = pending.get(request.reference());
        if (same != null) {
            if (!same.digest().equals(digest)) {
                return refuse(
                        command,
                        SendRefusal.referenceTaken(request, same.request().owner(), Optional.empty()));
            }
            same.answers().add(command.answer());
            return this;
        }
        // Claims and refunds have a deadline, and there are few of them.
        if (pending.size() >= setup.pace().mostOpen() && !request.kind().isPressing()) {
            return refuse(command, SendRefusal.tooMany(pending.size()));
        }
        pending.put(request.reference(), new Pending(request, digest, new ArrayList<>(List.of(command.answer()))));
        Outcome.pipe(getContext(), setup.store().find(request.reference()), row -> new Found(request.reference(), row));
        return this;
    }

    private Behavior<Command> commit(Commit command) {
        Line line = lines.get(command.from());
        if (line != null && line.stage == Stage.MAKING) {
            line.asking.add(command);
        } else {
            watch.tell(new SendWatch.Commit(command.from(), command.answer()));
        }
        return this;
    }

    private Behavior<Command> refuse(Send command, Refusal why) {
        command.answer().completeExceptionally(new RefusedException(why));
        return this;
    }

    private Behavior<Command> found(Found command) {
        String reference = command.reference();
        command.row().match(row -> lookedUp(reference, row), failure -> fail(reference, failure));
        return this;
    }

    private void lookedUp(String reference, Optional<AccountSend> row) {
        Pending asked = pending.get(reference);
        if (row.isPresent()) {
            pending.remove(reference);
            answerKnown(asked, row.get());
        } else {
            Outcome.pipe(
                    getContext(),
                    setup.store().isBoundElsewhere(reference),
                    isBound -> new BindingFound(reference, isBound));
        }
    }

    private Behavior<Command> bindingFound(BindingFound command) {
        String reference = command.reference();
        command.isBound().match(isBound -> begin(reference, isBound), failure -> fail(reference, failure));
        return this;
    }

    private void begin(String reference, boolean isBound) {
        if (isBound) {
            fail(reference, new RefusedException(SendRefusal.referenceTaken(reference)));
            return;
        }
        EvmAddress from = pending.get(reference).request().from();
        lines.computeIfAbsent(from, any -> new Line()).queue.add(reference);
        proceed(from);
    }

    /**
     * Answers callers whose reference is in the journal. If the transaction has just been made, the watch answers only once an endpoint has
     * responded.
     */
    private void answerKnown(Pending asked, AccountSend row) {
        boolean same = row.order().digest().equals(asked.digest())
                && row.call().chainId().equals(setup.chain().chainId());
        for (CompletableFuture<SendRecord> answer : asked.answers()) {
            if (same) {
                watch.tell(new SendWatch.Describe(row, answer));
            } else {
                answer.completeExceptionally(new RefusedException(SendRefusal.referenceTaken(
                        asked.request(),
                        row.order().owner(),
                        Optional.of(record.apply(row).callHash()))));
            }
        }
    }

    private void proceed(EvmAddress from) {
        Line line = lines.get(from);
        if (!drains.isEmpty()) {
            List<String> late = List.copyOf(line.queue);
            line.queue.clear();
            late.forEach(reference -> fail(reference, new RefusedException(SendRefusal.shuttingDown())));
        }
        if (line.queue.isEmpty()) {
            return;
        }
        if (line.stage == Stage.UNREAD) {
            read(from, line);
        } else if (line.stage == Stage.IDLE) {
            begin(from, line);
        }
    }

    private void read(EvmAddress from, Line line) {
        line.stage = Stage.READING;
        CompletionStage<Void> certain =
                line.inDoubt ? setup.store().makeCertain() : CompletableFuture.completedFuture(null);
        Outcome.pipe(
                getContext(),
                certain.thenComposeAsync(
                        made -> setup.store().open(setup.chain().chainId()),
                        setup.threads().continuations()),
                open -> new LineRead(from, open));
    }

    private Behavior<Command> readAgain(ReadAgain command) {
        Line line = lines.get(command.from());
        if (line.stage == Stage.UNREAD) {
            read(command.from(), line);
        }
        return this;
    }

    private Behavior<Command> lineRead(LineRead command) {
        Line line = lines.get(command.from());
        command.open()
                .match(open -> goOn(command.from(), line, open), failure -> notRead(command.from(), line, failure));
        return this;
    }

    /** Continues with the open rows of the journal. Rows that were written although the store could not confirm it are followed from now on. */
    private void goOn(EvmAddress from, Line line, List<AccountSend> open) {
        line.stage = Stage.IDLE;
        line.inDoubt = false;
        open.forEach(row -> watch.tell(new SendWatch.Follow(row)));
        proceed(from);
    }

    /** Schedules another read even if no caller waits, because a row that was written despite the failure must be sent. */
    private void notRead(EvmAddress from, Line line, Throwable failure) {
        line.stage = Stage.UNREAD;
        timers.startSingleTimer(from, new ReadAgain(from), setup.pace().look());
        List<String> waiting = List.copyOf(line.queue);
        line.queue.clear();
        waiting.forEach(reference -> fail(reference, failure));
    }

    private void begin(EvmAddress from, Line line) {
        line.stage = Stage.MAKING;
        line.batch = nextBatch(line.queue);
        line.queue.removeAll(line.batch);
        List<SendRequest> requests = line.batch.stream()
                .map(reference -> pending.get(reference).request())
                .toList();
        line.making = make(from, requests);
        Outcome.pipe(getContext(), line.making, outcomes -> new Made(from, outcomes));
    }

    private CompletionStage<List<SendMaker.Outcome>> make(EvmAddress from, List<SendRequest> requests) {
        boolean isPressing = requests.get(0).kind().isPressing();
        OpenSwaps open = swaps.get();
        // The reserve exists for claims and refunds: they do not wait until it is known.
        if (!isPressing && !open.isKnown()) {
            return CompletableFuture.failedFuture(new RefusedException(SendRefusal.swapsUnread()));
        }
        CompletableFuture<OpenSends.Commitments> commitments = new CompletableFuture<>();
        watch.tell(new SendWatch.Commit(from, commitments));
        int openSwaps = open.needingGas(from);
        return Work.on(setup.threads(isPressing), () -> maker.make(from, commitments, openSwaps, requests));
    }

    /**
     * Returns the next batch. Claims and refunds come first, in separate batches, so that nothing delays them. Other requests are grouped by the
     * block on whose state they depend.
     */
    private List<String> nextBatch(List<String> queue) {
        boolean pressing = queue.stream().anyMatch(reference -> kind(reference).isPressing());
        Survey.Basis basis = Survey.Basis.of(kind(queue.get(0)));
        return queue.stream()
                .filter(reference ->
                        pressing ? kind(reference).isPressing() : Survey.Basis.of(kind(reference)) == basis)
                .limit(setup.pace().batch())
                .toList();
    }

    private SendKind kind(String reference) {
        return pending.get(reference).request().kind();
    }

    private Behavior<Command> made(Made command) {
        Line line = lines.get(command.from());
        command.outcomes().match(outcomes -> settle(line, outcomes), failure -> notMade(command.from(), line, failure));
        line.batch = List.of();
        line.asking.forEach(asked -> watch.tell(new SendWatch.Commit(asked.from(), asked.answer())));
        line.asking.clear();
        proceed(command.from());
        return answerDrains();
    }

    private void settle(Line line, List<SendMaker.Outcome> outcomes) {
        line.stage = Stage.IDLE;
        outcomes.forEach(this::settle);
    }

    /** Handles a failed batch. The store may have written it nevertheless, so its content decides. */
    private void notMade(EvmAddress from, Line line, Throwable failure) {
        boolean isRefusal = failure instanceof RefusedException || failure instanceof AccountException;
        line.inDoubt = !isRefusal && StoreException.isDoubtful(failure);
        read(from, line);
        line.batch.forEach(reference -> fail(reference, failure));
    }

    private void settle(SendMaker.Outcome outcome) {
        if (outcome instanceof SendMaker.Outcome.Made made) {
            Pending asked = pending.remove(made.request().reference());
            watch.tell(new SendWatch.Take(made.send(), asked.answers()));
        } else {
            fail(outcome.request().reference(), ((SendMaker.Outcome.Refused) outcome).why());
        }
    }

    private void fail(String reference, Throwable why) {
        pending.remove(reference).answers().forEach(answer -> answer.completeExceptionally(why));
    }

    private Behavior<Command> drain(Drain command) {
        drains.add(command.answer());
        lines.keySet().forEach(this::proceed);
        return answerDrains();
    }

    private Behavior<Command> answerDrains() {
        if (lines.values().stream().noneMatch(line -> line.stage == Stage.MAKING)) {
            drains.forEach(answer -> answer.complete(null));
        }
        return this;
    }
}
