package org.chainwalletd.account.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.account.endpoints.AccountChain.AccountEndpoint;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.Question.Size;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.stage.Causes;

/** The configured endpoints, each with its actor, and what they say together. */
public final class EvmEndpoints implements AccountChain {
    /** The part of the heap that endpoints' answers may fill. */
    public static final int HEAP_SHARE = 8;
    /** Bytes of heap below which no answer with events can be read. */
    public static final long LEAST_HEAP = HEAP_SHARE * Question.Size.WIDE.heap();

    /** Makes an actor of the daemon. */
    public interface Spawner {
        <T> ActorRef<T> spawn(Behavior<T> behavior, String name);
    }

    /**
     * @param urls at least as many as the quorum
     * @param callTimeout for one call to one endpoint
     * @param answers of the heap, for what they answer
     */
    public record Setup(
            List<URI> urls,
            int quorum,
            BigInteger chainId,
            Finality finality,
            Duration callTimeout,
            ByteBudget answers,
            MeterRegistry metrics) {
        /** With a part of the heap that nobody else takes from, and figures that nobody reads. */
        public Setup(List<URI> urls, int quorum, BigInteger chainId, Finality finality, Duration callTimeout) {
            this(
                    urls,
                    quorum,
                    chainId,
                    finality,
                    callTimeout,
                    ByteBudget.ofHeap(HEAP_SHARE),
                    new SimpleMeterRegistry());
        }

        public Setup {
            urls = List.copyOf(urls);
            if (quorum < 1 || quorum > urls.size()) {
                throw new IllegalArgumentException("a quorum of " + quorum + " of " + urls.size() + " endpoints");
            }
        }
    }

    private final Setup setup;
    private final Executor executor;
    private final List<EndpointReads> endpoints;
    private volatile Optional<String> stopped = Optional.empty();
    private final AccountReads any;

    private EvmEndpoints(Setup setup, List<EndpointReads> endpoints, Executor executor) {
        this.setup = setup;
        this.executor = executor;
        this.endpoints = List.copyOf(endpoints);
        this.any = new FailoverReads(this.endpoints, executor);
    }

    /** Asks nothing yet. */
    public static EvmEndpoints start(HttpPeers peers, Spawner spawner, Setup setup, Executor executor) {
        long share = setup.answers().limit() / setup.urls().size();
        List<EndpointReads> endpoints = new CopyOnWriteArrayList<>();
        LongSupplier best = () -> endpoints.stream()
                .mapToLong(reads -> reads.figures().height())
                .max()
                .orElse(0);
        Gauge.builder("walletd.evm.answer.bytes", setup.answers(), ByteBudget::held)
                .description("Bytes that may be held by answers of the account chain's endpoints that are being read")
                .register(setup.metrics());
        for (URI url : setup.urls()) {
            HttpEndpoint wire = new HttpEndpoint(peers, url, setup.callTimeout(), executor);
            ByteBudget own = setup.answers().within(Math.max(share, Question.Size.WIDE.heap()));
            EndpointFigures figures =
                    new EndpointFigures(setup.metrics(), wire.name(), best, System::currentTimeMillis);
            ActorRef<Endpoint.Command> actor = spawner.spawn(
                    Endpoint.create(wire, setup.chainId(), own, figures), "account-endpoint-" + (endpoints.size() + 1));
            endpoints.add(new EndpointReads(wire.name(), actor, figures, executor));
        }
        return new EvmEndpoints(setup, endpoints, executor);
    }

    /** Asks each for its newest block, so that the figures are true when nothing else asks. */
    public void look() {
        endpoints.forEach(endpoint -> endpoint.block(BlockRef.Tag.LATEST));
    }

    /** Whether as many as the quorum have answered since the start. */
    public boolean wasReached() {
        return endpoints.stream()
                        .filter(endpoint -> endpoint.figures().hasAnswered())
                        .count()
                >= setup.quorum();
    }

    /**
     * Faults of endpoints that do not pass by themselves: another chain, a tag of finality that is not known, or no answer about the state at its
     * own settled block, as from one that keeps only the newest states. One that does not answer now is not complained of; it is asked before it is used.
     *
     * @param contract of swaps, which has to be readable there too
     */
    public CompletionStage<List<String>> complaints(Optional<EvmAddress> contract) {
        return all(
                        endpoint -> finalHeight(endpoint)
                                .thenComposeAsync(height -> readsState(endpoint, height, contract), executor),
                        (read, failure) -> failure == null ? Optional.<String>empty() : complaint(failure))
                .thenApplyAsync(
                        complaints ->
                                complaints.stream().flatMap(Optional::stream).toList(),
                        executor);
    }

    /** By the hash of its settled block, as nonces and locks are asked for. */
    private CompletionStage<Boolean> readsState(EndpointReads endpoint, long height, Optional<EvmAddress> contract) {
        if (height < 0) {
            return CompletableFuture.completedFuture(true);
        }
        EvmAddress sample = contract.orElseGet(() -> EvmAddress.of(new byte[EvmAddress.LENGTH]));
        return endpoint.block(BlockRef.number(height))
                .thenComposeAsync(
                        block -> block.isEmpty()
                                ? CompletableFuture.completedFuture(true)
                                : readsState(endpoint, BlockRef.hash(block.get().hash()), sample, contract.isPresent()),
                        executor);
    }

    private CompletionStage<Boolean> readsState(
            EndpointReads endpoint, BlockRef at, EvmAddress sample, boolean isContract) {
        CompletionStage<Long> count = endpoint.transactionCount(sample, at);
        CompletionStage<Bytes> slot = isContract
                ? endpoint.call(sample, SwapContract.getSwap(Hash256.ZERO), at)
                : CompletableFuture.completedFuture(Bytes.EMPTY);
        return count.thenCombineAsync(slot, (read, called) -> true, executor)
                .exceptionallyComposeAsync(
                        failure -> CompletableFuture.failedFuture(
                                Causes.of(failure) instanceof AccountException.Refused refused
                                        ? new AccountException.Refused(
                                                endpoint.name(),
                                                refused.code(),
                                                "it does not answer about the state at its settled block, which"
                                                        + " swaps are judged by; it may be pruned: " + refused.words())
                                        : Causes.of(failure)),
                        executor);
    }

    private static Optional<String> complaint(Throwable failure) {
        Throwable why = Causes.of(failure);
        return why instanceof AccountException.WrongChain || why instanceof AccountException.Refused
                ? Optional.of(why.getMessage())
                : Optional.empty();
    }

    @Override
    public BigInteger chainId() {
        return setup.chainId();
    }

    @Override
    public int quorum() {
        return setup.quorum();
    }

    @Override
    public Finality finality() {
        return setup.finality();
    }

    @Override
    public List<AccountEndpoint> endpoints() {
        return List.copyOf(endpoints);
    }

    @Override
    public AccountReads any() {
        return any;
    }

    @Override
    public <T> CompletionStage<T> agreed(Function<AccountReads, CompletionStage<T>> question) {
        Tally<T> tally = new Tally<>(setup.quorum(), endpoints.size());
        for (EndpointReads endpoint : endpoints) {
            question.apply(endpoint)
                    .whenCompleteAsync((answer, failure) -> tally.vote(endpoint.name(), answer, failure), executor);
        }
        return tally.decision();
    }

    @Override
    public <T extends Comparable<T>> CompletionStage<T> reached(Function<AccountReads, CompletionStage<T>> question) {
        return each(question).thenApplyAsync(told -> reachedBy(answersOf(told)), executor);
    }

    private <T> T highest(List<T> answers, Comparator<T> order) {
        if (answers.size() < setup.quorum()) {
            throw new AccountException.Disagreement(
                    setup.quorum(), false, List.of(answers.size() + " of " + endpoints.size() + " answer"));
        }
        List<T> sorted = new ArrayList<>(answers);
        sorted.sort(order.reversed());
        return sorted.get(setup.quorum() - 1);
    }

    private <T extends Comparable<T>> T reachedBy(List<T> answers) {
        return highest(answers, Comparable::compareTo);
    }

    @Override
    public <T> CompletionStage<List<Told<T>>> each(Function<AccountReads, CompletionStage<T>> question) {
        List<CompletableFuture<Optional<Told<T>>>> answers = new ArrayList<>();
        for (EndpointReads endpoint : endpoints) {
            answers.add(question.apply(endpoint)
                    .handleAsync(
                            (answer, failure) ->
                                    Optional.ofNullable(answer).map(known -> new Told<>(endpoint.name(), known)),
                            executor)
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> answers.stream()
                                .flatMap(answer -> answer.join().stream())
                                .toList(),
                        executor);
    }

    @Override
    public CompletionStage<AccountChain.FeeMarket> fees() {
        return newestBlock()
                .thenCombineAsync(
                        each(AccountReads::tip), (block, tips) -> GasPrice.market(block, answersOf(tips)), executor);
    }

    private static <T> List<T> answersOf(List<Told<T>> told) {
        return told.stream().map(Told::answer).toList();
    }

    @Override
    public CompletionStage<AccountBlock> newestBlock() {
        return reached(reads -> reads.block(BlockRef.Tag.LATEST)
                        .thenApplyAsync(block -> block.orElseThrow().number(), executor))
                .thenComposeAsync(
                        height -> agreed(reads ->
                                reads.block(BlockRef.number(height)).thenApplyAsync(Optional::orElseThrow, executor)),
                        executor);
    }

    @Override
    public CompletionStage<Optional<AccountBlock>> finalBlock() {
        return reached(this::finalHeight)
                .thenComposeAsync(
                        height -> height < 0
                                ? CompletableFuture.completedFuture(Optional.<AccountBlock>empty())
                                : agreed(reads -> reads.block(BlockRef.number(height))),
                        executor);
    }

    /** −1 while nothing is final. */
    private CompletionStage<Long> finalHeight(AccountReads reads) {
        if (setup.finality() instanceof Finality.Depth depth) {
            return reads.block(BlockRef.Tag.LATEST)
                    .thenApplyAsync(
                            latest -> latest.map(block -> Math.max(-1, block.number() - depth.blocks()))
                                    .orElse(-1L),
                            executor);
        }
        return reads.block(((Finality.Tagged) setup.finality()).tag())
                .thenApplyAsync(block -> block.map(AccountBlock::number).orElse(-1L), executor);
    }

    /** From now on no transaction is sent: the journal that they are from has forgotten others. */
    public void stopSending(String why) {
        stopped = Optional.of(why);
    }

    @Override
    public CompletionStage<Void> sendToAll(Bytes raw, Hash256 hash) {
        if (stopped.isPresent()) {
            return CompletableFuture.failedFuture(
                    new AccountException.NotTaken(false, List.of("sending is stopped: " + stopped.get())));
        }
        CompletableFuture<Void> taken = new CompletableFuture<>();
        all(endpoint -> endpoint.send(raw, hash), (sent, failure) -> {
                    if (failure == null) {
                        taken.complete(null);
                    }
                    return Optional.ofNullable(failure).map(Causes::of);
                })
                .whenCompleteAsync(
                        (refusals, failure) -> taken.completeExceptionally(
                                failure != null
                                        ? failure
                                        : notTaken(refusals.stream()
                                                .flatMap(Optional::stream)
                                                .toList())),
                        executor);
        return taken;
    }

    private static AccountException.NotTaken notTaken(List<Throwable> failures) {
        return new AccountException.NotTaken(
                failures.stream().allMatch(EvmEndpoints::isRefusal),
                failures.stream().map(AccountException::words).toList());
    }

    /** "Nonce too low" is no refusal: it speaks of the chain, which is looked at for that. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof AccountException.Refused refused
                && !refused.words().toLowerCase(Locale.ROOT).contains("nonce too low");
    }

    /** Applies {@code outcome} to each endpoint's answer, once all have answered or timed out. */
    private <T, R> CompletionStage<List<R>> all(
            Function<EndpointReads, CompletionStage<T>> question, BiFunction<T, Throwable, R> outcome) {
        List<CompletableFuture<R>> answers = new ArrayList<>();
        for (EndpointReads endpoint : endpoints) {
            answers.add(question.apply(endpoint).handleAsync(outcome, executor).toCompletableFuture());
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> answers.stream()
                                .map(CompletableFuture::join)
                                .filter(Objects::nonNull)
                                .toList(),
                        executor);
    }

    /** Reads from the first endpoint that answers, beginning with the one that answered last. */
    static final class FailoverReads extends JsonReads {
        private final List<EndpointReads> endpoints;
        private final AtomicInteger preferred = new AtomicInteger();

        FailoverReads(List<EndpointReads> endpoints, Executor executor) {
            super(executor);
            this.endpoints = endpoints;
        }

        @Override
        <T> CompletionStage<T> ask(Question<T> question) {
            return ask(question, preferred.get(), 0);
        }

        private <T> CompletionStage<T> ask(Question<T> question, int first, int tried) {
            int index = (first + tried) % endpoints.size();
            return endpoints
                    .get(index)
                    .ask(question)
                    .thenApplyAsync(
                            answer -> {
                                preferred.set(index);
                                return answer;
                            },
                            executor())
                    .exceptionallyComposeAsync(
                            failure -> {
                                Throwable why = Causes.of(failure);
                                return why instanceof AccountException.Refused || tried + 1 == endpoints.size()
                                        ? CompletableFuture.failedFuture(why)
                                        : ask(question, first, tried + 1);
                            },
                            executor());
        }
    }

    /**
     * Counts the answers to one question. Decided as soon as one answer has enough votes and no other can get as many from those who have not
     * answered yet, or when none can get enough. Its endpoints answer on several threads.
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
            // Outside the lock: whoever waits goes on from here.
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

    /** Typed questions to one endpoint's actor. */
    private static final class EndpointReads extends JsonReads implements AccountEndpoint {
        /** How endpoints say that they have a transaction already; none has a code of its own for it. */
        private static final List<String> HAS_IT = List.of("already known", "known transaction", "already imported");

        /** Longer than any word or number in a refusal. */
        private static final Pattern LONG_RUN = Pattern.compile("[0-9A-Za-z+/=_-]{24,}");

        private final String name;
        private final ActorRef<Endpoint.Command> endpoint;
        private final EndpointFigures figures;

        EndpointReads(String name, ActorRef<Endpoint.Command> endpoint, EndpointFigures figures, Executor executor) {
            super(executor);
            this.figures = figures;
            this.name = name;
            this.endpoint = endpoint;
        }

        @Override
        public String name() {
            return name;
        }

        EndpointFigures figures() {
            return figures;
        }

        @Override
        public CompletionStage<Optional<AccountBlock>> block(BlockRef at) {
            CompletionStage<Optional<AccountBlock>> block = super.block(at);
            return at != BlockRef.Tag.LATEST
                    ? block
                    : block.thenApplyAsync(
                            found -> {
                                found.ifPresent(figures::toldOf);
                                return found;
                            },
                            executor());
        }

        @Override
        <T> CompletionStage<T> ask(Question<T> question) {
            CompletableFuture<JsonNode> answer = new CompletableFuture<>();
            endpoint.tell(new Endpoint.Ask(question, answer));
            return answer.thenApplyAsync(
                    result -> {
                        try {
                            return question.reader().read(result);
                        } catch (IllegalArgumentException e) {
                            throw new AccountException.BadAnswer(name, question.method() + ": " + e.getMessage());
                        }
                    },
                    executor());
        }

        @Override
        public CompletionStage<Void> send(Bytes raw, Hash256 hash) {
            Question<Hash256> question = new Question<>(
                    Question.SEND,
                    Question.noParams().add(Quantities.text(raw)),
                    Size.SMALL,
                    result -> sameHash(Quantities.hash(result), hash));
            return ask(question)
                    .handleAsync(
                            (sent, failure) -> {
                                if (failure != null && !hasItAlready(Causes.of(failure))) {
                                    throw withoutEcho(Causes.of(failure));
                                }
                                return null;
                            },
                            executor());
        }

        /** An endpoint that repeats what it was sent must not bring the secret of a claim into a log. */
        private RuntimeException withoutEcho(Throwable failure) {
            if (failure instanceof AccountException.Refused refused) {
                return new AccountException.Refused(
                        name, refused.code(), LONG_RUN.matcher(refused.words()).replaceAll("…"));
            }
            return failure instanceof RuntimeException known
                    ? known
                    : new AccountException.Unreachable(name, failure.toString());
        }

        private static Hash256 sameHash(Hash256 answered, Hash256 hash) {
            if (!answered.equals(hash)) {
                throw new IllegalArgumentException("the hash of another transaction");
            }
            return answered;
        }

        private static boolean hasItAlready(Throwable failure) {
            if (!(failure instanceof AccountException.Refused refused)) {
                return false;
            }
            String words = refused.words().toLowerCase(Locale.ROOT);
            return HAS_IT.stream().anyMatch(words::contains);
        }
    }
}
