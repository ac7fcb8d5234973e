package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Htlcs.Htlc;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.htlc.ClaimRequest;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.AccountSide;
import org.chainwalletd.swap.legs.EvmLegRig;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.chainwalletd.testkit.evm.PlainEvmKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Money without a watched row, on a real account chain with two endpoints. */
@Tag("long")
public class WatchtowerTest {
    private static final BigInteger ETHER = BigInteger.TEN.pow(18);
    private static final BigInteger LOCKED = BigInteger.TEN.pow(17);

    @TempDir
    Path folder;

    private final ActorTestKit kit = ActorTestKit.create();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final EvmDevnet chain = EvmDevnet.start();
    private final EvmEndpoint second = chain.newEndpoint();
    private final PlainEvmKeys keys = new PlainEvmKeys();
    private final List<String> rewatched = new CopyOnWriteArrayList<>();
    private Consumer<String> engine = rewatched::add;
    private final List<ClaimRequest> claims = new CopyOnWriteArrayList<>();
    /** Locks whose claims are refused. */
    private final List<Outpoint> unclaimable = new CopyOnWriteArrayList<>();
    /** Spends by their tokens. */
    private final Map<String, Intent> begun = new ConcurrentHashMap<>();

    private final List<SwapAlarm> alarms = new CopyOnWriteArrayList<>();
    private Executor threads = EvmLegRig.THREADS;
    private OptionalLong fromBlock = OptionalLong.of(0);
    private final FewRecords htlcs = new FewRecords();
    private final StandingLegs legs = new StandingLegs();
    private boolean isOfThisChain = true;
    /** Ids of rows whose chains cannot be observed. */
    private final Set<String> unseen = new CopyOnWriteArraySet<>();
    /** Newest block of the chain in the books: by default much later than everything done on the account chain. */
    private volatile FollowedTip tip;

    private SqliteStore store;
    private SealedRecords seals;
    private SwapJournal journal;
    private AccountSide account;
    private EvmWallet wallet;
    private EvmAddress own;
    private List<EvmAddress> ours;

    @BeforeEach
    void start() {
        chain.finality(1, 2);
        byte[] secret = Bytes.parse("17".repeat(32)).toArray();
        wallet = chain.wallet(SecretBytes.copyOf(secret));
        own = keys.add(SecretBytes.takeOver(secret));
        ours = List.of(own);
        chain.fund(own, ETHER);
        booksReach(chain.head().time() + Duration.ofDays(7).toSeconds());
        store = SqliteStore.open(folder);
        seals = TestSeals.of(Await.result(store.swaps().newest()).map(SwapEntry::content));
        journal = new SwapJournal(store.swaps(), seals, executor);
        account = AccountSide.start(
                kit,
                chain,
                keys,
                store.accountSends(),
                executor,
                chain.endpoint().uri(),
                second.uri());
    }

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
        seals.close();
        store.close();
        chain.close();
        executor.shutdownNow();
    }

    private final class StandingLegs extends ShownLegs {
        @Override
        public boolean reach(SwapRow row) {
            return isOfThisChain;
        }

        @Override
        public CompletionStage<View> look(SwapRow row) {
            return unseen.contains(row.id())
                    ? CompletableFuture.failedFuture(new IllegalStateException("no answer"))
                    : super.look(row);
        }
    }

    /** Books with a few HTLCs. */
    private static final class FewRecords implements HtlcRecords {
        private final AtomicInteger looks = new AtomicInteger();
        private final AtomicInteger lists = new AtomicInteger();
        private volatile List<HtlcRecord> records = List.of();

        @Override
        public CompletableFuture<Optional<HtlcRecord>> status(Outpoint lock) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletableFuture<Listing> list(Query query) {
            lists.incrementAndGet();
            return CompletableFuture.completedFuture(new Listing(
                    records.stream()
                            .filter(one -> query.states().contains(one.state())
                                    && query.roles().contains(one.role()))
                            .toList(),
                    Optional.empty()));
        }

        @Override
        public CompletableFuture<List<HtlcRecord>> ofHashLock(Hash256 hashLock) {
            looks.incrementAndGet();
            return CompletableFuture.completedFuture(records.stream()
                    .filter(one -> one.params().hashLock().equals(hashLock))
                    .toList());
        }
    }

    /** Returns a lock of the pool that we may claim. */
    private static HtlcRecord paysUs(int n) {
        return htlc(n, Sample.HASH_LOCK, Htlcs.State.LOCKED, Htlcs.Role.RECEIVER, Optional.empty());
    }

    /** Returns a lock of ours that the pool has claimed with this secret. */
    private static HtlcRecord shows(int n, byte[] secret) {
        return htlc(n, Hash256.sha256(secret), Htlcs.State.CLAIMED, Htlcs.Role.SENDER, Optional.of(Bytes.of(secret)));
    }

    private static HtlcRecord htlc(int n, Hash256 hashLock, Htlcs.State state, Htlcs.Role role, Optional<Bytes> shown) {
        boolean ours = role == Htlcs.Role.SENDER;
        return new HtlcRecord(
                new Outpoint(Hash256.sha256(new byte[] {(byte) n}), 0),
                new HtlcParams(
                        ours ? Sample.OUR_KEY : Sample.POOL_KEY,
                        ours ? Sample.POOL_KEY : Sample.OUR_KEY,
                        hashLock,
                        500),
                Amount.of(Sample.COINS),
                OptionalLong.of(50),
                state,
                shown.map(preimage -> new Htlc.Claim(Hash256.ZERO, preimage, OptionalLong.of(60), 0)),
                Optional.empty(),
                role,
                100);
    }

    private void watch() {
        long now = chain.clock().instant().getEpochSecond();
        kit.spawn(Watchtower.create(new Watchtower.Setup(
                account.endpoints(),
                chain.contract(),
                fromBlock,
                () -> CompletableFuture.completedFuture(ours),
                store.scans(),
                new RowAudit(journal, legs, engine, alarms::add, () -> now),
                locks(),
                Duration.ofMillis(20),
                threads)));
    }

    private LocksWithoutRow locks() {
        return new LocksWithoutRow(new LocksWithoutRow.Setup(
                account.endpoints(),
                account.sends(),
                chain.contract(),
                journal,
                htlcs,
                () -> Optional.of(tip),
                token -> CompletableFuture.completedFuture(Optional.ofNullable(begun.get(token))),
                request -> {
                    if (unclaimable.contains(request.lock())) {
                        return CompletableFuture.failedFuture(new IllegalStateException("not worth its fee"));
                    }
                    claims.add(request);
                    return CompletableFuture.completedFuture(null);
                },
                SwapWorld.PROFILE,
                engine,
                alarms::add));
    }

    private void booksReach(long seconds) {
        tip = new FollowedTip(new BlockPlace(100, Hash256.ZERO), seconds);
    }

    private Hash256 lock(int n, long seconds) {
        return lock(Hash256.sha256(new byte[] {(byte) n}), seconds);
    }

    private Hash256 lock(Hash256 hashLock, long seconds) {
        long deadline = chain.head().time() + seconds;
        wallet.lock(hashLock, chain.account(3).address(), deadline, LOCKED);
        chain.mine();
        return hashLock;
    }

    /** Returns an event as an endpoint formats it, although no lock exists. */
    private ObjectNode event(Hash256 hashLock) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("address", chain.contract().toString());
        json.putArray("topics")
                .add("0x" + SwapContract.LOCKED_TOPIC.hex())
                .add("0x" + hashLock.hex())
                .add("0x" + "00".repeat(12) + own.toString().substring(2).toLowerCase(Locale.ROOT))
                .add("0x" + "00".repeat(12) + "ab".repeat(20));
        return json.put("data", "0x" + "00".repeat(31) + "05" + "00".repeat(31) + "09")
                .put("blockHash", "0x" + chain.head().hash().hex())
                .put("blockNumber", "0x" + Long.toHexString(chain.head().number()))
                .put("transactionHash", "0x" + hashLock.hex())
                .put("transactionIndex", "0x0")
                .put("logIndex", "0x0")
                .put("removed", false);
    }

    private long place() {
        OptionalLong place = Await.result(store.scans().of("locks of " + EvmDevnet.CHAIN_ID + " " + chain.contract()));
        return place.orElse(-1);
    }

    private SwapContract.State state(Hash256 hashLock) {
        return chain.swap(hashLock).state();
    }

    /** Adds an unwatched row. */
    private SwapRow row(Acts acts) {
        return row(Sample.row(Direction.NATIVE_TO_CHAIN), acts);
    }

    private SwapRow row(SwapRow row, Acts acts) {
        SwapJournal.Held held = EngineCalls.add(journal, row);
        return Await.result(journal.write(held, row.with(acts, row.updatedAt()), false))
                .row();
    }

    private void untilSent() {
        Await.until("a transaction waits", () -> !chain.waiting().isEmpty());
    }

    private void untilClaimed() {
        Await.until("an HTLC is claimed", () -> !claims.isEmpty());
    }

    @Test
    void a_lock_of_ours_without_a_row_is_taken_back_at_its_deadline_and_not_before() {
        Hash256 hashLock = lock(1, 1_000);
        long locked = chain.head().number();
        chain.mine(3);
        watch();
        Await.until("it is found", () -> place() == locked - 1);
        long deadline = chain.swap(hashLock).deadline();
        chain.nextTime(deadline - 1);
        chain.mine();
        Await.until("the block is looked at", () -> second.count("eth_getBlockByNumber") > 20);
        assertThat(chain.waiting()).isEmpty();
        chain.nextTime(deadline);
        chain.mine();
        untilSent();
        assertThat(Await.result(store.accountSends()
                                .find("watchtower/" + chain.contract() + "/" + hashLock.hex() + "/refund"))
                        .orElseThrow()
                        .order()
                        .feeCeiling())
                .as("whatever gas costs, it takes no more than it brings")
                .contains(LOCKED);
        chain.mine();
        assertThat(state(hashLock)).isEqualTo(SwapContract.State.REFUNDED);
        chain.mine(3);
        Await.until("it is passed", () -> place() >= locked);
        assertThat(alarms).extracting(SwapAlarm::kind).contains(SwapAlarm.Kind.LOCK_WITHOUT_ROW);
        assertThat(alarms).extracting(SwapAlarm::hashLock).containsOnly(Optional.of(hashLock));
    }

    /** As with endpoints whose clocks are ahead. */
    @Test
    void a_lock_of_ours_without_a_row_is_taken_back_however_often_that_came_too_early() {
        Hash256 hashLock = lock(8, 100_000);
        chain.mine(3);
        List.of(chain.endpoint(), second).forEach(endpoint -> endpoint.lies().time(200_000));
        watch();
        for (int attempt = 1; attempt <= 17; attempt++) {
            untilSent();
            chain.mine(4);
        }
        List.of(chain.endpoint(), second).forEach(endpoint -> endpoint.lies().stop());
        chain.nextTime(chain.swap(hashLock).deadline());
        chain.mine();
        untilSent();
        chain.mine();
        assertThat(state(hashLock)).isEqualTo(SwapContract.State.REFUNDED);
    }

    @Test
    void without_a_first_block_what_another_installation_has_locked_lately_is_found_too() {
        fromBlock = OptionalLong.empty();
        lock(1, 1_000);
        long locked = chain.head().number();
        chain.mine(3);
        watch();
        Await.until("it is found", () -> place() == locked - 1);
    }

    @Test
    void what_an_endpoint_has_made_up_or_another_party_has_locked_is_passed_over() {
        chain.account(4).lock(Hash256.sha256(new byte[] {2}), own, chain.head().time() + 5, LOCKED);
        chain.mine();
        Hash256 invented = Hash256.sha256(new byte[] {3});
        second.lies().moreLogs(event(invented));
        chain.mine(3);
        long end = chain.head().number() - 2;
        watch();
        Await.until("it is read", () -> place() == end);
        assertThat(chain.waiting()).isEmpty();
    }

    @Test
    void one_endpoint_that_hides_a_lock_hides_nothing() {
        second.lies().noLogs();
        Hash256 hashLock = lock(4, 5);
        chain.mine(3);
        chain.nextTime(chain.swap(hashLock).deadline());
        chain.mine();
        watch();
        untilSent();
    }

    @Test
    void a_lock_whose_row_nobody_watches_is_given_back_to_the_engine() {
        SwapRow row = row(Acts.NONE.expire());
        lock(row.terms().hashLock(), 1_000);
        chain.mine(3);
        watch();
        Await.until("it is asked for", () -> rewatched.contains(row.id()));
        assertThat(chain.waiting()).isEmpty();
    }

    @Test
    void a_round_for_which_there_is_no_thread_is_made_later() {
        AtomicInteger asked = new AtomicInteger();
        threads = round -> {
            if (asked.getAndIncrement() == 0) {
                throw new RejectedExecutionException("full");
            }
            EvmLegRig.THREADS.execute(round);
        };
        SwapRow row = row(Acts.NONE.expire());
        lock(row.terms().hashLock(), 1_000);
        chain.mine(3);
        watch();
        Await.until("it is asked for", () -> rewatched.contains(row.id()));
    }

    @Test
    void a_row_that_the_chains_contradict_is_given_back_to_the_engine_at_the_start() {
        SwapRow row = row(Acts.NONE.expire());
        legs.lock = ShownLegs.LOCKED;
        watch();
        Await.until("it is asked for", () -> rewatched.contains(row.id()));
    }

    /** Makes the engine's first write to the journal fail. */
    private void refuseFirstWrite() {
        answerFirstWrite(call -> CompletableFuture.failedFuture(StoreException.unavailable("a test's disk", null)));
    }

    private void answerFirstWrite(Stub.Answers answer) {
        AtomicInteger writes = new AtomicInteger();
        SwapJournal faltering = new SwapJournal(
                Stub.of(
                        SwapStore.class,
                        call -> call.name().equals("replace") && writes.getAndIncrement() == 0
                                ? answer.to(call)
                                : call.on(store.swaps())),
                seals,
                executor);
        engine = id -> {
            rewatched.add(id);
            CompletableFuture<?> written = faltering.rewatch(id).toCompletableFuture();
            Await.until("the engine has its answer", written::isDone);
        };
    }

    private void untilWatched(SwapRow row) {
        Await.until(
                "it is watched",
                () -> Await.result(journal.take(row.id())).orElseThrow().entry().watched());
    }

    @Test
    void a_lock_whose_row_cannot_be_marked_as_watched_at_first_is_given_back_again() {
        SwapRow row = row(Acts.NONE.expire());
        lock(row.terms().hashLock(), 1_000);
        long locked = chain.head().number();
        chain.mine(3);
        refuseFirstWrite();
        watch();
        untilWatched(row);
        Await.until("it is passed", () -> place() >= locked);
    }

    @Test
    void a_row_that_is_marked_as_watched_without_an_answer_is_given_back_once_more() {
        SwapRow row = row(Acts.NONE.expire());
        legs.lock = ShownLegs.LOCKED;
        answerFirstWrite(call -> call.stage(store.swaps())
                .thenComposeAsync(
                        done -> CompletableFuture.failedFuture(new StoreException(
                                StoreException.Reason.UNKNOWN, "the connection was lost during the commit", null)),
                        executor));
        watch();
        Await.until("it is asked for twice", () -> rewatched.size() == 2);
        untilWatched(row);
        roundsEnd();
        assertThat(rewatched).containsExactly(row.id(), row.id());
    }

    @Test
    void a_row_that_cannot_be_marked_as_watched_at_first_is_given_back_again_and_reported_once() {
        SwapRow row = row(Acts.NONE.expire());
        legs.lock = ShownLegs.LOCKED;
        refuseFirstWrite();
        watch();
        untilWatched(row);
        assertThat(alarms).extracting(SwapAlarm::kind).containsExactly(SwapAlarm.Kind.ROW_OUTDATED);
    }

    @Test
    void a_row_that_the_engine_has_watched_and_let_go_is_not_given_back_again() {
        SwapRow row = row(Acts.NONE.expire());
        lock(row.terms().hashLock(), 1_000);
        long locked = chain.head().number();
        chain.mine(3);
        legs.lock = ShownLegs.LOCKED;
        engine = id -> {
            rewatched.add(id);
            journal.rewatch(id)
                    .thenComposeAsync(
                            held -> journal.write(
                                    held.orElseThrow(), held.orElseThrow().row(), false),
                            executor);
        };
        watch();
        Await.until("it is passed", () -> place() >= locked);
        roundsEnd();
        int requests = rewatched.size();
        roundsEnd();
        assertThat(rewatched).hasSize(requests);
    }

    @Test
    void a_row_that_cannot_be_compared_keeps_no_older_one_from_being_compared() {
        SwapRow older = row(Sample.row(1, Direction.NATIVE_TO_CHAIN), Acts.NONE.expire());
        SwapRow newer = row(Sample.row(2, Direction.NATIVE_TO_CHAIN), Acts.NONE.expire());
        legs.lock = ShownLegs.LOCKED;
        unseen.add(newer.id());
        watch();
        Await.until("it is asked for", () -> rewatched.contains(older.id()));
        assertThat(rewatched).doesNotContain(newer.id());
    }

    @Test
    void rows_of_another_account_chain_are_not_compared_with_this_one() {
        row(Acts.NONE.expire());
        legs.lock = ShownLegs.LOCKED;
        isOfThisChain = false;
        chain.mine(3);
        watch();
        Await.until("it is read", () -> place() >= 1);
        assertThat(rewatched).isEmpty();
    }

    @Test
    void rows_that_the_chains_agree_with_rest() {
        row(Acts.NONE.expire());
        chain.mine(3);
        watch();
        Await.until("it is read", () -> place() >= 1);
        assertThat(rewatched).isEmpty();
    }

    @Test
    void a_secret_that_the_pool_has_shown_on_the_chain_claims_in_the_contract_what_has_no_row() {
        long deadline = chain.head().time() + 1_000;
        chain.account(4).lock(Sample.HASH_LOCK, own, deadline, LOCKED);
        chain.mine(3);
        htlcs.records = List.of(shows(77, Sample.SECRET));
        watch();
        untilSent();
        chain.mine();
        assertThat(state(Sample.HASH_LOCK)).isEqualTo(SwapContract.State.CLAIMED);
        assertThat(chain.swap(Sample.HASH_LOCK).recipient()).isEqualTo(own);
    }

    @Test
    void a_row_that_nobody_watches_is_given_back_to_the_engine_when_the_chain_shows_its_secret() {
        SwapRow row = row(Acts.NONE.expire());
        chain.mine(3);
        refuseFirstWrite();
        htlcs.records = List.of(shows(77, Sample.SECRET));
        watch();
        untilWatched(row);
        assertThat(chain.waiting()).isEmpty();
    }

    @Test
    void a_secret_that_the_pool_has_shown_in_the_contract_claims_on_the_chain_what_has_no_row() {
        claimedByThePool();
        poolPaysUs();
        watch();
        untilClaimed();
        ClaimRequest claim = claims.get(0);
        assertThat(claim.preimage()).isEqualTo(Bytes.of(Sample.SECRET));
        assertThat(claim.from()).isEqualTo(SwapWorld.PROFILE.addressOf(Sample.OUR_KEY));
        assertThat(claim.sender()).isEqualTo(Sample.POOL_KEY);
        htlcs.records = List.of();
        Await.until("nothing is left of it", () -> place() >= chain.head().number() - 2);
    }

    /** Makes a lock of ours without a row that the pool has finally claimed; returns the block of the lock. */
    private long claimedByThePool() {
        lock(Sample.HASH_LOCK, 1_000);
        long locked = chain.head().number();
        chain.account(3).claim(Sample.SECRET);
        chain.mine(4);
        return locked;
    }

    private void poolPaysUs() {
        htlcs.records = List.of(paysUs(77));
    }

    /** Returns the calls for whole blocks. */
    private static List<String> wholeBlocks(EvmEndpoint endpoint) {
        return endpoint.calls().stream()
                .filter(call -> call.method().equals("eth_getBlockByNumber")
                        && call.params().path(1).asBoolean())
                .map(call -> call.params().path(0).asText())
                .toList();
    }

    private void roundsPass() {
        int before = htlcs.looks.get();
        Await.until("rounds pass", () -> htlcs.looks.get() > before + 2);
    }

    @Test
    void an_htlc_that_books_show_late_is_claimed_with_the_secret_that_the_contract_has_shown() {
        long locked = claimedByThePool();
        booksReach(chain.head().time() - Duration.ofDays(1).toSeconds());
        watch();
        roundsPass();
        booksReach(chain.head().time() + Duration.ofHours(2).toSeconds());
        roundsPass();
        poolPaysUs();
        untilClaimed();
        assertThat(place()).as("the lock is not passed").isEqualTo(locked - 1);
    }

    @Test
    void a_claimed_lock_is_passed_when_nothing_can_enter_the_books_for_it_any_more() {
        long locked = claimedByThePool();
        long end = chain.head().number() - 2;
        long deadline = chain.swap(Sample.HASH_LOCK).deadline();
        booksReach(deadline + Duration.ofDays(1).toSeconds() - 1);
        watch();
        roundsPass();
        assertThat(place()).isEqualTo(locked - 1);
        booksReach(deadline + Duration.ofDays(1).toSeconds());
        Await.until("it is passed", () -> place() >= end);
    }

    @Test
    void an_endpoint_that_hides_the_claim_hides_no_secret() {
        claimedByThePool();
        hidesTransactions(chain.endpoint());
        poolPaysUs();
        watch();
        untilClaimed();
    }

    @Test
    void an_endpoint_that_shows_no_block_keeps_no_other_from_showing_the_secret() {
        claimedByThePool();
        showsNoBlocks(chain.endpoint());
        poolPaysUs();
        watch();
        untilClaimed();
    }

    private static void hidesTransactions(EvmEndpoint endpoint) {
        endpoint.lies().block(block -> {
            block.putArray("transactions");
            return block;
        });
    }

    private static void showsNoBlocks(EvmEndpoint endpoint) {
        endpoint.lies()
                .tell((method, params, truth) ->
                        method.equals("eth_getBlockByNumber") && params.path(1).asBoolean()
                                ? JsonNodeFactory.instance.nullNode()
                                : truth);
    }

    @Test
    void a_secret_is_found_however_long_after_the_lock_it_was_shown() {
        lock(Sample.HASH_LOCK, 1_000_000);
        chain.mine(5_010);
        chain.account(3).claim(Sample.SECRET);
        chain.mine(4);
        poolPaysUs();
        watch();
        Await.until("much is read", () -> second.count("eth_getBlockByNumber") > 2_500);
        untilClaimed();
    }

    @Test
    void a_claim_through_another_contract_is_reported_and_its_lock_kept_while_an_htlc_pays_us() {
        long locked = claimedByThePool();
        hidesTransactions(chain.endpoint());
        hidesTransactions(second);
        poolPaysUs();
        watch();
        Await.until("it is told", () -> !alarms.isEmpty());
        roundsPass();
        assertThat(alarms).extracting(SwapAlarm::kind).containsOnly(SwapAlarm.Kind.SECRET_NOT_FOUND);
        assertThat(wholeBlocks(second)).as("each is read once").doesNotHaveDuplicates();
        assertThat(place()).isEqualTo(locked - 1);
        htlcs.records = List.of();
        Await.until("nothing is left of it", () -> place() >= chain.head().number() - 2);
    }

    @Test
    void endpoints_that_show_no_blocks_are_told_of_and_read_again() {
        claimedByThePool();
        showsNoBlocks(chain.endpoint());
        showsNoBlocks(second);
        poolPaysUs();
        watch();
        Await.until("it is told", () -> !alarms.isEmpty());
        assertThat(alarms.get(0).message()).contains("endpoints do not show all blocks");
        second.lies().stop();
        untilClaimed();
    }

    @Test
    void endpoints_that_fall_behind_do_not_make_a_lock_look_like_an_invention() {
        Hash256 hashLock = lock(7, 1_000);
        chain.mine(6);
        second.before("eth_getLogs", () -> second.behind(8));
        watch();
        Await.until("the lock was looked for where it is not yet", () -> second.count("eth_call") >= 1 || place() >= 1);
        second.behave();
        second.behind(0);
        chain.nextTime(chain.swap(hashLock).deadline());
        chain.mine(3);
        untilSent();
    }

    @Test
    void an_htlc_that_cannot_be_claimed_keeps_no_other_from_its_claim() {
        claimedByThePool();
        HtlcRecord decoy = paysUs(77);
        HtlcRecord real = paysUs(78);
        unclaimable.add(decoy.lock());
        htlcs.records = List.of(decoy, real);
        watch();
        Await.until("the other is claimed", () -> !claims.isEmpty());
        assertThat(claims.get(0).lock()).isEqualTo(real.lock());
    }

    /** Makes locks in the contract that pay us without a row, with their claims on the chain; the first pays an address that has no gas. */
    private void shownOnTheChain() {
        byte[] otherSecret = Bytes.parse("34".repeat(32)).toArray();
        EvmAddress withoutGas =
                keys.add(SecretBytes.copyOf(Bytes.parse("18".repeat(32)).toArray()));
        ours = List.of(withoutGas, own);
        long deadline = chain.head().time() + 1_000;
        chain.account(4).lock(Hash256.sha256(otherSecret), withoutGas, deadline, LOCKED);
        chain.account(4).lock(Sample.HASH_LOCK, own, deadline, LOCKED);
        chain.mine(3);
        htlcs.records = List.of(shows(76, otherSecret), shows(77, Sample.SECRET));
    }

    private void roundsEnd() {
        int before = htlcs.lists.get();
        Await.until("rounds end", () -> htlcs.lists.get() > before + 2);
    }

    @Test
    void endpoints_that_lack_the_pools_lock_for_a_while_do_not_end_the_search_for_it() {
        shownOnTheChain();
        chain.mineAfter(Duration.ofMinutes(2));
        booksReach(chain.head().time());
        chain.endpoint().behind(5);
        second.behind(5);
        watch();
        roundsEnd();
        chain.endpoint().behind(0);
        second.behind(0);
        untilSent();
    }

    @Test
    void a_claim_on_the_chain_that_the_contract_knows_nothing_of_is_looked_up_once() {
        htlcs.records = List.of(shows(77, Sample.SECRET));
        chain.mine();
        booksReach(chain.head().time());
        watch();
        roundsEnd();
        long before = second.count("eth_call");
        roundsEnd();
        assertThat(second.count("eth_call")).isEqualTo(before);
    }

    @Test
    void a_lock_that_cannot_be_claimed_keeps_no_other_from_its_claim() {
        shownOnTheChain();
        watch();
        untilSent();
        chain.mine();
        assertThat(state(Sample.HASH_LOCK)).isEqualTo(SwapContract.State.CLAIMED);
    }

    @Test
    void endpoints_that_tell_no_events_keep_no_secret_of_the_chain_from_the_contract() {
        shownOnTheChain();
        chain.endpoint().refuse("eth_getLogs", -32005, "too many");
        second.refuse("eth_getLogs", -32005, "too many");
        watch();
        untilSent();
        assertThat(place()).as("no block is passed").isEqualTo(-1);
    }

    /** Returns the claim of an HTLC without a row whose secret the contract reveals. */
    private ClaimRequest firstClaim() {
        claimedByThePool();
        poolPaysUs();
        watch();
        untilClaimed();
        return claims.get(0);
    }

    private static String tokenOfEarlierReleases(Outpoint lock) {
        return "watchtower-claim-" + lock;
    }

    private void bind(String token, Hash256 digest) {
        begun.put(
                token,
                new Intent(
                        Hash256.ZERO,
                        ClaimRequest.KIND,
                        SwapWorld.PROFILE.addressOf(Sample.OUR_KEY),
                        Bytes.EMPTY,
                        List.of(),
                        50,
                        OptionalInt.empty(),
                        Optional.of(new TokenBinding(token, digest)),
                        Amount.ZERO,
                        1,
                        Intent.Progress.prepared(1)));
    }

    @Test
    void the_token_of_a_claim_without_a_row_is_none_that_a_caller_can_name() {
        String token = firstClaim().clientToken().orElseThrow();
        assertThat(token).startsWith(TokenBinding.ofDaemon(""));
        assertThat(token.chars()).as("tokens of callers are printable ASCII").anyMatch(c -> c > 0x7e);
    }

    @Test
    void whoever_has_taken_the_token_of_earlier_releases_keeps_no_claim_from_the_chain() {
        Outpoint lock = new Outpoint(Hash256.sha256(new byte[] {77}), 0);
        bind(tokenOfEarlierReleases(lock), Hash256.sha256(new byte[] {1}));
        assertThat(firstClaim().clientToken()).contains(ClaimRequest.tokenOfWatchtower(lock));
    }

    @Test
    void a_claim_that_an_earlier_release_has_begun_continues_under_its_own_token() {
        ClaimRequest claim = firstClaim();
        bind(tokenOfEarlierReleases(claim.lock()), claim.digest());
        Await.until(
                "it goes on",
                () -> claims.get(claims.size() - 1)
                        .clientToken()
                        .equals(Optional.of(tokenOfEarlierReleases(claim.lock()))));
        assertThat(claims.get(claims.size() - 1).digest()).isEqualTo(claim.digest());
    }

    @Test
    void after_a_restart_an_open_lock_is_found_again_and_no_block_is_skipped() {
        chain.mine(2);
        Hash256 first = lock(5, 2_000);
        Hash256 later = lock(6, 1_000);
        chain.mine(3);
        watch();
        long before = chain.head().number() - 5;
        Await.until("the place is before the first", () -> place() == before);
        chain.nextTime(chain.swap(later).deadline());
        chain.mine();
        untilSent();
        chain.mine();
        assertThat(state(later)).isEqualTo(SwapContract.State.REFUNDED);
        assertThat(state(first)).isEqualTo(SwapContract.State.LOCKED);
        chain.mine(3);
        assertThat(place()).isEqualTo(before);
    }
}
