package org.chainwalletd.blackbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;

/** Calls that a payment backend makes to a daemon, and that a test makes to its development node. */
final class Wallet {
    private final DaemonProcess daemon;
    private final Supplier<URI> node;

    /**
     * @param node the process whose development node the daemon uses; may be the daemon itself
     */
    Wallet(DaemonProcess daemon, DaemonProcess node) {
        this.daemon = daemon;
        this.node = node::nodeUri;
    }

    /** @param node the development node that the daemon uses */
    Wallet(DaemonProcess daemon, URI node) {
        this.daemon = daemon;
        this.node = () -> node;
    }

    /** Recipient of a payment. */
    record Output(String to, long amount) {}

    /** Makes a new address of the daemon. */
    String mint() {
        return daemon.call("generate_standard_address", Map.of())
                .path("address")
                .asText();
    }

    /** Derives a new address of a daemon with a {@link org.chainwalletd.testkit.SeededKeyring}. */
    String derive() {
        return daemon.call("generate_address", Map.of()).path("address").asText();
    }

    /** Derives a new address of such a daemon and pays this number of coins of this value to it. */
    String payer(int coins, long value) {
        String payer = derive();
        fundEach(payer, coins, value);
        return payer;
    }

    void fundEach(String address, int coins, long value) {
        long[] values = new long[coins];
        Arrays.fill(values, value);
        fund(address, values);
    }

    /** Pays coins to an address in a separate block, and waits until the daemon's node has them. */
    void fund(String address, long... amounts) {
        long before = balance(address);
        long sum = before;
        for (long amount : amounts) {
            DaemonProcess.nodeCall(node.get(), "devnet_faucet", Map.of("address", address, "amount", amount));
            sum += amount;
        }
        mine(1);
        long expected = sum;
        Await.until("the coins have arrived", () -> balance(address) == expected);
    }

    /**
     * Mines until everything sent before is in a block: the next block may have been assembled earlier. Returns the answer about the block after
     * that.
     */
    JsonNode confirm() {
        return mine(2);
    }

    JsonNode mine(int blocks) {
        return DaemonProcess.nodeCall(node.get(), "devnet_mine", Map.of("blocks", blocks));
    }

    long balance(String address) {
        return daemon.call("get_balance", Map.of("address", address))
                .path("balance")
                .longValue();
    }

    JsonNode transfer(String from, String token, Output... outputs) {
        return daemon.call("transfer", payment(from, token, outputs));
    }

    /** Pays one recipient; returns the transaction id. */
    String pay(String from, String token, String to, long amount) {
        return transfer(from, token, new Output(to, amount)).path("tx_id").asText();
    }

    /** Returns parameters of {@code transfer}; without a token if {@code token} is null. */
    static Map<String, Object> payment(String from, String token, Output... outputs) {
        List<Map<String, Object>> list = new ArrayList<>();
        for (Output output : outputs) {
            list.add(Map.of("to", output.to(), "amount", output.amount()));
        }
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("from", from);
        params.put("outputs", list);
        if (token != null) {
            params.put("client_token", token);
        }
        return params;
    }

    /** Returns a transaction that is in a block. */
    JsonNode confirmed(String txId) {
        Await.until(
                "the transaction is in a block",
                () -> view(txId).path("block_height").isIntegralNumber());
        return view(txId);
    }

    private JsonNode view(String txId) {
        try {
            return daemon.call("get_transaction", Map.of("tx_id", txId));
        } catch (WalletdException.RpcError unknown) {
            return MissingNode.getInstance();
        }
    }

    JsonNode status() {
        return daemon.call("get_status", Map.of());
    }

    /** Waits until no spend of this daemon is in flight. */
    void awaitNothingInFlight() {
        Await.until(
                "nothing is in flight",
                () -> status().path("in_flight_utxos").longValue() == 0
                        && status().path("in_flight_transfers").longValue() == 0);
    }

    List<String> addresses() {
        List<String> addresses = new ArrayList<>();
        daemon.call("list_addresses", Map.of())
                .path("addresses")
                .forEach(entry -> addresses.add(entry.path("address").asText()));
        return addresses;
    }
}
