package org.chainwalletd.anvil;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.math.BigInteger;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.pool.Anvil;
import org.chainwalletd.devnet.pool.ChainLeg;
import org.chainwalletd.devnet.pool.Trial;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.evm.EvmCaller;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The development pool trades over a real anvil that mines each second: once in either direction, with a user who does his part by hand. */
@Tag("long")
class PoolIT {
    private static final byte[] PREIMAGE = Bytes.parse("3c".repeat(32)).toArray();
    private static final Hash256 HASH = Hash256.sha256(PREIMAGE);
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private Anvil anvil;
    private Devnet chain;
    private Trial trial;
    private EvmCaller evm;
    private String userAddress;
    private ChainLeg user;

    @BeforeEach
    void start() throws IOException {
        anvil = RealAnvil.start(Duration.ofSeconds(1));
        chain = Devnet.start(DevnetConfig.onDemand(ChainProfile.of("chain"))
                .withFirstBlocks(10)
                .withBlockInterval(Duration.ofMillis(500)));
        trial = Trial.start(chain, anvil.uri());
        evm = new EvmCaller(anvil.uri());
        userAddress = evm.call("eth_accounts").get(4).asText();
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) 0x21);
        user = new ChainLeg(chain.ledger(), SigningKey.takeOver(SecretBytes.takeOver(seed)));
        chain.faucet(user.address(), Amount.of(1_000_000_000));
        chain.mine(1);
    }

    @AfterEach
    void stop() {
        trial.close();
        chain.close();
        anvil.close();
    }

    @Test
    void a_sale_ends_with_both_sides_paid() throws Exception {
        JsonNode quote = post(
                "/api/quote",
                Map.of(
                        "direction",
                        "chain_to_native",
                        "amount_in",
                        "2",
                        "hashlock",
                        "0x" + HASH.hex(),
                        "user_evm_address",
                        userAddress));
        JsonNode instructions = quote.get("instructions").get("chain");
        HtlcParams params = new HtlcParams(
                user.publicKey(),
                PublicKey.parse(instructions.get("receiverPubkey").asText()),
                HASH,
                instructions.get("timeoutHeight").asLong());
        Transaction lock = user.payment(List.of(user.lockOutput(params, BigInteger.valueOf(200_000_000))))
                .orElseThrow();
        user.submit(lock);
        post(
                "/api/swap/" + quote.get("swapId").asText() + "/notify-chain-lock",
                Map.of("chain_lock_tx_id", user.id(lock).hex()));

        Await.until("the pool has locked", () -> swap().state() == SwapContract.State.LOCKED);
        assertThat(swap().recipient()).isEqualTo(EvmAddress.parse(userAddress));
        assertThat(swap().amount())
                .isEqualTo(new BigInteger(quote.get("amountOutUnits").asText()));
        send(BigInteger.ZERO, SwapContract.claim(PREIMAGE));
        Await.until("the pool has claimed", () -> status(quote).equals("completed"));
    }

    @Test
    void a_purchase_ends_with_both_sides_paid() throws Exception {
        JsonNode quote = post(
                "/api/quote",
                Map.of(
                        "direction",
                        "native_to_chain",
                        "amount_in",
                        "0.1",
                        "hashlock",
                        "0x" + HASH.hex(),
                        "user_chain_address",
                        user.publicKey().hex()));
        JsonNode instructions = quote.get("instructions").get("evm");
        send(
                new BigInteger(quote.get("amountInUnits").asText()),
                SwapContract.lock(
                        HASH,
                        EvmAddress.parse(instructions.get("recipient").asText()),
                        instructions.get("timeoutSec").asLong()));
        String swap = "/api/swap/" + quote.get("swapId").asText();
        Await.until("the pool has locked", () -> get(swap).hasNonNull("poolLockTxhash"));
        Hash256 lockId = Hash256.parse(get(swap).get("poolLockTxhash").asText());
        Await.until("its lock is mined", () -> user.depth(lockId) > 0);
        ChainLeg.Lock lock = user.lockIn(lockId, HASH).orElseThrow();
        assertThat(lock.value())
                .isEqualTo(new BigInteger(quote.get("amountOutUnits").asText()));
        assertThat(user.submit(user.claim(lock.outpoint(), lock.value(), Bytes.of(PREIMAGE))))
                .isTrue();
        Await.until("the pool has claimed", () -> status(quote).equals("completed"));
        assertThat(swap().state()).isEqualTo(SwapContract.State.CLAIMED);
    }

    private SwapContract.Swap swap() {
        Map<String, String> call = Map.of("to", trial.contract().toString(), "data", "0x" + SwapContract.getSwap(HASH));
        String words = evm.call("eth_call", call, "latest").asText();
        return SwapContract.swap(Bytes.parse(words.substring(2)));
    }

    private void send(BigInteger wei, Bytes data) {
        evm.call(
                "eth_sendTransaction",
                Map.of(
                        "from",
                        userAddress,
                        "to",
                        trial.contract().toString(),
                        "gas",
                        "0x30d40",
                        "value",
                        "0x" + wei.toString(16),
                        "data",
                        "0x" + data));
    }

    private String status(JsonNode quote) {
        return get("/api/swap/" + quote.get("swapId").asText()).get("status").asText();
    }

    private JsonNode get(String path) {
        return answer(Dial.request(trial.pool().uri().resolve(path)).build());
    }

    private JsonNode post(String path, Map<String, String> body) {
        return answer(Dial.request(trial.pool().uri().resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(JSON.valueToTree(body).toString()))
                .build());
    }

    private static JsonNode answer(HttpRequest request) {
        try {
            HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            return JSON.readTree(response.body());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
