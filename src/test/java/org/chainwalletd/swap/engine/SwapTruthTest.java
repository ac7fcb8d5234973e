package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge of the histories notices a daemon that breaks the rules: here the test breaks them with the daemon's own keys. */
public class SwapTruthTest {
    private static final BigInteger GWEI = BigInteger.valueOf(1_000_000_000);

    @TempDir
    Path folder;

    @AutoClose
    private SwapWorld world;

    @BeforeEach
    void start() {
        world = new SwapWorld(folder);
    }

    private static void post(URI to, String method, String param) throws IOException, InterruptedException {
        String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + param + "}";
        HttpClient.newHttpClient()
                .send(
                        Dial.request(to)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(call))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** Sends as our own daemon would, with the next nonces in order. */
    private void send(long nonce, EvmAddress to, BigInteger wei, Bytes data) throws Exception {
        DynamicFeeTransaction tx = new DynamicFeeTransaction(
                BigInteger.valueOf(EvmDevnet.CHAIN_ID),
                BigInteger.valueOf(nonce),
                GWEI,
                GWEI.multiply(BigInteger.TEN),
                BigInteger.valueOf(200_000),
                to,
                wei,
                data);
        try (SecretBytes secret = SwapWorld.ourEvmSecret()) {
            post(
                    world.endpoints.get(0).uri(),
                    "eth_sendRawTransaction",
                    "[\"0x" + tx.sign(secret).raw() + "\"]");
        }
    }

    private void send(Transaction tx) throws Exception {
        String hex = Bytes.wrap(TransactionCodec.encode(tx)).toString();
        post(world.nodes.get(0).uri(), "send_raw_transaction", "{\"tx_hex\":\"" + hex + "\"}");
    }

    private Outpoint coin(int index) {
        return world.chains
                .chain()
                .ledger()
                .list(Bytes.wrap(world.ours.address.toArray()), null, null, 10)
                .coins()
                .get(index)
                .outpoint();
    }

    @Test
    void what_leaves_before_its_row_says_so_is_noticed_on_the_wire_of_either_chain() throws Exception {
        String buy = world.quote(Direction.NATIVE_TO_CHAIN, "0.02", PoolManners.Kind.NEVER_LOCKS)
                .orElseThrow();
        String sell = world.quote(Direction.CHAIN_TO_NATIVE, "0.5", PoolManners.Kind.NEVER_LOCKS)
                .orElseThrow();
        SwapTerms bought = world.row(buy).terms();
        SwapTerms sold = world.row(sell).terms();
        EvmAddress contract = bought.account().contract();
        BigInteger wei = bought.given().units();
        Bytes lock = SwapContract.lock(bought.hashLock(), bought.theirs().evm().orElseThrow(), bought.timeout());
        assertThat(world.truth.wrong()).isEmpty();

        send(0, contract, wei, lock);
        assertThat(world.truth.wrong()).hasSize(1).allMatch(what -> what.contains("our lock"));
        send(1, contract, BigInteger.ZERO, SwapContract.refund(bought.hashLock()));
        assertThat(world.truth.wrong()).hasSize(2).last().asString().contains("our refund");
        send(2, contract, BigInteger.ZERO, SwapContract.claim(world.secrets.get(sell)));
        assertThat(world.truth.wrong()).hasSize(3).last().asString().contains("our claim");
        send(3, contract, wei, lock);
        assertThat(world.truth.wrong()).hasSize(5).last().asString().contains("more than one lock");

        HtlcParams params =
                new HtlcParams(world.ours.key, sold.theirs().key().orElseThrow(), sold.hashLock(), sold.timeout());
        TxOutput output = TxOutput.toScript(
                HtlcScript.build(params), Amount.of(sold.given().units()));
        Hash256 genesis = world.chains.chain().genesisId();
        send(world.ours.pay(genesis, coin(0), output));
        assertThat(world.truth.wrong()).hasSize(6).last().asString().contains("our lock");
        send(world.ours.pay(genesis, coin(1), output));
        assertThat(world.truth.wrong()).hasSize(8).last().asString().contains("more than one lock");
    }

    @Test
    void money_that_goes_elsewhere_or_stays_locked_is_missed() throws Exception {
        assertThat(world.uncounted()).isEmpty();
        EvmWallet stranger = world.chains.evm().account(5);
        send(0, stranger.address(), BigInteger.TEN, Bytes.EMPTY);
        world.chains.evm().mine();
        assertThat(world.truth.wrong()).hasSize(1).last().asString().contains("no part of a swap");
        assertThat(world.uncounted()).hasSize(1).last().asString().startsWith("our wei");

        TxOutput gift = TxOutput.toAddress(world.chains.pool().chainAddress(), Amount.of(100_000_000));
        send(world.ours.pay(world.chains.chain().genesisId(), coin(0), gift));
        world.chains.chain().mine(2);
        assertThat(world.truth.wrong()).hasSize(2);
        assertThat(world.uncounted()).anyMatch(what -> what.startsWith("our coins go to a stranger"));

        HtlcParams params = new HtlcParams(world.ours.key, world.chains.pool().chainKey(), Hash256.ZERO, 1_000);
        TxOutput locked = TxOutput.toScript(HtlcScript.build(params), Amount.of(100_000_000));
        send(world.ours.pay(world.chains.chain().genesisId(), coin(0), locked));
        world.chains.chain().mine(2);
        assertThat(world.uncounted()).anyMatch(what -> what.startsWith("coins that stay locked"));
    }
}
