package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole daemon over HTTP with two nodes of one chain, one of which returns false heights, tips and refusals. */
@Tag("long")
class LyingNodesTest {
    private static final BigInteger MOST = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    @TempDir
    Path folder;

    private Devnet devnet;
    private DistortingNode liar;
    private DistortingNode honest;
    private DaemonRig rig;
    private Party payer;
    private final Party shop = new Party(77);

    @BeforeEach
    void start() throws IOException {
        devnet = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
        liar = new DistortingNode(devnet.uri());
        honest = new DistortingNode(devnet.uri());
        rig = new DaemonRig(
                folder,
                honest.url(),
                "--node-rpc",
                liar.url() + "," + honest.url(),
                "--rebroadcast-interval-secs",
                "1");
        payer = rig.imported(1);
        fund(8);
    }

    @AfterEach
    void stop() {
        rig.close();
        liar.close();
        honest.close();
        devnet.close();
    }

    private void fund(int coins) {
        for (int i = 0; i < coins; i++) {
            devnet.faucet(payer.address, Amount.of(10_000));
        }
        devnet.mine(1);
        awaitFollowed();
    }

    private void awaitFollowed() {
        String tip = devnet.tip().id().hex();
        Await.until(
                "the daemon follows to " + devnet.tip().height(),
                () -> rig.followerStatus()
                        .path("last_indexed_block_id")
                        .asText()
                        .equals(tip));
    }

    private Hash256 pay(String token) {
        JsonNode paid =
                rig.call("transfer", DaemonRig.transfer(payer.address, shop.address, 1_000, "client_token", token));
        return Hash256.parse(paid.get("tx_id").asText());
    }

    private long inFlight() {
        return rig.call("get_status", Map.of()).get("in_flight_transfers").asLong();
    }

    private static JsonNode minedAt(ObjectNode transaction, BigInteger height, String blockId) {
        transaction.put("in_mempool", false).put("block_hash", blockId);
        transaction.set("block_height", BigIntegerNode.valueOf(height));
        return transaction;
    }

    @Test
    void no_height_that_a_node_names_confirms_or_buries_a_payment() {
        Hash256 txId = pay("token-heights");
        String tip = devnet.tip().id().hex();
        List<BigInteger> heights = List.of(
                MOST,
                BigInteger.ONE,
                BigInteger.valueOf(devnet.tip().height()),
                BigInteger.valueOf(Long.MAX_VALUE),
                BigInteger.ONE.negate());
        AtomicInteger told = new AtomicInteger();
        for (DistortingNode node : List.of(liar, honest)) {
            node.lieAbout("get_transaction", (asked, result) -> {
                boolean ours = result != null && asked.toString().contains(txId.hex());
                BigInteger height = heights.get(told.get() / 2 % heights.size());
                return ours && told.getAndIncrement() >= 0 ? minedAt((ObjectNode) result, height, tip) : null;
            });
        }

        Await.until("both have told each lie", () -> told.get() > 2 * heights.size());

        assertThat(inFlight()).isEqualTo(1);
        liar.tellTheTruth();
        honest.tellTheTruth();
        devnet.mine(1);
        Await.until("it is confirmed", () -> inFlight() == 0);
        assertThat(pay("token-heights")).isEqualTo(txId);
    }

    private static JsonNode height(ObjectNode tip, BigInteger height, String blockId) {
        tip.set("height", BigIntegerNode.valueOf(height));
        tip.put("block_id", blockId);
        return tip;
    }

    @Test
    void a_tip_that_no_chain_has_hides_no_reorganisation_and_makes_nothing_unready() {
        for (BigInteger claimed : List.of(
                MOST,
                BigInteger.valueOf(Long.MAX_VALUE),
                BigInteger.valueOf(devnet.tip().height() + 1_000))) {
            liar.lieAbout("get_block_height", tip -> height(tip, claimed, "ee".repeat(32)));
            Hash256 txId = pay("token-" + claimed);
            devnet.mine(2);
            awaitFollowed();
            Await.until("it is confirmed", () -> inFlight() == 0);

            devnet.reorganise(2, false, List.of());
            devnet.forgetMempool();

            Await.until(
                    "it is in flight again and sent again",
                    () -> inFlight() == 1 && devnet.ledger().transaction(txId).isPresent());
            for (int i = 0; i < 4; i++) {
                assertThat(rig.followerStatus().path("lag").asLong())
                        .as("with tip %s", claimed)
                        .isLessThan(100);
                long looks = liar.count("get_block_height");
                Await.until("the liar was asked again", () -> liar.count("get_block_height") > looks);
            }
            devnet.mine(1);
            awaitFollowed();
            Await.until("it is confirmed once more", () -> inFlight() == 0);
        }
    }

    @Test
    void a_node_that_takes_nothing_keeps_no_payment_from_the_other() {
        List<Function<Outpoint, String>> refusals = List.of(
                coin -> "Transaction validation failed: UtxoNotFound(" + words(coin) + ")",
                coin -> "Mempool pre-check failed: double-spend of " + words(coin),
                coin -> "Mempool rejected transaction: fee density too low for mempool",
                coin -> "Rate limit exceeded: max 60 tx submissions per minute");
        for (Function<Outpoint, String> refusal : refusals) {
            liar.refuse("send_raw_transaction", asked -> refusal.apply(firstInput(asked)));

            for (int i = 0; i < 2; i++) {
                Hash256 txId = pay("token-" + refusals.indexOf(refusal) + i);

                assertThat(devnet.ledger().transaction(txId)).isPresent();
            }
        }
    }

    private static String words(Outpoint coin) {
        return "OutPoint { tx_id: Hash256(" + coin.txId() + "), output_index: " + coin.index() + " }";
    }

    private static Outpoint firstInput(JsonNode asked) {
        byte[] bytes = Bytes.parse(asked.get("tx_hex").asText()).toArray();
        return TransactionCodec.decode(bytes).inputs().get(0);
    }
}
