package org.chainwalletd.boot;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.cluster.ClusterMembership;
import org.chainwalletd.cluster.Node;
import org.chainwalletd.cluster.Nodes;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.MessageSeal;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Handover;
import org.chainwalletd.rpc.RpcAnswer;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.postgres.PostgresAgreed;
import org.chainwalletd.store.postgres.PostgresStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to the other daemons of the same database. Broadcasts hints about changes, and forwards calls that need background work to the
 * daemon that runs it. Without these connections the daemon falls back to polling and refusals.
 */
final class DatabaseCluster implements Handover {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseCluster.class);
    private static final String STORE = "store";
    private static final String BOOKS = "books";
    /** Age in milliseconds, by the database clock, from which a forwarded call is no longer started. */
    private static final long LATE_MILLIS = 10_000;

    /** Answer to a call whose token is not accepted. */
    private static final RpcAnswer UNAUTHORIZED = new RpcAnswer(401, List.of());

    private final Settings.Cluster place;
    private final PostgresStore store;
    private final Keeper keeper;
    private final Executor answers;
    private final Supplier<Optional<RefusedException>> objection;
    private final Map<String, LongConsumer> listeners = new ConcurrentHashMap<>();
    /** Calls of other daemons in progress. */
    private final Set<CompletableFuture<?>> answering = ConcurrentHashMap.newKeySet();

    private volatile ClusterMembership membership;
    private SealedCalls sealed;
    private volatile boolean stopping;
    private RpcDispatcher dispatcher;
    private NamedTokens named;

    /**
     * Creates the cluster without connecting.
     *
     * @param answers executor for calls and their answers
     * @param objection refusal of a call that needs background work; empty while that runs here
     */
    DatabaseCluster(
            Settings.Cluster place,
            Store store,
            Keeper keeper,
            Executor answers,
            Supplier<Optional<RefusedException>> objection) {
        this.place = place;
        this.store = (PostgresStore) store;
        this.keeper = keeper;
        this.answers = answers;
        this.objection = objection;
        listeners.put(STORE, this.store::hint);
    }

    /**
     * Refuses a start with an unusable certificate or address, before anything is created.
     *
     * @throws StartupException with the remedy
     */
    static void refuseEarly(Settings.Cluster place) {
        StartupRefusals.requireFree(place.bind(), "--cluster-bind");
        place.files().ifPresent(DatabaseCluster::refuseFiles);
        try {
            Nodes.require();
        } catch (IllegalStateException e) {
            throw new StartupException(e.getMessage());
        }
    }

    private static void refuseFiles(Settings.PemFiles files) {
        Certificate own = certificate(files.certificate(), "--cluster-cert");
        Certificate issuer = certificate(files.issuer(), "--cluster-ca");
        if (!text(files.key(), "--cluster-key").contains("-----BEGIN PRIVATE KEY-----")) {
            throw new StartupException(
                    "--cluster-key " + files.key()
                            + " holds no key: name a PEM file with the key of --cluster-cert in PKCS #8 (BEGIN PRIVATE KEY), not encrypted");
        }
        try {
            own.verify(issuer.getPublicKey());
        } catch (GeneralSecurityException e) {
            throw new StartupException("--cluster-cert " + files.certificate() + " was not issued by --cluster-ca "
                    + files.issuer() + ": name the certificate's issuer");
        }
    }

    private static Certificate certificate(Path file, String flag) {
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificate(
                            new ByteArrayInputStream(text(file, flag).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new StartupException(flag + " " + file + " holds no certificate: name a PEM file with one");
        }
    }

    private static String text(Path file, String flag) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new StartupException(flag + " " + file + " cannot be read: " + e);
        }
    }

    /**
     * Connects, and accepts calls from other daemons from now on.
     *
     * @param dispatcher answers these calls
     * @param named tokens of the callers
     */
    void serve(RpcDispatcher dispatcher, NamedTokens named, MeterRegistry meters) {
        this.dispatcher = dispatcher;
        this.named = named;
        sealed = new SealedCalls(key(), 3 * LATE_MILLIS);
        membership = ClusterMembership.start(
                place,
                store.peers(),
                new Node.Duties(() -> !stopping && keeper.isRunning(), this::answer, this::onHint));
        Supplier<Number> members = this::members;
        Gauge.builder("walletd.cluster.members", members)
                .description("Daemons of the database that this one is connected with, itself included")
                .register(meters);
        store.whenCommitted(number -> hint(STORE, number));
    }

    /**
     * Broadcasts a hint for each block that this daemon has entered into the books.
     *
     * @param look run when another daemon has entered a block; must not block
     */
    void hintAtBlocks(Follower follower, DaemonContext context, Runnable look) {
        whenHinted(BOOKS, height -> look.run());
        follower.subscribe(context.guardian()
                .spawn(
                        Behaviors.<FollowEvent>receiveMessage(event -> {
                            if (keeper.isRunning()) {
                                hint(BOOKS, follower.height().orElse(0));
                            }
                            return Behaviors.same();
                        }),
                        "hints-at-blocks"));
    }

    /** Returns the key shared by all daemons of the database, which the first of them creates. */
    private String key() {
        if (store.agreed().value(PostgresAgreed.CLUSTER_KEY).isEmpty()) {
            byte[] random = new byte[MessageSeal.KEY_BYTES];
            new SecureRandom().nextBytes(random);
            store.agree(values -> {
                values.putIfAbsent(PostgresAgreed.CLUSTER_KEY, HexFormat.of().formatHex(random));
                return values;
            });
        }
        return store.agreed().value(PostgresAgreed.CLUSTER_KEY).orElseThrow();
    }

    /** Returns the sealing of calls, for tests that create some. */
    SealedCalls sealed() {
        return sealed;
    }

    /** Number of connected daemons, including this one; 0 while it is connected to none. */
    int members() {
        ClusterMembership now = membership;
        return now == null ? 0 : now.members();
    }

    /** Returns the database clock, see {@link ClusterMembership#millis}. */
    OptionalLong millis() {
        ClusterMembership now = membership;
        return now == null ? OptionalLong.empty() : now.millis();
    }

    /** Node of this daemon, for tests that stop it. */
    Optional<Node> node() {
        return membership.node();
    }

    /** Broadcasts a hint to the other daemons, see {@link Node.Hint}. */
    void hint(String of, long number) {
        ClusterMembership now = membership;
        if (now != null) {
            now.hint(new Node.Hint(of, number));
        }
    }

    /**
     * Registers the listener for hints from other daemons about {@code of}.
     *
     * @param of topic; it has one listener
     * @param listener receives the number of the hint; must not block
     */
    void whenHinted(String of, LongConsumer listener) {
        listeners.put(of, listener);
    }

    private void onHint(Node.Hint hint) {
        try {
            listeners.getOrDefault(hint.of(), number -> {}).accept(hint.number());
        } catch (RuntimeException e) {
            LOG.debug("a hint could not be processed", e);
        }
    }

    @Override
    public Optional<CompletionStage<RpcAnswer>> forward(Supplier<byte[]> request, CallContext context) {
        if (keeper.isRunning() || members() < 2 || millis().isEmpty()) {
            return Optional.empty();
        }
        long now = millis().orElse(0);
        Grant grant = context.grant();
        byte[] body = request.get();
        Node.Call call =
                sealed.seal(new Node.Call(grant.name(), grant.owner().isPresent(), context.client(), now, body));
        Arrays.fill(body, (byte) 0);
        return Optional.of(membership.hand(call).thenApplyAsync(answer -> answerOf(call, answer), answers));
    }

    private RpcAnswer answerOf(Node.Call call, Node.Answer answer) {
        if (answer instanceof Node.Answer.Given given) {
            RpcAnswer opened = sealed.open(call, given).orElseThrow(OutcomeUnknown::new);
            if (opened.equals(UNAUTHORIZED)) {
                throw new RefusedException(ErrorCode.UNAUTHORIZED, "authentication required");
            }
            return opened;
        }
        if (answer instanceof Node.Answer.Lost) {
            throw new OutcomeUnknown();
        }
        throw objection
                .get()
                .orElseGet(() -> RefusedException.notKeeper(
                        "nothing was begun: the background work has just come to this daemon, call again",
                        Optional.empty()));
    }

    /**
     * Whether a call arrives late, because this daemon was paused or the connection was interrupted: its caller has been told that the
     * outcome is unknown, and may have repeated the call. A call of unknown age counts as late.
     */
    private boolean isLate(Node.Call call) {
        OptionalLong now = millis();
        return now.isEmpty() || Math.abs(now.getAsLong() - call.millis()) > LATE_MILLIS;
    }

    private CompletionStage<Node.Answer> answer(Node.Call given) {
        Optional<Node.Call> opened =
                isLate(given) ? Optional.empty() : sealed.open(given, millis().orElse(given.millis()));
        if (opened.isEmpty()) {
            // The call may be a duplicate of one that was carried out, here or by an earlier keeper.
            return CompletableFuture.completedFuture(new Node.Answer.Lost());
        }
        Node.Call call = opened.get();
        CompletableFuture<Node.Answer> answer = CompletableFuture.supplyAsync(() -> grantOf(call), answers)
                .thenComposeAsync(grant -> answer(given, call, grant), answers);
        answering.add(answer);
        return answer.whenCompleteAsync((done, failure) -> answering.remove(answer), answers);
    }

    private Optional<Grant> grantOf(Node.Call call) {
        return call.named()
                ? named.current(call.token())
                : Arrays.stream(Scope.values())
                        .filter(scope -> scope.word().equals(call.token()))
                        .map(named::classic)
                        .findFirst();
    }

    private CompletionStage<Node.Answer> answer(Node.Call sealedCall, Node.Call call, Optional<Grant> grant) {
        if (grant.isEmpty()) {
            boolean known = !call.named() || named.row(call.token()).isPresent();
            return CompletableFuture.completedFuture(
                    known ? sealed.seal(sealedCall, UNAUTHORIZED) : new Node.Answer.Lost());
        }
        return dispatcher
                .answerHere(call.request(), grant.get(), call.client(), SealedCalls.name(sealedCall))
                .thenApplyAsync(answer -> sealed.seal(sealedCall, answer), answers);
    }

    /** Accepts no further calls, waits up to {@code timeout} for those in progress, and leaves the cluster. Blocks. */
    void close(Duration timeout) {
        stopping = true;
        try {
            CompletableFuture.allOf(answering.toArray(CompletableFuture[]::new))
                    .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("calls of other daemons failed or are still running", e);
        }
        membership.close();
    }
}
