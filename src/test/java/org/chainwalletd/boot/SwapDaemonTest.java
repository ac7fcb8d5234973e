package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.pool.PoolConfig;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.EventReader;
import org.chainwalletd.testkit.HostilePool;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Swaps of a whole daemon over HTTP, with a running pool and blocks mined by the test. */
@Tag("long")
@Timeout(180)
class SwapDaemonTest {
    private static final BigInteger ETHER = BigInteger.TEN.pow(18);
    private static final long COINS = 3_000_000_000L;

    @TempDir
    Path datadir;

    private final HostilePool conduct = new HostilePool();
    private TwoChains chains;
    private EvmEndpoint second;
    private String address;
    private String account;

    @AfterEach
    void stop() {
        if (chains != null) {
            chains.close();
        }
    }

    private void world(UnaryOperator<PoolConfig> change) {
        chains = TwoChains.startNow(conduct, change);
        second = chains.evm().newEndpoint();
        chains.rounds(4);
    }

    private DaemonRig daemon(String... other) {
        List<String> flags = new ArrayList<>(chains.flags(second));
        flags.addAll(List.of("--swap-chain-confirmations", "2"));
        flags.addAll(List.of(other));
        return new DaemonRig(datadir, chains.chain().uri(), flags.toArray(String[]::new));
    }

    /** Creates keys with money on both chains. */
    private void fund(DaemonRig daemon) {
        fundChain(daemon);
        chains.evm().fund(EvmAddress.parse(account), ETHER);
        // Locks are paid from final balances.
        chains.evm().mine(4);
    }

    private void fundChain(DaemonRig daemon) {
        account = daemon.call("evm_create_address").get("address").asText();
        address = daemon.newAddress();
        chains.chain().faucet(Address.parse(address), Amount.of(COINS));
        round(daemon);
        Await.until("the coins are there", () -> daemon.balance(address) == COINS);
    }

    /** Mines one block at a time, so that no lock expires while the daemon is slow. */
    private void round(DaemonRig daemon) {
        chains.round();
        daemon.awaitFollowed(chains.chain());
    }

    private String quote(DaemonRig daemon, String direction, String amount) {
        return daemon.call("swap_get_quote", "direction", direction, "amount_in", amount, "from", address)
                .get("swap_id")
                .asText();
    }

    private static Map<String, String> id(String swap) {
        return Map.of("swap_id", swap);
    }

    private static JsonNode swap(DaemonRig daemon, String swap) {
        return daemon.call("swap_status", id(swap));
    }

    /** Mines blocks until the swap has the status, which must be a lasting one: a transient one may be missed. */
    private void until(DaemonRig daemon, String swap, String status) {
        Await.until("the swap is " + status + ", not " + swap(daemon, swap), () -> {
            round(daemon);
            return swap(daemon, swap).get("status").asText().equals(status);
        });
    }

    /** Begins a sell, up to the lock of the daemon's coins. */
    private String locked(DaemonRig daemon) {
        fund(daemon);
        String swap = quote(daemon, "chain_to_native", "12");
        daemon.call("swap_execute", id(swap));
        until(daemon, swap, "user_locked");
        return swap;
    }

    @Test
    void a_sell_continues_over_a_restart_and_pays_both_sides() throws Exception {
        conduct.keepsFromLocking(true);
        world(config -> config);
        String swap;
        try (DaemonRig daemon = daemon()) {
            daemon.refused(
                    -32010,
                    "swap_get_quote",
                    Map.of("direction", "chain_to_native", "amount_in", "12", "from", "ab".repeat(32)));
            address = daemon.newAddress();
            daemon.refused(
                    -32013,
                    "swap_get_quote",
                    Map.of("direction", "chain_to_native", "amount_in", "12", "from", address));
            fund(daemon);
            try (EventReader events = EventReader.open(daemon.uri(), daemon.token(), null)) {
                swap = quote(daemon, "chain_to_native", "12");
                assertThat(events.next("swap").data()).contains(swap).contains("\"status\":\"quoted\"");
            }
            JsonNode executed = daemon.call("swap_execute", id(swap));
            assertThat(executed.get("user_lock_tx").asText()).matches("[0-9a-f]{64}");
            assertThat(daemon.call("swap_execute", id(swap)).get("user_lock_tx"))
                    .isEqualTo(executed.get("user_lock_tx"));
            until(daemon, swap, "user_locked");
            daemon.refused(-32037, "swap_refund", id(swap));
            guarded(daemon, swap);
        }
        BigInteger before = chains.evm().balance(EvmAddress.parse(account));
        try (DaemonRig daemon = daemon()) {
            guarded(daemon, swap);
            conduct.keepsFromLocking(false);
            until(daemon, swap, "completed");
            JsonNode done = swap(daemon, swap);
            BigInteger gained = chains.evm().balance(EvmAddress.parse(account)).subtract(before);
            BigInteger out = new BigInteger(done.get("amount_out_units").asText());
            assertThat(gained)
                    .isLessThan(out)
                    .isGreaterThan(out.multiply(BigInteger.valueOf(9)).divide(BigInteger.TEN));
            assertThat(done.get("claim_tx").asText()).isNotEmpty();
            Await.until("the pool has claimed our lock", () -> {
                round(daemon);
                return daemon.call("htlc_list", "state", "claimed").get("htlcs").size() == 1;
            });
            assertThat(daemon.metrics()).contains("walletd_swap_ended_total{status=\"completed\"} 1");
            refusedOnceMore(daemon, swap);
        }
    }

    private void refusedOnceMore(DaemonRig daemon, String swap) {
        daemon.refused(-32602, "swap_refund", id(swap));
        assertThat(daemon.call("swap_execute", id(swap)).get("status").asText()).isEqualTo("completed");
    }

    /** The keys of an open swap cannot be deleted, even with force where the specification says always. */
    private void guarded(DaemonRig daemon, String swap) {
        WalletdException.RpcError address =
                daemon.refused(-32602, "delete_address", "address", this.address, "passphrase", DaemonRig.PASSPHRASE);
        WalletdException.RpcError key = daemon.refused(-32602, "evm_delete_key", "passphrase", DaemonRig.PASSPHRASE);
        assertThat(key).hasMessageContaining(swap);
        assertThat(daemon.refused("evm_create_address", "force", true)).hasMessageContaining(swap);
        assertThat(daemon.call("evm_get_balances").get("gas_reserve_wei").asText())
                .isNotEqualTo("0");
    }

    /** As if another daemon on the database ran the background work in the meantime. */
    @Test
    @Tag("postgres")
    void a_daemon_without_the_background_work_refuses_what_needs_its_swaps_and_continues_with_them_later()
            throws Exception {
        conduct.keepsFromLocking(true);
        world(config -> config);
        try (TestDatabase database = new TestDatabase();
                DaemonRig daemon = daemon("--store", database.url())) {
            String swap = locked(daemon);
            Map<String, Object> reclaim = reclaimOf(swap(daemon, swap));
            guarded(daemon, swap);
            daemon.daemon().keeper().stop();
            Map<String, Object> payment = Map.of("to", account, "amount", "0.001", "client_token", "coffee-1");
            Map<String, Map<String, Object>> calls = Map.of(
                    "htlc_reclaim", reclaim,
                    "swap_get_quote", Map.of("direction", "chain_to_native", "amount_in", "12", "from", address),
                    "swap_execute", Map.of("swap_id", swap),
                    "evm_delete_key", Map.of("passphrase", DaemonRig.PASSPHRASE),
                    "evm_get_balances", Map.of(),
                    "evm_send_native", payment);
            calls.forEach((method, params) -> assertThat(daemon.refused(method, params))
                    .as(method)
                    .hasMessageContaining("the daemon that does the background work"));
            assertThat(daemon.call("evm_tx_history")).isNotNull();

            daemon.daemon().keeper().start();
            Await.until("the swaps are known again", () -> {
                WalletdException.RpcError refused = daemon.refused("htlc_reclaim", reclaim);
                return refused.getMessage().contains("the swap " + swap);
            });
            guarded(daemon, swap);
            daemon.call("evm_send_native", payment);
            conduct.keepsFromLocking(false);
            until(daemon, swap, "completed");
        }
    }

    @Test
    void a_buy_pays_both_sides() {
        world(config -> config);
        try (DaemonRig daemon = daemon()) {
            fund(daemon);
            String swap = quote(daemon, "native_to_chain", "0.5");
            assertThat(daemon.call("swap_execute", id(swap)).get("user_lock_tx").asText())
                    .isNotEmpty();
            until(daemon, swap, "claiming");
            Await.until("our claim is mined", () -> {
                round(daemon);
                return daemon.call("htlc_list", "state", "claimed").get("htlcs").size() == 1;
            });
            chains.chain().mine(60);
            until(daemon, swap, "completed");
            long gained = daemon.balance(address) - COINS;
            long out = swap(daemon, swap).get("amount_out_units").asLong();
            assertThat(gained).isBetween(out * 98 / 100, out);
            assertThat(daemon.call("swap_list", "state", "completed").get("swaps"))
                    .hasSize(1);
        }
    }

    @Test
    void without_gas_a_sell_is_begun_only_when_the_pool_may_send_the_claim() {
        world(config -> config);
        String refused;
        try (DaemonRig daemon = daemon()) {
            fundChain(daemon);
            refused = quote(daemon, "chain_to_native", "12");
            daemon.refused(-32602, "swap_execute", id(refused));
            assertThat(swap(daemon, refused).has("user_lock_tx")).isFalse();
        }
        try (DaemonRig daemon = daemon("--swap-allow-relay", "true")) {
            Await.until(
                    "the quote of another process has expired",
                    () -> swap(daemon, refused).get("status").asText().equals("expired"));
            String swap = quote(daemon, "chain_to_native", "12");
            daemon.call("swap_execute", id(swap));
            until(daemon, swap, "completed");
            assertThat(chains.evm().balance(EvmAddress.parse(account)))
                    .isEqualTo(new BigInteger(
                            swap(daemon, swap).get("amount_out_units").asText()));
        }
    }

    @Test
    void a_sell_whose_pool_never_locks_is_taken_back_when_it_is_due() {
        conduct.keepsFromLocking(true);
        world(config -> config.withLocks(700, 28_800, 14_400, 1_440));
        try (DaemonRig daemon = daemon()) {
            String swap = locked(daemon);
            long timeout = swap(daemon, swap).get("chain_timeout_height").asLong();
            chains.chain().mine((int) (timeout - chains.chain().tip().height()));
            Await.until(
                    "the daemon is at the timeout",
                    () -> daemon.call("get_block_height").get("height").asLong() >= timeout);
            daemon.refused(-32037, "swap_refund", id(swap));
            // Nor may a smaller spend block the swap's own.
            chains.round();
            assertThat(daemon.refused("htlc_reclaim", reclaimOf(swap(daemon, swap))))
                    .hasMessageContaining("the swap " + swap)
                    .hasMessageContaining("swap_refund");
            until(daemon, swap, "refunding");
            chains.chain().mine(62);
            until(daemon, swap, "refunded");
            daemon.refused(-32602, "swap_refund", id(swap));
        }
    }

    private Map<String, Object> reclaimOf(JsonNode swap) {
        return Map.of(
                "from", address,
                "lock_tx_id", swap.get("user_lock_tx").asText(),
                "receiver", swap.get("pool_chain_pubkey").asText(),
                "hash_lock", swap.get("hashlock").asText(),
                "timeout", swap.get("chain_timeout_height").asLong());
    }

    @Test
    void another_contract_or_other_code_stops_the_start() {
        world(config -> config);
        assertStopped(
                () -> daemon("--swap-contract-code-hash", "ab".repeat(32)), "--swap-contract", "has code of the hash");
        assertStopped(() -> daemon("--swap-contract", "0x" + "77".repeat(20)), "there is no contract at");
    }

    @Test
    void an_open_swap_is_not_left_alone_by_another_configuration() {
        conduct.keepsFromLocking(true);
        world(config -> config);
        String swap;
        try (DaemonRig daemon = daemon()) {
            swap = locked(daemon);
        }
        EvmAddress other = chains.evm().deploy();
        chains.rounds(3);
        String contract = chains.evm().contract().toString();
        assertStopped(() -> daemon("--swap-contract", other.toString()), swap, contract);
        assertStopped(
                this::withoutSwaps, swap, "--swap-contract " + contract, "--evm-chain-id 31337", "--swap-leave-open");
        // Without an engine the keys are protected too.
        try (DaemonRig daemon = withoutSwaps("--swap-leave-open", "true")) {
            guarded(daemon, swap);
            assertThat(daemon.refused("swap_status", id(swap))).hasMessageContaining("swap not configured");
        }
    }

    @Test
    void an_open_swap_is_not_looked_for_on_another_account_chain() {
        conduct.keepsFromLocking(true);
        world(config -> config);
        String swap;
        try (DaemonRig daemon = daemon()) {
            swap = locked(daemon);
        }
        chains.evm().endpoint().lies().chainId(5);
        second.lies().chainId(5);
        assertStopped(() -> daemon("--evm-chain-id", "5"), swap, "account chain 31337");
    }

    private static void assertStopped(Supplier<DaemonRig> start, String... words) {
        assertThatThrownBy(() -> start.get().close())
                .isInstanceOf(StartupException.class)
                .message()
                .contains(words);
    }

    private DaemonRig withoutSwaps(String... other) {
        List<String> flags = new ArrayList<>(
                List.of("--evm-rpc", chains.evm().uri() + "," + second.uri(), "--evm-chain-id", "31337"));
        flags.addAll(List.of(other));
        return new DaemonRig(datadir, chains.chain().uri(), flags.toArray(String[]::new));
    }
}
