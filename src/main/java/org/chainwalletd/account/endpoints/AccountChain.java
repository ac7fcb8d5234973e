package org.chainwalletd.account.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.Question.Size;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;

/**
 * Queries the account chain through all configured endpoints. A question is ordinary blocking code over one endpoint's {@link AccountReads}
 * and runs against all endpoints in parallel. An endpoint that has not completed it within 25 s (or the call timeout, if longer) counts as
 * silent; where a quorum decides, already 3 s after the quorum. Stages fail with {@link AccountException}; await them on a thread that may
 * block.
 */
public final class AccountChain {
    /**
     * An endpoint's answer.
     *
     * @param endpoint by {@link AccountEndpoint#name}
     */
    public record EndpointAnswer<T>(String endpoint, T answer) {}

    /** Rule by which a block of the account chain is considered final. */
    public sealed interface Finality {
        /** The endpoints' tag {@code finalized} or {@code safe}. */
        record Tagged(BlockRef.Tag tag) implements Finality {}

        /** Finality by depth: the block at {@code latest − blocks} is final. */
        record Depth(long blocks) implements Finality {}

        Finality FINALIZED = new Tagged(BlockRef.Tag.FINALIZED);
    }

    /** Divisor: the endpoints' answers may use at most this fraction of the heap (1/8). */
    public static final int HEAP_SHARE = 8;
    /** Smallest heap, in bytes, with which an answer with events can be read. */
    public static final long LEAST_HEAP = HEAP_SHARE * Question.Size.WIDE.heap();

    /**
     * @param answers reads what endpoints answer and continues stages; never blocks
     * @param pools makes a bounded pool of the given name whose threads may block
     */
    public record Threads(Executor answers, Function<String, Executor> pools) {}

    /**
     * @param urls at least as many as the quorum
     * @param callTimeout for one call to one endpoint
     * @param answers heap budget for the endpoints' answers
     */
    public record Setup(
            List<URI> urls,
            int quorum,
            BigInteger chainId,
            Finality finality,
            Duration callTimeout,
            ByteBudget answers,
            MeterRegistry metrics) {
        public Setup {
            urls = List.copyOf(urls);
            if (quorum < 1 || quorum > urls.size()) {
                throw new IllegalArgumentException("a quorum of " + quorum + " of " + urls.size() + " endpoints");
            }
        }
    }

    /** Timeout of a whole question to one endpoint; the call timeout applies instead if it is longer. */
    private static final Duration LEAST_QUESTION = Duration.ofSeconds(25);

    /** Longest wait for the remaining endpoints once a quorum has decided. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final Setup setup;
    private final Executor executor;
    private final List<EndpointReads> endpoints;
    private final AccountReads any;
    private final Executor anyThreads;
    private final Duration longestQuestion;
    private final AtomicReference<String> stopped;
    private final Optional<AccountChain> pressing;

    private AccountChain(
            Setup setup,
            List<Endpoint> all,
            Threads threads,
            String suffix,
            AtomicReference<String> stopped,
            Optional<AccountChain> pressing) {
        this.setup = setup;
        this.executor = threads.answers();
        List<EndpointReads> reads = new ArrayList<>();
        for (Endpoint endpoint : all) {
            Executor pool = threads.pools().apply("account-endpoint-" + (reads.size() + 1) + suffix);
            ByteBudget part = pressing.isPresent() ? ordinaryPart(endpoint.answers()) : endpoint.answers();
            reads.add(new EndpointReads(endpoint, new Endpoint.Lane(pool, part)));
        }
        this.endpoints = List.copyOf(reads);
        this.any = new FailoverReads(endpoints);
        this.anyThreads = threads.pools().apply("account-endpoint-any" + suffix);
        this.longestQuestion = setup.callTimeout().compareTo(LEAST_QUESTION) > 0 ? setup.callTimeout() : LEAST_QUESTION;
        this.stopped = stopped;
        this.pressing = pressing;
    }

    /** Reserves a quarter of the endpoint's budget for claims and refunds if the heap is large enough. */
    private static ByteBudget ordinaryPart(ByteBudget ofEndpoint) {
        return ofEndpoint.within(Math.max(ofEndpoint.limit() / 4 * 3, Size.WIDE.heap()));
    }

    /** Creates the chain without calling any endpoint. */
    public static AccountChain start(HttpPeers peers, Setup setup, Threads threads) {
        List<Endpoint> endpoints = new CopyOnWriteArrayList<>();
        LongSupplier best = () -> endpoints.stream()
                .mapToLong(endpoint -> endpoint.figures().height())
                .max()
                .orElse(0);
        Gauge.builder("walletd.evm.answer.bytes", setup.answers(), ByteBudget::held)
                .description("Bytes that may be held by answers of the account chain's endpoints that are being read")
                .register(setup.metrics());
        long share = Math.max(setup.answers().limit() / setup.urls().size(), Size.WIDE.heap());
        for (URI url : setup.urls()) {
            endpoints.add(new Endpoint(
                    peers,
                    url,
                    setup.chainId(),
                    setup.callTimeout(),
                    setup.answers().within(share),
                    threads.answers(),
                    setup.metrics(),
                    best));
        }
        AtomicReference<String> stopped = new AtomicReference<>();
        AccountChain pressing = new AccountChain(setup, endpoints, threads, "-redeem", stopped, Optional.empty());
        return new AccountChain(setup, endpoints, threads, "", stopped, Optional.of(pressing));
    }

    /**
     * Returns the same endpoints with threads and permits reserved for claims and refunds of swaps, so that other calls that wait for a hanging
     * endpoint cannot delay them.
     */
    public AccountChain pressing() {
        return pressing.orElse(this);
    }

    /** Asks each endpoint for its newest block, to keep the metrics current when there are no other calls. */
    public void look() {
        endpoints.forEach(endpoint -> ask(endpoint, reads -> reads.block(BlockRef.Tag.LATEST)));
    }

    /** Returns whether at least a quorum of endpoints has answered since the start. */
    public boolean wasReached() {
        return endpoints.stream().filter(EndpointReads::hasAnswered).count() >= setup.quorum();
    }

    /** Starts a question to one endpoint. If it is still queued when its time is over, it never runs. */
    private <T> CompletableFuture<T> ask(EndpointReads endpoint, Function<AccountReads, T> question) {
        return begin(endpoint, () -> question.apply(endpoint));
    }

    private <T> CompletableFuture<T> begin(EndpointReads endpoint, Supplier<T> question) {
        return Work.on(endpoint.threads(), question).orTimeout(longestQuestion.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Asks all endpoints in parallel; the list is in the configured order. */
    private <T> List<CompletableFuture<T>> askAll(Function<AccountReads, T> question) {
        return endpoints.stream().map(endpoint -> ask(endpoint, question)).toList();
    }

    private AccountException why(EndpointReads endpoint, Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof AccountException known) {
            return known;
        }
        return new AccountException.Unreachable(
                endpoint.name(),
                cause instanceof TimeoutException
                        ? "not all that was asked within " + longestQuestion.toMillis() + " ms"
                        : cause instanceof RejectedExecutionException
                                ? "too many questions wait for it"
                                : AccountException.words(cause));
    }

    /**
     * Returns the permanent faults of endpoints: wrong chain, unknown finality tag, or an error for state queries at the endpoint's own
     * settled block (for example a pruned node). An endpoint that does not answer now is not reported; it is checked before use.
     *
     * @param contract swap contract, whose state must be readable at that block too
     */
    public CompletionStage<List<String>> complaints(Optional<EvmAddress> contract) {
        return ended(askAll(endpoint -> readsState(endpoint, contract)))
                .thenApplyAsync(
                        ends -> ends.stream()
                                .flatMap(end -> end.failure().stream())
                                .filter(why -> why instanceof AccountException.WrongChain
                                        || why instanceof AccountException.Refused)
                                .map(Throwable::getMessage)
                                .toList(),
                        executor);
    }

    /** Tests whether an endpoint answers questions about the state at its settled block by hash, as nonces and locks are read. */
    private boolean readsState(AccountReads endpoint, Optional<EvmAddress> contract) {
        long height = finalHeight(endpoint);
        Optional<AccountBlock> block = height < 0 ? Optional.empty() : endpoint.block(BlockRef.number(height));
        if (block.isEmpty()) {
            return true;
        }
        BlockRef at = BlockRef.hash(block.get().hash());
        try {
            endpoint.transactionCount(contract.orElseGet(() -> EvmAddress.of(new byte[EvmAddress.LENGTH])), at);
            contract.ifPresent(sample -> endpoint.call(sample, SwapContract.getSwap(Hash256.ZERO), at));
            return true;
        } catch (AccountException.Refused e) {
            throw new AccountException.Refused(
                    ((EndpointReads) endpoint).name(),
                    e.code(),
                    "it does not answer about the state at its settled block, which swaps are judged by; it may be"
                            + " pruned: " + e.words());
        }
    }

    /** Completes with the outcome of each question, in the order of the endpoints, once all have ended; never fails. */
    private <T> CompletionStage<List<Outcome<T>>> ended(List<CompletableFuture<T>> asked) {
        List<CompletableFuture<Outcome<T>>> ends = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            EndpointReads endpoint = endpoints.get(i);
            ends.add(asked.get(i)
                    .handleAsync(
                            (answer, failure) -> Outcome.of(answer, failure == null ? null : why(endpoint, failure)),
                            executor));
        }
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> ends.stream().map(CompletableFuture::join).toList(), executor);
    }

    /** Configured chain id; no endpoint is asked. */
    public BigInteger chainId() {
        return setup.chainId();
    }

    /** Number of endpoints that must give the same answer ({@code --evm-quorum}). */
    public int quorum() {
        return setup.quorum();
    }

    /** Rule for finality ({@code --swap-evm-finality}). */
    public Finality finality() {
        return setup.finality();
    }

    /** Endpoints in the configured order. */
    List<? extends AccountReads> endpoints() {
        return endpoints;
    }

    /**
     * Reads from one endpoint, with failover; for values that are only displayed, or verified by other means. The endpoint that answered last
     * is asked first. An error response is final; any other failure leads to the next endpoint. Blocks the calling thread.
     */
    public AccountReads any() {
        return any;
    }

    /** Asks {@link #any} on a dedicated pool, for questions that may run in parallel. */
    public <T> CompletionStage<T> asked(Function<AccountReads, T> question) {
        return Work.on(anyThreads, () -> question.apply(any))
                .exceptionallyComposeAsync(
                        failure -> CompletableFuture.failedFuture(
                                Causes.of(failure) instanceof RejectedExecutionException
                                        ? new AccountException.Unreachable("(any)", "too many questions wait")
                                        : Causes.of(failure)),
                        executor);
    }

    /**
     * Puts a question to all endpoints and completes with the answer that at least {@link #quorum()} of them give, as soon as no other
     * answer can reach as many. Answers are compared by {@code equals}. Fails with {@link AccountException.Disagreement}, which lists each
     * endpoint's answer.
     *
     * @param question runs once for each endpoint, on threads of that endpoint; made of several reads where their answers belong together, such
     *     as chain id, block hash and state at that hash
     */
    public <T> CompletionStage<T> agreed(Function<AccountReads, T> question) {
        List<CompletableFuture<T>> asked = askAll(question);
        CompletableFuture<T> decision = decision(asked, answer -> answer);
        decision.whenCompleteAsync((decided, failure) -> asked.forEach(late -> late.cancel(false)), executor);
        return decision;
    }

    /** @param likeness part of an answer that is compared */
    private <T, K> CompletableFuture<K> decision(List<CompletableFuture<T>> asked, Function<T, K> likeness) {
        Tally<K> tally = new Tally<>(setup.quorum(), endpoints.size());
        for (int i = 0; i < asked.size(); i++) {
            EndpointReads endpoint = endpoints.get(i);
            asked.get(i)
                    .thenApplyAsync(likeness, executor)
                    .whenCompleteAsync(
                            (answer, failure) -> tally.vote(
                                    endpoint.name(), answer, failure == null ? null : why(endpoint, failure)),
                            executor);
        }
        return tally.decision();
    }

    /**
     * Completes with the highest value that at least {@link #quorum()} endpoints reach or exceed, so that fewer than a quorum cannot raise
     * it. For heights and counts, which a lagging endpoint reports too low, and for balances. Waits as {@link #eachInTime} does, treating all
     * answers as alike: a later answer could only raise the value.
     */
    public <T extends Comparable<T>> CompletionStage<T> reached(Function<AccountReads, T> question) {
        return eachInTime(question, any -> true).thenApplyAsync(this::reachedBy, executor);
    }

    private <T extends Comparable<T>> T reachedBy(List<EndpointAnswer<T>> told) {
        return told.stream()
                .map(EndpointAnswer::answer)
                .sorted(Comparator.reverseOrder())
                .skip(setup.quorum() - 1L)
                .findFirst()
                .orElseThrow(() -> new AccountException.Disagreement(
                        setup.quorum(), false, List.of(told.size() + " of " + endpoints.size() + " answer")));
    }

    /**
     * Completes with the answers of all endpoints that gave one, in the configured order; no answer is verified. Never fails. Waits for all
     * endpoints: for decisions that a single endpoint's answer can veto.
     */
    public <T> CompletionStage<List<EndpointAnswer<T>>> each(Function<AccountReads, T> question) {
        return answers(askAll(question));
    }

    /**
     * As {@link #each}, for decisions by quorum: once a quorum of answers agree and no other quorum is possible, an endpoint that takes 3 s longer
     * counts as silent. Thus a slow endpoint costs no more time than one that is down.
     *
     * @param likeness part of an answer that decides whether two are alike
     */
    public <T> CompletionStage<List<EndpointAnswer<T>>> eachInTime(
            Function<AccountReads, T> question, Function<T, ?> likeness) {
        List<CompletableFuture<T>> asked = askAll(question);
        decision(asked, likeness)
                .thenAcceptAsync(
                        decided -> asked.forEach(late -> late.orTimeout(GRACE.toMillis(), TimeUnit.MILLISECONDS)),
                        executor);
        return answers(asked);
    }

    private <T> CompletionStage<List<EndpointAnswer<T>>> answers(List<CompletableFuture<T>> asked) {
        return ended(asked)
                .thenApplyAsync(
                        ends -> {
                            List<EndpointAnswer<T>> told = new ArrayList<>();
                            for (int i = 0; i < ends.size(); i++) {
                                String name = endpoints.get(i).name();
                                ends.get(i).value().ifPresent(answer -> told.add(new EndpointAnswer<>(name, answer)));
                            }
                            return List.copyOf(told);
                        },
                        executor);
    }

    /**
     * Completes with the newest block that the quorum has: the highest height that at least a quorum of endpoints reach, and the header that
     * a quorum of them return for that height. Fails with {@link AccountException.Disagreement}.
     */
    public CompletionStage<AccountBlock> newestBlock() {
        return reached(reads -> reads.block(BlockRef.Tag.LATEST).orElseThrow().number())
                .thenComposeAsync(
                        height -> agreed(
                                reads -> reads.block(BlockRef.number(height)).orElseThrow()),
                        executor);
    }

    /**
     * Completes with the newest block that is final by {@link #finality()} and that the quorum has: the highest final height that at least a
     * quorum of endpoints reach, and the header that a quorum of them return for that height. Empty while nothing is final.
     */
    public CompletionStage<Optional<AccountBlock>> finalBlock() {
        return reached(this::finalHeight)
                .thenComposeAsync(
                        height -> height < 0
                                ? CompletableFuture.completedFuture(Optional.<AccountBlock>empty())
                                : agreed(reads -> reads.block(BlockRef.number(height))),
                        executor);
    }

    /** Returns the final height by one endpoint's answer; −1 while nothing is final. */
    private long finalHeight(AccountReads reads) {
        if (setup.finality() instanceof Finality.Depth depth) {
            return reads.block(BlockRef.Tag.LATEST)
                    .map(latest -> Math.max(-1, latest.number() - depth.blocks()))
                    .orElse(-1L);
        }
        return reads.block(((Finality.Tagged) setup.finality()).tag())
                .map(AccountBlock::number)
                .orElse(-1L);
    }

    /** Stops sending transactions permanently, because the journal has lost some. */
    public void stopSending(String why) {
        stopped.set(why);
    }

    /**
     * Submits a transaction to every endpoint; completes as soon as one has accepted it or already has it. Fails with {@link
     * AccountException.NotTaken} when none has confirmed that, which does not prove that none has the transaction.
     */
    public CompletionStage<Void> sendToAll(Bytes raw, Hash256 hash) {
        if (stopped.get() != null) {
            return CompletableFuture.failedFuture(
                    new AccountException.NotTaken(false, false, List.of("sending is stopped: " + stopped.get())));
        }
        CompletableFuture<Void> taken = new CompletableFuture<>();
        List<CompletableFuture<Boolean>> sent = endpoints.stream()
                .map(endpoint -> begin(endpoint, () -> endpoint.send(raw, hash)))
                .toList();
        sent.forEach(one -> one.thenAcceptAsync(yes -> taken.complete(null), executor));
        // A success counts even if all calls have ended before its own continuation ran.
        ended(sent)
                .thenAcceptAsync(
                        ends -> {
                            if (ends.stream().anyMatch(end -> end.failure().isEmpty())) {
                                taken.complete(null);
                            } else {
                                taken.completeExceptionally(notTaken(ends.stream()
                                        .flatMap(end -> end.failure().stream())
                                        .toList()));
                            }
                        },
                        executor);
        return taken;
    }

    private static AccountException.NotTaken notTaken(List<Throwable> failures) {
        return new AccountException.NotTaken(
                failures.stream().allMatch(AccountChain::isRefusal),
                failures.stream().anyMatch(AccountChain::isOutbid),
                failures.stream().map(AccountException::words).toList());
    }

    /** "Nonce too low" does not count as a refusal: it is a statement about the chain, which is checked separately. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof AccountException.Refused && !says(failure, "nonce too low");
    }

    /** Matches "replacement transaction underpriced" and "ReplacementNotAllowed". */
    private static boolean isOutbid(Throwable failure) {
        return says(failure, "replacement");
    }

    private static boolean says(Throwable failure, String words) {
        return failure instanceof AccountException.Refused refused
                && refused.words().toLowerCase(Locale.ROOT).contains(words);
    }

    /** Reads from the first endpoint that answers, beginning with the one that answered last. */
    static final class FailoverReads extends AccountReads {
        private final List<EndpointReads> endpoints;
        private final AtomicInteger preferred = new AtomicInteger();

        FailoverReads(List<EndpointReads> endpoints) {
            this.endpoints = endpoints;
        }

        @Override
        <T> T ask(Question<T> question) {
            int first = preferred.get();
            for (int tried = 1; ; tried++) {
                int index = (first + tried - 1) % endpoints.size();
                try {
                    T answer = endpoints.get(index).ask(question);
                    preferred.set(index);
                    return answer;
                } catch (AccountException e) {
                    if (e instanceof AccountException.Refused || tried == endpoints.size()) {
                        throw e;
                    }
                }
            }
        }
    }

    /**
     * Counts the answers to one question. Decided as soon as one answer has a quorum of votes and no other can still reach a quorum with the
     * outstanding votes, or when no answer can reach a quorum. Thread-safe.
     */
    private static final class Tally<T> {
        private static final int LONGEST_ANSWER = 120;

        private final int quorum;
        private final int voters;
        private final CompletableFuture<T> decision = new CompletableFuture<>();
        private final Map<T, Integer> votes = new LinkedHashMap<>();
        private final List<String> words = new ArrayList<>();
        private int heard;

        Tally(int quorum, int voters) {
            this.quorum = quorum;
            this.voters = voters;
        }

        CompletableFuture<T> decision() {
            return decision;
        }

        void vote(String endpoint, T answer, Throwable failure) {
            Runnable outcome;
            synchronized (this) {
                heard++;
                if (failure == null) {
                    votes.merge(answer, 1, Integer::sum);
                }
                words.add(
                        failure == null
                                ? endpoint + " says " + Quantities.readable(String.valueOf(answer), LONGEST_ANSWER)
                                : AccountException.words(failure));
                outcome = outcome();
            }
            // Outside the lock, because completing the decision may run its dependents on this thread.
            outcome.run();
        }

        private Runnable outcome() {
            int outstanding = voters - heard;
            Optional<Map.Entry<T, Integer>> leader = votes.entrySet().stream().max(Map.Entry.comparingByValue());
            int most = leader.map(Map.Entry::getValue).orElse(0);
            if (most + outstanding < quorum) {
                return refusal();
            }
            if (most < quorum) {
                return () -> {};
            }
            T answer = leader.orElseThrow().getKey();
            int second = votes.entrySet().stream()
                    .filter(entry -> !entry.getKey().equals(answer))
                    .mapToInt(Map.Entry::getValue)
                    .max()
                    .orElse(0);
            if (second >= quorum) {
                return refusal();
            }
            return second + outstanding < quorum ? () -> decision.complete(answer) : () -> {};
        }

        private Runnable refusal() {
            AccountException.Disagreement why =
                    new AccountException.Disagreement(quorum, votes.size() > 1, List.copyOf(words));
            return () -> decision.completeExceptionally(why);
        }
    }

    /** Typed questions to one endpoint, on one of its lanes. */
    private static final class EndpointReads extends AccountReads {
        /** Error texts for a transaction that the endpoint already has; there is no error code for it. */
        private static final List<String> HAS_IT = List.of("already known", "known transaction", "already imported");

        /** Longer than any word or number in a refusal. */
        private static final Pattern LONG_RUN = Pattern.compile("[0-9A-Za-z+/=_-]{24,}");

        private final Endpoint endpoint;
        private final Endpoint.Lane lane;

        EndpointReads(Endpoint endpoint, Endpoint.Lane lane) {
            this.endpoint = endpoint;
            this.lane = lane;
        }

        /** Host and port, for logs and refusals: a path may hold the operator's access key. */
        String name() {
            return endpoint.name();
        }

        Executor threads() {
            return lane.threads();
        }

        boolean hasAnswered() {
            return endpoint.figures().hasAnswered();
        }

        @Override
        public Optional<AccountBlock> block(BlockRef at) {
            Optional<AccountBlock> block = super.block(at);
            if (at == BlockRef.Tag.LATEST) {
                block.ifPresent(endpoint.figures()::reported);
            }
            return block;
        }

        @Override
        <T> T ask(Question<T> question) {
            JsonNode result = endpoint.call(question, lane);
            try {
                return question.reader().read(result);
            } catch (IllegalArgumentException e) {
                throw new AccountException.BadAnswer(name(), question.method() + ": " + e.getMessage());
            }
        }

        /**
         * Calls {@code eth_sendRawTransaction}; true when the endpoint has accepted the transaction or already has it. Throws {@link
         * AccountException.Refused} when it rejects it. Neither outcome proves anything.
         *
         * @param hash of the transaction, which the endpoint must return
         */
        boolean send(Bytes raw, Hash256 hash) {
            try {
                ask(new Question<>(
                        Question.SEND,
                        Question.noParams().add(Quantities.text(raw)),
                        Size.SMALL,
                        result -> sameHash(Quantities.hash(result), hash)));
                return true;
            } catch (AccountException e) {
                if (hasItAlready(e)) {
                    return true;
                }
                throw withoutEcho(e);
            }
        }

        /** Removes long runs of characters, so that an endpoint that echoes the transaction cannot leak a claim's secret into a log. */
        private AccountException withoutEcho(AccountException failure) {
            return failure instanceof AccountException.Refused refused
                    ? new AccountException.Refused(
                            name(),
                            refused.code(),
                            LONG_RUN.matcher(refused.words()).replaceAll("…"))
                    : failure;
        }

        private static Hash256 sameHash(Hash256 answered, Hash256 hash) {
            if (!answered.equals(hash)) {
                throw new IllegalArgumentException("the hash of another transaction");
            }
            return answered;
        }

        private static boolean hasItAlready(AccountException failure) {
            if (!(failure instanceof AccountException.Refused refused)) {
                return false;
            }
            String words = refused.words().toLowerCase(Locale.ROOT);
            return HAS_IT.stream().anyMatch(words::contains);
        }
    }
}
