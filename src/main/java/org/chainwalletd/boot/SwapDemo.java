package org.chainwalletd.boot;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Option;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.ledger.Genesis;
import org.chainwalletd.devnet.pool.Trial;
import org.chainwalletd.evm.EvmAddress;

/**
 * Narrated tour of two swaps with an untrusted pool: a sell of the chain's coin for the native asset of an account chain, and a buy back,
 * each completed on both chains.
 */
public final class SwapDemo extends Tour {
    private static final long FUNDING = 3_000_000_000L;
    private static final BigInteger GAS = BigInteger.TEN.pow(18);
    /** Confirmations at which a transaction counts as final on the chain. */
    private static final int BURIED = 60;

    private String printedStatus = "";

    private SwapDemo(WalletdClient daemon, WalletdClient node, PrintStream out) {
        super(daemon, node, out);
    }

    /** Other side of the swaps: an account chain and a pool that trades on both chains. */
    public interface OtherSide extends AutoCloseable {
        URI evmRpc();

        Trial trial();

        @Override
        void close();
    }

    /**
     * Starts a development chain, the other side on it, and a daemon, runs the tour, and removes everything again.
     *
     * @param otherSide may throw; nothing is left behind then
     * @throws WalletdException when a step is refused
     * @throws StartupException when the chain or the daemon cannot be started
     */
    public static void runAlone(PrintStream out, Function<Devnet, OtherSide> otherSide) {
        try (Devnet devnet = Devnet.start(DevnetConfig.onDemand(ChainProfile.of("chain"))
                        .withFirstBlocks(blocksUntilNow())
                        .withBlockInterval(Duration.ofSeconds(1)));
                OtherSide other = otherSide.apply(devnet)) {
            TemporaryDaemon.runBeside(
                    devnet, options(other), (daemon, node) -> new SwapDemo(daemon, node, out).run(other.trial()));
        } catch (IOException e) {
            throw new StartupException("no development chain: " + e.getMessage());
        }
    }

    /**
     * Number of blocks to mine until the chain's time is now: a block is at most a week after its parent, and both chains must agree on the
     * time before anything is locked.
     */
    private static int blocksUntilNow() {
        long seconds = Instant.now().getEpochSecond() - Genesis.TIMESTAMP;
        return Math.toIntExact(Math.max(0, Duration.ofSeconds(seconds).toDays() / 7) + 2);
    }

    private static Map<String, String> options(OtherSide otherSide) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put(Option.SWAP_POOL.flag(), otherSide.trial().pool().uri().toString());
        options.put(Option.SWAP_CONTRACT.flag(), otherSide.trial().contract().toString());
        options.put(
                Option.SWAP_CONTRACT_CODE_HASH.flag(),
                otherSide.trial().codeHash().hex());
        options.put(Option.SWAP_CHAIN_CONFIRMATIONS.flag(), "2");
        options.put(Option.EVM_RPC.flag(), otherSide.evmRpc().toString());
        options.put(Option.EVM_CHAIN_ID.flag(), Long.toString(Trial.CHAIN_ID));
        // The only endpoint is our own.
        options.put(Option.EVM_QUORUM.flag(), "1");
        options.put(Option.SWAP_EVM_FINALITY.flag(), "1");
        return options;
    }

    private void run(Trial trial) {
        say(
                "A key on either chain. The pool locks on the one, we lock on the other, both under the hash of a secret that is ours.");
        String address = newKey("trader").path("address").asText();
        ask(node, "devnet_faucet", params("address", address, "amount", FUNDING));
        await("the coins", () -> balance(address) >= FUNDING);
        String account = quietly(daemon, "evm_create_address", Map.of())
                .orElseThrow()
                .path("address")
                .asText();
        fund(trial, account);
        ask(daemon, "evm_get_balances", Map.of());

        say("What the pool says of itself; nothing of it is believed when a swap is bound.");
        ask(daemon, "swap_pool_info", Map.of());

        say(
                "A sell: 12 coins of the chain for at least 0.59 of the account chain's. The quote is a promise, nothing is locked yet.");
        String sell = quote(
                params("direction", "chain_to_native", "amount_in", "12", "from", address, "min_amount_out", "0.59"));
        execute(sell);
        follow(sell, "completed");
        ask(daemon, "evm_get_balances", Map.of());

        say("A buy: half a native coin for coins of the chain. This time our lock stands in the contract.");
        String buy = quote(params("direction", "native_to_chain", "amount_in", "0.5", "from", address));
        execute(buy);
        follow(buy, "claiming");
        await("our claim", () -> swap(buy).hasNonNull("claim_tx"));

        say("Our claim is final when sixty blocks are on top of it. The development chain mines them at once.");
        ask(daemon, "wait_for_tx", params("tx_id", swap(buy).path("claim_tx").asText(), "timeout_secs", 50L));
        ask(node, "devnet_mine", Map.of("blocks", BURIED));
        follow(buy, "completed");
        ask(daemon, "swap_status", Map.of("swap_id", buy));
        ask(daemon, "get_balance", Map.of("address", address));

        say(
                "Done: sold and bought, both sides paid on both chains, and the secret was shown only when the gate was open.");
    }

    private static void fund(Trial trial, String account) {
        try {
            trial.give(EvmAddress.parse(account), GAS);
        } catch (IOException e) {
            throw new IllegalStateException("cannot fund the account: " + e.getMessage(), e);
        }
    }

    private String quote(Map<String, Object> wanted) {
        return ask(daemon, "swap_get_quote", wanted).path("swap_id").asText();
    }

    private void execute(String id) {
        say("Executed: our side is locked first, and what follows the daemon does by itself.");
        ask(daemon, "swap_execute", Map.of("swap_id", id));
    }

    /** Prints each new state of a swap until it reaches {@code status}. */
    private void follow(String id, String status) {
        await("the swap to be " + status, () -> {
            String now = swap(id).path("status").asText();
            if (!now.equals(printedStatus)) {
                printedStatus = now;
                say("  swap " + id + " is " + now);
            }
            return now.equals(status) || now.equals("completed");
        });
        say("");
    }

    private JsonNode swap(String id) {
        return daemon.call("swap_status", Map.of("swap_id", id));
    }
}
