package org.chainwalletd.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * From the bytes of a request to the bytes of its answer: envelope, batch, scope, method, error (interface.md, sections 4.2, 4.3, 5.2 and
 * 7.1; decisions.md, section 2). A call whose method answers at once is answered on the caller's thread; everything else goes on on the
 * executor. The stages given out never fail.
 */
public final class RpcDispatcher {
    private static final RpcAnswer UNAUTHORIZED = new RpcAnswer(
            ErrorCode.UNAUTHORIZED.httpStatus(), Answers.error(RpcCall.authenticationRequired(), Envelope.NULL_ID));

    private final RpcCall.Shared shared;
    private final RequestReader reader;
    private final int batchParallelism;
    private final RequestIds requestIds = new RequestIds();

    /**
     * @param maxBatch most items in a batch
     * @param batchParallelism items of one batch that run at a time
     * @param executor where calls go on that did not answer at once
     */
    public RpcDispatcher(
            MethodRegistry registry,
            List<ErrorTranslator> translators,
            CallObserver observer,
            int maxBatch,
            int batchParallelism,
            Executor executor) {
        this.shared = new RpcCall.Shared(registry, new Failures(translators), observer, executor);
        this.reader = new RequestReader(maxBatch);
        this.batchParallelism = batchParallelism;
    }

    /**
     * @param body the complete request body, given over: it is overwritten when it holds secrets
     * @param scope of the token that came with the request; empty when there was none or a wrong one
     * @param client the caller's address as far as it can be trusted
     */
    public CompletionStage<RpcAnswer> dispatch(byte[] body, Optional<Scope> scope, String client) {
        if (scope.isEmpty()) {
            return CompletableFuture.completedFuture(UNAUTHORIZED);
        }
        Envelope.Body read = reader.read(body);
        if (read instanceof Envelope.Single single) {
            return call(single.envelope(), scope.get(), client, RpcDispatcher::answer);
        }
        if (read instanceof Envelope.Batch batch) {
            return new BatchRun(batch.envelopes(), scope.get(), client).start();
        }
        Envelope.Refused refused = (Envelope.Refused) read;
        RpcException refusal = new RpcException(refused.code(), refused.message());
        return CompletableFuture.completedFuture(
                new RpcAnswer(refused.code().httpStatus(), Answers.error(refusal, Envelope.NULL_ID)));
    }

    private <T> CompletableFuture<T> call(
            Envelope envelope, Scope scope, String client, Function<RpcCall.Outcome, T> finish) {
        CallContext context = new CallContext(requestIds.next(), scope, client);
        return new RpcCall(shared, envelope, context).run(finish);
    }

    private static RpcAnswer answer(RpcCall.Outcome outcome) {
        return outcome.json() == null ? RpcAnswer.NO_CONTENT : new RpcAnswer(outcome.httpStatus(), outcome.json());
    }

    /** Runs the items of one batch: a few lanes, each taking the next item when its last one is answered. */
    private final class BatchRun {
        private final List<Envelope> envelopes;
        private final Scope scope;
        private final String client;
        private final byte[][] answers;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger open;
        private final CompletableFuture<RpcAnswer> done = new CompletableFuture<>();

        BatchRun(List<Envelope> envelopes, Scope scope, String client) {
            this.envelopes = envelopes;
            this.scope = scope;
            this.client = client;
            this.answers = new byte[envelopes.size()][];
            this.open = new AtomicInteger(envelopes.size());
        }

        CompletableFuture<RpcAnswer> start() {
            for (int lane = 0; lane < Math.min(batchParallelism, envelopes.size()); lane++) {
                takeItems();
            }
            return done;
        }

        private void takeItems() {
            for (int item = next.getAndIncrement(); item < envelopes.size(); item = next.getAndIncrement()) {
                int index = item;
                CompletableFuture<byte[]> answer = call(envelopes.get(index), scope, client, RpcCall.Outcome::json);
                if (!answer.isDone()) {
                    answer.thenAcceptAsync(json -> answered(index, json, true), shared.executor());
                    return;
                }
                answered(index, answer.join(), false);
            }
        }

        private void answered(int item, byte[] json, boolean takeMore) {
            answers[item] = json;
            if (open.decrementAndGet() == 0) {
                done.complete(collect());
            } else if (takeMore) {
                takeItems();
            }
        }

        private RpcAnswer collect() {
            List<byte[]> given = new ArrayList<>(answers.length);
            for (byte[] answer : answers) {
                if (answer != null) {
                    given.add(answer);
                }
            }
            return given.isEmpty() ? RpcAnswer.NO_CONTENT : new RpcAnswer(200, Answers.array(given));
        }
    }
}
