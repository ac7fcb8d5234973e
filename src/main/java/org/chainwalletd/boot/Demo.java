package org.chainwalletd.boot;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;

/**
 * Narrated tour of the HTTP interface of a running daemon and its development node: addresses, coins, a payment with two recipients, its
 * confirmation, a repeated call with the same client token, and an HTLC that is claimed.
 */
public final class Demo extends Tour {
    private static final long FUNDING = 1_000_000_000L;

    /**
     * @param daemon client of the daemon, with a spend token
     * @param node client of the development node, which ignores the token
     * @param out receives the narration
     */
    public Demo(WalletdClient daemon, WalletdClient node, PrintStream out) {
        super(daemon, node, out);
    }

    /** Starts a daemon with a development chain on free ports and a temporary datadir, runs the tour, and removes everything again. */
    public static void runAlone(PrintStream out) {
        TemporaryDaemon.run((daemon, node) -> new Demo(daemon, node, out).run());
    }

    /**
     * @throws WalletdException when a step is refused
     * @throws IllegalStateException when a confirmation does not arrive within two minutes
     */
    public void run() {
        say("The daemon answers, and knows its chain.");
        ask(daemon, "get_status", Map.of());

        say("Three addresses: a payer and two shops. Each key has its own 24-word phrase, sealed on disk.");
        JsonNode payerKey = newKey("payer");
        JsonNode bakeryKey = newKey("bakery");
        String payer = payerKey.path("address").asText();
        String bakery = bakeryKey.path("address").asText();
        String florist = newKey("florist").path("address").asText();

        say("The development node's faucet gives the payer 10 coins; they arrive with the next block.");
        ask(node, "devnet_faucet", params("address", payer, "amount", FUNDING));
        await("the payer's coins", () -> balance(payer) == FUNDING);
        ask(daemon, "get_balance", Map.of("address", payer));

        say("What would a payment to both shops cost? Nothing is sent by this.");
        List<Map<String, Object>> outputs =
                List.of(params("to", bakery, "amount", 5000L), params("to", florist, "amount", 7000L));
        ask(daemon, "simulate_transfer", params("from", payer, "outputs", outputs));

        say("The payment, with a client token that makes a repetition harmless.");
        Map<String, Object> payment = params("from", payer, "outputs", outputs, "client_token", "demo-order-0001");
        String txId = ask(daemon, "transfer", payment).path("tx_id").asText();

        say("The same call again, as after a lost answer: the same transaction, not a second one.");
        String again = ask(daemon, "transfer", payment).path("tx_id").asText();
        if (!again.equals(txId)) {
            throw new IllegalStateException("one token made two payments: " + txId + " and " + again);
        }

        say("Waiting for the block: the call is answered when the transaction is in it.");
        ask(daemon, "wait_for_tx", params("tx_id", txId, "timeout_secs", 50L));
        ask(daemon, "get_transaction", Map.of("tx_id", txId));
        ask(daemon, "get_wallet_balance", Map.of());

        say("What the addresses were paid, as a feed: the cursor is where the next call goes on.");
        ask(daemon, "list_credits", Map.of("limit", 2L));

        lockAndClaim(payerKey, bakeryKey);

        say("Done: paid, locked, claimed, confirmed, and every key stayed inside the daemon.");
    }

    /** Locks an HTLC for the bakery, which claims it with the secret. */
    private void lockAndClaim(JsonNode payer, JsonNode bakery) {
        say(
                "A lock: the bakery gets 9000 base units when it shows the preimage of a hash; above the timeout the payer may take them back.");
        Bytes preimage = Bytes.of("what the bakery knows".getBytes(StandardCharsets.US_ASCII));
        long timeout = quietly(daemon, "get_block_height", Map.of())
                        .orElseThrow()
                        .path("height")
                        .asLong()
                + 1_000;
        Map<String, Object> lock = params(
                "from",
                payer.path("address").asText(),
                "receiver",
                bakery.path("pubkey").asText(),
                "hash_lock",
                Hash256.sha256(preimage.toArray()).hex(),
                "timeout",
                timeout,
                "amount",
                9000L);
        String lockTxId = ask(daemon, "htlc_lock", lock).path("tx_id").asText();
        ask(daemon, "wait_for_tx", params("tx_id", lockTxId, "timeout_secs", 50L));

        say("The claim shows the preimage; whoever waits for it reads it from htlc_status.");
        Map<String, Object> claim = params(
                "from",
                bakery.path("address").asText(),
                "lock_tx_id",
                lockTxId,
                "preimage",
                preimage.hex(),
                "sender",
                payer.path("pubkey").asText(),
                "timeout",
                timeout);
        String claimTxId = ask(daemon, "htlc_claim", claim).path("tx_id").asText();
        ask(daemon, "wait_for_tx", params("tx_id", claimTxId, "timeout_secs", 50L));
        ask(daemon, "htlc_status", params("lock_tx_id", lockTxId));
    }
}
