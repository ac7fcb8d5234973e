package org.chainwalletd.testkit.swap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.math.BigInteger;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.devnet.pool.ChainLeg;
import org.chainwalletd.devnet.pool.PoolConfig;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.HostilePool;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The histories themselves, with traders of a page; {@code -Dswap.histories=500} for many. */
@Tag("long")
class SwapHistoryTest {
    private static final SwapJudge.Margins MARGINS = new SwapJudge.Margins(5, 20, 600);
    /** Short locks, so that a history ends soon. */
    private static final UnaryOperator<PoolConfig> SHORT = config -> config.withLocks(700, 28_800, 2_000, 120);

    @Test
    void a_careful_trader_never_loses_both_legs() {
        int histories = Integer.getInteger("swap.histories", 4);
        long first = firstSeed();
        List<String> complaints = new ArrayList<>();
        for (long seed = first; seed < first + histories; seed++) {
            complaints.addAll(complaints(seed, false));
        }
        assertThat(complaints).isEmpty();
    }

    @Test
    void the_judge_notices_a_careless_one() {
        long first = firstSeed();
        List<String> complaints = new ArrayList<>();
        for (long seed = first; complaints.isEmpty() && seed < first + 30; seed++) {
            complaints.addAll(complaints(seed, true));
        }
        assertThat(complaints).anyMatch(complaint -> complaint.contains("the gate was shut"));
    }

    private static long firstSeed() {
        return Long.getLong("swap.first-seed", Seeded.random("swap histories").nextLong() >>> 16);
    }

    private static List<String> complaints(long seed, boolean careless) {
        HangWatch.alive();
        return SwapHistory.run(
                seed, MARGINS, SHORT, (world, margins, number) -> new HandTrader(world, margins, number, careless));
    }

    /**
     * A trader of a page, who sees both chains as they are: shows that a swap can be done in this world, and, when told to be careless, that the
     * judge notices. It measures the histories, not the engine.
     */
    public static final class HandTrader implements Trader {
        private static final JsonMapper JSON = new JsonMapper();
        private static final HttpClient HTTP = HttpClient.newHttpClient();

        private final TwoChains world;
        private final SwapJudge.Margins margins;
        private final boolean careless;
        private final byte[] preimage;
        private final SigningKey key;
        private final ChainLeg chain;
        private final EvmWallet evm;

        private Deal deal;
        private String swapId;
        private HtlcParams params;
        private Transaction chainLock;
        private EvmAddress poolAddress;
        private long timeout;
        private boolean sentLock;
        private boolean revealed;

        /** @param careless claims whatever looks like the pool's lock, at once */
        public HandTrader(TwoChains world, SwapJudge.Margins margins, long seed, boolean careless) {
            this.world = world;
            this.margins = margins;
            this.careless = careless;
            preimage = Hash256.sha256(Long.toString(seed).getBytes(StandardCharsets.US_ASCII))
                    .toArray();
            byte[] secret = new byte[32];
            Arrays.fill(secret, (byte) 0x21);
            key = SigningKey.takeOver(SecretBytes.takeOver(secret));
            chain = new ChainLeg(world.chain().ledger(), key);
            evm = world.evm().account(4);
            world.chain().faucet(chain.address(), Amount.of(1_000_000_000));
            // Deeper than any reorganisation of a history, so that the trader has money whatever happens.
            world.rounds(4);
        }

        @Override
        public Deal begin(boolean sell, String amount) {
            Hash256 hashLock = Hash256.sha256(preimage);
            Map<String, String> request = new TreeMap<>();
            request.put("direction", sell ? "chain_to_native" : "native_to_chain");
            request.put("amount_in", amount);
            request.put("hashlock", "0x" + hashLock.hex());
            request.put(
                    sell ? "user_evm_address" : "user_chain_address",
                    sell ? evm.address().toString() : chain.publicKey().hex());
            JsonNode quote = post("/api/quote", request).orElseThrow();
            swapId = quote.get("swapId").asText();
            JsonNode instructions = quote.get("instructions");
            if (sell) {
                timeout = instructions.get("chain").get("timeoutHeight").asLong();
                params = new HtlcParams(
                        chain.publicKey(),
                        PublicKey.parse(
                                instructions.get("chain").get("receiverPubkey").asText()),
                        hashLock,
                        timeout);
            } else {
                timeout = instructions.get("evm").get("timeoutSec").asLong();
                poolAddress = EvmAddress.parse(
                        instructions.get("evm").get("recipient").asText());
            }
            deal = new Deal(
                    sell,
                    hashLock,
                    chain.publicKey(),
                    chain.address(),
                    evm.address(),
                    new BigInteger(quote.get("amountInUnits").asText()),
                    new BigInteger(quote.get("amountOutUnits").asText()));
            return deal;
        }

        @Override
        public void act() {
            if (deal.sell()) {
                sell();
            } else {
                buy();
            }
        }

        private void sell() {
            if (chainLock == null) {
                chainLock = chain.payment(List.of(chain.lockOutput(params, deal.in())))
                        .orElseThrow();
            }
            chain.submit(chainLock);
            Hash256 lockId = chain.id(chainLock);
            post("/api/swap/" + swapId + "/notify-chain-lock", Map.of("chain_lock_tx_id", lockId.hex()));
            SwapContract.Swap latest = world.evm().swap(deal.hashLock());
            revealed |= careless ? latest.state() == SwapContract.State.LOCKED : contractLockIsGood(latest);
            if (revealed
                    && latest.state() == SwapContract.State.LOCKED
                    && world.evm().waiting().stream().noneMatch(tx -> tx.from().equals(evm.address()))) {
                evm.claim(preimage);
            }
            Outpoint own = new Outpoint(lockId, 0);
            if (params.reclaimableInBlock(chain.height() + 1)
                    && chain.spendOf(own, HtlcScript.build(params)).isEmpty()) {
                chain.submit(chain.reclaim(own, deal.in()));
            }
        }

        private boolean contractLockIsGood(SwapContract.Swap latest) {
            long now = Math.max(
                    world.clock().instant().getEpochSecond(), world.evm().head().time());
            SwapContract.Swap finalized = world.evm().finalizedSwap(deal.hashLock());
            return finalized.equals(latest)
                    && latest.state() == SwapContract.State.LOCKED
                    && latest.recipient().equals(evm.address())
                    && latest.amount().compareTo(deal.out()) >= 0
                    && latest.deadline() - now >= margins.seconds();
        }

        private void buy() {
            SwapContract.Swap own = world.evm().swap(deal.hashLock());
            boolean quiet =
                    world.evm().waiting().stream().noneMatch(tx -> tx.from().equals(evm.address()));
            if (own.state() == SwapContract.State.NONE
                    && quiet
                    && !revealed
                    && world.evm().nonce(evm.address()) == 0) {
                evm.lock(deal.hashLock(), poolAddress, timeout, deal.in());
                sentLock = true;
            }
            lockOfPool().ifPresent(lock -> {
                boolean good = careless
                        || chain.depth(lock.outpoint().txId()) >= margins.depth()
                                && lock.value().compareTo(deal.out()) >= 0
                                && lock.params().timeoutHeight() - chain.height() >= margins.blocks();
                revealed |= good;
                if (revealed) {
                    chain.submit(chain.claim(lock.outpoint(), lock.value(), Bytes.of(preimage)));
                }
            });
            boolean due = Long.compareUnsigned(world.evm().head().time(), own.deadline()) >= 0;
            if (sentLock
                    && quiet
                    && due
                    && own.state() == SwapContract.State.LOCKED
                    && own.sender().equals(evm.address())) {
                evm.refund(deal.hashLock());
            }
        }

        /** The largest lock for us in the transaction that the pool names. */
        private Optional<ChainLeg.Lock> lockOfPool() {
            Optional<Hash256> named = get("/api/swap/" + swapId)
                    .map(status -> status.path("poolLockTxhash").asText())
                    .filter(text -> text.matches("[0-9a-f]{64}"))
                    .map(Hash256::parse);
            return named.flatMap(txId -> world.chain()
                    .ledger()
                    .transaction(txId)
                    .flatMap(located -> {
                        Transaction tx = located.tx();
                        Optional<ChainLeg.Lock> best = Optional.empty();
                        for (int i = 0; i < tx.outputs().size(); i++) {
                            int index = i;
                            Optional<ChainLeg.Lock> lock = HtlcScript.recognise(
                                            tx.outputs().get(i).script())
                                    .filter(found -> found.receiver().equals(chain.publicKey())
                                            && found.hashLock().equals(deal.hashLock())
                                            && tx.outputs().get(index).datumHash() == null)
                                    .map(found -> new ChainLeg.Lock(
                                            new Outpoint(txId, index),
                                            found,
                                            tx.outputs().get(index).value().toBigInteger()));
                            if (lock.isPresent()
                                    && (best.isEmpty()
                                            || best.get()
                                                            .value()
                                                            .compareTo(
                                                                    lock.get().value())
                                                    < 0)) {
                                best = lock;
                            }
                        }
                        return best;
                    }));
        }

        /** It keeps nothing that it could lose. */
        @Override
        public void crash() {}

        @Override
        public void close() {
            key.close();
        }

        private Optional<JsonNode> get(String path) {
            return send(Dial.request(world.poolUri().resolve(path)).build());
        }

        private Optional<JsonNode> post(String path, Map<String, String> body) {
            return send(Dial.request(world.poolUri().resolve(path))
                    .POST(HttpRequest.BodyPublishers.ofString(
                            JSON.valueToTree(body).toString()))
                    .build());
        }

        private static Optional<JsonNode> send(HttpRequest request) {
            try {
                HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
                return response.statusCode() == 200 ? Optional.of(JSON.readTree(response.body())) : Optional.empty();
            } catch (IOException gone) {
                return Optional.empty();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * One swap among random trouble: blocks, both chains reorganised, mempools that forget, endpoints that die, hang or lag, fee spikes, crashes of
     * the trader, and a pool that turns bad and good again. In the end everything is well again and time passes beyond all deadlines; then the
     * judge has the last word.
     */
    public static final class SwapHistory {
        private static final int EVENTS = 40;
        private static final int DEEPEST_REORG = 2;
        /** In blocks, of a seller. */
        private static final int LONGEST_LOCK = 700;

        private static final BigInteger GWEI = BigInteger.valueOf(1_000_000_000);

        /** Makes a trader in a new world. */
        @FunctionalInterface
        public interface Traders {
            Trader in(TwoChains world, SwapJudge.Margins margins, long seed);
        }

        private final Random random;
        private final HostilePool pool = new HostilePool();
        private final TwoChains world;
        private final SwapJudge.Margins margins;

        private SwapHistory(long seed, SwapJudge.Margins margins, UnaryOperator<PoolConfig> change) {
            this.margins = margins;
            random = new Random(seed);
            world = TwoChains.start(pool, change);
        }

        /** What the judge complained of; empty when all was well. */
        public static List<String> run(
                long seed, SwapJudge.Margins margins, UnaryOperator<PoolConfig> change, Traders traders) {
            SwapHistory history = new SwapHistory(seed, margins, change);
            try (TwoChains world = history.world;
                    Trader trader = traders.in(world, margins, seed)) {
                return history.run(trader).stream()
                        .map(complaint -> "seed " + seed + ": " + complaint)
                        .toList();
            }
        }

        private List<String> run(Trader trader) {
            boolean sell = random.nextBoolean();
            Trader.Deal deal = trader.begin(sell, sell ? "2" : "0.1");
            SwapJudge judge = new SwapJudge(
                    world,
                    deal,
                    margins,
                    SwapJudge.coins(world, deal.address()),
                    world.evm().balance(deal.evmAddress()));
            for (int i = 0; i < EVENTS; i++) {
                String event = event(trader, deal);
                judge.look(event);
                trader.act();
                judge.look("an act after " + event);
            }
            heal();
            settle(trader, judge, 10);
            passDeadlines();
            settle(trader, judge, 10);
            judge.judge();
            return judge.complaints();
        }

        private String event(Trader trader, Trader.Deal deal) {
            int kind = random.nextInt(30);
            switch (kind) {
                case 0 -> world.chain().reorg(1 + random.nextInt(DEEPEST_REORG));
                case 1 -> world.chain().forgetMempool();
                case 2 -> world.evm().reorganise(1 + random.nextInt(DEEPEST_REORG), 3);
                case 3 -> world.evm().reorganiseAway(1, 2);
                case 4 -> world.evm().forgetAll();
                case 5 -> world.evm().baseFee(GWEI.multiply(BigInteger.valueOf(1 + random.nextInt(3))));
                case 6 -> pool.keepsFromLocking(random.nextBoolean());
                case 7 -> pool.keepsFromClaiming(random.nextBoolean());
                case 8 -> pool.vanished(random.nextInt(3) == 0);
                case 9 -> pool.locksOnly(random.nextBoolean() ? 100 : 50);
                case 10 -> pool.decoys();
                case 11 -> shortLock(deal);
                case 12 -> trader.crash();
                default -> world.rounds(1 + random.nextInt(3));
            }
            return "event " + kind;
        }

        private void shortLock(Trader.Deal deal) {
            if (random.nextInt(4) == 0) {
                pool.datumHash();
            } else if (deal.sell()) {
                pool.locksUntil(world.clock().instant().getEpochSecond() + random.nextInt(8_000));
            } else {
                pool.locksUntilHeight(world.chain().tip().height() + random.nextInt((int) margins.blocks() * 2));
            }
        }

        private void heal() {
            pool.keepsFromLocking(false).keepsFromClaiming(false).vanished(false);
            world.evm().endpoint().behave();
            world.evm().baseFee(GWEI);
        }

        private void settle(Trader trader, SwapJudge judge, int rounds) {
            for (int i = 0; i < rounds; i++) {
                world.round();
                judge.look("a round near the end");
                trader.act();
                judge.look("an act near the end");
            }
        }

        /** Beyond the timeouts of all locks that can be. */
        private void passDeadlines() {
            world.clock().advance(Duration.ofHours(12));
            world.evm().mine();
            world.chain().mine(LONGEST_LOCK);
        }
    }
}
