package org.chainwalletd.account;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.AccountSend;

/**
 * Owns the next nonce of each address of ours, and the requests that wait for one. Requests of an address are made into transactions batch by
 * batch, never two batches at a time, and each is handed to the {@link SendWatch} once it is durable. A request whose reference is known is
 * answered from the journal. The journal tells the next nonce; after a restart requests that had none are gone, and nobody was told
 * otherwise.
 */
final class Nonces extends AbstractBehavior<Nonces.Command> {
    sealed interface Command {}

    /** Makes a transaction, or answers what its reference stands for. */
    record Send(SendRequest request, CompletableFuture<SendRecord> answer) implements Command {}

    /** Asks the {@link SendWatch} for what is committed, once what is being made at this moment is in its hands. */
    record Commit(EvmAddress from, CompletableFuture<OpenSends.Commitments> answer) implements Command {}

    /** Takes no new requests; answers when no batch is being made. */
    record Drain(CompletableFuture<Void> answer) implements Command {}

    private record Found(String reference, Outcome<Optional<AccountSend>> row) implements Command {}

    private record Named(String reference, Outcome<Boolean> isBound) implements Command {}

    private record LineRead(EvmAddress from, Outcome<List<AccountSend>> open) implements Command {}

    private record Made(EvmAddress from, Outcome<List<SendMaker.Outcome>> outcomes) implements Command {}

    /** A request that has no nonce yet, with all who wait for it. */
    private record Pending(SendRequest request, Hash256 digest, List<CompletableFuture<SendRecord>> answers) {}

    private enum Stage {
        /** The store has to be read first: at the beginning, and when it is not known what it has written. */
        UNREAD,
        READING,
        IDLE,
        MAKING
    }

    /** State of one address. */
    private static final class Line {
        private final List<String> queue = new ArrayList<>();
        private Stage stage = Stage.UNREAD;
        private List<String> batch = List.of();
        /** Questions about commitments that came while a batch was being made. */
        private final List<Commit> asking = new ArrayList<>();
    }

    private final SendSetup setup;
    private final Supplier<OpenSwaps> swaps;
    private final ActorRef<SendWatch.Command> watch;
    private final SendMaker maker;
    private final Map<String, Pending> pending = new LinkedHashMap<>();
    private final Map<EvmAddress, Line> lines = new HashMap<>();
    private final List<CompletableFuture<Void>> drains = new ArrayList<>();

    private Nonces(
            ActorContext<Command> context,
            SendSetup setup,
            Supplier<OpenSwaps> swaps,
            SendMaker maker,
            ActorRef<SendWatch.Command> watch) {
        super(context);
        this.setup = setup;
        this.swaps = swaps;
        this.watch = watch;
        this.maker = maker;
    }

    static Behavior<Command> create(
            SendSetup setup, Supplier<OpenSwaps> swaps, SendMaker maker, ActorRef<SendWatch.Command> watch) {
        return Behaviors.setup(context -> new Nonces(context, setup, swaps, maker, watch));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Send.class, this::send)
                .onMessage(Commit.class, this::commit)
                .onMessage(Drain.class, this::drain)
                .onMessage(Found.class, this::found)
                .onMessage(Named.class, this::named)
                .onMessage(LineRead.class, this::lineRead)
                .onMessage(Made.class, this::made)
                .build();
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
                return refuse(command, SendRefusal.referenceTaken(request.reference()));
            }
            same.answers().add(command.answer());
            return this;
        }
        if (pending.size() >= setup.pace().mostOpen()) {
            return refuse(command, SendRefusal.tooMany(pending.size()));
        }
        pending.put(request.reference(), new Pending(request, digest, new ArrayList<>(List.of(command.answer()))));
        getContext()
                .pipeToSelf(
                        setup.store().find(request.reference()),
                        (row, failure) -> new Found(request.reference(), Outcome.of(row, failure)));
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
            getContext()
                    .pipeToSelf(
                            setup.store().isBoundElsewhere(reference),
                            (isBound, failure) -> new Named(reference, Outcome.of(isBound, failure)));
        }
    }

    private Behavior<Command> named(Named command) {
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

    /** The watch waits with the answer for an endpoint's word, when the transaction has just been made. */
    private void answerKnown(Pending asked, AccountSend row) {
        boolean same = row.order().digest().equals(asked.digest())
                && row.call().chainId().equals(setup.chain().chainId());
        for (CompletableFuture<SendRecord> answer : asked.answers()) {
            if (same) {
                watch.tell(new SendWatch.Describe(row, answer));
            } else {
                answer.completeExceptionally(new RefusedException(SendRefusal.referenceTaken(row.reference())));
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
        getContext()
                .pipeToSelf(
                        setup.store().open(setup.chain().chainId()),
                        (open, failure) -> new LineRead(from, Outcome.of(open, failure)));
    }

    private Behavior<Command> lineRead(LineRead command) {
        Line line = lines.get(command.from());
        command.open().match(open -> goOn(command.from(), line, open), failure -> notRead(line, failure));
        return this;
    }

    /** Rows that the store has written although it could not say so are followed like all others from here on. */
    private void goOn(EvmAddress from, Line line, List<AccountSend> open) {
        line.stage = Stage.IDLE;
        open.forEach(row -> watch.tell(new SendWatch.TakeUp(row)));
        proceed(from);
    }

    private void notRead(Line line, Throwable failure) {
        line.stage = Stage.UNREAD;
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
        CompletableFuture<OpenSends.Commitments> commitments = new CompletableFuture<>();
        watch.tell(new SendWatch.Commit(from, commitments));
        boolean isPressing = requests.get(0).kind().isPressing();
        int openSwaps = swaps.get().needingGas(from);
        getContext()
                .pipeToSelf(
                        Work.on(setup.threads(isPressing), () -> maker.make(from, commitments, openSwaps, requests)),
                        (outcomes, failure) -> new Made(from, Outcome.of(outcomes, failure)));
    }

    /** Requests that race against a deadline go first, and by themselves: nothing else may delay them. The others go with those that are judged alike. */
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

    /** Perhaps the store has written them after all; what it has is what counts. */
    private void notMade(EvmAddress from, Line line, Throwable failure) {
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
