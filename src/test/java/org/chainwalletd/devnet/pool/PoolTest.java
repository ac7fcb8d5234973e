package org.chainwalletd.devnet.pool;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.math.BigInteger;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.evm.SwapContract.State;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.HostilePool;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pool with a user who does by hand what the engine does. */
class PoolTest {
    private static final byte[] PREIMAGE = Bytes.parse("3c".repeat(32)).toArray();
    private static final Hash256 HASH = Hash256.sha256(PREIMAGE);
    private static final long COINS = 1_000_000_000;
    private static final BigInteger ETHER = BigInteger.TEN.pow(18);
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final HostilePool conduct = new HostilePool();

    @AutoClose
    private TwoChains world;

    private ChainLeg user;
    private EvmWallet userEvm;

    @BeforeEach
    void start() {
        world = TwoChains.start(conduct);
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) 0x21);
        user = new ChainLeg(world.chain().ledger(), SigningKey.takeOver(SecretBytes.takeOver(seed)));
        userEvm = world.evm().account(4);
        world.chain().faucet(user.address(), Amount.of(COINS));
        world.round();
    }

    @Test
    void a_sale_ends_with_both_sides_paid() throws Exception {
        JsonNode quote = quoteSell("2");
        assertThat(quote.get("amountInUnits").asText()).isEqualTo("200000000");
        assertThat(quote.get("amountOut").asText()).isEqualTo("0.0997");
        assertThat(quote.get("amountOutUnits").asText()).isEqualTo("99700000000000000");
        BigInteger poolCoins = coins(world.pool().chainAddress());
        lockOnChain(quote);
        world.rounds(2);

        SwapContract.Swap lock = world.evm().swap(HASH);
        assertThat(lock.state()).isEqualTo(State.LOCKED);
        assertThat(lock.recipient()).isEqualTo(userEvm.address());
        assertThat(lock.amount()).isEqualTo(new BigInteger("99700000000000000"));
        assertThat(lock.deadline()).isGreaterThan(world.clock().instant().getEpochSecond() + 3_600);
        assertThat(status(quote).get("poolLockTxhash").asText()).startsWith("0x");

        userEvm.claim(PREIMAGE);
        world.rounds(3);
        assertThat(stateOf(quote)).isEqualTo("completed");
        assertThat(coins(world.pool().chainAddress()).subtract(poolCoins)).isGreaterThan(new BigInteger("199990000"));
    }

    @Test
    void a_purchase_ends_with_both_sides_paid() throws Exception {
        JsonNode quote = quoteBuy("0.1");
        assertThat(quote.get("amountOutUnits").asText()).isEqualTo("199400000");
        lockInContract(quote);
        world.rounds(2);

        ChainLeg.Lock seen = user.lockIn(poolLock(quote), HASH).orElseThrow();
        assertThat(seen.value()).isEqualTo(BigInteger.valueOf(199_400_000));
        assertThat(seen.params().sender()).isEqualTo(world.pool().chainKey());
        assertThat(seen.params().timeoutHeight()).isGreaterThan(user.height() + 720 + 360);

        user.submit(user.claim(seen.outpoint(), seen.value(), Bytes.of(PREIMAGE)));
        world.rounds(3);
        assertThat(inContract()).isEqualTo(State.CLAIMED);
        assertThat(stateOf(quote)).isEqualTo("completed");
    }

    @Test
    void what_nobody_claims_goes_back_on_either_side() throws Exception {
        JsonNode sale = soldAndLocked();
        long deadline = world.evm().swap(HASH).deadline();
        world.clock().set(Instant.ofEpochSecond(deadline - 21));
        world.rounds(2);
        assertThat(inContract()).isEqualTo(State.LOCKED);
        world.rounds(2);
        assertThat(inContract()).isEqualTo(State.REFUNDED);
        assertThat(stateOf(sale)).isEqualTo("refunded");
    }

    @Test
    void its_lock_on_the_chain_is_taken_back_above_its_timeout_only() throws Exception {
        conduct.locksUntilHeight(user.height() + 5);
        JsonNode quote = quoteBuy("0.1");
        long timeout = user.height() + 5;
        lockInContract(quote);
        while (user.height() < timeout) {
            world.round();
        }
        assertThat(stateOf(quote)).isEqualTo("locked");
        world.round();
        assertThat(stateOf(quote)).isEqualTo("refunded");
    }

    @Test
    void it_locks_for_nobody_who_did_not_lock_enough() throws Exception {
        JsonNode sale = quoteSell("2");
        lockOnChain(sale, 199_999_999);
        world.rounds(3);
        assertThat(inContract()).isEqualTo(State.NONE);
    }

    @Test
    void reorganisations_of_both_chains_undo_nothing_for_good() throws Exception {
        JsonNode quote = soldAndLocked();
        world.evm().reorganiseWithout(2, 2, poolLock(quote));
        assertThat(inContract()).isEqualTo(State.NONE);
        world.rounds(2);
        assertThat(inContract()).isEqualTo(State.LOCKED);

        userEvm.claim(PREIMAGE);
        world.rounds(3);
        assertThat(stateOf(quote)).isEqualTo("completed");
        world.chain().reorg(2);
        world.chain().forgetMempool();
        world.rounds(2);
        assertThat(stateOf(quote)).isEqualTo("completed");
    }

    @Test
    void a_relayed_claim_is_sent_and_only_the_right_secret() throws Exception {
        JsonNode quote = soldAndLocked();
        String path = "/api/swap/" + quote.get("swapId").asText() + "/relay-claim";
        assertThat(post(path, Map.of("preimage", "0x" + "00".repeat(32)), 400).has("error"))
                .isTrue();
        post(path, Map.of("preimage", "0x" + Bytes.of(PREIMAGE)), 200);
        world.rounds(3);
        assertThat(inContract()).isEqualTo(State.CLAIMED);
        assertThat(stateOf(quote)).isEqualTo("completed");
    }

    @Test
    void requests_that_make_no_sense_are_refused() throws Exception {
        post("/api/quote", Map.of("direction", "up"), 400);
        post("/api/quote", sell("0"), 400);
        post("/api/quote", sell("0.000000001"), 400);
        post("/api/quote", sell("1000000"), 409);
        get("/api/swap/none", 404);
        get("/api/price/klines?interval=7d", 400);
        assertThat(get("/api/price/klines?interval=1h&limit=3", 200).get("items"))
                .hasSize(3);
        JsonNode info = get("/api/pool", 200);
        assertThat(info.get("mid_price_native_per_chain").decimalValue()).isEqualByComparingTo("0.05");
        assertThat(info.get("reserves").get("native").asText()).isEqualTo("1000");
        assertThat(info.get("evm").get("htlc_contract").asText())
                .isEqualTo(world.evm().contract().toString());
    }

    @Test
    void a_hostile_pool_does_what_it_is_told() throws Exception {
        EvmAddress other = world.evm().deploy();
        conduct.ownContract(other).repeatsId();
        JsonNode first = quoteBuy("0.1");
        JsonNode second = quoteBuy("0.2");
        assertThat(first.get("htlcContract").asText()).isEqualTo(other.toString());
        assertThat(first.get("instructions").get("evm").get("htlcContract").asText())
                .isEqualTo(other.toString());
        assertThat(second.get("swapId")).isEqualTo(first.get("swapId"));
    }

    @Test
    void decoys_stand_before_the_real_lock_and_a_datum_hash_spoils_it() throws Exception {
        conduct.decoys().datumHash().locksOnly(50);
        JsonNode quote = quoteBuy("0.1");
        lockInContract(quote);
        world.rounds(2);
        Transaction lock = world.chain()
                .ledger()
                .transaction(poolLock(quote))
                .orElseThrow()
                .tx();
        assertThat(lock.outputs()).hasSize(4);
        assertThat(lock.outputs().get(2).value()).isEqualTo(Amount.of(99_700_000));
        assertThat(lock.outputs().get(2).datumHash()).isNotNull();
    }

    @Test
    void a_pool_may_lock_late_claim_late_and_vanish() throws Exception {
        conduct.keepsFromLocking(true);
        JsonNode quote = quoteSell("2");
        lockOnChain(quote);
        world.rounds(3);
        assertThat(inContract()).isEqualTo(State.NONE);
        conduct.keepsFromLocking(false).keepsFromClaiming(true);
        world.rounds(2);
        userEvm.claim(PREIMAGE);
        world.rounds(3);
        assertThat(stateOf(quote)).isEqualTo("claiming");
        conduct.vanished(true);
        assertThatThrownBy(() -> status(quote)).isInstanceOf(IOException.class);
        conduct.vanished(false).keepsFromClaiming(false);
        world.rounds(2);
        assertThat(stateOf(quote)).isEqualTo("completed");
    }

    @Test
    void a_taken_slot_keeps_the_pool_from_locking() throws Exception {
        EvmWallet thief = world.evm().account(7);
        conduct.atQuote(swap -> {
            thief.lock(swap.hashLock(), thief.address(), world.clock().instant().getEpochSecond() + 9_000, ETHER);
            world.evm().mine();
        });
        JsonNode quote = quoteSell("2");
        BigInteger before = world.evm().balance(world.pool().evmAddress());
        lockOnChain(quote);
        world.rounds(3);
        assertThat(world.evm().swap(HASH).sender()).isEqualTo(thief.address());
        assertThat(before.subtract(world.evm().balance(world.pool().evmAddress())))
                .isLessThan(ETHER.divide(BigInteger.valueOf(1_000)));
        assertThat(status(quote).get("notes").asText()).contains("slot");
    }

    private BigInteger coins(Address address) {
        return world.chain().ledger().list(Bytes.wrap(address.toArray()), null, null, 100).coins().stream()
                .map(coin -> coin.output().value().toBigInteger())
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    private Map<String, String> sell(String amount) {
        return asked(
                "chain_to_native", amount, "user_evm_address", userEvm.address().toString());
    }

    private static Map<String, String> asked(String direction, String amount, String userKind, String user) {
        return Map.ofEntries(
                entry("direction", direction),
                entry("amount_in", amount),
                entry("hashlock", "0x" + HASH.hex()),
                entry(userKind, user),
                entry("flow", "v1"));
    }

    private JsonNode quoteSell(String amount) throws Exception {
        return post("/api/quote", sell(amount), 200);
    }

    private JsonNode quoteBuy(String amount) throws Exception {
        Map<String, String> purchase = asked(
                "native_to_chain",
                amount,
                "user_chain_address",
                user.publicKey().hex());
        return post("/api/quote", purchase, 200);
    }

    private JsonNode soldAndLocked() throws Exception {
        JsonNode quote = quoteSell("2");
        lockOnChain(quote);
        world.rounds(2);
        return quote;
    }

    private void lockOnChain(JsonNode quote) throws Exception {
        lockOnChain(quote, quote.get("amountInUnits").asLong());
    }

    private void lockOnChain(JsonNode quote, long units) throws Exception {
        JsonNode instructions = quote.get("instructions").get("chain");
        HtlcParams params = new HtlcParams(
                user.publicKey(),
                PublicKey.parse(instructions.get("receiverPubkey").asText()),
                HASH,
                instructions.get("timeoutHeight").asLong());
        Transaction lock = user.payment(List.of(user.lockOutput(params, BigInteger.valueOf(units))))
                .orElseThrow();
        assertThat(user.submit(lock)).isTrue();
        post(
                "/api/swap/" + quote.get("swapId").asText() + "/notify-chain-lock",
                Map.of("chain_lock_tx_id", user.id(lock).hex()),
                200);
    }

    private void lockInContract(JsonNode quote) {
        JsonNode instructions = quote.get("instructions").get("evm");
        userEvm.lock(
                HASH,
                EvmAddress.parse(instructions.get("recipient").asText()),
                instructions.get("timeoutSec").asLong(),
                new BigInteger(quote.get("amountInUnits").asText()));
    }

    private JsonNode status(JsonNode quote) throws Exception {
        return get("/api/swap/" + quote.get("swapId").asText(), 200);
    }

    private String stateOf(JsonNode quote) throws Exception {
        return status(quote).get("status").asText();
    }

    private Hash256 poolLock(JsonNode quote) throws Exception {
        return Hash256.parse(status(quote).get("poolLockTxhash").asText().replaceFirst("^0x", ""));
    }

    private State inContract() {
        return world.evm().swap(HASH).state();
    }

    private JsonNode get(String path, int status) throws Exception {
        return answer(Dial.request(world.poolUri().resolve(path)).build(), status);
    }

    private JsonNode post(String path, Map<String, String> body, int status) throws Exception {
        return answer(
                Dial.request(world.poolUri().resolve(path))
                        .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)))
                        .build(),
                status);
    }

    private static JsonNode answer(HttpRequest request, int status) throws Exception {
        HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(status);
        return JSON.readTree(response.body());
    }
}
