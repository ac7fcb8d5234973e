package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.EndpointAnswer;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.account.endpoints.GasPrice.FeeMarket;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.Peers;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.TestPools;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.PlainEvmKeys;

/** Client of the account chain over real sockets, with a journal on disk, that can be restarted as after a crash. */
public final class AccountRig implements AutoCloseable {
    public static final BigInteger ETHER = BigInteger.TEN.pow(18);
    public static final SendPace PACE = new SendPace(
            Duration.ofMillis(20),
            Duration.ofSeconds(15),
            Duration.ofSeconds(60),
            3,
            Duration.ofSeconds(30),
            Duration.ofMinutes(30),
            Duration.ofMinutes(10),
            2_000,
            64,
            64);

    public final EvmDevnet chain = EvmDevnet.start();
    public final EvmEndpoint first = chain.endpoint();
    public final EvmEndpoint second = chain.newEndpoint();
    public final PlainEvmKeys keys = new PlainEvmKeys();
    public final EvmAddress own =
            keys.add(SecretBytes.takeOver(Bytes.parse("11".repeat(32)).toArray()));
    public final EvmAddress other = chain.account(3).address();
    public final ExecutorService executor = Executors.newFixedThreadPool(4);

    private final Path folder;
    private final Duration patience;
    public final int quorum;
    private final List<URI> urls = new ArrayList<>();
    OptionalLong knownNonce = OptionalLong.empty();
    /** Background work in which the actors of sending and following are started. */
    Function<ActorTestKit, Background> background = Spawners::background;
    /** Permission that is checked before each send. */
    public volatile Supplier<CompletionStage<Void>> permission = () -> CompletableFuture.completedFuture(null);

    public SqliteStore store;
    public SealedSends journal;
    public AccountChain endpoints;
    public AccountSends sends;
    private ActorTestKit kit;

    public AccountRig(Path folder) {
        this(folder, 2, 2, Duration.ofSeconds(30));
    }

    /**
     * @param asked number of endpoints: the {@link #second} alone, the {@link #first} with it, or one more
     * @param patience timeout of one call to one endpoint
     */
    public AccountRig(Path folder, int quorum, int asked, Duration patience) {
        this.folder = folder;
        this.quorum = quorum;
        this.patience = patience;
        urls.add(second.uri());
        if (asked > 1) {
            urls.add(0, first.uri());
        }
        while (urls.size() < asked) {
            urls.add(chain.newEndpoint().uri());
        }
        chain.finality(2, 4);
        chain.fund(own, ETHER);
        // Locks are paid only from the settled balance.
        chain.mine(4);
        start();
    }

    public void start() {
        store = SqliteStore.open(folder);
        start(store.accountSends());
    }

    private void start(AccountSendStore journal) {
        kit = ActorTestKit.create();
        endpoints = client(quorum, urls());
        this.journal = sealed(journal, executor);
        sends = done(AccountSends.start(setup(this.journal), background.apply(kit)));
    }

    private SendSetup setup(SealedSends sealed) {
        return new SendSetup(
                endpoints,
                keys,
                sealed,
                knownNonce,
                PACE,
                chain.clock(),
                sendThreads(executor),
                () -> permission.get());
    }

    /** Returns the rig of another daemon with the same keys and store. */
    AccountSends beside(Function<ActorTestKit, Background> other) {
        return done(AccountSends.start(setup(sealed(store.accountSends(), executor)), other.apply(kit)));
    }

    public static SealedSends sealed(AccountSendStore rows, Executor executor) {
        return done(SealedSends.open(
                rows, like -> CompletableFuture.completedFuture(TestSeals.ofAccountSends(like)), executor));
    }

    public static SendSetup.Threads sendThreads(Executor continuations) {
        return new SendSetup.Threads(TestPools.of("sends"), TestPools.of("redeems"), continuations);
    }

    /** Returns the price of gas according to the newest block and the tips that the endpoints report. */
    public CompletionStage<FeeMarket> fees() {
        return endpoints
                .newestBlock()
                .thenCombineAsync(
                        endpoints.each(AccountReads::tip),
                        (block, tips) -> GasPrice.market(
                                block.baseFee(),
                                tips.stream().map(EndpointAnswer::answer).toList()),
                        Runnable::run);
    }

    private static AccountChain.Setup asking(int agree, Duration time, URI... urls) {
        return new AccountChain.Setup(
                List.of(urls),
                agree,
                BigInteger.valueOf(EvmDevnet.CHAIN_ID),
                Finality.FINALIZED,
                time,
                ByteBudget.ofHeap(AccountChain.HEAP_SHARE),
                new SimpleMeterRegistry());
    }

    private static AccountChain started(ActorTestKit kit, Executor executor, AccountChain.Setup setup) {
        return AccountChain.start(Peers.of(kit.system()), setup, new AccountChain.Threads(executor, TestPools::of));
    }

    /** Creates a client of an {@link EvmDevnet}. */
    public static AccountChain client(ActorTestKit kit, Executor executor, int agree, Duration time, URI... urls) {
        return started(kit, executor, asking(agree, time, urls));
    }

    /** Creates a client with this budget for answers and this registry of meters. */
    public AccountChain client(ByteBudget answers, MeterRegistry metrics) {
        return started(kit, executor, Copies.with(asking(2, patience, urls()), "answers", answers, "metrics", metrics));
    }

    public AccountChain client(int agree, URI... urls) {
        return client(agree, patience, urls);
    }

    public AccountChain client(int agree, Duration time, URI... urls) {
        return client(kit, executor, agree, time, urls);
    }

    private URI[] urls() {
        return urls.toArray(URI[]::new);
    }

    /** Ends the process without a shutdown, and starts it again with the data on disk. */
    public void crash() {
        kill();
        start();
    }

    public void kill() {
        kit.shutdownTestKit();
        store.close();
    }

    /** Restarts with a journal wrapped by {@code around}. */
    public void restartWith(UnaryOperator<AccountSendStore> around) {
        kill();
        store = SqliteStore.open(folder);
        start(around.apply(store.accountSends()));
    }

    /**
     * Fills the ordinary lane of an endpoint with calls of the contract, which hang until the endpoint behaves.
     *
     * @return the hanging calls
     */
    public List<CompletableFuture<?>> saturate(EvmEndpoint endpoint) {
        endpoint.hang("eth_call");
        List<CompletableFuture<?>> open = new ArrayList<>();
        for (int i = 0; i < 2 * TestPools.THREADS; i++) {
            open.add(endpoints
                    .each(reads -> reads.swap(chain.contract(), Hash256.ZERO, BlockRef.Tag.LATEST))
                    .toCompletableFuture());
        }
        Await.until("all of its threads wait", () -> endpoint.count("eth_call") == TestPools.THREADS);
        return open;
    }

    SendRequest request(String reference, BigInteger wei) {
        return request(reference, SendKind.SEND, SendValue.exactly(wei), Pushing.BY_ITSELF);
    }

    SendRequest request(String reference, SendKind kind, SendValue value, Pushing pushing) {
        return request(reference, kind, value, pushing, Optional.empty());
    }

    /** Returns a request to send all that the balance permits. */
    SendRequest all(String reference) {
        return request(reference, SendKind.SEND, new SendValue.All(), Pushing.BY_ITSELF);
    }

    public SendRequest lock(String reference) {
        return request(reference, SendKind.LOCK, SendValue.exactly(BigInteger.TEN), Pushing.BY_OWNER);
    }

    SendRequest claim(String reference) {
        return request(reference, SendKind.CLAIM, SendValue.exactly(BigInteger.ZERO), Pushing.URGENTLY);
    }

    /** @param ceiling wei */
    SendRequest claim(String reference, BigInteger ceiling) {
        return request(
                reference, SendKind.CLAIM, SendValue.exactly(BigInteger.ZERO), Pushing.URGENTLY, Optional.of(ceiling));
    }

    SendRequest request(
            String reference, SendKind kind, SendValue value, Pushing pushing, Optional<BigInteger> ceiling) {
        return new SendRequest(
                reference,
                kind,
                own,
                other,
                value,
                Bytes.EMPTY,
                new Gas.Fixed(21_000),
                ceiling,
                pushing,
                Optional.of("owner"));
    }

    /** Returns a request to call the contract. */
    SendRequest call(String reference, SendKind kind, BigInteger wei, Bytes data, Gas gas) {
        return new SendRequest(
                reference,
                kind,
                own,
                chain.contract(),
                SendValue.exactly(wei),
                data,
                gas,
                Optional.empty(),
                Pushing.BY_ITSELF,
                Optional.empty());
    }

    /** Applies a setting to both endpoints. */
    void both(Consumer<EvmEndpoint> told) {
        List.of(first, second).forEach(told);
    }

    SendRecord send(SendRequest request) {
        return done(sends.send(request));
    }

    /** Returns the refusal with which a send fails. */
    static Refusal refusal(ThrowingCallable send) {
        return catchThrowableOfType(RefusedException.class, send).refusal();
    }

    /** Mines until this number of our transactions are in blocks, advancing the clock by {@code passing} before each block. */
    void awaitNonce(long nonce, Duration passing) {
        Await.until("nonce " + (nonce - 1) + " is mined", () -> {
            chain.clock().advance(passing);
            chain.mine();
            return chain.nonce(own) == nonce;
        });
    }

    public SendRecord send(String reference, long wei) {
        return send(request(reference, BigInteger.valueOf(wei)));
    }

    public SendRecord find(String reference) {
        return done(sends.find(reference)).orElseThrow();
    }

    public void await(String reference, Class<? extends SendState> state) {
        Await.until(
                reference + " is " + state.getSimpleName(),
                () -> state.isInstance(find(reference).state()));
    }

    /** Mines until the block of a send is final. */
    void finish(String reference) {
        await(reference, SendState.Mined.class);
        chain.mine(5);
        await(reference, SendState.Final.class);
    }

    void mineAndFinish(String reference) {
        chain.mine();
        finish(reference);
    }

    BigInteger received() {
        return chain.balance(other);
    }

    public static <T> T done(CompletionStage<T> stage) {
        try {
            return Await.result(stage);
        } catch (CompletionException e) {
            throw Causes.of(e) instanceof RuntimeException known ? known : e;
        }
    }

    static <T> List<T> all(List<? extends CompletionStage<T>> stages) {
        List<T> results = new ArrayList<>();
        stages.forEach(stage -> results.add(done(stage)));
        return results;
    }

    @Override
    public void close() {
        kill();
        chain.close();
        executor.shutdownNow();
    }
}
