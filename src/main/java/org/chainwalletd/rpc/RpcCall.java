package org.chainwalletd.rpc;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Audited;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Causes;
import org.slf4j.MDC;

/** Processing of one request or one item of a batch, from its envelope to its answer. */
final class RpcCall {
    private static final String MDC_REQUEST = "request_id";
    private static final String MDC_METHOD = "method";
    private static final String MDC_SCOPE = "scope";
    private static final String MDC_TOKEN = "token";

    private final Shared shared;
    private final Envelope envelope;
    private final CallContext context;
    private final AnswerRoom room;
    private final Runnable denied;
    private final long started = System.nanoTime();
    private ClientPresence.Registration watch;
    private boolean waiting;
    /** Parameters that the audit line reports. */
    private Optional<Audited> audited = Optional.empty();

    /**
     * @param room budget for the answer
     * @param denied runs when the method is outside the token's scope, or the token has ended
     */
    RpcCall(Shared shared, Envelope envelope, CallContext context, AnswerRoom room, Runnable denied) {
        this.room = room;
        this.denied = denied;
        this.shared = shared;
        this.envelope = envelope;
        this.context = context;
    }

    /** Objects shared by all calls. */
    record Shared(
            MethodRegistry registry,
            Failures failures,
            CallObserver observer,
            LongPolls longPolls,
            RpcDispatcher.Threads threads,
            Handover handover) {}

    /**
     * @param json null for a notification
     * @param httpStatus HTTP status if this is a single request
     */
    record Outcome(List<byte[]> json, int httpStatus) {}

    /** Failure of a long poll whose caller left. */
    private static final class CallerLeft extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CallerLeft() {
            super("the caller left", null, false, false);
        }
    }

    /**
     * Creates the refusal of an invalid token. Its text does not depend on the fault, so that a caller learns nothing (interface.md, section
     * 5.2).
     */
    static RefusedException authenticationRequired() {
        return new RefusedException(ErrorCode.UNAUTHORIZED, "authentication required");
    }

    /** Runs the call. The stage never fails; it is already complete when the method answered synchronously. */
    <T> CompletableFuture<T> run(Function<Outcome, T> finish) {
        try {
            return decide(finish);
        } finally {
            envelope.overwriteSecrets();
        }
    }

    private <T> CompletableFuture<T> decide(Function<Outcome, T> finish) {
        if (envelope.refusal() != null) {
            return now(finish, refuse(new RefusedException(ErrorCode.INVALID_REQUEST, envelope.refusal())));
        }
        RegisteredMethod<?, ?> method = shared.registry().find(envelope.method());
        // The token was valid when the request head arrived, but reading the body or running earlier items of the batch
        // may have taken long.
        if (context.grant().hasEnded()) {
            return unauthorized(
                    method == null
                            ? CallObserver.CallOutcome.UNKNOWN_METHOD
                            : method.method().name(),
                    method == null ? Scope.READ : method.method().scope(),
                    finish);
        }
        if (method == null) {
            RefusedException unknown = new RefusedException(ErrorCode.METHOD_NOT_FOUND, "method not found");
            observeRefusal(CallObserver.CallOutcome.UNKNOWN_METHOD, Scope.READ, unknown);
            return now(finish, refuse(unknown));
        }
        Scope required = method.method().scope();
        if (!context.scope().contains(required)) {
            return unauthorized(method.method().name(), required, finish);
        }
        Optional<RefusedException> objection =
                context.grant().objectionTo(method.method().name(), required).map(RefusedException::new);
        if (objection.isPresent()) {
            observeRefusal(method.method().name(), required, objection.get());
            return now(finish, refuse(objection.get()));
        }
        return runMethod(method, finish);
    }

    private <T> CompletableFuture<T> unauthorized(String method, Scope required, Function<Outcome, T> finish) {
        RefusedException unauthorized = authenticationRequired();
        denied.run();
        observeRefusal(method, required, unauthorized);
        return now(finish, refuse(unauthorized));
    }

    private <P extends Record, R, T> CompletableFuture<T> runMethod(
            RegisteredMethod<P, R> method, Function<Outcome, T> finish) {
        openLogContext(method);
        try {
            shared.observer()
                    .started(context, method.method().name(), method.method().scope());
            Optional<CompletableFuture<Outcome>> elsewhere = forwardIfElsewhere(method);
            if (elsewhere.isPresent()) {
                return elsewhere.get().thenApplyAsync(finish, shared.threads().answers());
            }
            CompletableFuture<R> running = start(method);
            if (running.isDone()) {
                return now(finish, finished(method, running));
            }
            if (method.method().longPoll()) {
                endWhenTheCallerLeaves(running);
            }
            return running.handleAsync(
                    (result, failure) -> finish.apply(finishedLater(method, running)),
                    shared.threads().answers());
        } finally {
            closeLogContext();
        }
    }

    private void requireRoom() {
        if (shared.threads().full().getAsBoolean()) {
            throw Failures.busy();
        }
        if (room.full() && !envelope.isNotification()) {
            throw noRoom();
        }
    }

    /** Forwards the call to the daemon that runs the background work, if the call needs it and another daemon runs it. */
    private Optional<CompletableFuture<Outcome>> forwardIfElsewhere(RegisteredMethod<?, ?> method) {
        if (!method.method().background()) {
            return Optional.empty();
        }
        try {
            requireRoom();
            return shared.handover()
                    .forward(() -> Requests.write(envelope), context)
                    .map(answer -> answer.handleAsync(
                                    (given, failure) -> forwarded(method, given, failure),
                                    shared.threads().answers())
                            .toCompletableFuture());
        } catch (RuntimeException failure) {
            return Optional.of(CompletableFuture.completedFuture(forwarded(method, null, failure)));
        }
    }

    private Outcome forwarded(RegisteredMethod<?, ?> method, RpcAnswer answer, Throwable failure) {
        openLogContext(method);
        try {
            release();
            if (failure != null) {
                RefusedException refusal = Causes.of(failure) instanceof Handover.OutcomeUnknown
                        ? lost(method.method())
                        : shared.failures().translate(failure, method.method().name(), context);
                observeEnd(method, Optional.of(refusal.code()), Optional.empty());
                return refuse(refusal);
            }
            observeEnd(method, Requests.errorIn(answer.pieces()), Optional.empty());
            if (envelope.isNotification()) {
                return new Outcome(null, 204);
            }
            room.takeAnyway(answer.length());
            return new Outcome(answer.pieces(), answer.status());
        } finally {
            closeLogContext();
        }
    }

    private RefusedException lost(RpcMethod<?, ?> method) {
        boolean named = envelope.params() != null && envelope.params().hasNonNull(Repetition.NAME);
        String advice = switch (method.repetition(named)) {
            case HARMLESS -> "call again";
            case BOUND -> "call again with the same client_token, which never does it twice";
            case UNBOUND -> "look whether it was, before you call again";
        };
        return new RefusedException(
                ErrorCode.INTERNAL_ERROR,
                "the call was handed to the daemon that does the background work, and its answer was lost; whether it was carried out"
                        + " is unknown: " + advice);
    }

    private <P extends Record, R> CompletableFuture<R> start(RegisteredMethod<P, R> method) {
        try {
            requireRoom();
            P params = method.binder().bind(method.method().spelling().asDeclared(envelope.params()));
            audited = params instanceof Audited asked ? Optional.of(asked) : Optional.empty();
            if (method.method().longPoll()) {
                shared.longPolls().enter(context.grant().owner());
                waiting = true;
            }
            CompletionStage<R> stage = method.method().call(params, context);
            return stage.toCompletableFuture();
        } catch (RefusedException refusal) {
            return CompletableFuture.failedFuture(refusal);
        } catch (Throwable failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private void endWhenTheCallerLeaves(CompletableFuture<?> running) {
        ClientPresence.Registration connection =
                context.presence().whenLeft(() -> running.completeExceptionally(new CallerLeft()));
        Runnable token = context.grant().whenEnded(() -> running.completeExceptionally(authenticationRequired()));
        watch = () -> {
            connection.cancel();
            token.run();
        };
    }

    /** Releases everything the call holds except its answer. */
    private void release() {
        context.end();
        if (watch != null) {
            watch.cancel();
        }
        if (waiting) {
            shared.longPolls().leave(context.grant().owner());
        }
    }

    private Outcome finishedLater(RegisteredMethod<?, ?> method, CompletableFuture<?> done) {
        openLogContext(method);
        try {
            return finished(method, done);
        } finally {
            closeLogContext();
        }
    }

    private Outcome finished(RegisteredMethod<?, ?> method, CompletableFuture<?> done) {
        release();
        Object result;
        List<byte[]> json;
        try {
            result = done.join();
            json = write(method, result);
        } catch (RuntimeException | Error failure) {
            if (failure.getCause() instanceof CallerLeft) {
                shared.observer().abandoned(context, method.method().name());
                return new Outcome(null, 204);
            }
            RefusedException translated =
                    shared.failures().translate(failure, method.method().name(), context);
            RefusedException refusal = mustNotLearn(method) ? authenticationRequired() : translated;
            observeEnd(method, Optional.of(refusal.code()), Optional.empty());
            return refuse(refusal);
        }
        observeEnd(method, Optional.empty(), method.txIdIn(result));
        return new Outcome(json, 200);
    }

    /** Whether the token has ended during a call that may have waited long for a secret, which is then not answered any more. */
    private boolean mustNotLearn(RegisteredMethod<?, ?> method) {
        String name = method.method().name();
        // A new account-chain key is answered with its words.
        return (Grant.exportsKeys(name) || name.endsWith("_create_address"))
                && context.grant().hasEnded();
    }

    /**
     * Writes the result. A result that is not answered, as that of a notification, is written too and then dropped, because writing overwrites
     * the secrets of a result.
     */
    private List<byte[]> write(RegisteredMethod<?, ?> method, Object result) {
        boolean withheld = mustNotLearn(method);
        try {
            if (!envelope.isNotification() && !withheld) {
                boolean act = !method.method().repeatable();
                return Answers.result(method.writer(), result, envelope.id(), room, act);
            }
            Answers.result(method.writer(), result, Envelope.NULL_ID, AnswerRoom.BOUNDLESS, true)
                    .forEach(piece -> Arrays.fill(piece, (byte) 0));
            if (withheld) {
                throw authenticationRequired();
            }
            return null;
        } catch (AnswerBuffer.NoRoom e) {
            throw noRoom();
        }
    }

    private static RefusedException noRoom() {
        return RefusedException.tooManyRequests(
                "no room for the answer: the daemon holds too much for its clients at the moment, or the answers of the "
                        + "batch are too long (--max-batch-answer-bytes)",
                1);
    }

    private Outcome refuse(RefusedException refusal) {
        return envelope.isNotification()
                ? new Outcome(null, 204)
                : new Outcome(
                        Answers.error(refusal, envelope.id(), room),
                        refusal.code().httpStatus());
    }

    private void observeEnd(RegisteredMethod<?, ?> method, Optional<ErrorCode> error, Optional<Hash256> txId) {
        shared.observer()
                .ended(
                        context,
                        new CallObserver.CallOutcome(
                                method.method().name(), method.method().scope(), error, nanos(), txId, audited));
    }

    private void observeRefusal(String method, Scope required, RefusedException refusal) {
        shared.observer()
                .refused(
                        context,
                        new CallObserver.CallOutcome(
                                method, required, Optional.of(refusal.code()), nanos(), Optional.empty()));
    }

    private long nanos() {
        return System.nanoTime() - started;
    }

    private void openLogContext(RegisteredMethod<?, ?> method) {
        MDC.put(MDC_REQUEST, context.requestId());
        MDC.put(MDC_METHOD, method.method().name());
        MDC.put(MDC_SCOPE, context.scope().word());
        MDC.put(MDC_TOKEN, context.grant().name());
    }

    private static void closeLogContext() {
        MDC.remove(MDC_REQUEST);
        MDC.remove(MDC_METHOD);
        MDC.remove(MDC_SCOPE);
        MDC.remove(MDC_TOKEN);
    }

    private static <T> CompletableFuture<T> now(Function<Outcome, T> finish, Outcome outcome) {
        return CompletableFuture.completedFuture(finish.apply(outcome));
    }

    /**
     * Number of open long polls, with its limit. A named token may open half of them, so that one program cannot use up the limit for all
     * others; the main tokens may open all.
     */
    static final class LongPolls {
        private static final long RETRY_AFTER_SECONDS = 5;

        private final int most;
        private final AtomicInteger open = new AtomicInteger();
        /** Open long polls by token name. All values of one token share its count; entries are never removed. */
        private final Map<String, AtomicInteger> openByName = new ConcurrentHashMap<>();

        LongPolls(int most) {
            this.most = most;
        }

        int open() {
            return open.get();
        }

        /**
         * @param owner name of the token, see {@link Grant#owner}
         * @throws RefusedException -32042 when a limit is reached
         */
        void enter(Optional<String> owner) {
            int share = most / 2 + most % 2;
            if (owner.isPresent() && !entered(ofName(owner.get()), share)) {
                throw RefusedException.tooManyRequests(
                        "already " + share + " waits at a time with this token (half of --max-waits)",
                        RETRY_AFTER_SECONDS);
            }
            if (!entered(open, most)) {
                owner.ifPresent(name -> ofName(name).decrementAndGet());
                throw RefusedException.tooManyRequests(
                        "already " + most + " waits at a time (--max-waits)", RETRY_AFTER_SECONDS);
            }
        }

        /** @param owner the same as for {@link #enter} */
        void leave(Optional<String> owner) {
            open.decrementAndGet();
            owner.ifPresent(name -> ofName(name).decrementAndGet());
        }

        private AtomicInteger ofName(String name) {
            return openByName.computeIfAbsent(name, first -> new AtomicInteger());
        }

        private static boolean entered(AtomicInteger counter, int bound) {
            if (counter.incrementAndGet() <= bound) {
                return true;
            }
            counter.decrementAndGet();
            return false;
        }
    }
}
