package org.chainwalletd.http.pages;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.RequestEntity;
import org.apache.pekko.http.scaladsl.model.EntityStreamException;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.access.Grant;
import org.chainwalletd.http.door.Callers;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.ConnectionClass;
import org.chainwalletd.http.door.FairExecutor;
import org.chainwalletd.http.door.HttpHandler;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.http.door.MemoryReservation;
import org.chainwalletd.http.door.Refusals;
import org.chainwalletd.http.door.Responses;
import org.chainwalletd.rpc.Client;
import org.chainwalletd.rpc.ClientPresence;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.stage.Causes;

/** Handler of {@code POST /}: checks content type, length, token and the token's request limit, then calls the JSON-RPC layer. */
public final class RpcHandler implements HttpHandler {
    private static final Set<String> JSON_TYPES =
            Set.of("application/json", "application/json-rpc", "application/jsonrequest", "application/octet-stream");

    /** The answer is already written: only its status is missing, which is not worth another thread. */
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    /** Maximum length of a request that is read between two steps of other connections. */
    private static final int BRIEF = 16 << 10;

    /** Length below which an answer is sent in one piece. */
    private static final int SHORT_ANSWER = 4096;

    private final RpcEndpoint rpc;
    private final Callers callers;
    private final RequestSlots slots;
    private final Refusals refusals;
    private final BodyReader bodies;
    private final FairExecutor turns;

    public RpcHandler(RpcEndpoint rpc, Callers callers, HttpLimits limits, Refusals refusals, ActorSystem<?> system) {
        this.rpc = rpc;
        this.callers = callers;
        this.slots = new RequestSlots(limits.maxConcurrentPerToken());
        this.refusals = refusals;
        this.bodies = new BodyReader(
                SystemMaterializer.get(system).materializer(),
                limits.maxBodyBytes(),
                limits.timeouts().request());
        this.turns = new FairExecutor(
                ConnectionClass.HEAVY.threads(system).executor(),
                Runtime.getRuntime().availableProcessors());
    }

    @Override
    public CompletionStage<HttpResponse> handle(HttpRequest request, Connection connection, ClientPresence presence) {
        Exchange exchange = new Exchange(request, connection, presence);
        RequestEntity entity = request.entity();
        if (entity instanceof HttpEntity.Strict whole) {
            connection.requestArrived();
            ByteString body = whole.getData();
            return exchange.keep(body.size())
                    ? exchange.answer(new BodyReader.Received(bodies.tooLong(body.size()) ? null : body, body.size()))
                    : exchange.end(refusals.tooMuch());
        }
        if (bodies.hopeless(entity) || (expectsContinue(request) && announcedTooLong(entity))) {
            connection.requestArrived();
            return exchange.refuse(bodies.tooLongRefusal().addHeader(Responses.CLOSE));
        }
        return bodies.read(entity, exchange.isWorthReading(), exchange, connection.threads())
                .handleAsync(
                        (received, failure) -> {
                            connection.requestArrived();
                            return exchange.received(received, failure);
                        },
                        connection.threads().executor())
                .thenComposeAsync(answer -> answer, ON_COMPLETING_THREAD);
    }

    /** Exchange from the head of a request to its written answer; holds its slot and its buffered bytes that long. */
    private final class Exchange implements BodyReader.Keeper {
        private final Connection connection;
        private final ClientPresence presence;
        private final Callers.Caller caller;
        private final boolean json;
        private final Optional<RequestSlots.Slot> slot;
        private final MemoryReservation body;
        private final MemoryReservation held;
        private ClientPresence.Registration whenGone = () -> {};
        /** Delay of the response to a single call that the token's scope does not permit. */
        private volatile Duration denied = Duration.ZERO;

        Exchange(HttpRequest request, Connection connection, ClientPresence presence) {
            this.connection = connection;
            this.presence = presence;
            this.caller = callers.of(request, connection);
            this.json = isJson(request.entity());
            this.slot = json ? caller.grant().flatMap(slots::take) : Optional.empty();
            this.body = new MemoryReservation(connection.budget(), 0);
            // A single request costs less than its connection; the number of HTTP/2 streams is up to the client.
            this.held = new MemoryReservation(connection.budget(), connection.isHttp2() ? 0 : SHORT_ANSWER);
        }

        boolean isWorthReading() {
            return slot.isPresent();
        }

        /**
         * Bytes over HTTP/1 were counted with their connection when they arrived. A body that was read may outlive the connection: if its client
         * leaves, it stays counted until it is dropped.
         */
        @Override
        public boolean keep(int bytes) {
            if (connection.isHttp2()) {
                return body.take(bytes);
            }
            connection.bodyRead(bytes, body);
            return true;
        }

        @Override
        public void drop() {
            body.giveBackAll();
            if (!connection.isHttp2()) {
                connection.dropBody();
            }
        }

        /** @param failure reason why there is no complete body; null if there is one */
        CompletionStage<HttpResponse> received(BodyReader.Received received, Throwable failure) {
            if (body.refused()) {
                return end(refusals.tooMuch());
            }
            if (failure == null) {
                return answer(received);
            }
            HttpResponse refusal = bodies.refusal(failure);
            return BodyReader.isGone(failure) ? end(refusal) : refuse(refusal);
        }

        CompletionStage<HttpResponse> answer(BodyReader.Received received) {
            if (!json) {
                return refuse(notJson());
            }
            if (bodies.tooLong(received.total())) {
                return refuse(bodies.tooLongRefusal());
            }
            if (caller.grant().isEmpty()) {
                release();
                return refusals.unauthorized(caller.client());
            }
            if (slot.isEmpty()) {
                release();
                return refusals.busy();
            }
            CompletableFuture<RpcAnswer> answer = dispatch(received.kept());
            if (answer.isDone() && !answer.isCompletedExceptionally()) {
                return respond(answer.join());
            }
            return answer.whenCompleteAsync((done, failure) -> releaseAfter(failure), ON_COMPLETING_THREAD)
                    .thenComposeAsync(this::respond, ON_COMPLETING_THREAD);
        }

        /**
         * A fault in a layer above costs the caller its answer, but leaks neither a slot nor the memory that the request holds. A body that waits for
         * its turn has not been processed at all, so it is dropped when its client leaves.
         */
        private CompletableFuture<RpcAnswer> dispatch(ByteString bytes) {
            String row = caller.subscriber();
            Client client = new Client(
                    caller.client(),
                    presence,
                    slot.get(),
                    held,
                    turns.of(row),
                    () -> denied = refusals.denied(caller.client()));
            if (isBrief(bytes)) {
                return dispatch(bytes, client);
            }
            CompletableFuture<CompletableFuture<RpcAnswer>> begun = new CompletableFuture<>();
            turns.whileThere(
                    row,
                    presence,
                    () -> begun.complete(dispatch(bytes, client)),
                    () -> begun.complete(CompletableFuture.completedFuture(RpcAnswer.NO_CONTENT)));
            return begun.thenComposeAsync(answer -> answer, ON_COMPLETING_THREAD);
        }

        private CompletableFuture<RpcAnswer> dispatch(ByteString bytes, Client client) {
            try {
                return rpc.dispatch(bytes.toArray(), caller.grant(), client).toCompletableFuture();
            } catch (RuntimeException | StackOverflowError e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private CompletionStage<HttpResponse> respond(RpcAnswer answer) {
            body.release();
            if (answer.status() == 401) {
                release();
                return refusals.unauthorized(denied);
            }
            if (held.refused()) {
                refusals.answerRefused();
            }
            return CompletableFuture.completedFuture(connection.isHttp2() ? overHttp2(answer) : overHttp1(answer));
        }

        private HttpResponse overHttp1(RpcAnswer answer) {
            connection.whenWritten(this::release);
            if (answer.length() <= SHORT_ANSWER) {
                connection.lastPiece();
                return Responses.json(answer.status(), answer.body());
            }
            return Responses.json(answer, connection::lastPiece);
        }

        /** Builds an HTTP/2 response, in pieces even if it is short, because only pieces show when it has been written. */
        private HttpResponse overHttp2(RpcAnswer answer) {
            if (answer.pieces().isEmpty()) {
                release();
                return Responses.json(answer.status(), answer.body());
            }
            whenGone = presence.whenLeft(this::release);
            return Responses.json(answer, () -> {
                whenGone.cancel();
                release();
            });
        }

        /** Ends the request with a refusal that is not counted yet. */
        private CompletionStage<HttpResponse> refuse(HttpResponse refusal) {
            return end(refusals.told(refusal));
        }

        private CompletionStage<HttpResponse> end(HttpResponse refusal) {
            release();
            return CompletableFuture.completedFuture(refusal);
        }

        private void releaseAfter(Throwable failure) {
            if (failure != null) {
                release();
            }
        }

        private void release() {
            slot.ifPresent(RequestSlots.Slot::run);
            body.release();
            held.release();
        }
    }

    /** A body without a content type, which HTTP defines as an octet stream, is accepted as JSON; a form, curl's default, is not. */
    private static boolean isJson(RequestEntity entity) {
        ContentType type = entity.getContentType();
        return type.equals(ContentTypes.APPLICATION_JSON)
                || JSON_TYPES.contains(type.mediaType().toString());
    }

    /** Whether the body is a short single call; a batch begins with a bracket. */
    private static boolean isBrief(ByteString body) {
        return body.length() <= BRIEF && (body.isEmpty() || body.apply(0) != '[');
    }

    private static boolean expectsContinue(HttpRequest request) {
        return request.getHeader("expect").isPresent();
    }

    private boolean announcedTooLong(RequestEntity entity) {
        return bodies.tooLong(entity.getContentLengthOption().orElse(0));
    }

    private static HttpResponse notJson() {
        return Responses.refusal(415, "send the body with content-type: application/json");
    }

    /** Collects a body that did not arrive together with its head. */
    private record BodyReader(Materializer materializer, int limit, Duration deadline) {
        /** Number of bytes of a body over the limit that are read and dropped, so that its sender can read the refusal instead of a reset. */
        private static final long DROPPED_BYTES = 32L << 20;

        /**
         * @param kept the body; null if it was not wanted, could not be buffered, or {@code total} is over the limit
         * @param total number of received bytes
         */
        record Received(ByteString kept, long total) {}

        boolean tooLong(long bytes) {
            return bytes > limit;
        }

        /** Whether the head shows that the body is too long even to be read and dropped. */
        boolean hopeless(RequestEntity entity) {
            return entity.getContentLengthOption().orElse(0) > limit + DROPPED_BYTES;
        }

        /** Accounts for the buffered bytes of one body. */
        interface Keeper {
            /** Returns false if the bytes cannot be buffered. */
            boolean keep(int bytes);

            /** Called when the body is no longer wanted: the rest of it is read and dropped. Idempotent. */
            void drop();
        }

        /**
         * Reads to the end of the body. Fails if the body does not arrive in time or does not end. The stage was created by Pekko: continue with an
         * executor.
         *
         * @param keep whether the body will be used: the body of a caller without a token must not fill the memory
         * @param keeper asked for each part. Once it cannot keep a part, nothing is kept, and the rest is read and dropped, so that the sender can
         *     read the reason
         * @param threads threads on which the body is read
         */
        CompletionStage<Received> read(
                RequestEntity entity, boolean keep, Keeper keeper, ConnectionClass.Threads threads) {
            if (!keep) {
                keeper.drop();
            }
            return entity.getDataBytes()
                    .completionTimeout(deadline)
                    .toMat(
                            Sink.<Received, ByteString>fold(
                                    new Received(keep ? ByteString.emptyByteString() : null, 0),
                                    (before, next) -> add(before, next, keeper)),
                            Keep.right())
                    .addAttributes(threads.attributes())
                    .run(materializer);
        }

        /** Whether {@link #read} has failed because the client has left, and not because of a refusal. */
        static boolean isGone(Throwable failure) {
            Throwable cause = Causes.of(failure);
            return !(cause instanceof EndlessException
                    || cause instanceof EntityStreamException
                    || cause instanceof TimeoutException);
        }

        /** Answer to a failure of {@link #read}. The connection cannot be used afterwards. */
        HttpResponse refusal(Throwable failure) {
            Throwable cause = Causes.of(failure);
            HttpResponse refusal;
            if (cause instanceof EndlessException) {
                refusal = tooLongRefusal();
            } else if (cause instanceof EntityStreamException) {
                refusal = Responses.refusal(400, "the body is not encoded as its head says");
            } else {
                refusal = Responses.refusal(408, "the body did not arrive in time");
            }
            return refusal.addHeader(Responses.CLOSE);
        }

        HttpResponse tooLongRefusal() {
            return Responses.refusal(413, "the request body is longer than " + limit + " bytes");
        }

        /** The body exceeds even the number of bytes that are read and dropped. */
        private static final class EndlessException extends RuntimeException {
            private static final long serialVersionUID = 1L;

            EndlessException() {
                super("the body does not end", null, false, false);
            }
        }

        private Received add(Received before, ByteString next, Keeper keeper) {
            long total = before.total() + next.size();
            if (total > limit + DROPPED_BYTES) {
                throw new EndlessException();
            }
            if (before.kept() != null && !tooLong(total) && keeper.keep(next.size())) {
                return new Received(before.kept().concat(next), total);
            }
            keeper.drop();
            return new Received(null, total);
        }
    }

    /** Limit of concurrent requests per token; a token at its limit is told to retry, so that other tokens are still served. */
    private static final class RequestSlots {
        /** Requests in progress by token name. The values of one token share its slots; names are never removed. */
        private final Map<String, AtomicInteger> taken = new ConcurrentHashMap<>();

        private final int perToken;

        RequestSlots(int perToken) {
            this.perToken = perToken;
        }

        /** Takes a slot of the token, which is returned by running it; empty if all are taken. */
        Optional<Slot> take(Grant grant) {
            AtomicInteger ofToken = taken.computeIfAbsent(grant.name(), name -> new AtomicInteger());
            if (ofToken.incrementAndGet() <= perToken) {
                return Optional.of(new Slot(ofToken));
            }
            ofToken.decrementAndGet();
            return Optional.empty();
        }

        /** Slot of a token; returned only once, even if it is run several times. */
        static final class Slot implements Runnable {
            private final AtomicInteger ofToken;
            private final AtomicBoolean givenBack = new AtomicBoolean();

            private Slot(AtomicInteger ofToken) {
                this.ofToken = ofToken;
            }

            @Override
            public void run() {
                if (givenBack.compareAndSet(false, true)) {
                    ofToken.decrementAndGet();
                }
            }
        }
    }

    /** Answers the body of {@code POST /}: {@code RpcDispatcher::dispatch}, as seen by the server. */
    @FunctionalInterface
    public interface RpcEndpoint {
        /**
         * Must not block. Reserves the memory of a long answer by {@link Client#room}, and gives no answer for which there was none.
         *
         * @param body not modified afterwards
         * @param grant grant of the request's token; never empty here, because a request without a valid token is refused earlier
         */
        CompletionStage<RpcAnswer> dispatch(byte[] body, Optional<Grant> grant, Client client);
    }
}
