package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.ForgedBlock;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Deposits reported over HTTP, on a chain whose blocks need proof of work, while a node shows blocks without work and lists that do not match
 * their headers (following.md, section 1). All mempools are empty: only blocks contain deposits.
 */
@Tag("long")
class WorkedDepositsTest {
    private static final byte[] PREIMAGE = "shown to the lying node alone".getBytes(StandardCharsets.US_ASCII);
    private static final Party STRANGER = new Party(0x22);
    private static final long PAID = 1_000_000;
    private static final long FAR = 1_000_000;
    /** Longer than any test waits, so that a busy machine does not end a wait. */
    private static final int PATIENT = 600;

    @TempDir
    static Path folder;

    /** Each block with work costs about two hashes, and one to verify. */
    private static Devnet chain;

    /** True tip: honest nodes show this chain. */
    private static ForgedBlock top;

    private static DistortingNode node;
    private static DaemonRig daemon;
    private static int promises;
    private static final ExecutorService CALLERS = Executors.newCachedThreadPool();

    @BeforeAll
    static void start() throws IOException {
        chain = Devnet.start(
                DevnetConfig.onDemand(Party.PROFILE).withLittleWork().withFirstBlocks(1));
        top = ForgedBlock.tipOf(chain);
        node = new DistortingNode(chain.uri());
        daemon = new DaemonRig(folder, node.url(), "--network", "testnet");
        awaitFollowed(top);
    }

    @AfterAll
    static void stop() {
        CALLERS.shutdownNow();
        daemon.close();
        node.close();
        chain.close();
    }

    @AfterEach
    void truth() {
        node.tellTheTruth();
        top.toldBy(node);
    }

    @Test
    void what_a_chain_that_was_only_met_first_pays_is_reported_as_unverified_until_the_operator_names_its_genesis(
            @TempDir Path another) throws IOException {
        DaemonRig stranger = new DaemonRig(another, node.url(), "--network", "testnet");
        Transaction deposit;
        try (stranger) {
            Party shop = stranger.imported(0x23);
            deposit = promise(TxOutput.toAddress(shop.address, Amount.of(PAID)));
            isMined(deposit);
            assertCredits(stranger, true);
            assertThat(stranger.followerStatus().path("complaints").toString())
                    .contains("credits are unverified", "--expect-genesis");
        }
        try (DaemonRig named = new DaemonRig(
                another,
                node.url(),
                "--network",
                "testnet",
                "--expect-genesis",
                chain.genesisId().hex())) {
            assertCredits(named, false);
            Await.until(
                    "nothing is held against the chain",
                    () -> named.followerStatus().path("complaints").isEmpty());
        }
    }

    private static void assertCredits(DaemonRig rig, boolean unverified) {
        Await.until(
                "the credit is told",
                () -> rig.call("list_credits", "min_confirmations", 1)
                                .path("credits")
                                .size()
                        == 1);
        JsonNode credit =
                rig.call("list_credits", "min_confirmations", 1).path("credits").get(0);
        assertThat(credit.path("unverified").asBoolean()).isEqualTo(unverified);
        assertThat(credit.has("unverified")).isEqualTo(unverified);
    }

    @Test
    void a_block_without_the_work_that_its_height_demands_pays_nobody_and_claims_no_lock() {
        Party sender = daemon.imported(0x21);
        HtlcParams terms = new HtlcParams(sender.key, STRANGER.key, HtlcWitness.hashLockOf(PREIMAGE), FAR);
        Transaction lock = promise(TxOutput.toScript(HtlcScript.build(terms), Amount.of(PAID)));
        isMined(lock);
        Watcher shop = new Watcher();
        Transaction deposit = promise(TxOutput.toAddress(shop.address, Amount.of(PAID)));
        node.lieAbout("get_balance", one -> one.put("balance", PAID));
        node.lieAbout("get_balances", all -> {
            all.path("balances").forEach(one -> ((ObjectNode) one).put("balance", PAID));
            return all;
        });
        Transaction claim = new Transaction(
                List.of(new Outpoint(idOf(lock), 0)),
                List.of(TxOutput.toAddress(STRANGER.address, Amount.of(PAID))),
                List.of(HtlcWitness.claim(PREIMAGE, new byte[64])));
        shop.waitsFor(deposit);

        for (ForgedBlock.Work work : List.of(ForgedBlock.Work.NONE, ForgedBlock.Work.TOO_LITTLE)) {
            ForgedBlock forged = top.next(work, deposit, claim);
            assertFoundOut(() -> forged.toldBy(node));
            shop.assertNothingTold();
            assertThat(state(lock)).isEqualTo("locked");
            // Otherwise the daemon computes the work of this block repeatedly while the next one is made.
            top.toldBy(node);
        }

        assertThat(shop.balance()).isZero();

        // Only the work was missing.
        isMined(deposit, claim);
        shop.assertTold(deposit);
        assertThat(state(lock)).isEqualTo("claimed");
    }

    @Test
    void a_list_that_is_not_that_of_the_header_hides_doubles_and_moves_no_deposit() {
        List<Watcher> shops = List.of(new Watcher(), new Watcher());
        Transaction[] deposits = new Transaction[shops.size()];
        for (int i = 0; i < shops.size(); i++) {
            deposits[i] = promise(TxOutput.toAddress(shops.get(i).address, Amount.of(PAID)));
            shops.get(i).waitsFor(deposits[i]);
        }
        // Three leaves: the tree repeats the last one, so that a list which repeats it too has the same root.
        ForgedBlock block = top.next(ForgedBlock.Work.ENOUGH, deposits);

        assertFoundOut(() -> block.toldBy(node, list -> list.remove(2)));
        assertFoundOut(() -> block.toldBy(node, list -> list.add(list.get(2))));
        assertFoundOut(() -> block.toldBy(node, list -> list.add(list.remove(1))));
        shops.forEach(Watcher::assertNothingTold);

        isTrue(block);
        for (int i = 0; i < shops.size(); i++) {
            shops.get(i).assertTold(deposits[i]);
        }
    }

    @Test
    void one_honest_node_is_enough_beside_one_that_invents_a_block_and_leaves_deposits_out() {
        try (DistortingNode liar = new DistortingNode(chain.uri())) {
            top.toldBy(liar);
            askOf(liar.url() + "," + node.url());
            Watcher shop = new Watcher();
            Transaction invented = promise(TxOutput.toAddress(shop.address, Amount.of(PAID)));
            Transaction deposit = promise(TxOutput.toAddress(shop.address, Amount.of(PAID)));
            shop.waitsFor(deposit);
            ForgedBlock forged = top.next(ForgedBlock.Work.NONE, invented);

            Await.until("the tip is followed", () -> followed().equals(top.id().hex()));
            assertFoundOut(() -> forged.toldBy(liar));
            shop.assertNothingTold();
            top.toldBy(liar);
            ForgedBlock block = top.next(ForgedBlock.Work.ENOUGH, deposit);
            block.toldBy(liar, list -> list.remove(1));
            isTrue(block);
            shop.assertTold(deposit);
        } finally {
            askOf(node.url().toString());
        }
    }

    /** Restarts the daemon over other nodes. */
    private static void askOf(String nodes) {
        daemon.close();
        daemon = new DaemonRig(folder, node.url(), "--node-rpc", nodes, "--network", "testnet");
    }

    private static void isMined(Transaction... transactions) {
        isTrue(top.next(ForgedBlock.Work.ENOUGH, transactions));
    }

    /** The honest node has the block, and the daemon has followed it. */
    private static void isTrue(ForgedBlock block) {
        top = block;
        block.toldBy(node);
        awaitFollowed(block);
    }

    private static void awaitFollowed(ForgedBlock block) {
        Await.until(
                "block " + block.height() + " is followed",
                () -> followed().equals(block.id().hex()));
    }

    private static Hash256 idOf(Transaction transaction) {
        return TransactionCodec.txId(Party.PROFILE, transaction);
    }

    /** Spends a coin that never existed, with an invalid signature. */
    private static Transaction promise(TxOutput output) {
        return new Transaction(
                List.of(new Outpoint(Hash256.sha256(PREIMAGE), promises++)),
                List.of(output),
                List.of(Witness.plain(STRANGER.key, new byte[64])));
    }

    private static String state(Transaction lock) {
        return daemon.call("htlc_status", "lock_tx_id", idOf(lock))
                .path("state")
                .asText();
    }

    /** The accepted chain stays unchanged while a lie is served, which the daemon detects. */
    private static void assertFoundOut(Runnable lie) {
        String believed = followed();
        double before = sum("walletd_follower_lies_total{");
        lie.run();
        Await.until("the lie is found out", () -> sum("walletd_follower_lies_total{") > before);
        assertThat(followed()).isEqualTo(believed);
    }

    private static String followed() {
        return daemon.followerStatus().path("last_indexed_block_id").asText();
    }

    private static double sum(String series) {
        return daemon.metrics()
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Watches one address through every interface that reports deposits. */
    private static final class Watcher {
        final Address address = Address.parse(daemon.newAddress());
        private final CompletableFuture<JsonNode> payment =
                waiting("payment", "wait_for_payment", params("address", address, "timeout_secs", PATIENT));
        private CompletableFuture<JsonNode> confirmation;
        private final Map<Integer, String> cursors = new HashMap<>();

        void waitsFor(Transaction deposit) {
            confirmation = waiting("tx", "wait_for_tx", params("tx_id", idOf(deposit), "timeout_secs", PATIENT));
        }

        /** Opens a wait; returns when the daemon has registered it. */
        private static CompletableFuture<JsonNode> waiting(String kind, String method, Map<String, ?> params) {
            String open = "walletd_waits_open{kind=\"" + kind + "\"";
            double before = sum(open);
            WalletdClient caller =
                    new WalletdClient(daemon.uri(), daemon.token(), Optional.empty(), Duration.ofSeconds(2 * PATIENT));
            CompletableFuture<JsonNode> answer =
                    CompletableFuture.supplyAsync(() -> caller.call(method, params), CALLERS);
            Await.until(method + " waits", () -> answer.isDone() || sum(open) > before);
            return answer;
        }

        long balance() {
            return daemon.balance(address);
        }

        /** Checks that no feed reports a deposit, and that all waits are still open. */
        void assertNothingTold() {
            assertThat(feed(0)).isEmpty();
            assertThat(feed(1)).isEmpty();
            assertThat(payment).isNotDone();
            assertThat(confirmation).isNotDone();
        }

        /** Checks that the feeds, since they were last read, report exactly this deposit, and that the waits for it are answered. */
        void assertTold(Transaction deposit) {
            String told = "confirmed " + idOf(deposit) + " " + PAID;
            assertThat(feed(0)).containsExactly(told);
            assertThat(feed(1)).containsExactly(told);
            assertThat(balance()).isEqualTo(PAID);
            JsonNode received = Await.outcome(payment);
            assertThat(received.path("tx_id").asText()).isEqualTo(idOf(deposit).hex());
            assertThat(received.path("amount").asLong()).isEqualTo(PAID);
            assertThat(received.path("confirmations").asLong()).isEqualTo(1);
            assertThat(Await.outcome(confirmation).path("block_id").asText())
                    .isEqualTo(top.id().hex());
        }

        private List<String> feed(int depth) {
            Map<String, Object> question = params("address", address, "min_confirmations", depth);
            if (cursors.containsKey(depth)) {
                question.put("cursor", cursors.get(depth));
            }
            JsonNode answer = daemon.call("list_credits", question);
            cursors.put(depth, answer.path("cursor").asText());
            List<String> events = new ArrayList<>();
            answer.path("credits")
                    .forEach(credit -> events.add(credit.path("event").asText() + " "
                            + credit.path("tx_id").asText() + " "
                            + credit.path("amount").asLong()));
            return events;
        }
    }
}
