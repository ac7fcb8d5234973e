package org.chainwalletd.testkit.evm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EvmDevnetTest {
    private static final BigInteger GWEI = BigInteger.valueOf(1_000_000_000);
    private static final BigInteger AMOUNT = BigInteger.TEN.pow(18);
    private static final byte[] PREIMAGE = Bytes.parse("07".repeat(32)).toArray();
    private static final Hash256 HASH = Hash256.sha256(PREIMAGE);

    @AutoClose
    final EvmDevnet chain = EvmDevnet.start();

    private EvmCaller caller;
    private EvmWallet alice;
    private EvmWallet bob;

    @BeforeEach
    void accounts() {
        caller = new EvmCaller(chain.uri());
        alice = chain.account(1);
        bob = chain.account(2);
    }

    @Test
    void the_contract_is_where_a_fresh_development_chain_has_its_first() {
        assertThat(chain.contract()).hasToString("0x5FbDB2315678afecb367f032d93F642f64180aa3");
        assertThat(alice.address()).hasToString("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
    }

    @Test
    void a_transaction_of_the_daemon_is_decoded_and_its_sender_recovered() {
        SecretBytes secret = SecretBytes.takeOver(Bytes.parse("11".repeat(32)).toArray());
        EvmAddress sender = EvmAddress.ofSecret(secret);
        chain.fund(sender, AMOUNT);
        DynamicFeeTransaction.Signed signed = new DynamicFeeTransaction(
                        BigInteger.valueOf(EvmDevnet.CHAIN_ID),
                        BigInteger.ZERO,
                        GWEI,
                        GWEI.multiply(BigInteger.TWO),
                        BigInteger.valueOf(21_000),
                        bob.address(),
                        BigInteger.TEN,
                        Bytes.EMPTY)
                .sign(secret);
        BigInteger before = chain.balance(bob.address());

        assertThat(caller.call("eth_sendRawTransaction", EvmJson.hex(signed.raw()))
                        .textValue())
                .isEqualTo(EvmJson.hex(signed.hash()));
        assertThat(caller.call("eth_getTransactionByHash", EvmJson.hex(signed.hash()))
                        .get("blockHash")
                        .isNull())
                .isTrue();
        chain.mine();

        assertThat(chain.balance(bob.address()).subtract(before)).isEqualTo(BigInteger.TEN);
        assertThat(chain.receipt(signed.hash()).orElseThrow().tx().from()).isEqualTo(sender);
        assertThat(chain.balance(sender))
                .isEqualTo(AMOUNT.subtract(BigInteger.TEN)
                        .subtract(GWEI.multiply(BigInteger.TWO).multiply(BigInteger.valueOf(21_000))));
    }

    @Test
    void nothing_gets_lost_but_the_gas_that_was_paid() {
        BigInteger before = chain.total();
        Hash256 lock = alice.lock(HASH, bob.address(), deadline(), AMOUNT);
        chain.mine();
        Hash256 claim = bob.claim(PREIMAGE);
        Hash256 inVain = alice.claim(PREIMAGE);
        chain.mine();

        BigInteger gas = List.of(lock, claim, inVain).stream()
                .map(hash -> chain.receipt(hash).orElseThrow())
                .map(receipt -> receipt.gasPrice().multiply(BigInteger.valueOf(receipt.gasUsed())))
                .reduce(BigInteger.ZERO, BigInteger::add);
        assertThat(before.subtract(chain.total())).isEqualTo(gas);
        assertThat(List.of(
                        chain.receipt(claim).orElseThrow().succeeded(),
                        chain.receipt(inVain).orElseThrow().succeeded()))
                .containsExactlyInAnyOrder(true, false);
    }

    @Test
    void a_replacement_pays_a_tenth_more_in_both_fees() {
        send(0, 1_000, 3_000);
        assertThatThrownBy(() -> send(0, 1_099, 3_300)).hasMessage("replacement transaction underpriced");
        assertThatThrownBy(() -> send(0, 1_100, 3_299)).hasMessage("replacement transaction underpriced");
        Hash256 second = send(0, 1_100, 3_300);
        assertThat(chain.waiting()).extracting(SignedTransaction::hash).containsExactly(second);
    }

    @Test
    void nonces_balances_fees_and_chain_are_checked() {
        send(0, 1_000, 3_000);
        chain.mine();
        assertThatThrownBy(() -> send(0, 2_000, 4_000)).hasMessage("nonce too low");
        assertThatThrownBy(() -> send(1, 1_000, 999)).hasMessage("max fee per gas less than block base fee");
        assertThatThrownBy(() -> alice.send(bob.address(), BigInteger.TEN.pow(30), Bytes.EMPTY))
                .hasMessage("Insufficient funds for gas * price + value");
        Bytes foreign = SignedTransaction.sign(
                alice.secret(),
                BigInteger.ONE,
                1,
                GWEI,
                GWEI.multiply(BigInteger.TWO),
                21_000,
                Optional.of(bob.address()),
                BigInteger.ONE,
                Bytes.EMPTY);
        assertThatThrownBy(() -> chain.submit(foreign)).hasMessage("invalid chain id for signer");
        assertThatThrownBy(() -> chain.submit(Bytes.parse("02c0"))).hasMessage("Failed to decode transaction");
    }

    @Test
    void a_gap_in_the_nonces_waits_for_what_is_missing() {
        Hash256 later = send(1, 1_000, 3_000);
        chain.mine();
        assertThat(chain.receipt(later)).isEmpty();
        assertThat(count("latest")).isEqualTo("0x0");
        assertThat(count("pending")).isEqualTo("0x0");
        send(0, 1_000, 3_000);
        assertThat(count("pending")).isEqualTo("0x2");
        chain.mine();
        assertThat(chain.receipt(later)).isPresent();
        assertThat(count("latest")).isEqualTo("0x2");
    }

    @Test
    void a_rising_base_fee_leaves_cheap_transactions_waiting() {
        Hash256 cheap = send(0, 1_000, 2_000);
        chain.baseFee(GWEI.multiply(BigInteger.valueOf(5)));
        chain.mine();
        assertThat(chain.receipt(cheap)).isEmpty();
        chain.baseFee(GWEI);
        chain.mine();
        assertThat(chain.receipt(cheap)).isPresent();
    }

    @Test
    void a_transaction_without_enough_gas_fails_and_pays_for_all_of_it() {
        Hash256 starved = alice.send(
                0,
                GWEI,
                GWEI.multiply(BigInteger.TWO),
                60_000,
                Optional.of(chain.contract()),
                AMOUNT,
                SwapContract.lock(HASH, bob.address(), deadline()));
        chain.mine();
        EvmReceipt receipt = chain.receipt(starved).orElseThrow();
        assertThat(receipt.succeeded()).isFalse();
        assertThat(receipt.gasUsed()).isEqualTo(60_000);
        assertThat(chain.swap(HASH).state()).isEqualTo(SwapContract.State.NONE);
    }

    @Test
    void a_reorganisation_undoes_what_the_old_blocks_did() {
        Hash256 lock = alice.lock(HASH, bob.address(), deadline(), AMOUNT);
        EvmBlock old = chain.mine();
        chain.reorganiseAway(1, 2);
        assertThat(chain.swap(HASH).state()).isEqualTo(SwapContract.State.NONE);
        assertThat(chain.head().number()).isEqualTo(old.number() + 1);
        assertThat(chain.block(old.number()).orElseThrow().hash()).isNotEqualTo(old.hash());
        assertThat(chain.waiting()).extracting(SignedTransaction::hash).containsExactly(lock);
        Map<String, Object> orphan = Map.of("blockHash", EvmJson.hex(old.hash()), "requireCanonical", true);
        assertThatThrownBy(() -> caller.call("eth_getBalance", EvmJson.hex(bob.address()), orphan))
                .hasMessage("hash is not currently canonical");

        chain.mine();
        assertThat(chain.swap(HASH).state()).isEqualTo(SwapContract.State.LOCKED);
        chain.reorganiseWithout(1, 1, lock);
        assertThat(chain.waiting()).isEmpty();
        assertThat(chain.swap(HASH).state()).isEqualTo(SwapContract.State.NONE);
    }

    @Test
    void finality_follows_at_a_distance_or_stands_where_it_is_put() {
        chain.mine(10);
        assertThat(tag("latest")).isEqualTo(11);
        assertThat(tag("safe")).isEqualTo(10);
        assertThat(tag("finalized")).isEqualTo(9);
        chain.finality(3, 6);
        assertThat(tag("finalized")).isEqualTo(5);
        chain.pinFinality(7, 2);
        chain.mine(5);
        assertThat(tag("safe")).isEqualTo(7);
        assertThat(tag("finalized")).isEqualTo(2);
    }

    @Test
    void time_is_the_clock_unless_it_is_set_and_never_runs_back() {
        long start = chain.head().time();
        assertThat(chain.mineAfter(Duration.ofSeconds(12)).time()).isEqualTo(start + 12);
        chain.nextTime(start + 100);
        assertThat(chain.mine().time()).isEqualTo(start + 100);
        assertThat(chain.mine().time()).isEqualTo(start + 100);
    }

    @Test
    void an_endpoint_lies_alone() {
        EvmEndpoint liar = chain.newEndpoint();
        EvmCaller misled = new EvmCaller(liar.uri());
        SwapContract.Swap terms =
                new SwapContract.Swap(alice.address(), bob.address(), AMOUNT, deadline(), SwapContract.State.LOCKED);
        liar.lies().swap(HASH, terms).nonce(alice.address(), 7).time(-500).noLogs();

        Map<String, String> call =
                Map.of("to", EvmJson.hex(chain.contract()), "data", EvmJson.hex(SwapContract.getSwap(HASH)));
        assertThat(SwapContract.swap(EvmJson.bytes(misled.call("eth_call", call, "latest"), "data")))
                .isEqualTo(terms);
        assertThat(SwapContract.swap(EvmJson.bytes(caller.call("eth_call", call, "latest"), "data")))
                .isEqualTo(World.UNUSED);
        assertThat(misled.call("eth_getTransactionCount", EvmJson.hex(alice.address()), "latest")
                        .textValue())
                .isEqualTo("0x7");
        assertThat(EvmJson.quantity(
                        misled.call("eth_getBlockByNumber", "latest", false).get("timestamp")))
                .isEqualTo(BigInteger.valueOf(chain.head().time() - 500));
        liar.behave();
        assertThat(misled.call("eth_getTransactionCount", EvmJson.hex(alice.address()), "latest")
                        .textValue())
                .isEqualTo("0x0");
    }

    @Test
    void an_endpoint_may_swallow_lose_refuse_and_lag() {
        EvmEndpoint bad = chain.newEndpoint();
        EvmCaller misled = new EvmCaller(bad.uri());
        Bytes raw = SignedTransaction.sign(
                alice.secret(),
                BigInteger.valueOf(EvmDevnet.CHAIN_ID),
                0,
                GWEI,
                GWEI.multiply(BigInteger.TWO),
                21_000,
                Optional.of(bob.address()),
                BigInteger.ONE,
                Bytes.EMPTY);

        bad.swallowSends();
        String hash = misled.call("eth_sendRawTransaction", EvmJson.hex(raw)).textValue();
        assertThat(chain.waiting()).isEmpty();
        bad.behave();
        bad.loseAnswers("eth_sendRawTransaction");
        assertThatThrownBy(() -> misled.call("eth_sendRawTransaction", EvmJson.hex(raw)))
                .isInstanceOf(UncheckedIOException.class);
        assertThat(chain.waiting()).extracting(tx -> EvmJson.hex(tx.hash())).containsExactly(hash);

        bad.behave();
        chain.mine(3);
        bad.behind(2);
        assertThat(misled.call("eth_blockNumber").textValue()).isEqualTo("0x2");
        assertThat(misled.call("eth_getBlockByNumber", "0x3", false).isNull()).isTrue();
        bad.refuse("eth_blockNumber", -32_005, "too many requests");
        assertThatThrownBy(() -> misled.call("eth_blockNumber")).hasMessage("too many requests");
        bad.down();
        assertThatThrownBy(() -> misled.call("eth_chainId")).isInstanceOf(UncheckedIOException.class);
        bad.up();
        assertThat(misled.call("eth_chainId").textValue()).isEqualTo("0x7a69");
        assertThat(bad.count("eth_chainId")).isEqualTo(1);
    }

    @Test
    void a_batch_is_answered_in_order() {
        JsonNode answers = caller.post(
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_chainId\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\"}]");
        assertThat(answers.get(0).get("result").textValue()).isEqualTo("0x7a69");
        assertThat(answers.get(1).get("error").get("code").asInt()).isEqualTo(-32_601);
        assertThat(caller.post("nonsense").get("error").get("code").asInt()).isEqualTo(-32_600);
    }

    @Test
    void fees_of_past_blocks_are_reported() {
        send(0, 1_000, 3_000);
        chain.mine();
        JsonNode fees = caller.call("eth_feeHistory", "0x2", "latest", List.of(50));
        assertThat(fees.get("baseFeePerGas")).hasSize(3);
        assertThat(fees.get("reward").get(1).get(0).textValue()).isEqualTo(EvmJson.hex(1_000_000_000L));
        assertThat(fees.get("oldestBlock").textValue()).isEqualTo("0x1");
    }

    /** Sends one wei from alice to bob, with fees in thousandths of a gwei. */
    private Hash256 send(long nonce, long tipMilliGwei, long mostMilliGwei) {
        BigInteger unit = BigInteger.valueOf(1_000_000);
        return alice.send(
                nonce,
                BigInteger.valueOf(tipMilliGwei).multiply(unit),
                BigInteger.valueOf(mostMilliGwei).multiply(unit),
                21_000,
                Optional.of(bob.address()),
                BigInteger.ONE,
                Bytes.EMPTY);
    }

    private String count(String tag) {
        return caller.call("eth_getTransactionCount", EvmJson.hex(alice.address()), tag)
                .textValue();
    }

    private long tag(String tag) {
        return EvmJson.quantity(caller.call("eth_getBlockByNumber", tag, false).get("number"))
                .longValue();
    }

    private long deadline() {
        return chain.head().time() + 7_200;
    }
}
