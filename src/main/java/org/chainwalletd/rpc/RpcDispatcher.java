package org.chainwalletd.rpc;

import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatcher of request bodies: envelope, batch, scope, method, error (interface.md, sections 4.2, 4.3, 5.2 and 7.1; decisions.md, section
 * 2). A call whose method completes synchronously is answered on the caller's thread; everything else continues on the executor. A failure of
 * a method becomes an answer; the returned stages fail only on a fault outside the method, for example in an observer.
 */
public final class RpcDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(RpcDispatcher.class);
    private static final RpcAnswer UNAUTHORIZED = new RpcAnswer(
            ErrorCode.UNAUTHORIZED.httpStatus(),
            Answers.error(RpcCall.authenticationRequired(), Envelope.NULL_ID, AnswerRoom.BOUNDLESS));

    /** Time slice in nanoseconds for items of a batch that complete synchronously; after it, requests of other callers run first. */
    private static final long TURN_NANOS = 2_000_000;

    private final RpcCall.Shared shared;
    private final RpcCall.Shared here;
    private final RequestReader reader;
    private final Limits limits;
    private final RequestIds requestIds = new RequestIds();

    /**
     * Limits on concurrent calls.
     *
     * @param maxBatch maximum number of items in a batch
     * @param batchParallelism items of one batch that run concurrently, without long polls
     * @param maxLongPolls concurrent long polls of all callers; one named token may have half of them
     * @param maxBatchAnswerBytes maximum total size of the answers of one batch in bytes; further items get -32042
     */
    public record Limits(int maxBatch, int batchParallelism, int maxLongPolls, long maxBatchAnswerBytes) {
        /** Creates limits without a bound on the answers of a batch. */
        public Limits(int maxBatch, int batchParallelism, int maxLongPolls) {
            this(maxBatch, batchParallelism, maxLongPolls, Long.MAX_VALUE);
        }
    }

    /**
     * Threads for calls that do not complete synchronously.
     *
     * @param answers never rejects: a task may be the answer of a payment
     * @param full whether so much work is queued that new calls are refused with -32042
     */
    public record Threads(Executor answers, BooleanSupplier full) {}

    /** Creates a dispatcher that never refuses a new call as overloaded. */
    public RpcDispatcher(
            MethodRegistry registry,
            List<ErrorTranslator> translators,
            CallObserver observer,
            Limits limits,
            Executor executor) {
        this(registry, translators, observer, limits, new Threads(executor, () -> false), Handover.NONE);
    }

    /** @param handover asked for each call that needs background work */
    public RpcDispatcher(
            MethodRegistry registry,
            List<ErrorTranslator> translators,
            CallObserver observer,
            Limits limits,
            Threads threads,
            Handover handover) {
        RpcCall.LongPolls polls = new RpcCall.LongPolls(limits.maxLongPolls());
        Failures failures = new Failures(translators);
        this.shared = new RpcCall.Shared(registry, failures, observer, polls, threads, handover);
        this.here = new RpcCall.Shared(registry, failures, observer, polls, threads, Handover.NONE);
        this.reader = new RequestReader(limits.maxBatch());
        this.limits = limits;
    }

    /** Number of open long polls. */
    public int longPolls() {
        return shared.longPolls().open();
    }

    /**
     * @param body complete request body; ownership passes to the dispatcher, which overwrites it if it holds secrets
     * @param grant rights of the token of the request; empty if there was none or an invalid one
     */
    public CompletionStage<RpcAnswer> dispatch(byte[] body, Optional<Grant> grant, Client client) {
        if (grant.isEmpty()) {
            return CompletableFuture.completedFuture(UNAUTHORIZED);
        }
        Envelope.Body read = reader.read(body, client.room());
        if (read instanceof Envelope.Single single) {
            return single(single.envelope(), grant.get(), client);
        }
        if (read instanceof Envelope.Batch batch) {
            return new BatchRun(batch.envelopes(), grant.get(), client).start();
        }
        RefusedException refusal = read instanceof Envelope.Refused refused
                ? new RefusedException(refused.code(), refused.message())
                : RefusedException.tooManyRequests(
                        "no room for the request: the daemon holds too much for its clients at the moment", 1);
        return CompletableFuture.completedFuture(
                new RpcAnswer(refusal.code().httpStatus(), Answers.error(refusal, Envelope.NULL_ID, client.room())));
    }

    /**
     * Answers a call that another daemon forwarded; never forwards it again.
     *
     * @param body request with one call; ownership passes to the dispatcher, which overwrites it if it holds secrets
     * @param client address of the client
     * @param name see {@link CallContext#name}
     */
    public CompletionStage<RpcAnswer> answerHere(byte[] body, Grant grant, String client, String name) {
        if (!(reader.read(body, AnswerRoom.BOUNDLESS) instanceof Envelope.Single single)) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("not a single call"));
        }
        Client asker = Client.staying(client);
        CallContext context = context(grant, asker, Optional.of(name));
        return new RpcCall(here, single.envelope(), context, AnswerRoom.BOUNDLESS, asker.denied())
                .run(RpcDispatcher::answer);
    }

    private CompletableFuture<RpcAnswer> single(Envelope envelope, Grant grant, Client client) {
        boolean longPoll = isLongPoll(envelope);
        CompletableFuture<RpcAnswer> answer = call(envelope, grant, client, client.room(), RpcDispatcher::answer);
        if (longPoll && !answer.isDone()) {
            client.parked().run();
        }
        return answer;
    }

    private boolean isLongPoll(Envelope envelope) {
        RegisteredMethod<?, ?> method =
                envelope.refusal() == null ? shared.registry().find(envelope.method()) : null;
        return method != null && method.method().longPoll();
    }

    private <T> CompletableFuture<T> call(
            Envelope envelope, Grant grant, Client client, AnswerRoom room, Function<RpcCall.Outcome, T> finish) {
        CallContext context = context(grant, client, Optional.empty());
        return new RpcCall(shared, envelope, context, room, client.denied()).run(finish);
    }

    private CallContext context(Grant grant, Client client, Optional<String> name) {
        return new CallContext(requestIds.next(), grant, client.address(), client.presence(), name);
    }

    private static RpcAnswer answer(RpcCall.Outcome outcome) {
        return outcome.json() == null ? RpcAnswer.NO_CONTENT : new RpcAnswer(outcome.httpStatus(), outcome.json());
    }

    /**
     * Runs the items of one batch in up to {@code batchParallelism} lanes, each of which takes the next item when its current one is
     * answered. A long poll occupies no lane: all long polls of a batch are open at once.
     */
    private final class BatchRun {
        private final List<Envelope> envelopes;
        private final Grant grant;
        private final Client client;
        private final AnswerRoom room;
        private final List<byte[]>[] answers;
        private final boolean[] longPoll;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger open;
        private final AtomicInteger openInLanes;
        private final CompletableFuture<RpcAnswer> done = new CompletableFuture<>();
        /**
         * This batch until it is answered, then null: a lane still queued for its time slice must not retain objects that are no longer
         * counted.
         */
        private final AtomicReference<BatchRun> unfinished = new AtomicReference<>(this);

        BatchRun(List<Envelope> envelopes, Grant grant, Client client) {
            this.envelopes = envelopes;
            this.grant = grant;
            this.client = client;
            this.room = new BatchRoom(client.room(), limits.maxBatchAnswerBytes());
            this.answers = noAnswers(envelopes.size());
            this.open = new AtomicInteger(envelopes.size());
            this.longPoll = new boolean[envelopes.size()];
            int inLanes = 0;
            for (int item = 0; item < longPoll.length; item++) {
                longPoll[item] = isLongPoll(envelopes.get(item));
                inLanes += longPoll[item] ? 0 : 1;
            }
            this.openInLanes = new AtomicInteger(inLanes);
        }

        @SuppressWarnings({"unchecked", "rawtypes"})
        private static List<byte[]>[] noAnswers(int items) {
            return new List[items];
        }

        CompletableFuture<RpcAnswer> start() {
            if (openInLanes.get() == 0) {
                client.parked().run();
            }
            for (int lane = 0; lane < Math.min(limits.batchParallelism(), envelopes.size()); lane++) {
                takeItems();
            }
            return done;
        }

        private void takeItems() {
            long began = System.nanoTime();
            for (int item = next.getAndIncrement(); item < envelopes.size(); item = next.getAndIncrement()) {
                int index = item;
                CompletableFuture<List<byte[]>> answer = begin(envelopes.get(index));
                if (answer.isDone() && !answer.isCompletedExceptionally()) {
                    answered(index, answer.join());
                    if (System.nanoTime() - began > TURN_NANOS) {
                        client.turns().execute(later(unfinished));
                        return;
                    }
                } else if (longPoll[index]) {
                    answer.whenCompleteAsync(
                            (json, fault) -> answered(index, json, fault),
                            shared.threads().answers());
                } else {
                    answer.whenCompleteAsync(
                            (json, fault) -> answeredLater(index, json, fault),
                            shared.threads().answers());
                    return;
                }
            }
        }

        private static Runnable later(AtomicReference<BatchRun> unfinished) {
            return () -> {
                BatchRun run = unfinished.get();
                if (run != null) {
                    run.takeItems();
                }
            };
        }

        private CompletableFuture<List<byte[]>> begin(Envelope envelope) {
            try {
                return call(envelope, grant, client, room, RpcCall.Outcome::json);
            } catch (RuntimeException | StackOverflowError fault) {
                return CompletableFuture.failedFuture(fault);
            }
        }

        private void answeredLater(int item, List<byte[]> json, Throwable fault) {
            answered(item, json, fault);
            takeItems();
        }

        /** Stores the answer of an item. A fault outside the method becomes an internal error of this item and must not block the others. */
        private void answered(int item, List<byte[]> json, Throwable fault) {
            if (fault == null) {
                answered(item, json);
                return;
            }
            LOG.error("an item of a batch failed unexpectedly", fault);
            Envelope envelope = envelopes.get(item);
            answered(
                    item,
                    envelope.isNotification()
                            ? null
                            : Answers.error(
                                    new RefusedException(ErrorCode.INTERNAL_ERROR, "internal error"),
                                    envelope.id(),
                                    room));
        }

        private void answered(int item, List<byte[]> json) {
            answers[item] = json;
            boolean lanesDone = !longPoll[item] && openInLanes.decrementAndGet() == 0;
            if (open.decrementAndGet() == 0) {
                List<byte[]> all = Answers.array(answers);
                unfinished.set(null);
                done.complete(all.isEmpty() ? RpcAnswer.NO_CONTENT : new RpcAnswer(200, all));
            } else if (lanesDone) {
                client.parked().run();
            }
        }
    }

    /** Part of a budget for all answers of one batch. Once an answer did not fit, no further item is started. */
    private static final class BatchRoom implements AnswerRoom {
        private final AnswerRoom room;
        private final AtomicLong left;
        private volatile boolean full;

        BatchRoom(AnswerRoom room, long bytes) {
            this.room = room;
            this.left = new AtomicLong(bytes);
        }

        @Override
        public boolean take(long bytes) {
            if (left.addAndGet(-bytes) >= 0 && room.take(bytes)) {
                return true;
            }
            left.addAndGet(bytes);
            full = true;
            return false;
        }

        @Override
        public void takeAnyway(long bytes) {
            full |= left.addAndGet(-bytes) < 0;
            room.takeAnyway(bytes);
        }

        @Override
        public void giveBack(long bytes) {
            left.addAndGet(bytes);
            room.giveBack(bytes);
        }

        @Override
        public boolean full() {
            return full;
        }
    }

    /** Generator of short request ids, unique within the process and very likely unique across processes. */
    private static final class RequestIds {
        private static final int RADIX = 36;

        private final String prefix =
                Integer.toString(new SecureRandom().nextInt(RADIX * RADIX * RADIX * RADIX), RADIX) + "-";
        private final AtomicLong last = new AtomicLong();

        String next() {
            return prefix + Long.toString(last.incrementAndGet(), RADIX);
        }
    }
}
