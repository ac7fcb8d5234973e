package org.chainwalletd.account;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.EndpointAnswer;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.State;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the transactions that have a nonce and are not final: submits them to the endpoints, follows their outcome, resends dropped ones, raises the
 * fee of stuck ones, and stops following them when they are final. Only this actor changes their rows once {@link Nonces} has opened them.
 *
 * <p>Keeps no state between terms: at the start of a term, and after a restart, it reads every open row and sends the same bytes again, except for
 * sends that their owner pushes. Commands that arrive before the rows have been read are stashed.
 */
final class SendWatch extends AbstractBehavior<SendWatch.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(SendWatch.class);
    /** Maximum number of commands that wait for the journal; each caller of a send waits with at most one. */
    private static final int MOST_WAITING = 1_024;

    sealed interface Command {}

    /** Command that is refused while background work is stopped. */
    private sealed interface Refusable extends Command {
        CompletableFuture<?> answer();
    }

    /** Submits a new send for the first time; callers are answered once an endpoint has accepted it, or none has. */
    record Take(AccountSend row, List<CompletableFuture<SendRecord>> answers) implements Command {}

    /** Starts following a row of the journal, unless it is followed already. */
    record Follow(AccountSend row) implements Command {}

    /** Answers with the record of a row; if the row is being submitted for the first time, as soon as that submission has ended. */
    record Describe(AccountSend row, CompletableFuture<SendRecord> answer) implements Command {}

    record Commit(EvmAddress from, CompletableFuture<OpenSends.Commitments> answer) implements Refusable {}

    record Push(String reference, CompletableFuture<SendRecord> answer) implements Refusable {}

    record Replace(String reference, Replacer.Purpose purpose, CompletableFuture<SendRecord> answer)
            implements Refusable {
        /**
         * Whether the replacement exists already: a send is cancelled only once, and from then on resent and raised like sends without a pushing
         * owner.
         */
        private boolean isDone(AccountSend row) {
            return purpose == Replacer.Purpose.CANCEL && row.newest().cancels();
        }
    }

    /** See {@link AccountSends#pursue}. */
    record Pursue(String reference, OptionalLong deadline) implements Command {}

    record Open(EvmAddress from, CompletableFuture<List<SendRecord>> answer) implements Refusable {}

    /** Answers whether a transaction is not in a block yet, and ends sends that their owner no longer pushes. */
    record MakeWay(EvmAddress from, CompletableFuture<Boolean> answer) implements Refusable {}

    record Look() implements Command {}

    private record Broadcast(long id, Hash256 version, Outcome<Void> sent) implements Command {}

    private record Looked(EvmAddress from, Looking look, Outcome<SendLook.Findings> findings) implements Command {}

    /** Look in progress. */
    private record Looking(long number, boolean isPressing) {}

    private record NoncesReported(long id, Outcome<List<EndpointAnswer<Long>>> counts) implements Command {}

    private record Copied(long id, Outcome<List<AccountSend>> copies) implements Command {}

    private record Replaced(
            AccountSend row,
            Replacer.Purpose purpose,
            Outcome<Replacer.Made> made,
            List<CompletableFuture<SendRecord>> answers)
            implements Command {}

    /** Answer of the journal about a row, with the step that handles it. */
    private record JournalAnswered(long id, Consumer<OpenSend> step) implements Command {}

    /** Open row of the journal that was requested by its reference and not followed here; empty if there is none. */
    private record RowFound(String reference, Outcome<Optional<AccountSend>> open) implements Command {}

    private record Restored(Outcome<List<AccountSend>> open) implements Command {}

    private record Retry() implements Command {}

    private final TimerScheduler<Command> timers;
    private final StashBuffer<Command> stash;
    private final WritingTerms terms;
    private final WritingTerms.Term term;
    private final SendSetup setup;
    private final Supplier<OpenSwaps> swaps;
    private final AtomicLong head;
    private final Consumer<SendRecord> changes;
    private final Replacer replacer;
    private final OtherNonceCopier copier;
    private final OpenSends sends;
    private final SendJournal journal;
    private final Map<EvmAddress, Looking> looking = new HashMap<>();
    /** Row at which the next look at an address starts. */
    private final Map<EvmAddress, Long> lookNext = new HashMap<>();

    private long looks;

    private SendWatch(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            StashBuffer<Command> stash,
            WritingTerms terms,
            SendSetup given,
            Supplier<OpenSwaps> swaps,
            AtomicLong head,
            Consumer<SendRecord> changes) {
        super(context);
        this.timers = timers;
        this.stash = stash;
        this.terms = terms;
        this.term = terms.begin();
        this.setup = given.during(term);
        this.swaps = swaps;
        this.head = head;
        this.changes = changes;
        this.replacer = new Replacer(setup);
        this.copier = new OtherNonceCopier(setup);
        this.sends = new OpenSends(setup.pace());
        this.journal = new SendJournal(setup, new ToSelf(), this::durable);
    }

    /**
     * @param terms terms of all writers of this journal
     * @param swaps returns the gas money that open swaps need
     * @param head receives the height of the chain
     * @param changes called after a change is durable
     */
    static Behavior<Command> create(
            SendSetup setup,
            WritingTerms terms,
            Supplier<OpenSwaps> swaps,
            AtomicLong head,
            Consumer<SendRecord> changes) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> Behaviors.withStash(
                MOST_WAITING,
                stash -> new SendWatch(context, timers, stash, terms, setup, swaps, head, changes).begin())));
    }

    /**
     * Answers commands between two terms. Sends in the journal are continued in the next term.
     *
     * @param record returns the current record of a row
     */
    static void whileStopped(Command command, Function<AccountSend, SendRecord> record) {
        if (command instanceof Take take) {
            take.answers().forEach(answer -> answer.complete(record.apply(take.row())));
        } else if (command instanceof Describe describe) {
            describe.answer().complete(record.apply(describe.row()));
        } else if (command instanceof Refusable question) {
            Background.refuse(question.answer());
        }
    }

    private Behavior<Command> begin() {
        // The chain height of an earlier term does not show how long a send has waited.
        head.set(0);
        return restore();
    }

    private Behavior<Command> restore() {
        Outcome.pipe(
                getContext(),
                terms.settled()
                        .thenComposeAsync(
                                settled -> setup.store().open(setup.chain().chainId()),
                                setup.threads().continuations()),
                Restored::new);
        return restoring();
    }

    private Behavior<Command> restoring() {
        return Behaviors.receive(Command.class)
                .onMessage(Restored.class, this::restored)
                .onMessage(Retry.class, retry -> restore())
                .onAnyMessage(this::early)
                .onSignal(PostStop.class, this::ended)
                .build();
    }

    private Behavior<Command> early(Command command) {
        if (stash.isFull()) {
            whileStopped(command, row -> SendRecord.of(row, head.get()));
        } else {
            stash.stash(command);
        }
        return Behaviors.same();
    }

    private Behavior<Command> restored(Restored restored) {
        return restored.open().fold(this::takeUp, this::unread);
    }

    private Behavior<Command> unread(Throwable failure) {
        LOG.error("the journal of the account chain cannot be read, so its sends are paused: {}", failure.toString());
        timers.startSingleTimer(new Retry(), setup.pace().look());
        return Behaviors.same();
    }

    private Behavior<Command> takeUp(List<AccountSend> open) {
        open.forEach(row -> sends.follow(row, head.get()));
        timers.startTimerWithFixedDelay(new Look(), setup.pace().look());
        getContext().getSelf().tell(new Look());
        return stash.unstashAll(this);
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Take.class, this::take)
                .onMessage(Follow.class, this::follow)
                .onMessage(Describe.class, this::describe)
                .onMessage(Commit.class, this::commit)
                .onMessage(Push.class, this::push)
                .onMessage(Replace.class, this::replace)
                .onMessage(Pursue.class, this::pursue)
                .onMessage(NoncesReported.class, this::noncesReported)
                .onMessage(Copied.class, this::copied)
                .onMessage(Open.class, this::open)
                .onMessage(MakeWay.class, this::makeWay)
                .onMessage(Look.class, this::lookAtAll)
                .onMessage(Broadcast.class, this::broadcast)
                .onMessage(Looked.class, this::looked)
                .onMessage(Replaced.class, this::replaced)
                .onMessage(JournalAnswered.class, this::journalAnswered)
                .onMessage(RowFound.class, this::rowFound)
                .onSignal(PostStop.class, this::ended)
                .build();
    }

    /** Answers waiting callers with the current state of their sends, which are continued in the next term. */
    private Behavior<Command> ended(PostStop stop) {
        term.end();
        stash.forEach(command -> whileStopped(command, row -> SendRecord.of(row, head.get())));
        sends.all().forEach(this::leave);
        return Behaviors.same();
    }

    /** Answers the callers of one send. A version in preparation is either journalled, and then used in the next term, or not made. */
    private void leave(OpenSend entry) {
        answer(entry);
        AccountSend row = entry.row;
        entry.replacement.ifPresent(replacement -> replacement
                .made()
                .whenCompleteAsync(
                        (made, failure) -> replacement.answers().forEach(answer -> {
                            if (failure == null) {
                                answer.complete(SendRecord.of(with(row, made.versions()), head.get()));
                            } else {
                                answer.completeExceptionally(Causes.of(failure));
                            }
                        }),
                        setup.threads().continuations()));
    }

    /** Adds versions, except those that the row already has according to the journal. */
    private static AccountSend with(AccountSend row, List<AccountSend.Version> versions) {
        AccountSend changed = row;
        for (AccountSend.Version version : versions) {
            if (changed.versions().stream().noneMatch(known -> known.hash().equals(version.hash()))) {
                changed = changed.with(version);
            }
        }
        return changed;
    }

    private SendRecord record(OpenSend entry) {
        return entry.isMissing() && !entry.row.state().isOver()
                ? SendRecord.missing(entry.row)
                : SendRecord.of(entry.row, head.get());
    }

    private Behavior<Command> take(Take command) {
        OpenSend entry = sends.find(command.row().id()).orElseGet(() -> sends.follow(command.row(), head.get()));
        entry.isFirstSubmission = true;
        entry.answers.addAll(command.answers());
        send(entry);
        return this;
    }

    private Behavior<Command> follow(Follow command) {
        if (sends.find(command.row().id()).isEmpty()) {
            sends.follow(command.row(), head.get());
        }
        return this;
    }

    /**
     * Looks in the journal for an open row that is not followed: a commit with unknown outcome may have written it, and its owner then asks about
     * it first. Following starts only after another commit, because a row that can be read is not always durable.
     */
    private void seek(String reference) {
        Executor threads = setup.threads().continuations();
        CompletionStage<Optional<AccountSend>> open = setup.store()
                .find(reference)
                .thenApplyAsync(
                        found -> found.filter(row -> !row.state().isOver()
                                && row.call().chainId().equals(setup.chain().chainId())),
                        threads)
                .thenComposeAsync(
                        row -> row.isEmpty()
                                ? CompletableFuture.completedFuture(row)
                                : setup.store().makeCertain().thenApplyAsync(made -> row, threads),
                        threads);
        Outcome.pipe(getContext(), open, row -> new RowFound(reference, row));
    }

    private Behavior<Command> rowFound(RowFound command) {
        command.open()
                .match(
                        open -> open.ifPresent(row -> follow(new Follow(row))),
                        failure -> LOG.atLevel(Background.levelOf(failure))
                                .log(
                                        "whether {} is open cannot be read from the journal: {}",
                                        command.reference(),
                                        AccountException.words(failure)));
        return this;
    }

    private Behavior<Command> describe(Describe command) {
        OpenSend entry = sends.find(command.row().id()).orElse(null);
        if (entry == null) {
            if (!command.row().state().isOver()) {
                seek(command.row().reference());
            }
            command.answer().complete(SendRecord.of(command.row(), head.get()));
        } else if (entry.isFirstSubmission) {
            entry.answers.add(command.answer());
        } else if (entry.row.state() == State.JOURNALLED && entry.pushesItself()) {
            entry.answers.add(command.answer());
            send(entry);
        } else {
            command.answer().complete(record(entry));
        }
        return this;
    }

    private Behavior<Command> commit(Commit command) {
        command.answer().complete(sends.commitments(command.from()));
        return this;
    }

    private Behavior<Command> open(Open command) {
        command.answer()
                .complete(sends.given(command.from()).stream().map(this::record).toList());
        return this;
    }

    private Behavior<Command> push(Push command) {
        OpenSend entry = sends.find(command.reference()).orElse(null);
        if (entry == null) {
            seek(command.reference());
            command.answer().completeExceptionally(new RefusedException(SendRefusal.notOpen(command.reference())));
        } else if (entry.isWaiting()) {
            entry.answers.add(command.answer());
            send(entry);
        } else {
            command.answer().complete(record(entry));
        }
        return this;
    }

    private void send(OpenSend entry) {
        long id = entry.row.id();
        entry.pushedAt = OptionalLong.of(setup.clock().millis());
        AccountChain chain = setup.chain(sends.isPressing(entry));
        CompletionStage<Void> permitted = setup.permit(entry.isPressing());
        for (AccountSend.Version version : entry.outgoing()) {
            entry.pendingSubmissions++;
            Outcome.pipe(
                    getContext(),
                    permitted.thenComposeAsync(
                            granted -> chain.sendToAll(version.raw(), version.hash()),
                            setup.threads().continuations()),
                    sent -> new Broadcast(id, version.hash(), sent));
        }
    }

    private Behavior<Command> broadcast(Broadcast command) {
        OpenSend entry = sends.find(command.id()).orElse(null);
        if (entry == null) {
            return this;
        }
        entry.pendingSubmissions--;
        boolean isTaken = command.sent().failure().isEmpty();
        command.sent()
                .match(
                        sent -> accepted(entry, command.version()),
                        failure -> notAccepted(entry, command.version(), failure));
        if (isTaken || entry.pendingSubmissions == 0) {
            entry.isFirstSubmission = false;
            answer(entry);
        }
        return this;
    }

    private void accepted(OpenSend entry, Hash256 version) {
        entry.accepted.add(version);
        CrashPoint.ACCOUNT_AFTER_SEND.reached(entry.row.order()::kind);
        entry.forgetRefusals();
        if (entry.row.state() == State.JOURNALLED) {
            journal.enter(entry, State.SENT, Optional.empty());
        }
    }

    private void notAccepted(OpenSend entry, Hash256 version, Throwable failure) {
        entry.notAccepted(version, failure, setup.clock().millis());
        LOG.warn(
                "account chain: no endpoint has accepted {} (nonce {}): {}",
                version,
                entry.row.nonce(),
                AccountException.words(failure));
    }

    private void answer(OpenSend entry) {
        SendRecord record = record(entry);
        List<CompletableFuture<SendRecord>> answers = List.copyOf(entry.answers);
        entry.answers.clear();
        answers.forEach(answer -> answer.complete(record));
    }

    /** Notifies callers and listeners of a change once it is durable. */
    private void durable(OpenSend entry, AccountSend written) {
        if (written.state().isOver()) {
            sends.end(entry);
            answer(entry);
        }
        changes.accept(SendRecord.of(written, head.get()));
    }

    private Behavior<Command> journalAnswered(JournalAnswered command) {
        sends.find(command.id()).ifPresent(command.step());
        return this;
    }

    private Behavior<Command> replace(Replace command) {
        OpenSend entry = sends.find(command.reference()).orElse(null);
        if (entry == null) {
            seek(command.reference());
            command.answer().completeExceptionally(new RefusedException(SendRefusal.notOpen(command.reference())));
        } else if (!entry.isWaiting() || entry.replacing || command.isDone(entry.row)) {
            command.answer().complete(record(entry));
        } else {
            beginReplacing(entry, command.purpose(), List.of(command.answer()));
        }
        return this;
    }

    private void beginReplacing(OpenSend entry, Replacer.Purpose purpose, List<CompletableFuture<SendRecord>> answers) {
        entry.replacing = true;
        entry.triedAt = setup.clock().millis();
        AccountSend row = entry.row;
        boolean isPressing = sends.isPressing(entry);
        Replacer.Kept kept = new Replacer.Kept(sends.committedBeside(row), swapsBefore(entry));
        Replacer.Request request = new Replacer.Request(
                row, purpose, entry.accepted, entry.isOutbid(), sends.behind(row), kept, entry.deadline);
        CompletionStage<Replacer.Made> making =
                Work.on(setup.threads(isPressing), () -> replacer.replace(request, isPressing));
        entry.replacement = Optional.of(new OpenSend.Replacement(making, answers));
        Outcome.pipe(getContext(), making, made -> new Replaced(row, purpose, made, answers));
    }

    /**
     * Number of swaps whose gas money must be kept; empty if unknown. Zero if a gate waits for the transaction: otherwise that swap would end in
     * its refund with the reserve unused.
     */
    private OptionalInt swapsBefore(OpenSend entry) {
        OpenSwaps open = swaps.get();
        if (sends.isInTheWay(entry, entry.triedAt)) {
            return OptionalInt.of(0);
        }
        return open.isKnown() ? OptionalInt.of(open.needingGas(SendSetup.payer(entry.row))) : OptionalInt.empty();
    }

    private Behavior<Command> replaced(Replaced command) {
        OpenSend entry = sends.find(command.row().id()).orElse(null);
        if (entry == null) {
            command.answers()
                    .forEach(answer -> answer.completeExceptionally(new RefusedException(
                            SendRefusal.notOpen(command.row().reference()))));
            return this;
        }
        entry.replacing = false;
        entry.replacement = Optional.empty();
        command.made().match(made -> replaced(entry, command, made), why -> notReplaced(entry, command.answers(), why));
        return this;
    }

    /** Handles a failed replacement. It may be in the journal nevertheless, so the row is reread. */
    private void notReplaced(OpenSend entry, List<CompletableFuture<SendRecord>> answers, Throwable why) {
        LOG.atLevel(Background.levelOf(why))
                .log("nonce {} could not be replaced: {}", entry.row.nonce(), AccountException.words(why));
        answers.forEach(answer -> answer.completeExceptionally(why));
        journal.reread(entry);
    }

    private void replaced(OpenSend entry, Replaced command, Replacer.Made made) {
        if (!made.versions().isEmpty()) {
            entry.row = with(entry.row, made.versions());
            entry.headThen = head.get();
        }
        if (made.outdated()) {
            journal.reread(entry);
        }
        made.lowestBalance().ifPresent(wei -> entry.lowestBalance = Optional.of(wei));
        entry.answers.addAll(command.answers());
        // If no cancelling version could be made, the transaction itself is not resent.
        boolean isWanted = command.purpose() == Replacer.Purpose.RAISE
                || entry.row.newest().cancels();
        if (entry.isWaiting() && isWanted) {
            send(entry);
        } else {
            if (entry.isWaiting() && !made.outdated()) {
                LOG.warn(
                        "nonce {} cannot be used by a transaction to ourselves now: the balance is too low",
                        entry.row.nonce());
            }
            answer(entry);
        }
    }

    /** Asks the endpoints for their next nonce, at the interval at which waiting transactions are resent. */
    private Behavior<Command> pursue(Pursue command) {
        OpenSend entry = sends.find(command.reference()).orElse(null);
        if (entry == null) {
            seek(command.reference());
            return this;
        }
        if (!entry.isPressing() || entry.row.newest().cancels()) {
            return this;
        }
        long now = setup.clock().millis();
        entry.deadline = command.deadline();
        if (mayCopy(entry, now)
                && (entry.pursuedAt.isEmpty()
                        || now - entry.pursuedAt.getAsLong()
                                >= setup.pace().resend().toMillis())) {
            entry.pursuing = true;
            entry.pursuedAt = OptionalLong.of(now);
            List<AccountSend> rows = Stream.concat(Stream.of(entry), sends.copies(entry.row).stream())
                    .map(send -> send.row)
                    .toList();
            Outcome.pipe(
                    getContext(),
                    copier.reportedNonces(rows),
                    counts -> new NoncesReported(rows.get(0).id(), counts));
        }
        return this;
    }

    /**
     * Whether a copy may be made or sent now: neither the original nor any copy is in a block, because a second one would revert there and still
     * pay its fee.
     */
    private boolean mayCopy(OpenSend entry, long now) {
        return !entry.pursuing
                && entry.isWaiting()
                && now >= entry.pausedUntil
                && sends.copies(entry.row).stream().allMatch(OpenSend::isWaiting);
    }

    private Behavior<Command> noncesReported(NoncesReported command) {
        OpenSend entry = sends.find(command.id()).orElse(null);
        if (entry == null) {
            return this;
        }
        entry.pursuing = false;
        long now = setup.clock().millis();
        if (!mayCopy(entry, now)) {
            return this;
        }
        List<EndpointAnswer<Long>> counts = command.counts().value().orElse(List.of());
        Set<Long> named = counts.stream().map(EndpointAnswer::answer).collect(Collectors.toSet());
        Set<Long> missing = new TreeSet<>();
        for (EndpointAnswer<Long> told : counts) {
            sends.nonceFrom(told.answer(), entry.row).stream()
                    .filter(nonce -> entry.mayFollow(told.endpoint(), nonce, setup.pace(), now))
                    .forEach(missing::add);
        }
        sends.copies(entry.row).forEach(copy -> goOn(copy, entry.deadline, named, now));
        if (!missing.isEmpty()) {
            entry.pursuing = true;
            AccountSend row = entry.row;
            List<AccountSend.Version> versions = entry.outgoing();
            Outcome.pipe(
                    getContext(),
                    Work.on(setup.threads(true), () -> copier.copy(row, versions, missing)),
                    copies -> new Copied(row.id(), copies));
        }
        return this;
    }

    /** Resends or raises a copy while an endpoint reports its nonce, or a lower nonce such that open sends of ours use all nonces in between. */
    private void goOn(OpenSend copy, OptionalLong deadline, Set<Long> named, long now) {
        copy.deadline = deadline;
        if (named.stream().noneMatch(nonce -> sends.leads(nonce, copy.row))) {
            return;
        }
        if (copy.mustPayMoreAsCopy(setup.pace(), now)) {
            beginReplacing(copy, Replacer.Purpose.RAISE, List.of());
        } else if (copy.mustResend(setup.pace(), now)) {
            send(copy);
        }
    }

    private Behavior<Command> copied(Copied command) {
        Optional<OpenSend> repeated = sends.find(command.id());
        repeated.ifPresent(entry -> entry.pursuing = false);
        long now = setup.clock().millis();
        boolean isWanted = repeated.filter(entry -> mayCopy(entry, now)).isPresent();
        command.copies()
                .match(
                        copies -> copies.forEach(copy -> begin(copy, isWanted)),
                        failure -> LOG.atLevel(Background.levelOf(failure))
                                .log("copies cannot be made: {}", AccountException.words(failure)));
        return this;
    }

    /** Follows the journalled copy, and sends it if it is still wanted. */
    private void begin(AccountSend copy, boolean isWanted) {
        if (sends.find(copy.id()).isPresent()) {
            return;
        }
        OpenSend entry = sends.follow(copy, head.get());
        if (isWanted) {
            LOG.warn(
                    "{} is sent with nonce {} too, which an endpoint of the account chain reports",
                    copy.reference(),
                    copy.nonce());
            send(entry);
        }
    }

    /**
     * Starts a look at each address without one in progress. For a claim or a refund, a new look replaces one in progress on the ordinary threads,
     * which may wait for a hanging endpoint.
     */
    private Behavior<Command> lookAtAll(Look command) {
        sends.rows().forEach((from, open) -> {
            boolean isPressing = sends.of(from).stream().anyMatch(OpenSend::isPressing);
            Looking before = looking.get(from);
            if (before == null || isPressing && !before.isPressing()) {
                Looking look = new Looking(++looks, isPressing);
                long first = lookNext.getOrDefault(from, AccountSend.NEW);
                looking.put(from, look);
                Outcome.pipe(
                        getContext(),
                        Work.on(
                                setup.threads(isPressing),
                                () -> SendLook.look(setup.chain(isPressing), from, open, first)),
                        findings -> new Looked(from, look, findings));
            }
        });
        return this;
    }

    private Behavior<Command> looked(Looked command) {
        if (!looking.remove(command.from(), command.look())) {
            return this;
        }
        command.findings()
                .match(
                        findings -> apply(command.from(), findings),
                        failure ->
                                LOG.warn("the account chain cannot be queried: {}", AccountException.words(failure)));
        sends.due(command.from(), setup.clock().millis(), head.get()).forEach(this::help);
        return this;
    }

    private void apply(EvmAddress from, SendLook.Findings findings) {
        head.set(findings.head());
        lookNext.put(from, findings.next());
        sends.of(from).forEach(entry -> entry.firstSeenAt(head.get()));
        findings.findings().forEach(this::apply);
    }

    private void apply(long id, SendLook.Finding finding) {
        OpenSend entry = sends.find(id).orElse(null);
        if (entry == null || entry.rereading || entry.row.state().isOver()) {
            return;
        }
        if (!(finding instanceof SendLook.Finding.NonceUsed)) {
            entry.found();
        }
        entry.isAhead = finding instanceof SendLook.Finding.Waiting;
        if (finding instanceof SendLook.Finding.InBlock in) {
            State state = SendRecord.stateOf(entry.row, in.outcome(), in.isFinal());
            if (entry.row.isCopy() && !in.outcome().succeeded()) {
                pause(entry.row);
            }
            if (state != entry.row.state() || !entry.row.progress().outcome().equals(Optional.of(in.outcome()))) {
                journal.enter(entry, state, Optional.of(in.outcome()));
            }
        } else if (finding instanceof SendLook.Finding.Waiting && entry.row.state() == State.MINED) {
            LOG.warn("nonce {} of the account chain was removed from its block by a reorganisation", entry.row.nonce());
            entry.pushedAt = OptionalLong.empty();
            journal.enter(entry, State.SENT, Optional.empty());
        } else if (finding instanceof SendLook.Finding.NonceUsed) {
            nonceUsed(entry);
        }
    }

    /**
     * Pauses the copies of a send after a revert. The call may have failed for a temporary reason, such as a time condition, so it is tried again
     * later.
     */
    private void pause(AccountSend copy) {
        long until = setup.clock().millis() + setup.pace().refused().toMillis();
        sends.given(SendSetup.payer(copy)).stream()
                .filter(send -> send.repeats(copy))
                .forEach(send -> send.pausedUntil = until);
    }

    /**
     * Handles a nonce that is used without a receipt of ours. The send is reported as lost only after a long time, because the caller then pays
     * again.
     */
    private void nonceUsed(OpenSend entry) {
        long now = setup.clock().millis();
        boolean wasMissing = entry.isMissing();
        entry.nonceUsed(now);
        if (entry.isMissing() && !wasMissing) {
            LOG.error(
                    "nonce {} of {} is used at a final block, and no endpoint has a receipt of {}: nothing new is sent until one does",
                    entry.row.nonce(),
                    SendSetup.payer(entry.row),
                    entry.row.reference());
        }
        if (entry.isLost(setup.pace(), now)) {
            if (!entry.row.isCopy()) {
                LOG.error(
                        "nonce {} of {} was used by another transaction than {}",
                        entry.row.nonce(),
                        SendSetup.payer(entry.row),
                        entry.row.reference());
            }
            journal.enter(entry, State.LOST, Optional.empty());
        }
    }

    private void help(OpenSends.Due due) {
        switch (due.need()) {
            case RESEND -> send(due.send());
            case HIGHER_FEE -> beginReplacing(due.send(), Replacer.Purpose.RAISE, List.of());
            case ABANDONED -> abandon(due.send());
            case LEFT_BEHIND -> leaveBehind(due.send());
            default -> throw new AssertionError(due);
        }
    }

    private void abandon(OpenSend entry) {
        LOG.warn(
                "nonce {} of {}: no endpoint has accepted {} within {}, so its nonce will be used by a transaction to ourselves",
                entry.row.nonce(),
                SendSetup.payer(entry.row),
                entry.row.reference(),
                setup.pace().refused());
        beginReplacing(entry, Replacer.Purpose.CANCEL, List.of());
    }

    private void leaveBehind(OpenSend entry) {
        LOG.warn(
                "nonce {} of {}: {} delays a swap and was not mined, so its nonce will be used by a transaction to ourselves",
                entry.row.nonce(),
                SendSetup.payer(entry.row),
                entry.row.reference());
        beginReplacing(entry, Replacer.Purpose.CANCEL, List.of());
    }

    private Behavior<Command> makeWay(MakeWay command) {
        long now = setup.clock().millis();
        sends.wayAsked(command.from(), now);
        sends.leftBehind(command.from(), now).forEach(this::leaveBehind);
        command.answer().complete(sends.isWaiting(command.from()));
        return this;
    }

    /** Delivers the journal's responses to this actor's mailbox. */
    private final class ToSelf implements SendJournal.Mailbox {
        @Override
        public <T> void deliver(long id, CompletionStage<T> answer, BiConsumer<OpenSend, Outcome<T>> step) {
            Outcome.pipe(getContext(), answer, value -> new JournalAnswered(id, entry -> step.accept(entry, value)));
        }

        @Override
        public void deliverLater(long id, Consumer<OpenSend> step) {
            getContext().scheduleOnce(setup.pace().look(), getContext().getSelf(), new JournalAnswered(id, step));
        }
    }
}
