package org.chainwalletd.account.endpoints;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.Question.Size;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.ExchangeLimits;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.net.HttpPeer;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.net.HttpRequest;
import org.chainwalletd.net.NoAnswerException;
import org.chainwalletd.stage.Blocking;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Client of one endpoint of the account chain, by JSON-RPC 2.0 over HTTP. Asks for the chain id first, and again after each unanswered call,
 * because the name may lead to another server by then. Each call is limited in time and in length of the answer, whatever the endpoint does, and is
 * never repeated. Calls block; the permits of a {@link Lane} limit their number. Thread-safe.
 */
final class Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(Endpoint.class);

    /** Redirects are not followed: another server would answer. */
    private static final int OK = 200;

    private static final int LONGEST_WORDS = 200;
    private static final int DEEPEST = 32;
    /** The memory for an answer is reserved by the {@link Lane} before the call. */
    private static final ByteBudget RESERVED = ByteBudget.of(Long.MAX_VALUE);

    private static final Map<Size, ObjectMapper> READERS = readers();

    private final HttpPeer peer;
    private final String name;
    private final BigInteger chainId;
    private final Duration timeout;
    private final ByteBudget answers;
    private final Executor executor;
    private final Figures figures;
    private final AtomicLong lastId = new AtomicLong();
    private boolean onOurChain;
    /** Chain id call in progress, shared by all waiting callers. */
    private Optional<CompletableFuture<Void>> identification = Optional.empty();

    /**
     * @param timeout for one call, from its first byte to the last of its answer
     * @param answers heap budget for this endpoint's answers on all of its lanes, so that an endpoint that hangs cannot use up the others'
     *     memory
     * @param executor reads answers
     */
    Endpoint(
            HttpPeers peers,
            URI url,
            BigInteger chainId,
            Duration timeout,
            ByteBudget answers,
            Executor executor,
            MeterRegistry metrics,
            LongSupplier best) {
        this.peer = peers.to(url);
        this.name = url.getPort() < 0 ? url.getHost() : url.getHost() + ":" + url.getPort();
        this.chainId = chainId;
        this.timeout = timeout;
        this.answers = answers;
        this.executor = executor;
        this.figures = new Figures(metrics, name, best, System::currentTimeMillis);
    }

    /** Host and port. */
    String name() {
        return name;
    }

    Figures figures() {
        return figures;
    }

    ByteBudget answers() {
        return answers;
    }

    /**
     * Calls the endpoint after it has reported the configured chain id.
     *
     * @return the {@code result} of the call
     * @throws AccountException for everything else
     */
    JsonNode call(Question<?> question, Lane lane) {
        identify();
        lane.enter(question, name);
        try {
            return timed(() -> exchange(question));
        } catch (AccountException.Unreachable e) {
            forgetChain();
            throw e;
        } finally {
            lane.leave(question);
        }
    }

    /** Waits until the endpoint has reported the configured chain id; all waiting callers share one call. */
    private void identify() {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        boolean isFirst;
        synchronized (this) {
            if (onOurChain) {
                return;
            }
            isFirst = identification.isEmpty();
            asked = identification.orElse(asked);
            identification = Optional.of(asked);
        }
        if (isFirst) {
            try {
                timed(this::requireOurChain);
                identified(true);
                asked.complete(null);
            } catch (RuntimeException | Error e) {
                LOG.warn("{}", e.getMessage());
                identified(false);
                asked.completeExceptionally(e);
            }
        }
        Blocking.await(asked);
    }

    private synchronized void identified(boolean isOurs) {
        onOurChain = isOurs;
        identification = Optional.empty();
    }

    private synchronized void forgetChain() {
        onOurChain = false;
    }

    private BigInteger requireOurChain() {
        JsonNode answer = exchange(new Question<>("eth_chainId", Question.noParams(), Size.SMALL, Quantities::number));
        BigInteger named;
        try {
            named = Quantities.number(answer);
        } catch (IllegalArgumentException e) {
            throw new AccountException.BadAnswer(name, "a chain id: " + e.getMessage());
        }
        if (!named.equals(chainId)) {
            throw new AccountException.WrongChain(name, chainId, named);
        }
        return named;
    }

    private <T> T timed(Supplier<T> call) {
        long begun = System.nanoTime();
        try {
            T result = call.get();
            figures.ended(Optional.empty(), System.nanoTime() - begun);
            return result;
        } catch (AccountException e) {
            figures.ended(Optional.of(e), System.nanoTime() - begun);
            throw e;
        }
    }

    private JsonNode exchange(Question<?> question) {
        long id = lastId.incrementAndGet();
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("jsonrpc", "2.0")
                .put("id", id)
                .put("method", question.method());
        body.set("params", question.params());
        HttpRequest request = HttpRequest.post(body.toString().getBytes(StandardCharsets.UTF_8))
                .with("Accept", "application/json")
                .with("User-Agent", "walletd");
        try {
            return Blocking.await(peer.ask(
                    request,
                    new ExchangeLimits(question.size().bytes(), timeout, RESERVED),
                    executor,
                    answer -> result(read(answer, question.size()), id),
                    () -> {}));
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    /** The tree of an answer is bounded by the number of its tokens, not only by its length. */
    private static Map<Size, ObjectMapper> readers() {
        Map<Size, ObjectMapper> readers = new EnumMap<>(Size.class);
        for (Size size : Size.values()) {
            JsonFactory factory = JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxTokenCount(size.tokens())
                            .build())
                    .build();
            readers.put(
                    size,
                    JsonMapper.builder(factory)
                            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                            .build());
        }
        return readers;
    }

    private JsonNode read(HttpAnswer answer, Size size) {
        if (answer.status() != OK) {
            throw new AccountException.Unreachable(name, "HTTP " + answer.status());
        }
        try {
            return READERS.get(size).readTree(answer.body());
        } catch (IOException e) {
            throw new AccountException.BadAnswer(name, "no JSON");
        }
    }

    private JsonNode result(JsonNode json, long id) {
        boolean ours = json.isObject()
                && json.path("id").canConvertToLong()
                && json.path("id").longValue() == id;
        if (!ours) {
            throw new AccountException.BadAnswer(name, "no JSON-RPC answer to this call");
        }
        JsonNode error = json.path("error");
        if (!error.isMissingNode() && !error.isNull()) {
            String words =
                    error.path("message").isTextual() ? error.path("message").textValue() : "no reason";
            throw new AccountException.Refused(
                    name, error.path("code").asLong(0), Quantities.readable(words, LONGEST_WORDS));
        }
        if (!json.has("result")) {
            throw new AccountException.BadAnswer(name, "neither result nor error");
        }
        return json.get("result");
    }

    private AccountException failed(RuntimeException failure) {
        if (failure instanceof AccountException known) {
            return known;
        }
        if (failure instanceof NoAnswerException none && none.isLate()) {
            return new AccountException.Unreachable(name, "none in " + timeout.toMillis() + " ms");
        }
        if (failure instanceof NoAnswerException none && none.isCut()) {
            return new AccountException.BadAnswer(name, none.getMessage());
        }
        return new AccountException.Unreachable(
                name, Quantities.readable(String.valueOf(failure.getMessage()), LONGEST_WORDS));
    }

    /**
     * Threads, permits and memory of an endpoint for one class of callers. Claims and refunds have a separate lane, so that other calls that
     * wait for a hanging endpoint cannot delay them. Thread-safe.
     */
    static final class Lane {
        private static final int MOST_AT_ONCE = 16;
        /** Longest wait for a permit: the calls before this one end within their own time. */
        private static final Duration PERMIT_WAIT = Duration.ofSeconds(30);
        /** Longest wait for memory used by the answers of other endpoints, which are read within seconds. */
        private static final Duration MEMORY_WAIT = Duration.ofSeconds(10);

        private static final Duration MEMORY_LOOK = Duration.ofMillis(20);

        private final Executor threads;
        private final ByteBudget budget;
        private final Semaphore permits = new Semaphore(MOST_AT_ONCE, true);
        /** Held while waiting for memory, so that small answers cannot starve a large one. */
        private final ReentrantLock memory = new ReentrantLock(true);

        private final AtomicInteger underWay = new AtomicInteger();

        /**
         * @param threads dedicated bounded pool
         * @param budget heap for answers; transactions are sent even if it is used up
         */
        Lane(Executor threads, ByteBudget budget) {
            this.threads = threads;
            this.budget = budget;
        }

        Executor threads() {
            return threads;
        }

        /** Waits for a permit and for memory; sending a transaction waits for neither. */
        private void enter(Question<?> question, String endpoint) {
            long heap = question.size().heap();
            if (question.isSend()) {
                budget.take(heap);
                underWay.incrementAndGet();
                return;
            }
            try {
                if (!permits.tryAcquire(PERMIT_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new AccountException.Unreachable(endpoint, "too many questions wait for it");
                }
                boolean isIn = false;
                try {
                    reserve(heap, endpoint);
                    isIn = true;
                } finally {
                    if (!isIn) {
                        permits.release();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AccountException.Unreachable(endpoint, "interrupted");
            }
        }

        /**
         * Polls until the memory can be reserved, because there is no notification of freed memory. While a call of this lane is in progress, its
         * memory is certain to be freed, so the timeout counts only otherwise.
         */
        private void reserve(long heap, String endpoint) throws InterruptedException {
            memory.lockInterruptibly();
            try {
                long shortSince = System.nanoTime();
                while (!budget.tryTake(heap)) {
                    long now = System.nanoTime();
                    if (underWay.get() > 0) {
                        shortSince = now;
                    } else if (heap > budget.limit() || now - shortSince > MEMORY_WAIT.toNanos()) {
                        throw new AccountException.Unreachable(endpoint, "there is no memory for its answer now");
                    }
                    Thread.sleep(MEMORY_LOOK.toMillis());
                }
                underWay.incrementAndGet();
            } finally {
                memory.unlock();
            }
        }

        private void leave(Question<?> question) {
            underWay.decrementAndGet();
            budget.give(question.size().heap());
            if (!question.isSend()) {
                permits.release();
            }
        }
    }

    /** Metrics of one endpoint: calls, availability, height. Thread-safe. */
    static final class Figures {
        private static final double MILLIS = 1_000;

        private final MeterRegistry registry;
        private final Tags tags;
        private final Map<String, Timer> timers = new ConcurrentHashMap<>();
        private volatile boolean answering;
        private volatile boolean answered;
        private volatile AccountBlock newest;

        /**
         * @param best greatest height of all endpoints
         * @param clock milliseconds since 1970
         */
        Figures(MeterRegistry registry, String endpoint, LongSupplier best, LongSupplier clock) {
            this.registry = registry;
            this.tags = Tags.of("endpoint", endpoint);
            gauge("walletd.evm.up", "1 when the endpoint answered its last call", () -> answering ? 1 : 0);
            gauge("walletd.evm.height", "Number of the newest block that the endpoint has told", this::height);
            gauge(
                    "walletd.evm.lag.blocks",
                    "Blocks that the endpoint is behind the one that is farthest",
                    () -> Math.max(0, best.getAsLong() - height()));
            gauge(
                    "walletd.evm.block.age.seconds",
                    "Age of the newest block that the endpoint has told",
                    () -> age(clock));
        }

        private void gauge(String name, String meaning, Supplier<Number> value) {
            Gauge.builder(name, value).description(meaning).tags(tags).register(registry);
        }

        private double age(LongSupplier clock) {
            AccountBlock block = newest;
            return block == null ? Double.NaN : clock.getAsLong() / MILLIS - block.timestamp();
        }

        /** Returns the height of the newest block reported; 0 before the first. */
        long height() {
            AccountBlock block = newest;
            return block == null ? 0 : block.number();
        }

        /** Since the start. */
        boolean hasAnswered() {
            return answered;
        }

        void reported(AccountBlock latest) {
            newest = latest;
        }

        /** @param failure empty after a valid answer */
        void ended(Optional<Throwable> failure, long nanos) {
            timers.computeIfAbsent(failure.map(Figures::outcome).orElse("ok"), this::timer)
                    .record(nanos, TimeUnit.NANOSECONDS);
            answering = failure.filter(Figures::isNoAnswer).isEmpty();
            answered |= answering;
        }

        private static boolean isNoAnswer(Throwable failure) {
            return failure instanceof AccountException.Unreachable || failure instanceof AccountException.WrongChain;
        }

        private Timer timer(String outcome) {
            return Timer.builder("walletd.evm.calls")
                    .description("Calls to endpoints of the account chain")
                    .tags(tags.and("outcome", outcome))
                    .register(registry);
        }

        private static String outcome(Throwable failure) {
            if (failure instanceof AccountException.Refused) {
                return "refused";
            }
            return failure instanceof AccountException.Unreachable ? "failed" : "nonsense";
        }
    }
}
