package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.devnet.ledger.ConnectedBlock;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.RejectedException;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.Changes;
import org.chainwalletd.store.PayoutStore.Claimant;
import org.chainwalletd.store.PayoutStore.Payout;
import org.chainwalletd.store.PayoutStore.Position;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random histories of the queue: kills (also at each crash point of the store), lost and false answers, refusals, reorganisations up to the
 * burial depth (also with rivals of a batch), recalls, cancels, pauses, releases, ended tokens, caps, clock jumps, the same id through a
 * transfer, an older store or none. In the end each payout is on the chain once, or was cancelled and is not there; no cap was exceeded,
 * and nothing held has been paid without a release.
 */
class PayoutHistoryTest {
    private static final int STEPS = 30;
    private static final int LOOKS_UNTIL_RESTART = 150;

    @TempDir
    Path folder;

    /** {@code -Dpayout.histories=10000} takes long. */
    @Test
    void each_payout_is_paid_once_whatever_happens_and_a_cancelled_one_never() {
        run("payout history", Integer.getInteger("payout.histories", 4), StorePlace::file);
    }

    /** {@code -Dpayout.server.histories=1000} takes long. */
    @Test
    void each_payout_is_paid_once_whatever_happens_to_a_server() {
        run("server payout history", Integer.getInteger("payout.server.histories", 2), StorePlace::server);
    }

    private void run(String name, int histories, Supplier<StorePlace> places) {
        MoneyHistory.runMany(name, histories, folder, places, History::new);
    }

    /** Runs a single history. */
    private static final class History extends MoneyHistory {
        private static final String SHOP = "shop";
        private static final Duration PERIOD = Duration.ofHours(6);
        /** Maximum clock movement between the test's record of an opening and the store's. */
        private static final Duration NOTED_LATE = Duration.ofMinutes(60);

        private final PayoutRig rig;
        private final Address payer;
        private final Set<Address> recipients = new HashSet<>();
        /** Payouts that were acknowledged, as they were submitted. */
        private final Map<Integer, Optional<String>> submitted = new HashMap<>();

        private final Optional<Amount> cap;
        private final Optional<Amount> capOfShop;
        /** Elapsed time, independent of the clock. */
        private final AtomicLong elapsed = new AtomicLong();

        private final Map<Hash256, Long> openedAt = new ConcurrentHashMap<>();
        private final Map<Hash256, Intent> opened = new ConcurrentHashMap<>();
        private final Set<Hash256> contested = ConcurrentHashMap.newKeySet();
        /** Transactions of other parties in disconnected blocks; their senders resend them in the end, parents before children. */
        private final Set<Transaction> ofOthers = new LinkedHashSet<>();
        /** Numbers of payouts that were held by a restore and not released. */
        private final Set<Long> heldByRestore = ConcurrentHashMap.newKeySet();

        private final List<String> complaints = new CopyOnWriteArrayList<>();
        /** Payouts as seen by a reader of the feed of changes, whose cursor survives each death. */
        private final Map<String, Payout> heard = new HashMap<>();

        private Position cursor = PayoutStore.BEGINNING;
        private int last;

        History(Path folder, StorePlace place, Random random) {
            this(new PayoutRig(folder), folder, place, random);
        }

        private History(PayoutRig rig, Path folder, StorePlace place, Random random) {
            super(rig.spends, folder, place, random);
            this.rig = rig;
            this.cap = random.nextBoolean() ? Optional.empty() : Optional.of(Amount.of(8_000 + random.nextInt(30_000)));
            this.capOfShop =
                    random.nextBoolean() ? Optional.empty() : Optional.of(Amount.of(5_000 + random.nextInt(10_000)));
            Optional<Amount> perTx =
                    random.nextBoolean() ? Optional.empty() : Optional.of(Amount.of(4_000 + random.nextInt(9_000)));
            if (random.nextBoolean()) {
                rig.capsPerTx.put(SHOP, Amount.of(4_000));
            }
            rig.spends.limits = new AllowanceStore.Limits(perTx, cap, PERIOD);
            rig.spends.opened = store ->
                    store.allowance().governTokens(name -> name.equals(SHOP) ? capOfShop : Optional.<Amount>empty());
            rig.spends.before = real -> death.before(noting(real));
            rig.spends.client = rig.spends.node;
            boolean lies = random.nextInt(3) == 0;
            if (lies) {
                liar = Optional.of(new LyingNode(
                        rig.spends.node, rig.spends.devnet.ledger(), own(), 10 + random.nextInt(50), true));
                rig.spends.client = liar.get().client();
            }
            rig.start();
            this.payer = rig.spends.funded(1, 500_000, 400_000, 300_000, 200_000);
            rig.bury();
            faults(LedgerNode.Fault.NONE);
            steps.add((lies ? "lied to " : "") + "cap " + cap + " of shop " + capOfShop + " per tx " + perTx);
        }

        private Optional<LyingNode> liar = Optional.empty();

        private Random own() {
            return new Random(random.nextLong());
        }

        /** Records which intents are opened, and when. */
        private IntentStore noting(IntentStore real) {
            return Stub.of(IntentStore.class, call -> {
                boolean opens = call.name().equals("open") || call.name().equals("openBatch");
                long now = elapsed.get();
                if (call.name().equals("contest")) {
                    contested.add((Hash256) call.arguments()[0]);
                }
                Object answer = call.on(real);
                return opens && answer instanceof CompletionStage<?> stage
                        ? noted(stage, call.arguments(), now)
                        : answer;
            });
        }

        private CompletionStage<?> noted(CompletionStage<?> opening, Object[] arguments, long now) {
            Intent intent = (Intent) arguments[0];
            openedAt.putIfAbsent(intent.txId(), now);
            opened.putIfAbsent(intent.txId(), intent);
            return opening.thenApplyAsync(
                    answer -> {
                        if (answer instanceof Opening.Opened && arguments[1] instanceof List<?> numbers) {
                            numbers.stream()
                                    .filter(heldByRestore::contains)
                                    .forEach(number ->
                                            complaints.add("number " + number + " left although it was held"));
                        }
                        return answer;
                    },
                    rig.spends.executor);
        }

        private static String id(int number) {
            return "payout-" + number;
        }

        private static Address recipient(int number) {
            return PayoutRig.recipient(number % 100);
        }

        private static long amount(int number) {
            return 1_000 + number;
        }

        private static Optional<String> owner(int number) {
            return number % 3 == 0 ? Optional.of(SHOP) : Optional.empty();
        }

        @Override
        void run() {
            for (int i = 0; i < STEPS; i++) {
                step(random.nextInt(23));
                move(SpendHarness.LONGEST_LOOK);
                rig.spends.rumour();
                if (death.isDead()) {
                    die();
                }
                quietly(this::readChanges);
            }
            finish();
        }

        private void move(Duration by) {
            if (!by.isNegative()) {
                elapsed.addAndGet(by.toMillis());
            }
            rig.spends.clock.advance(by);
        }

        private void step(int kind) {
            steps.add(String.valueOf(kind));
            switch (kind) {
                case 0, 1, 2, 3 -> submit();
                case 4 -> quietly(() -> get(rig.payouts.cancel(List.of(id(any())), Claimant.ANYBODY)));
                case 5 -> quietly(() -> get(rig.payouts.pause(random.nextBoolean())));
                case 6, 7 -> mine(1 + random.nextInt(2));
                case 8, 9 -> reorganise();
                case 10 -> die();
                case 11, 12 -> armDeath();
                case 13 -> faults(random.nextBoolean() ? LedgerNode.Fault.LOST_QUESTION : LedgerNode.Fault.LOST_ANSWER);
                case 14 -> faults(LedgerNode.Fault.values()[random.nextInt(LedgerNode.Fault.values().length)]);
                case 15 -> rig.spends.node.refuseSends("Transaction validation failed: whatever");
                case 16 -> heal();
                case 17 -> recall();
                case 18 -> transfer();
                case 19 -> storeMoves();
                case 20 -> token();
                case 21 -> foreignSpend();
                default -> {
                    // The clock may also move back.
                    move(Duration.ofMinutes(random.nextInt(40) - 10));
                    rig.spends.devnet.forgetMempool();
                }
            }
        }

        private int any() {
            return last == 0 ? 1 : 1 + random.nextInt(last);
        }

        private void submit() {
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                int number = ++last;
                recipients.add(recipient(number));
                quietly(() -> submit(number));
            }
        }

        private void submit(int number) {
            get(rig.payouts.submit(
                    List.of(PayoutRig.order(id(number), recipient(number), amount(number))),
                    PayoutRig.paidFrom(List.of(payer)),
                    owner(number)));
            submitted.put(number, owner(number));
        }

        /** Makes a transfer like a worker that falls back from one method to the other. */
        private void transfer() {
            int number = random.nextBoolean() ? any() : ++last;
            recipients.add(recipient(number));
            quietly(() -> get(rig.spends.spending.transfer(
                    SpendHarness.request(payer, recipient(number), amount(number), id(number)))));
            quietly(() -> submit(number));
        }

        private void mine(int count) {
            rig.spends.devnet.mine(count);
        }

        /** Reorganises, also blocks that lack a single confirmation to be final, and lets a rival of a batch replace it. */
        private void reorganise() {
            int depth = 1 + random.nextInt(SpendHarness.BURIAL_DEPTH - 1);
            boolean keep = random.nextBoolean();
            List<Transaction> rivals = random.nextBoolean() ? rival() : List.of();
            noteOthers(depth);
            rig.spends.reorganise(depth, keep, rivals);
        }

        private void noteOthers(int depth) {
            Ledger ledger = rig.spends.devnet.ledger();
            long tip = ledger.tip().height();
            for (long height = Math.max(1, tip - depth + 1); height <= tip; height++) {
                ConnectedBlock block = ledger.blockAt(height).orElseThrow();
                for (int i = 1; i < block.txIds().size(); i++) {
                    if (isOfOthers(block.txIds().get(i))) {
                        ofOthers.add(block.block().transactions().get(i));
                    }
                }
            }
        }

        /**
         * Whether the transaction counts as another party's: a contested transaction is attributed to whoever sent it before, and the
         * daemon does not send it again.
         */
        private boolean isOfOthers(Hash256 txId) {
            return !opened.containsKey(txId) || contested.contains(txId);
        }

        /** Resends the transactions of other parties: a batch with coins of a payment that is never resent would stay in flight forever. */
        private void othersSendAgain() {
            for (Transaction tx : ofOthers) {
                try {
                    rig.spends.devnet.ledger().submit(tx);
                } catch (RejectedException e) {
                    // It is in a block or the mempool, or another transaction has one of its coins.
                    assertThat(e).isNotNull();
                }
            }
        }

        private List<Transaction> rival() {
            return opened.values().stream()
                    .sorted((a, b) -> openedAt.get(b.txId()).compareTo(openedAt.get(a.txId())))
                    .limit(1)
                    .map(intent -> rival(payer, intent.inputs().get(0)))
                    .toList();
        }

        /** Another party has the same key. */
        private void foreignSpend() {
            List<NodeClient.Utxo> coins = rig.spends.coins(payer).stream()
                    .filter(coin -> coin.value().compareTo(Amount.of(20_000)) > 0)
                    .toList();
            foreignSpend(payer, coins);
        }

        private void recall() {
            quietly(() -> get(rig.store().list(Optional.of(State.IN_FLIGHT), 0, 10)).stream()
                    .map(payout -> payout.attempts().get(payout.attempts().size() - 1))
                    .findFirst()
                    .ifPresent(txId -> get(rig.payouts.recall(txId, new FeeChoice.Rate(1 + random.nextInt(4))))));
        }

        private void token() {
            if (random.nextBoolean()) {
                rig.endedTokens.add(SHOP);
            } else {
                quietly(() -> release(get(rig.store().list(Optional.of(State.HELD), 0, 5))));
            }
        }

        private void release(List<Payout> payouts) {
            payouts.forEach(payout -> heldByRestore.remove(payout.number()));
            List<String> ids =
                    payouts.stream().map(payout -> payout.order().payoutId()).toList();
            if (!ids.isEmpty()) {
                get(rig.payouts.release(ids, Claimant.ANYBODY));
            }
        }

        /**
         * Restores and starts, sometimes dying while restoring. The worker resubmits payouts that the older store lacks: its ids are
         * permanently bound to them.
         */
        @Override
        void startRestored() {
            rig.startRestored();
            // A new store gives the same numbers to different payouts.
            heldByRestore.clear();
            for (Payout payout : payouts()) {
                if (payout.state() == State.QUEUED) {
                    complaints.add("queued in a restored store: " + payout);
                }
                if (payout.state() == State.HELD || payout.state() == State.IN_FLIGHT) {
                    heldByRestore.add(payout.number());
                }
            }
            // A release that was committed later is unknown to the older store.
            new ArrayList<>(submitted.keySet()).forEach(number -> quietly(() -> submit(number)));
        }

        /** Most deaths that need final or old transactions happen here. */
        private void finish() {
            die();
            if (random.nextBoolean()) {
                death.arm(StoreDeath.OF_SPENDS.get(random.nextInt(StoreDeath.OF_SPENDS.size())), 1);
            }
            heal();
            liar.ifPresent(LyingNode::repent);
            rig.spends.node.dropLate();
            // Done first, so that the faucet spends no coin of theirs.
            othersSendAgain();
            rig.spends.fund(payer, 300_000, 300_000);
            awaitEnds();
            death.disarm();
            if (death.isDead()) {
                die();
                awaitEnds();
            }
            judge();
        }

        /** Restarts the process now and then: a running one looks at lost payments once a minute, a starting one at once. */
        private void awaitEnds() {
            AtomicInteger looks = new AtomicInteger();
            Await.until(this + ": all are final or cancelled", () -> {
                HangWatch.alive();
                if (death.isDead() || looks.incrementAndGet() % LOOKS_UNTIL_RESTART == 0) {
                    die();
                }
                move(Duration.ofMinutes(5));
                rig.spends.rumour();
                quietly(() -> {
                    get(rig.payouts.pause(false));
                    release(get(rig.store().list(Optional.of(State.HELD), 0, 1_000)));
                });
                othersSendAgain();
                if (rig.spends.isFollowed()) {
                    mine(1);
                }
                return haveEnded();
            });
        }

        private boolean haveEnded() {
            try {
                return payouts().stream()
                        .allMatch(payout -> payout.state() == State.FINAL || payout.state() == State.CANCELLED);
            } catch (StoreException e) {
                if (!death.isDead()) {
                    throw e;
                }
                return false;
            }
        }

        private List<Payout> payouts() {
            return SpendHarness.get(rig.store().list(Optional.empty(), 0, 1_000));
        }

        /** Reads up to the last change. A restored store begins a new feed, which reports everything again. */
        private void readChanges() {
            boolean more = true;
            while (more) {
                Changes page = get(rig.payouts.changes(cursor, 2, Duration.ZERO, new CompletableFuture<>()));
                if (page.next().generation() != cursor.generation()) {
                    heard.clear();
                }
                for (Payout payout : page.payouts()) {
                    Payout before = heard.put(payout.order().payoutId(), payout);
                    // It may look unchanged: a block has been connected and disconnected since.
                    if (before != null
                            && before.position().change() >= payout.position().change()) {
                        complaints.add("told twice: " + payout);
                    }
                }
                cursor = page.next();
                more = page.more();
            }
        }

        /** Leaves out the time and the feed position of the change. */
        private static Payout comparable(Payout payout) {
            return new Payout(
                    payout.number(),
                    payout.order(),
                    payout.state(),
                    payout.owner(),
                    payout.from(),
                    payout.attempts(),
                    payout.outputIndex(),
                    payout.height(),
                    payout.feeShare(),
                    payout.submittedAt(),
                    0,
                    PayoutStore.BEGINNING);
        }

        private void judge() {
            readChanges();
            assertThat(heard.values().stream().map(History::comparable))
                    .as(this + ": the feed of changes")
                    .containsExactlyInAnyOrderElementsOf(
                            payouts().stream().map(History::comparable).toList());
            assertThat(complaints).as(toString()).isEmpty();
            Map<Long, Integer> paid = rig.paid(recipients);
            Set<Integer> known = new HashSet<>();
            for (Payout payout : payouts()) {
                int number = Integer.parseInt(payout.order().payoutId().substring("payout-".length()));
                known.add(number);
                assertThat(paid.getOrDefault(amount(number), 0))
                        .as(this + ": " + payout)
                        .isEqualTo(payout.state() == State.FINAL ? 1 : 0);
            }
            assertThat(known).as(this + ": what was acknowledged is there").containsAll(submitted.keySet());
            paid.forEach((amount, times) ->
                    assertThat(times).as(this + ": " + amount).isEqualTo(1));
            cap.ifPresent(most -> judgeCap(most, false));
            capOfShop.ifPresent(most -> judgeCap(most, true));
        }

        /** In no window did more than the cap leave. Payments that were never mined do not count. */
        private void judgeCap(Amount most, boolean ofShop) {
            List<Intent> mined = opened.values().stream()
                    .filter(intent -> !ofShop || intent.details().tokenName().equals(Optional.of(SHOP)))
                    .filter(intent -> rig.spends.isMined(intent.txId()))
                    .toList();
            long window = PERIOD.minus(NOTED_LATE).toMillis();
            for (Intent first : mined) {
                long begin = openedAt.get(first.txId());
                long sum = mined.stream()
                        .filter(intent ->
                                openedAt.get(intent.txId()) >= begin && openedAt.get(intent.txId()) < begin + window)
                        .mapToLong(intent -> intent.allowance().bits())
                        .sum();
                assertThat(sum)
                        .as(this + ": leaves in a window" + (ofShop ? " of shop" : ""))
                        .isLessThanOrEqualTo(most.bits());
            }
        }

        @Override
        void start() {
            rig.start();
        }

        @Override
        void crash() {
            rig.crash();
        }

        @Override
        public void close() {
            death.close();
            rig.close();
        }
    }
}
