package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payment;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Waiting.Credit;
import org.chainwalletd.api.Waiting.ListCredits;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.client.CreditFeed;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.htlc.Locks;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.postgres.DatabaseDoor;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Party;

/**
 * Random history of three daemons on one database (scale-out.md, section 9). A daemon that dies loses database and node permanently and
 * releases nothing; then its process ends. Each order has a unique amount, which shows on the chain how often it was paid.
 */
final class DaemonHistory implements AutoCloseable {
    private static final int DAEMONS = 3;
    private static final long COIN = 3_000_000;
    private static final int COINS = 20;
    private static final int AT_ONCE = 12;
    private static final long LEAST = 100_000;
    private static final int DEEPEST = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(25);
    private static final long RESTART_NANOS = Duration.ofSeconds(20).toNanos();
    private static final long UNTIL_FINAL_NANOS = Duration.ofSeconds(150).toNanos();
    private static final int UNTIL_FINAL_BLOCKS = 30;
    private static final int UNTIL_FINAL = 370;
    private static final int MOST_SAID = 60;
    private static final int MOST_SLOWLY = 32;
    private static final int SAID_SOON = 25;
    /** Number of kinds of steps, without {@link #moveDatabase}. */
    private static final int KINDS = 38;

    private static final String REFUSED = "Transaction validation failed: whatever";
    private static final String SEND = "send_raw_transaction";

    private static final String PREIMAGE = "5e".repeat(32);
    private static final Hash256 HASH_LOCK = Hash256.sha256(HexFormat.of().parseHex(PREIMAGE));

    /** Offsets of the database's clock. Reservations expire with time, so the later values are only for loose histories. */
    private static final List<Duration> AHEAD = List.of(
            Duration.ZERO,
            Duration.ofSeconds(3),
            Duration.ofSeconds(40),
            Duration.ofMinutes(4),
            Duration.ofMinutes(11),
            Duration.ofHours(25));

    private static final int STRICTLY_AHEAD = 4;

    /** Offsets of the clock of a daemon's machine. */
    private static final List<Duration> WRONG = List.of(
            Duration.ofHours(-25),
            Duration.ofMinutes(-4),
            Duration.ZERO,
            Duration.ofMinutes(11),
            Duration.ofHours(25),
            Duration.ofDays(400));

    /** Prefix of the error of a history whose payments did not all finish. */
    static final String NOT_ENDED = "not all has ended: ";

    static final List<CrashPoint> PLACES = List.of(
            CrashPoint.SPEND_BEFORE_INTENT,
            CrashPoint.SPEND_AFTER_INTENT,
            CrashPoint.SPEND_AFTER_BROADCAST,
            CrashPoint.SPEND_AFTER_OUTCOME,
            CrashPoint.SPEND_AFTER_REORGANISATION,
            CrashPoint.PAYOUTS_IN_OPEN,
            CrashPoint.PAYOUTS_IN_REQUEUE,
            CrashPoint.PAYOUTS_IN_RECALL,
            CrashPoint.STORE_LOGGED,
            CrashPoint.STORE_BEFORE_COMMIT,
            CrashPoint.STORE_AFTER_COMMIT);

    /**
     * Payment that must be made exactly once.
     *
     * @param amount unique among all orders
     * @param receipts ids of the transactions with which it was acknowledged
     */
    private record Order(
            String token,
            long amount,
            String method,
            Map<String, Object> params,
            Set<String> receipts,
            Set<Integer> refused) {
        Order(String token, long amount, String method, Map<String, Object> params) {
            this(token, amount, method, params, new ConcurrentSkipListSet<>(), new ConcurrentSkipListSet<>());
        }

        boolean isPayout() {
            return method.equals("payout_submit");
        }
    }

    /** Daemon, possibly dead, with its proxies to the outside world. */
    private final class Member {
        private final int number;
        private final Path datadir;
        private final DatabaseDoor door;
        private final ThreadGroup threads;
        private final Clock clock = ((InstantSource) () -> Instant.now().plus(ahead())).withZone(ZoneOffset.UTC);

        /** Error of its machine's clock. */
        private volatile Duration ahead = Duration.ZERO;

        /** Null while it is not running. */
        private volatile DaemonRig rig;

        /** Whether its node is unreachable until the daemon is restarted. */
        private volatile boolean isAlone;

        private CompletableFuture<Void> ending = CompletableFuture.completedFuture(null);

        Member(int number, Map<String, String> otherWords) {
            this.number = number;
            this.datadir = folder.resolve("daemon-" + number);
            this.door = new DatabaseDoor(database, otherWords);
            this.threads = new ThreadGroup("daemon-" + number);
        }

        private Duration ahead() {
            return ahead;
        }

        boolean runs() {
            return rig != null;
        }

        boolean start() {
            Await.outcome(ending);
            door.back();
            FutureTask<DaemonRig> starting = new FutureTask<>(() -> DaemonRig.over(chain, clock, datadir, flags(door)));
            new Thread(threads, starting, "start of " + threads.getName()).start();
            try {
                DaemonRig started = Await.outcome(starting);
                answer(started, false);
                isAlone = false;
                rig = started;
                return true;
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof StartupException)) {
                    throw e;
                }
                told.add("start of " + number + " refused: " + e.getCause().getMessage());
                return false;
            }
        }

        void stop() {
            DaemonRig running = rig;
            rig = null;
            running.close();
        }

        void loseNode() {
            DaemonRig running = rig;
            if (running != null) {
                isAlone = true;
                running.node().close();
            }
        }

        /** Cuts the daemon off from everything. May be called by one of its own threads. */
        void die() {
            DaemonRig dead = rig;
            rig = null;
            if (dead == null) {
                return;
            }
            door.leave();
            dead.node().close();
            ending = CompletableFuture.runAsync(dead::close, callers);
        }
    }

    /**
     * Action at the next crash point that the daemon reaches.
     *
     * @param freezes whether the daemon is cut off from the database meanwhile, so that others consider it dead
     * @param wakes runs before the daemon continues
     */
    private record Armed(CrashPoint point, boolean dies, boolean freezes, Consumer<Member> wakes, long millis) {}

    private final Path folder;
    private final Random random;
    private final TestDatabase database = new TestDatabase();
    private final Devnet chain;
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final List<Member> members = new ArrayList<>();
    private final Party payer = new Party(71);
    private final Party shop = new Party(72);
    private final Party receiver = new Party(73);
    private final OptionalLong cap;
    private final List<Order> orders = new ArrayList<>();
    private final List<Order> locks = new ArrayList<>();
    /** Claims and reclaims of locks, by token. */
    private final Map<String, Order> redeems = new TreeMap<>();
    /** Ids of payouts whose end was acknowledged. */
    private final Set<String> cancelled = ConcurrentHashMap.newKeySet();
    /** Whether coins of a payment may be released although the payment is mined: then another payment loses them, and is requested again. */
    private boolean isLoose;

    private final boolean actsClock;
    private final List<CompletableFuture<?>> calls = new CopyOnWriteArrayList<>();
    private final Set<String> minted = ConcurrentHashMap.newKeySet();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();
    private final AtomicReference<Armed> armed = new AtomicReference<>();
    private final AtomicInteger pausing = new AtomicInteger();
    /** Parameters of each call that submitted a transaction to the node: a submitted transaction may be mined at any time. */
    private final Set<JsonNode> left = ConcurrentHashMap.newKeySet();

    private final List<String> complaints = new CopyOnWriteArrayList<>();
    /** Outpoints booked by a reader of the feed that requests the next page from any daemon. */
    private final Map<String, String> booked = new HashMap<>();

    private Optional<String> cursor = Optional.empty();
    private final Restores restores;
    private boolean backedUp;
    private int restored;

    /** Ways in which the database goes back in time now and then. */
    enum Restores {
        NEVER,
        /** The database goes back in time, and the command restores it. */
        FROM_LOGS,
        /** The logs go back too, so that no daemon can notice. */
        WITHOUT_LOGS
    }

    /** @param otherWords rewrites of statements, see {@link DatabaseDoor}, for daemons that violate a rule */
    DaemonHistory(Path folder, Random random, Restores restores, Map<String, String> otherWords) {
        this.restores = restores;
        this.folder = folder;
        this.random = random;
        this.cap =
                random.nextInt(3) == 0 ? OptionalLong.of(10 * LEAST + random.nextInt(1_000_000)) : OptionalLong.empty();
        this.isLoose = random.nextInt(3) == 0;
        this.actsClock = random.nextBoolean();
        try {
            this.chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (int number = 0; number < DAEMONS; number++) {
            members.add(new Member(number, otherWords));
        }
        begin();
    }

    private String[] flags(DatabaseDoor door) {
        List<String> flags = new ArrayList<>(List.of("--store", door.url(), "--drain-secs", "1"));
        cap.ifPresent(most -> flags.addAll(List.of("--spend-cap-per-period", String.valueOf(most))));
        return flags.toArray(String[]::new);
    }

    private void begin() {
        told.add("cap " + cap + (isLoose ? ", loose" : ""));
        if (actsClock) {
            database.actClock();
        }
        assertThat(members.get(0).start()).isTrue();
        try {
            for (Member member : members.subList(1, DAEMONS)) {
                Files.createDirectories(member.datadir);
                for (String scope : List.of("read", "manage", "spend")) {
                    Files.copy(
                            members.get(0).datadir.resolve("token-" + scope), member.datadir.resolve("token-" + scope));
                }
                assertThat(member.start()).isTrue();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        imported(71);
        imported(73);
        for (int i = 0; i < COINS; i++) {
            chain.faucet(payer.address, Amount.of(COIN));
        }
        chain.mine(8);
        members.forEach(
                member -> Await.until("the payer's coins are known", () -> balance(member, payer) == COINS * COIN));
        CrashPoint.watch(this::at);
    }

    /** Daemons without the store lock refuse some calls. */
    private Party imported(int number) {
        AtomicReference<Party> party = new AtomicReference<>();
        Await.until("a key is imported", () -> {
            try {
                party.set(members.get(0).rig.imported(number));
                return true;
            } catch (WalletdException refused) {
                return false;
            }
        });
        return party.get();
    }

    private long balance(Member member, Party party) {
        try {
            return member.rig.balance(party.address);
        } catch (WalletdException e) {
            return -1;
        }
    }

    private void at(CrashPoint point) {
        Armed what = armed.get();
        if (what == null || what.point() != point || !armed.compareAndSet(what, null)) {
            return;
        }
        Optional<Member> here = members.stream()
                .filter(member -> member.threads.parentOf(Thread.currentThread().getThreadGroup()))
                .findFirst();
        if (here.isEmpty()) {
            count("thread of nobody at " + point);
        } else if (what.dies()) {
            tell("death at " + point, here.get());
            here.get().die();
        } else {
            pauseAt(what, here.get());
        }
    }

    private void pauseAt(Armed what, Member here) {
        pausing.incrementAndGet();
        try {
            DaemonRig rig = here.rig;
            tell((what.freezes() ? "freeze at " : "pause at ") + what.point(), here);
            if (what.freezes()) {
                here.door.fallSilent();
            }
            Await.pause(what.millis());
            if (rig != null && here.rig == rig) {
                what.wakes().accept(here);
            }
            if (what.freezes()) {
                here.door.speak();
            }
        } finally {
            pausing.decrementAndGet();
        }
    }

    private void count(String what) {
        told.add(what);
        countOnly(what);
    }

    private void tell(String what, Member member) {
        told.add(what + " of " + member.number);
        countOnly(what);
    }

    private void countOnly(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    Map<String, Integer> counts() {
        return counts;
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            HangWatch.alive();
            step(random.nextInt(restores == Restores.NEVER ? KINDS : KINDS + 2));
            Await.pause(random.nextInt(4) == 0 ? random.nextInt(1_200) : random.nextInt(120));
        }
        finish();
        judge();
    }

    private Member any() {
        return members.get(random.nextInt(DAEMONS));
    }

    private void step(int kind) {
        switch (kind) {
            case 0, 1, 2, 3 -> order("transfer");
            case 4, 5 -> burst();
            case 6, 7 -> order("payout_submit");
            case 8 -> lock();
            case 9, 10, 11, 12 -> again();
            case 13 -> mint();
            case 14, 15, 16 -> chain.mine(1 + random.nextInt(2));
            case 17 -> reorganise();
            case 18 -> {
                chain.forgetMempool();
                if (random.nextBoolean()) {
                    rumour();
                }
            }
            case 19 -> restart();
            case 20, 21 -> kill(any());
            case 22, 23 -> pause(any());
            case 24 -> takeLease();
            case 25 -> cut(any());
            case 26, 27 -> loseCommit(any());
            case 28 -> node(any());
            case 29, 30 -> arm();
            case 31 -> readCredits();
            case 32 -> cancel();
            case 33 -> recall();
            case 34, 35 -> redeem();
            case 36 -> terminate();
            case 37 -> {
                if (!isLoose || random.nextBoolean()) {
                    moveClock();
                } else {
                    abandon();
                }
            }
            default -> moveDatabase();
        }
        if (random.nextInt(4) == 0) {
            revive();
        }
    }

    private void arm() {
        boolean freezes = random.nextBoolean();
        armed.set(new Armed(
                PLACES.get(random.nextInt(PLACES.size())),
                random.nextInt(3) == 0,
                freezes,
                freezes && random.nextBoolean() ? this::leaveAlone : member -> {},
                freezes ? 5_500L + random.nextInt(4_000) : 500L + random.nextInt(4_000)));
    }

    private void leaveAlone(Member member) {
        chain.forgetMempool();
        member.loseNode();
    }

    /**
     * Lets a daemon wake up after others have sent its payment, whose submission its node then refuses: the daemon must not report that the
     * payment was never sent, because its coin would be used for another one. For the beginning of a history.
     */
    void denyLate() {
        told.add("late denial");
        isLoose = false;
        Party one = imported(74);
        chain.faucet(one.address, Amount.of(COIN));
        // Deeper than any reorganisation; a payment that loses its coin would otherwise stay in flight forever.
        chain.mine(DEEPEST + 1);
        members.forEach(member -> Await.until("the coin is known", () -> balance(member, one) == COIN));
        Member late = members.get(1);
        late.rig.node().refuse(SEND, params -> REFUSED);
        armed.set(new Armed(CrashPoint.SPEND_AFTER_INTENT, false, true, member -> chain.forgetMempool(), 9_000));
        Order first = paying(one);
        say(first, late);
        Await.until("it pauses", () -> pausing.get() > 0);
        armed.set(new Armed(CrashPoint.SPEND_AFTER_BROADCAST, true, false, member -> {}, 0));
        say(first, members.get(2));
        Await.until("it goes on", () -> pausing.get() == 0);
        calls.forEach(Await::outcome);
        Set<JsonNode> early = Set.copyOf(left);
        Order second = paying(one);
        for (int times = 0; times < 5 && second.receipts().isEmpty(); times++) {
            Await.pause(500);
            chain.forgetMempool();
            sayNow(second, members.get(0));
        }
        chain.forgetMempool();
        rumour(early);
        chain.mine(1);
    }

    private Order paying(Party from) {
        Order order = newOrder("transfer", from);
        orders.add(order);
        return order;
    }

    /**
     * Lets the keeper notice that a payout's block has disappeared, and wake up when others have seen the payout buried: its pending write is
     * wrong by then. For the beginning of a history.
     */
    void wakeLate() {
        told.add("late keeper");
        Order order = newOrder("payout_submit", payer);
        orders.add(order);
        Await.until("it is submitted", () -> sayNow(order, any()));
        Await.until("it is confirmed", () -> {
            chain.mine(1);
            return stateOf(order, members.get(0)).equals("confirmed");
        });
        Member late = keeper().orElseThrow();
        Member other = members.get((late.number + 1) % DAEMONS);
        late.door.fallSilentAt("SET block_height = NULL");
        long height = late.rig
                .call("payout_get", "payout_id", order.token())
                .at("/payout/block_height")
                .asLong();
        chain.reorganise((int) (chain.tip().height() - height + 1), false, List.of());
        Await.until("the keeper pauses", late.door::isSilent);
        rumour();
        chain.mine(UNTIL_FINAL);
        Await.until("it is final", () -> stateOf(order, other).equals("final"));
        String seen = changes(other, "").path("cursor").asText();
        tell("wakes", late);
        late.door.back();
        Await.pause(3_000);
        changes(other, seen)
                .path("payouts")
                .forEach(changed -> complaints.add("changed when it was final: " + changed));
    }

    private static JsonNode changes(Member member, String cursor) {
        return member.rig.call(
                "payout_changes", cursor.isEmpty() ? Map.of("limit", 1_000) : Map.of("limit", 1_000, "cursor", cursor));
    }

    private static String stateOf(Order payout, Member member) {
        try {
            return member.rig
                    .call("payout_get", "payout_id", payout.token())
                    .at("/payout/state")
                    .asText();
        } catch (WalletdException lost) {
            return "";
        }
    }

    private void order(String method) {
        Order order = newOrder(method, payer);
        orders.add(order);
        say(order, any());
        if (random.nextInt(3) == 0) {
            // Immediately, at another daemon or the same one.
            say(order, any());
        }
    }

    private Order newOrder(String method, Party payer) {
        int number = orders.size();
        long amount = LEAST + number;
        String token = String.format("order-%06d", number);
        Map<String, Object> params = switch (method) {
            case "transfer" -> payment(payer.address, shop.address, amount, "client_token", token);
            case "htlc_lock" ->
                Locks.lock(
                        payer,
                        receiver.key,
                        HASH_LOCK,
                        random.nextInt(4) == 0 ? 100_000 : chain.tip().height() + random.nextInt(20),
                        amount,
                        "client_token",
                        token);
            default -> DaemonRig.payouts(payer, List.of(DaemonRig.payout(token, shop, amount)));
        };
        return new Order(token, amount, method, params);
    }

    private void lock() {
        order("htlc_lock");
        locks.add(orders.get(orders.size() - 1));
    }

    /** Claims the output of a lock, or reclaims it; the chain accepts one of several concurrent attempts at different daemons. */
    private void redeem() {
        if (locks.isEmpty()) {
            return;
        }
        Order lock = locks.get(random.nextInt(locks.size()));
        Optional<String> txId = lock.receipts().stream().findFirst();
        if (txId.isEmpty()) {
            return;
        }
        boolean claims = random.nextBoolean();
        String token = (claims ? "claim-" : "reclaim-") + lock.token();
        Order redeeming = redeems.computeIfAbsent(token, none -> redeeming(lock, txId.get(), claims, token));
        count(redeeming.method());
        say(redeeming, any());
        if (random.nextBoolean()) {
            say(redeeming, any());
        }
    }

    private Order redeeming(Order lock, String txId, boolean claims, String token) {
        Object timeout = lock.params().get("timeout");
        Map<String, Object> params = claims
                ? Locks.claim(receiver, payer.key, txId, PREIMAGE, timeout, "client_token", token)
                : Locks.reclaim(payer, receiver.key, txId, HASH_LOCK, timeout, "client_token", token);
        return new Order(token, 0, claims ? "htlc_claim" : "htlc_reclaim", params);
    }

    private void aside(Runnable work) {
        calls.add(CompletableFuture.runAsync(work, callers));
    }

    /** Calls without waiting for the answer. */
    private void ask(Member member, String method, Map<String, Object> params, Consumer<JsonNode> answered) {
        if (member.runs()) {
            tell(method, member);
            aside(() -> askNow(member, method, params, refused -> {}).ifPresent(answered));
        }
    }

    /** Returns the answer; empty when it is refused or lost, or when the daemon does not run. */
    private Optional<JsonNode> askNow(
            Member member, String method, Map<String, Object> params, Consumer<Integer> refused) {
        DaemonRig rig = member.rig;
        if (rig == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(client(rig).call(method, params));
        } catch (WalletdException.RpcError refusal) {
            refused.accept(refusal.code());
            countOnly(method + " refused " + refusal.code());
        } catch (WalletdException lost) {
            countOnly("no answer");
        }
        return Optional.empty();
    }

    private static WalletdClient client(DaemonRig rig) {
        return new WalletdClient(rig.uri(), rig.token(), Optional.empty(), PATIENCE);
    }

    private void cancel() {
        List<Order> payouts = orders.stream().filter(Order::isPayout).toList();
        if (payouts.isEmpty()) {
            return;
        }
        String token =
                payouts.get(Math.max(0, payouts.size() - 1 - random.nextInt(3))).token();
        ask(any(), "payout_cancel", Map.of("payout_ids", List.of(token)), answer -> {
            if (answer.at("/payouts/0/state").asText().equals("cancelled")) {
                countOnly("payout cancelled");
                cancelled.add(token);
            }
        });
    }

    /** Recalls the batch in flight; either transaction may be mined. */
    private void recall() {
        ask(any(), "payout_list", Map.of("limit", 1_000), answer -> {
            for (JsonNode payout : answer.path("payouts")) {
                if (payout.path("state").asText().equals("in_flight")) {
                    JsonNode attempts = payout.path("attempts");
                    Map<String, Object> last =
                            Map.of("tx_id", attempts.path(attempts.size() - 1).asText());
                    members.forEach(member -> askNow(member, "payout_recall", last, refused -> {})
                            .ifPresent(recalled -> countOnly("payouts recalled")));
                    return;
                }
            }
        });
    }

    /** Terminates connections of the daemons at the database server. */
    private void terminate() {
        count("connections ended by the server");
        database.terminate(1 + random.nextInt(4));
    }

    private Optional<Member> keeper() {
        return members.stream()
                .filter(member -> {
                    DaemonRig rig = member.rig;
                    return rig != null && rig.daemon().keeper().isRunning();
                })
                .findFirst();
    }

    private void moveClock() {
        if (random.nextBoolean()) {
            Member member = any();
            member.ahead = WRONG.get(random.nextInt(WRONG.size()));
            tell("clock moved", member);
        } else if (actsClock) {
            count("database's clock moved");
            database.moveClock(AHEAD.get(random.nextInt(isLoose ? AHEAD.size() : STRICTLY_AHEAD)));
        }
    }

    /** Abandons the coins of a transaction that was submitted some time ago, and which others may still have. */
    private void abandon() {
        List<JsonNode> all = List.copyOf(left);
        if (all.isEmpty()) {
            return;
        }
        if (random.nextBoolean()) {
            chain.forgetMempool();
        }
        JsonNode sent = all.get(random.nextInt(all.size()));
        List<Map<String, Object>> coins =
                TransactionCodec.decode(
                                HexFormat.of().parseHex(sent.path("tx_hex").asText()))
                        .inputs()
                        .stream()
                        .map(coin -> Map.<String, Object>of("tx_id", coin.txId().hex(), "output_index", coin.index()))
                        .toList();
        ask(
                keeper().orElseGet(this::any),
                "abandon_transfer",
                Map.of("outpoints", coins),
                answer -> countOnly(answer.path("released_count").asInt() > 0 ? "abandoned" : "nothing abandoned"));
    }

    /** Each order comes to all daemons at once, and only one of them may pay it. For the beginning of a history. */
    void payEverywhereAtOnce() {
        told.add("pays everywhere at once");
        for (int i = 0; i < AT_ONCE; i++) {
            orders.add(newOrder("transfer", payer));
            members.forEach(member -> say(orders.get(orders.size() - 1), member));
        }
        calls.forEach(Await::outcome);
    }

    private void burst() {
        for (int i = random.nextInt(4); i >= 0; i--) {
            order("transfer");
            members.forEach(member -> say(orders.get(orders.size() - 1), member));
        }
    }

    private void again() {
        if (!redeems.isEmpty() && random.nextInt(4) == 0) {
            say(List.copyOf(redeems.values()).get(random.nextInt(redeems.size())), any());
        } else if (!orders.isEmpty()) {
            int late = Math.min(orders.size(), 1 + random.nextInt(6));
            say(orders.get(orders.size() - late), any());
        }
    }

    private void say(Order order, Member member) {
        aside(() -> sayNow(order, member));
    }

    /** Returns whether the order was acknowledged. */
    private boolean sayNow(Order order, Member member) {
        Optional<JsonNode> answer = askNow(member, order.method(), order.params(), order.refused()::add);
        answer.ifPresent(sent -> order.receipts()
                .add(order.isPayout() ? "submitted" : sent.path("tx_id").asText()));
        return answer.isPresent();
    }

    private void mint() {
        ask(any(), "generate_standard_address", Map.of(), answer -> {
            String address = answer.path("address").asText();
            minted.add(address);
            chain.faucet(Address.parse(address), Amount.of(50_000 + minted.size()));
            countOnly("minted");
        });
    }

    private void reorganise() {
        count("reorganisation");
        chain.reorganise(1 + random.nextInt(DEEPEST), random.nextBoolean(), List.of());
    }

    private void restart() {
        Member member = any();
        if (member.runs()) {
            tell("stop", member);
            member.stop();
            member.start();
        }
    }

    private void kill(Member member) {
        if (member.runs()) {
            tell("death", member);
            member.die();
        }
    }

    private void revive() {
        members.stream()
                .filter(member -> !member.runs() && member.ending.isDone())
                .findFirst()
                .ifPresent(Member::start);
    }

    private void pause(Member member) {
        if (member.runs()) {
            tell("pause", member);
            member.door.fallSilent();
            later(500 + random.nextInt(7_000), member);
        }
    }

    private void cut(Member member) {
        if (member.runs()) {
            tell("cut", member);
            member.door.leave();
            later(random.nextInt(1_500), member);
        }
    }

    private void later(int millis, Member member) {
        DaemonRig paused = member.rig;
        aside(() -> {
            Await.pause(millis);
            if (member.rig == paused && paused != null) {
                member.door.back();
            }
        });
    }

    private void loseCommit(Member member) {
        if (member.runs()) {
            boolean arrives = random.nextBoolean();
            tell(arrives ? "answer of commit lost" : "commit lost", member);
            member.door.loseNextCommit("", arrives);
        }
    }

    private void takeLease() {
        count("lease taken");
        database.run("UPDATE keeper SET epoch = epoch + 1, start = start + CASE WHEN start > 1 THEN -1 ELSE 1 END");
    }

    private void node(Member member) {
        DaemonRig rig = member.rig;
        if (rig == null) {
            return;
        }
        int kind = random.nextInt(4);
        tell(
                List.of("node answers garbage", "node refuses", "node is gone", "node is honest")
                        .get(kind),
                member);
        switch (kind) {
            case 2 -> member.loseNode();
            case 0 -> answer(rig, true);
            case 1 -> rig.node().refuse(SEND, params -> REFUSED);
            default -> beHonest(rig);
        }
    }

    /** Transactions that are sent while the rig starts are not recorded. */
    private void answer(DaemonRig rig, boolean garbage) {
        rig.node().lieAbout(SEND, (params, result) -> {
            left.add(params);
            return garbage ? TextNode.valueOf("?") : null;
        });
    }

    private void beHonest(DaemonRig rig) {
        rig.node().tellTheTruth();
        answer(rig, false);
    }

    /** Submits transactions again that were recorded by a third party. */
    private void rumour() {
        rumour(left);
    }

    private void rumour(Collection<JsonNode> sent) {
        WalletdClient node = new WalletdClient(chain.uri(), "none", Optional.empty(), PATIENCE);
        for (JsonNode params : sent) {
            try {
                node.call(SEND, new ObjectMapper().convertValue(params, new TypeReference<Map<String, Object>>() {}));
            } catch (WalletdException.RpcError known) {
                countOnly("rumour refused");
            }
        }
    }

    private void readCredits() {
        readCredits(any());
    }

    private void readCredits(Member member) {
        DaemonRig rig = member.rig;
        if (rig == null) {
            return;
        }
        try {
            readCredits(client(rig), 5, cursor, page -> {
                page.credits().forEach(credit -> book(credit, member));
                cursor = Optional.of(page.cursor());
            });
        } catch (WalletdException lost) {
            countOnly("no page of credits");
        }
    }

    private static void readCredits(
            WalletdClient client, int limit, Optional<String> from, Consumer<CreditFeed.CreditPage> read) {
        CreditFeed feed =
                new CreditFeed(client, ListCredits.of().withMinConfirmations(1).withLimit(limit), from);
        CreditFeed.CreditPage page;
        do {
            page = feed.poll(Duration.ZERO);
            read.accept(page);
        } while (page.more() || !page.credits().isEmpty());
    }

    private void book(Credit credit, Member member) {
        String outpoint = credit.txId() + ":" + credit.outputIndex();
        if (credit.event().equals("confirmed")) {
            if (booked.put(outpoint, credit.address().toString()) != null && restored == 0) {
                complaints.add("told twice by " + member.number + ": " + credit);
            }
        } else if (credit.event().equals("removed") && booked.remove(outpoint) == null && restored == 0) {
            complaints.add("never told, but removed by " + member.number + ": " + credit);
        }
    }

    /** Makes a copy of the database, or restores it. */
    private void moveDatabase() {
        if (!backedUp) {
            count("backup");
            database.backUp();
            if (restores == Restores.WITHOUT_LOGS) {
                members.forEach(member -> copyLog(member.datadir, member.datadir.resolve("earlier")));
            }
            backedUp = true;
            return;
        }
        backedUp = false;
        count("database restored");
        armed.set(null);
        if (restores == Restores.FROM_LOGS) {
            database.putBack();
            Await.pause(random.nextInt(2_500));
        }
        for (Member member : members) {
            if (random.nextBoolean() || restores == Restores.WITHOUT_LOGS) {
                member.die();
            } else if (member.runs()) {
                member.stop();
            }
        }
        members.forEach(member -> Await.outcome(member.ending));
        if (restores == Restores.FROM_LOGS) {
            restored++;
            restore();
        } else {
            database.putBack();
            members.forEach(member -> copyLog(member.datadir.resolve("earlier"), member.datadir));
        }
        members.forEach(member -> Await.until("it runs again", member::start));
    }

    private static void copyLog(Path from, Path to) {
        try {
            Files.createDirectories(to);
            Files.copy(from.resolve("sent.log"), to.resolve("sent.log"), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A daemon that misses nothing reports so, until another daemon misses something and requests the first daemon's log. */
    private void restore() {
        List<String> said = new ArrayList<>();
        for (int i = 0; i < DAEMONS || i < 2 * DAEMONS && isStopped(); i++) {
            Commands.Ended ended =
                    Commands.onDatabase(members.get(i % DAEMONS).datadir, database.url(), "store", "restored");
            said.addAll(ended.output());
            said.addAll(ended.errors());
        }
        told.add("restored: " + said);
        assertThat(isStopped()).as(said.toString()).isFalse();
    }

    private boolean isStopped() {
        return database.number("SELECT count(*) FROM store WHERE stopped IS NOT NULL") > 0;
    }

    private void finish() {
        armed.set(null);
        told.add("the end");
        Await.until("whoever pauses goes on", () -> pausing.get() == 0);
        for (Member member : members) {
            member.door.back();
            if (member.runs()) {
                beHonest(member.rig);
            }
        }
        calls.forEach(Await::outcome);
        for (Member member : members) {
            if (member.runs() && member.isAlone) {
                member.stop();
            }
            Await.until("daemon " + member.number + " runs", () -> member.runs() || member.start());
        }
        for (Order order : orders) {
            int slowly = 0;
            // A payment that the restored database lacks is sent when its caller repeats it.
            boolean isKnown =
                    restores == Restores.NEVER && !isLoose && !order.receipts().isEmpty();
            for (int times = 0; !isKnown && times < MOST_SAID; times++) {
                HangWatch.alive();
                order.refused().clear();
                isKnown = sayNow(order, any());
                if (!isKnown && isFinal(order)) {
                    break;
                }
                if (!isKnown) {
                    // A payment that lost its only coin is rebuilt with another coin once the loss is final, which is
                    // checked every minute.
                    boolean soon = times < SAID_SOON;
                    chain.mine(soon ? 1 : UNTIL_FINAL_BLOCKS);
                    boolean slow = !soon && slowly++ < MOST_SLOWLY;
                    Await.pause(slow ? 2_500 : 200);
                }
            }
        }
        redeems.values().forEach(order -> sayNow(order, any()));
        rumour();
        chain.mine(1);
        awaitEnds();
    }

    /** Whether the order was refused because of the cap, or because another transaction has its coins. */
    private boolean isFinal(Order order) {
        return cap.isPresent() && order.refused().contains(ErrorCode.ALLOWANCE_EXCEEDED.code())
                || order.refused().contains(ErrorCode.DOUBLE_SPEND.code());
    }

    /** A payment that lost a coin, and that the cap prevents from being rebuilt, stays unresolved for its caller. */
    private boolean keepsWaiting(Order order) {
        return cap.isPresent() && order.refused().contains(ErrorCode.UPSTREAM.code());
    }

    private void awaitEnds() {
        long began = System.nanoTime();
        long restarted = began;
        while (!haveEnded()) {
            HangWatch.alive();
            long now = System.nanoTime();
            if (now - began > UNTIL_FINAL_NANOS) {
                throw new AssertionError(NOT_ENDED + this + open());
            }
            if (now - restarted > RESTART_NANOS) {
                restarted = now;
                Member member = any();
                tell("stop while waiting", member);
                told.add("open: " + open());
                member.stop();
                Await.until("it runs again", member::start);
            }
            chain.mine(UNTIL_FINAL_BLOCKS);
            Await.pause(200);
        }
    }

    private boolean haveEnded() {
        try {
            settlePayouts();
            for (Member member : members) {
                JsonNode status = member.rig.call("get_status");
                if (status.path("in_flight_utxos").longValue() != 0
                        || status.path("in_flight_transfers").longValue() != 0) {
                    return false;
                }
                // A daemon that has just started the background work counts nothing yet.
                if (spends(member).stream().anyMatch(DaemonHistory::isInFlight)) {
                    return false;
                }
                for (JsonNode payout : payouts(member)) {
                    if (!Set.of("final", "cancelled")
                            .contains(payout.path("state").asText())) {
                        return false;
                    }
                }
            }
            return true;
        } catch (WalletdException e) {
            return false;
        }
    }

    /** Cancels payouts that the cap blocks, and releases payouts that a restored database holds. */
    private void settlePayouts() {
        Optional<Member> keeper = keeper();
        if (keeper.isEmpty()) {
            return;
        }
        for (JsonNode payout : payouts(keeper.get())) {
            Map<String, Object> ids =
                    Map.of("payout_ids", List.of(payout.path("payout_id").asText()));
            if (payout.path("waiting_for").asText().equals("allowance")) {
                keeper.get().rig.call("payout_cancel", ids);
            } else if (payout.path("state").asText().equals("held")) {
                keeper.get().rig.call("payout_release", ids);
            }
        }
    }

    private static JsonNode payouts(Member member) {
        return member.rig.call("payout_list", "limit", 1_000).path("payouts");
    }

    private String open() {
        StringBuilder open = new StringBuilder();
        for (Member member : members) {
            try {
                open.append(member.number)
                        .append(": ")
                        .append(member.rig.call("get_status"))
                        .append(payouts(member))
                        .append(spends(member))
                        .append('\n');
            } catch (WalletdException e) {
                open.append(e.getMessage());
            }
        }
        return open.toString();
    }

    private static boolean isInFlight(String spend) {
        return spend.contains(" prepared ") || spend.contains(" accepted ");
    }

    private static List<String> spends(Member member) {
        List<String> all = new ArrayList<>();
        member.rig
                .call("list_spends", "limit", 1_000)
                .path("spends")
                .forEach(spend -> all.add(spend.path("spend_id")
                        + " " + spend.path("client_token").asText() + " "
                        + spend.path("state").asText() + " "
                        + spend.path("tx_id").asText() + " " + spend.path("block_height")));
        return all;
    }

    /** Judges by the chain, regardless of the store. */
    private void judge() {
        Map<Long, Set<String>> paid = new TreeMap<>();
        Map<String, String> credited = new HashMap<>();
        Set<String> mined = new HashSet<>();
        long left = 0;
        for (long height = 1; height <= chain.tip().height(); height++) {
            ConnectedBlock block = chain.ledger().blockAt(height).orElseThrow();
            List<Transaction> transactions = block.block().transactions();
            for (int i = 0; i < transactions.size(); i++) {
                String txId = block.txIds().get(i).toString();
                mined.add(txId);
                List<TxOutput> outputs = transactions.get(i).outputs();
                for (int index = 0; index < outputs.size(); index++) {
                    TxOutput output = outputs.get(index);
                    String to = output.address().map(Object::toString).orElse("");
                    if (minted.contains(to)) {
                        credited.put(txId + ":" + index, to);
                    }
                    long amount = output.value().bits();
                    if (amount >= LEAST
                            && amount < LEAST + orders.size()
                            && !to.equals(payer.address.toString())
                            && !to.equals(receiver.address.toString())) {
                        paid.computeIfAbsent(amount, none -> new TreeSet<>()).add(txId + ":" + index);
                        left += amount;
                    }
                }
            }
        }
        Set<String> ended = new HashSet<>();
        payouts(members.get(0)).forEach(payout -> {
            if (payout.path("state").asText().equals("cancelled")) {
                ended.add(payout.path("payout_id").asText());
            }
        });
        if (restored == 0) {
            assertThat(ended).as("cancelled for ever: " + this).containsAll(cancelled);
        }
        for (Order order : orders) {
            Set<String> places = paid.getOrDefault(order.amount(), Set.of());
            String what = this + ": " + order;
            assertThat(places).as("paid at most once, " + what).hasSizeLessThanOrEqualTo(1);
            if (order.isPayout()) {
                assertThat(places)
                        .as("paid, " + what)
                        .hasSize(order.receipts().isEmpty() || ended.contains(order.token()) ? 0 : 1);
            } else if (!isLoose) {
                judgeReceipt(order, places);
            }
        }
        if (restores == Restores.NEVER) {
            judgeStates(mined);
        }
        if (cap.isPresent()) {
            assertThat(left).as("within the cap: " + this).isLessThanOrEqualTo(cap.getAsLong());
        }
        judgeDaemons(credited);
        assertThat(complaints).as(toString()).isEmpty();
    }

    private void judgeReceipt(Order order, Set<String> places) {
        String what = this + ": " + order;
        assertThat(order.receipts()).as("one receipt, " + what).hasSizeLessThanOrEqualTo(1);
        if (order.receipts().isEmpty()) {
            assertThat(isFinal(order) || keepsWaiting(order))
                    .as("refused for good, " + what)
                    .isTrue();
        } else {
            assertThat(places).as("paid, " + what).hasSize(1);
        }
        order.receipts()
                .forEach(txId ->
                        assertThat(places).as("its receipt, " + what).allMatch(at -> at.startsWith(txId + ":")));
    }

    /** Checks that the state of each payment in the store matches the chain. */
    private void judgeStates(Set<String> mined) {
        long began = System.nanoTime();
        List<JsonNode> wrong = wronglyTold(mined);
        // A daemon sees what others have written only a moment later.
        while (!wrong.isEmpty() && System.nanoTime() - began < RESTART_NANOS) {
            Await.pause(100);
            wrong = wronglyTold(mined);
        }
        assertThat(wrong).as("told otherwise than the chain: " + this).isEmpty();
        for (Order order : redeems.values()) {
            assertThat(order.receipts())
                    .as("one receipt of " + order + ": " + this)
                    .hasSizeLessThanOrEqualTo(1);
        }
        for (Order lock : locks) {
            Set<String> redeemed = new TreeSet<>();
            for (String way : List.of("claim-", "reclaim-")) {
                Order order = redeems.get(way + lock.token());
                if (order != null) {
                    redeemed.addAll(order.receipts());
                }
            }
            boolean isMined = lock.receipts().stream().allMatch(mined::contains);
            if (isMined && !redeemed.isEmpty()) {
                redeemed.retainAll(mined);
                assertThat(redeemed).as("redeemed once, " + lock + ": " + this).hasSize(1);
            }
        }
    }

    private List<JsonNode> wronglyTold(Set<String> mined) {
        List<JsonNode> wrong = new ArrayList<>();
        for (JsonNode spend :
                members.get(0).rig.call("list_spends", "limit", 1_000).path("spends")) {
            boolean isConfirmed = spend.path("state").asText().equals("confirmed");
            if (isConfirmed != mined.contains(spend.path("tx_id").asText())) {
                wrong.add(spend);
            }
        }
        return wrong;
    }

    private void judgeDaemons(Map<String, String> credited) {
        for (Member member : members) {
            member.rig.awaitFollowed();
            assertThat(balance(member, payer))
                    .as("balance at " + member.number + ": " + this)
                    .isEqualTo(members.get(0).rig.coins(payer).values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
            assertThat(spends(member))
                    .as("payments at " + member.number + ": " + this)
                    .isEqualTo(spends(members.get(0)));
            Map<String, String> all = new HashMap<>();
            readCredits(
                    member.rig.client(),
                    7,
                    Optional.empty(),
                    page -> page.credits().forEach(credit -> fold(all, credit)));
            assertThat(toMinted(all))
                    .as("credits at " + member.number + ": " + this)
                    .isEqualTo(credited);
        }
        readCredits(any());
        assertThat(toMinted(booked))
                .as("credits told by one after the other: " + this)
                .isEqualTo(credited);
    }

    private static void fold(Map<String, String> all, Credit credit) {
        String outpoint = credit.txId() + ":" + credit.outputIndex();
        if (credit.event().equals("confirmed")) {
            all.put(outpoint, credit.address().toString());
        } else if (credit.event().equals("removed")) {
            all.remove(outpoint);
        }
    }

    private Map<String, String> toMinted(Map<String, String> all) {
        Map<String, String> kept = new HashMap<>(all);
        kept.values().retainAll(minted);
        return kept;
    }

    int exchanged() {
        return members.stream().mapToInt(member -> member.door.exchanged()).sum();
    }

    /** Runs statements that remove the database's constraints, for daemons that violate a rule. */
    void run(Collection<String> statements) {
        statements.forEach(database::run);
    }

    @Override
    public String toString() {
        return told.toString();
    }

    @Override
    public void close() {
        CrashPoint.watch(null);
        for (Member member : members) {
            member.door.back();
        }
        for (Member member : members) {
            Await.outcome(member.ending);
            if (member.runs()) {
                member.stop();
            }
        }
        callers.shutdown();
        try {
            for (Member member : members) {
                member.door.close();
            }
            database.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        chain.close();
    }
}
