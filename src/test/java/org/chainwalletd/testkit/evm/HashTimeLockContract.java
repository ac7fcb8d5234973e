package org.chainwalletd.testkit.evm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Properties of the contract, checked over JSON-RPC only: the compiled bytecode in a real virtual machine and the native rules of {@link EvmDevnet}
 * have the same.
 */
public abstract class HashTimeLockContract {
    private static final BigInteger AMOUNT = BigInteger.TEN.pow(17);
    private static final byte[] PREIMAGE = Bytes.parse("5a".repeat(32)).toArray();
    private static final Hash256 HASH = Hash256.sha256(PREIMAGE);

    private EvmCaller chain;
    private EvmAddress sender;
    private EvmAddress recipient;
    private EvmAddress stranger;
    private EvmAddress contract;
    private long deadline;

    /** Returns a chain with unlocked accounts that mines on demand. */
    protected abstract URI chain();

    @BeforeEach
    void deploy() {
        chain = new EvmCaller(chain());
        JsonNode accounts = chain.call("eth_accounts");
        sender = EvmJson.address(accounts.get(3));
        recipient = EvmJson.address(accounts.get(4));
        stranger = EvmJson.address(accounts.get(5));
        JsonNode deployed = mined(chain.call(
                "eth_sendTransaction",
                Map.of("from", EvmJson.hex(stranger), "data", EvmJson.hex(TimeLock.INIT_CODE), "gas", "0x100000")));
        contract = EvmJson.address(deployed.get("contractAddress"));
        deadline = now() + 100;
    }

    @Test
    void the_code_is_what_was_compiled_and_no_proxy() {
        assertThat(chain.call("eth_getCode", EvmJson.hex(contract), "latest").textValue())
                .isEqualTo(EvmJson.hex(TimeLock.RUNTIME));
        for (String slot : List.of(
                "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
                "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103",
                "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50")) {
            assertThat(chain.call("eth_getStorageAt", EvmJson.hex(contract), slot, "latest")
                            .textValue())
                    .isEqualTo("0x" + "00".repeat(32));
        }
    }

    @Test
    void an_unused_hash_lock_is_all_zero() {
        assertThat(swap()).isEqualTo(World.UNUSED);
    }

    @Test
    void a_lock_keeps_the_value_and_tells_its_terms() {
        BigInteger before = balance(contract);

        JsonNode receipt = lock(sender, AMOUNT);

        assertSucceeded(receipt, true);
        assertThat(swap()).isEqualTo(terms(SwapContract.State.LOCKED));
        assertThat(balance(contract).subtract(before)).isEqualTo(AMOUNT);
        JsonNode log = receipt.get("logs").get(0);
        List<Hash256> topics = List.of(
                EvmJson.hash(log.get("topics").get(0)),
                EvmJson.hash(log.get("topics").get(1)),
                EvmJson.hash(log.get("topics").get(2)),
                EvmJson.hash(log.get("topics").get(3)));
        assertThat(SwapContract.locked(topics, EvmJson.bytes(log.get("data"), "data")))
                .isEqualTo(new SwapContract.Locked(HASH, sender, recipient, AMOUNT, deadline));
        assertThat(chain.call(
                        "eth_getLogs",
                        Map.of(
                                "fromBlock", "0x0",
                                "address", EvmJson.hex(contract),
                                "topics", List.of(EvmJson.hex(SwapContract.LOCKED_TOPIC), EvmJson.hex(HASH)))))
                .containsExactly(log);
    }

    @Test
    void a_used_hash_lock_is_refused_in_every_state() {
        lock(sender, AMOUNT);
        assertSucceeded(lock(stranger, AMOUNT), false);
        assertRefused("hash lock used", stranger, AMOUNT, SwapContract.lock(HASH, recipient, deadline));
        assertThat(swap()).isEqualTo(terms(SwapContract.State.LOCKED));

        claim(recipient, PREIMAGE);
        assertSucceeded(lock(sender, AMOUNT), false);
        assertThat(swap()).isEqualTo(terms(SwapContract.State.CLAIMED));
    }

    @Test
    void a_refunded_hash_lock_stays_used() {
        lock(sender, AMOUNT);
        chain.call("evm_setNextBlockTimestamp", deadline);
        assertSucceeded(refund(sender), true);
        deadline = now() + 100;
        assertSucceeded(lock(sender, AMOUNT), false);
    }

    @Test
    void a_lock_needs_value_and_recipient_and_a_timeout_to_come() {
        assertRefused("no value", sender, BigInteger.ZERO, SwapContract.lock(HASH, recipient, deadline));
        EvmAddress nobody = EvmAddress.of(new byte[20]);
        assertRefused("no recipient", sender, AMOUNT, SwapContract.lock(HASH, nobody, deadline));
        chain.call("evm_setNextBlockTimestamp", deadline);
        assertSucceeded(lock(sender, AMOUNT), false);
        assertThat(swap()).isEqualTo(World.UNUSED);
    }

    @Test
    void a_claim_pays_the_recipient_whoever_sends_it() {
        lock(sender, AMOUNT);
        BigInteger before = balance(recipient);

        assertSucceeded(claim(stranger, PREIMAGE), true);

        assertThat(balance(recipient).subtract(before)).isEqualTo(AMOUNT);
        assertThat(balance(contract)).isZero();
        assertThat(swap()).isEqualTo(terms(SwapContract.State.CLAIMED));
    }

    @Test
    void a_claim_with_another_preimage_or_a_second_one_changes_nothing() {
        lock(sender, AMOUNT);
        assertSucceeded(claim(recipient, Bytes.parse("5b".repeat(32)).toArray()), false);
        assertThat(swap()).isEqualTo(terms(SwapContract.State.LOCKED));
        assertSucceeded(claim(recipient, PREIMAGE), true);
        assertSucceeded(claim(recipient, PREIMAGE), false);
        assertRefused("not locked", recipient, BigInteger.ZERO, SwapContract.claim(PREIMAGE));
    }

    @Test
    void a_claim_is_good_after_the_timeout_until_the_refund() {
        lock(sender, AMOUNT);
        chain.call("evm_setNextBlockTimestamp", deadline + 50);
        assertSucceeded(claim(recipient, PREIMAGE), true);
        assertSucceeded(refund(sender), false);
    }

    @Test
    void a_refund_is_due_at_the_timeout_and_not_a_second_before() {
        lock(sender, AMOUNT);
        BigInteger before = balance(contract);
        chain.call("evm_setNextBlockTimestamp", deadline - 1);
        assertSucceeded(refund(sender), false);
        assertThat(balance(contract)).isEqualTo(before);

        chain.call("evm_setNextBlockTimestamp", deadline);
        assertSucceeded(refund(sender), true);
        assertThat(balance(contract)).isZero();
        assertThat(swap()).isEqualTo(terms(SwapContract.State.REFUNDED));
        assertSucceeded(claim(recipient, PREIMAGE), false);
    }

    @Test
    void only_the_sender_gets_a_refund() {
        lock(sender, AMOUNT);
        chain.call("evm_setNextBlockTimestamp", deadline);
        assertSucceeded(refund(stranger), false);
        assertSucceeded(refund(recipient), false);
        assertRefused("not the sender", stranger, BigInteger.ZERO, SwapContract.refund(HASH));
        assertThat(swap()).isEqualTo(terms(SwapContract.State.LOCKED));
    }

    @Test
    void value_without_a_call_and_unknown_calls_are_refused() {
        assertRefused("execution reverted", sender, AMOUNT, Bytes.EMPTY);
        assertRefused("execution reverted", sender, BigInteger.ZERO, Bytes.parse("deadbeef"));
        assertRefused("execution reverted", sender, AMOUNT, SwapContract.refund(HASH));
    }

    @Test
    void state_is_read_at_the_block_that_is_named() {
        Hash256 before = EvmJson.hash(tip().get("hash"));
        lock(sender, AMOUNT);
        Hash256 after = EvmJson.hash(tip().get("hash"));

        assertThat(swapAt(Map.of("blockHash", EvmJson.hex(before)))).isEqualTo(World.UNUSED);
        assertThat(swapAt(Map.of("blockHash", EvmJson.hex(after), "requireCanonical", true)))
                .isEqualTo(terms(SwapContract.State.LOCKED));
        assertThatThrownBy(() -> swapAt(Map.of("blockHash", "0x" + "11".repeat(32))))
                .isInstanceOf(EvmCaller.Refused.class);
    }

    private SwapContract.Swap terms(SwapContract.State state) {
        return new SwapContract.Swap(sender, recipient, AMOUNT, deadline, state);
    }

    private SwapContract.Swap swap() {
        return swapAt("latest");
    }

    private SwapContract.Swap swapAt(Object block) {
        Map<String, String> call = Map.of("to", EvmJson.hex(contract), "data", EvmJson.hex(SwapContract.getSwap(HASH)));
        return SwapContract.swap(EvmJson.bytes(chain.call("eth_call", call, block), "data"));
    }

    private JsonNode lock(EvmAddress from, BigInteger wei) {
        return mined(chain.call("eth_sendTransaction", tx(from, wei, SwapContract.lock(HASH, recipient, deadline))));
    }

    private JsonNode claim(EvmAddress from, byte[] preimage) {
        return mined(chain.call("eth_sendTransaction", tx(from, BigInteger.ZERO, SwapContract.claim(preimage))));
    }

    private JsonNode refund(EvmAddress from) {
        return mined(chain.call("eth_sendTransaction", tx(from, BigInteger.ZERO, SwapContract.refund(HASH))));
    }

    private void assertRefused(String why, EvmAddress from, BigInteger wei, Bytes data) {
        assertThatThrownBy(() -> chain.call("eth_estimateGas", tx(from, wei, data)))
                .isInstanceOf(EvmCaller.Refused.class)
                .hasMessageContaining(why)
                .hasFieldOrPropertyWithValue("code", 3);
    }

    private Map<String, String> tx(EvmAddress from, BigInteger wei, Bytes data) {
        Map<String, String> tx = new LinkedHashMap<>();
        tx.put("from", EvmJson.hex(from));
        tx.put("to", EvmJson.hex(contract));
        tx.put("value", EvmJson.hex(wei));
        tx.put("data", EvmJson.hex(data));
        tx.put("gas", "0x30d40");
        return tx;
    }

    private static void assertSucceeded(JsonNode receipt, boolean expected) {
        assertThat(receipt.get("status").textValue()).isEqualTo(expected ? "0x1" : "0x0");
    }

    /** Mines a block and returns the receipt. */
    private JsonNode mined(JsonNode hash) {
        chain.call("evm_mine");
        return chain.call("eth_getTransactionReceipt", hash.textValue());
    }

    private BigInteger balance(EvmAddress address) {
        return EvmJson.quantity(chain.call("eth_getBalance", EvmJson.hex(address), "latest"));
    }

    private JsonNode tip() {
        return chain.call("eth_getBlockByNumber", "latest", false);
    }

    private long now() {
        return EvmJson.quantity(tip().get("timestamp")).longValue();
    }
}
