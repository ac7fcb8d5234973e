package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.DaemonProcess;

/**
 * Withdrawal worker as the manual recommends: every order has a client token, and a call without an answer is repeated with the same token. Each
 * order pays a different recipient, so that a second payment is visible on the chain. Thread-safe.
 */
final class Withdrawals {
    private static final long AMOUNT = 1_000;
    private static final Set<Integer> TRY_AGAIN = Set.of(-32020, -32031, -32039);

    private final String payer;
    private final Set<String> ordered = ConcurrentHashMap.newKeySet();
    private final Map<String, String> txIds = new ConcurrentHashMap<>();

    Withdrawals(String payer) {
        this.payer = payer;
    }

    /** Calls once; returns whether the order was answered with its receipt. All receipts of an order name the same transaction. */
    boolean attempt(DaemonProcess daemon, String token) {
        ordered.add(token);
        try {
            String txId = daemon.call("transfer", Wallet.payment(payer, token, new Output(recipient(token), AMOUNT)))
                    .path("tx_id")
                    .asText();
            String before = txIds.putIfAbsent(token, txId);
            assertThat(before == null ? txId : before).as("receipt of " + token).isEqualTo(txId);
            return true;
        } catch (WalletdException.Transport noAnswer) {
            return false;
        } catch (WalletdException.RpcError refused) {
            assertThat(refused.code()).as(token + ": " + refused.getMessage()).isIn(TRY_AGAIN);
            return false;
        }
    }

    int answered() {
        return txIds.size();
    }

    /** Repeats every unanswered order until all are answered. */
    void settle(DaemonProcess daemon, Wallet wallet) {
        int rounds = 0;
        while (txIds.size() < ordered.size()) {
            assertThat(rounds++).as("rounds for " + ordered.size() + " orders").isLessThan(50);
            for (String token : ordered) {
                if (!txIds.containsKey(token)) {
                    attempt(daemon, token);
                }
            }
            wallet.mine(1);
        }
    }

    /**
     * Compares chain, receipts and reservations: exactly one payment for each order, no other transaction, nothing in flight.
     *
     * @param since height of the last block before the first order
     */
    void audit(DaemonProcess daemon, Wallet wallet, long since) {
        wallet.confirm();
        for (String token : ordered) {
            assertThat(wallet.balance(recipient(token))).as("paid for " + token).isEqualTo(AMOUNT);
            wallet.confirmed(txIds.get(token));
            assertThat(attempt(daemon, token)).as("receipt of " + token).isTrue();
        }
        long tip = daemon.call("get_block_height", Map.of()).path("height").longValue();
        long transactions = 0;
        for (long height = since + 1; height <= tip; height++) {
            JsonNode block = daemon.call("get_block_by_height", Map.of("height", height));
            transactions += block.path("tx_count").longValue() - 1;
        }
        assertThat(transactions).as("transactions beside coinbases").isEqualTo(ordered.size());
        wallet.awaitNothingInFlight();
    }

    private static String recipient(String token) {
        return Hash256.sha256(token.getBytes(StandardCharsets.UTF_8)).hex();
    }
}
