package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.chainwalletd.blackbox.Wallet.Output;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.FreePort;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.SeededKeyring;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From an empty datadir to a confirmed payment, as a new reader of the manual would do it. */
@Tag("long")
class FirstPaymentIT {
    private static final long COIN = 100_000_000L;
    private static final List<String> SCOPES = List.of("read", "manage", "spend");

    @TempDir
    Path folder;

    @Test
    void a_payment_is_simulated_made_confirmed_and_still_there_after_a_restart() throws IOException {
        Path datadir = folder.resolve("datadir");
        String payer;
        String bakery;
        String florist;
        String txId;
        JsonNode receipt;
        try (DaemonProcess daemon =
                LauncherCall.daemonWithDevnet(datadir).manyKeys().start()) {
            onlyTheOwnerCanRead(datadir);
            everyTokenWasPrintedOnce(daemon);
            tokensOpenTheirScopeAndThoseBelow(daemon);

            Wallet wallet = new Wallet(daemon, daemon);
            payer = wallet.mint();
            bakery = wallet.mint();
            florist = "33".repeat(32);
            wallet.fund(payer, 10 * COIN);

            Output[] outputs = {new Output(bakery, 5_000), new Output(florist, 7_000)};
            JsonNode simulation = daemon.call("simulate_transfer", Wallet.payment(payer, null, outputs));
            assertThat(simulation.path("fee").longValue()).isEqualTo(75);
            assertThat(simulation.path("total_in").longValue()).isEqualTo(10 * COIN);
            assertThat(simulation.path("total_out").longValue()).isEqualTo(10 * COIN - 75);
            assertThat(simulation.path("change").longValue()).isEqualTo(10 * COIN - 12_075);
            assertThat(simulation.has("tx_id")).isFalse();
            assertThat(wallet.status().path("in_flight_utxos").longValue()).isZero();

            receipt = wallet.transfer(payer, "order-0001", outputs);
            txId = receipt.path("tx_id").asText();
            assertThat(receipt.path("fee").longValue()).isEqualTo(75);
            assertThat(receipt.path("size")).isEqualTo(simulation.path("size"));
            assertThat(receipt.path("inputs")).isEqualTo(simulation.path("inputs"));
            assertThat(receipt.path("outputs")).isEqualTo(simulation.path("outputs"));
            assertThat(wallet.status().path("in_flight_utxos").longValue()).isEqualTo(1);
            assertThat(wallet.status().path("in_flight_transfers").longValue()).isEqualTo(1);
            assertThat(wallet.transfer(payer, "order-0001", outputs)).isEqualTo(receipt);

            JsonNode waiting = daemon.call("get_transaction", Map.of("tx_id", txId));
            assertThat(waiting.path("in_mempool").booleanValue()).isTrue();
            assertThat(waiting.path("block_id").isNull()).isTrue();
            long height = wallet.confirm().path("height").longValue();
            paysAsOrdered(wallet.confirmed(txId), receipt, payer, height);
            assertThat(wallet.balance(payer)).isEqualTo(10 * COIN - 12_075);
            assertThat(wallet.balance(florist)).isEqualTo(7_000);
            refusesWhatTheSpecificationRefuses(daemon, payer, bakery);

            assertThat(daemon.stop()).isZero();
            assertThat(daemon.errors()).noneMatch(line -> line.contains(" ERROR "));
        }
        try (DaemonProcess daemon = LauncherCall.daemonWithDevnet(datadir).start()) {
            Wallet wallet = new Wallet(daemon, daemon);
            assertThat(daemon.output()).noneMatch(line -> line.contains(" token "));
            assertThat(wallet.addresses()).containsExactlyInAnyOrder(payer, bakery);
            assertThat(wallet.balance(bakery)).isEqualTo(5_000);
            assertThat(wallet.confirmed(txId).path("in_mempool").booleanValue()).isFalse();
            Output[] outputs = {new Output(bakery, 5_000), new Output(florist, 7_000)};
            assertThat(wallet.transfer(payer, "order-0001", outputs))
                    .as("the stored receipt")
                    .isEqualTo(receipt);
            wallet.awaitNothingInFlight();
            wallet.transfer(payer, "order-0002", new Output(florist, 300));
            wallet.confirm();
            assertThat(wallet.balance(florist)).isEqualTo(7_300);
            assertThat(daemon.stop()).isZero();
        }
    }

    private static void paysAsOrdered(JsonNode view, JsonNode receipt, String payer, long height) {
        assertThat(view.path("block_height").longValue()).isEqualTo(height);
        assertThat(view.path("block_id").asText()).hasSize(64);
        assertThat(view.path("in_mempool").booleanValue()).isFalse();
        assertThat(view.path("size")).isEqualTo(receipt.path("size"));
        assertThat(view.path("tx_hex").asText())
                .hasSize(2 * receipt.path("size").intValue());
        assertThat(view.path("fee").longValue()).isEqualTo(75);
        assertThat(view.path("total_in").longValue()).isEqualTo(10 * COIN);
        assertThat(view.path("total_out").longValue()).isEqualTo(10 * COIN - 75);
        assertThat(view.path("inputs")).hasSize(1);
        assertThat(view.path("inputs").path(0).path("address").asText()).isEqualTo(payer);
        assertThat(view.path("outputs")).hasSize(3);
        assertThat(view.path("outputs").path(0).path("value").longValue()).isEqualTo(5_000);
        assertThat(view.path("outputs").path(2).path("address").asText()).isEqualTo(payer);
    }

    private static void refusesWhatTheSpecificationRefuses(DaemonProcess daemon, String payer, String other) {
        assertThat(code(daemon, Wallet.payment(payer, null, new Output(other, 199))))
                .isEqualTo(-32033);
        assertThat(code(daemon, Wallet.payment("11".repeat(32), null, new Output(other, 500))))
                .isEqualTo(-32010);
        assertThat(code(daemon, Wallet.payment(payer, null, new Output(other, 11 * COIN))))
                .isEqualTo(-32031);
        assertThat(code(daemon, Wallet.payment(payer, "order-0001", new Output(other, 500))))
                .isEqualTo(-32035);
        assertThat(code(daemon, Wallet.payment(payer, "short", new Output(other, 500))))
                .isEqualTo(-32602);
        Output[] many = new Output[17];
        Arrays.fill(many, new Output(other, 500));
        assertThat(code(daemon, Wallet.payment(payer, null, many))).isEqualTo(-32034);
    }

    private static int code(DaemonProcess daemon, Map<String, ?> payment) {
        return daemon.refusal("transfer", payment).code();
    }

    private static void onlyTheOwnerCanRead(Path datadir) throws IOException {
        assertThat(mode(datadir)).isEqualTo("rwx------");
        assertThat(mode(datadir.resolve("wallets"))).isEqualTo("rwx------");
        for (String scope : SCOPES) {
            assertThat(mode(datadir.resolve("token-" + scope))).isEqualTo("rw-------");
            assertThat(datadir.resolve("token-" + scope)).content().matches("[0-9a-f]{64}\n");
        }
        assertThat(mode(datadir.resolve("walletd.db"))).isEqualTo("rw-------");
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void everyTokenWasPrintedOnce(DaemonProcess daemon) {
        for (String scope : SCOPES) {
            assertThat(daemon.output().stream().filter(line -> line.contains(daemon.token(scope))))
                    .as(scope)
                    .hasSize(1);
            assertThat(daemon.errors()).noneMatch(line -> line.contains(daemon.token(scope)));
        }
    }

    /** Calls a method of each scope with the token of each scope, with a wrong token and without one (interface.md, sections 5.1 to 5.3). */
    private static void tokensOpenTheirScopeAndThoseBelow(DaemonProcess daemon) {
        Map<String, String> methodOf =
                Map.of("read", "validate_address", "manage", "abandon_transfer", "spend", "transfer");
        for (String wanted : SCOPES) {
            for (String held : SCOPES) {
                boolean enough = SCOPES.indexOf(held) >= SCOPES.indexOf(wanted);
                // Without parameters: an authorized call is refused for its parameters, an unauthorized one before
                // that.
                assertThat(refusal(daemon, daemon.token(held), methodOf.get(wanted))
                                .code())
                        .as(held + " token for " + wanted)
                        .isEqualTo(enough ? -32602 : -32001);
            }
            WalletdException.RpcError wrong =
                    refusal(daemon, HexFormat.of().formatHex(new byte[32]), methodOf.get(wanted));
            assertThat(wrong.code()).isEqualTo(-32001);
            assertThat(wrong).hasMessageContaining("authentication required");
        }
    }

    private static WalletdException.RpcError refusal(DaemonProcess daemon, String token, String method) {
        return DaemonProcess.refusal(daemon.clientWith(token), method, Map.of());
    }

    @Test
    void a_node_that_is_unavailable_does_not_stop_the_start_and_is_taken_up_when_it_comes() throws IOException {
        int port = FreePort.any();
        URI node = URI.create("http://127.0.0.1:" + port);
        Path datadir = SeededKeyring.in(folder.resolve("datadir"));
        try (DaemonProcess daemon = LauncherCall.daemon(datadir)
                .node(node)
                .and("--upstream-attempts", "1")
                .start()) {
            JsonNode status = daemon.call("get_status", Map.of());
            assertThat(status.path("upstream_ok").booleanValue()).isFalse();
            assertThat(status.path("tip").path("height").isNull()).isTrue();
            assertThat(status.path("upstream_nodes").path(0).asText()).startsWith(node.toString());
            Wallet alone = new Wallet(daemon, daemon);
            String address = alone.derive();
            for (Map.Entry<String, Map<String, ?>> call : Map.<String, Map<String, ?>>of(
                            "get_balance", Map.of("address", address),
                            "get_block_height", Map.of(),
                            "transfer", Wallet.payment(address, null, new Output(address, 500)))
                    .entrySet()) {
                WalletdException.RpcError refused = daemon.refusal(call.getKey(), call.getValue());
                assertThat(refused.code()).as(call.getKey()).isEqualTo(-32020);
                assertThat(refused).hasMessageContaining(node.toString());
            }
            assertThat(daemon.errors()).anyMatch(line -> line.contains(node.toString()));

            try (DaemonProcess devnet =
                    LauncherCall.devnet(folder.resolve("chain"), port).launch()) {
                assertThat(devnet.nodeUri().getPort()).isEqualTo(port);
                Wallet wallet = new Wallet(daemon, devnet);
                wallet.fund(address, COIN);
                wallet.transfer(address, "after-the-gap", new Output("44".repeat(32), 900));
                wallet.confirm();
                assertThat(wallet.balance("44".repeat(32))).isEqualTo(900);
                assertThat(wallet.status().path("upstream_ok").booleanValue()).isTrue();
                assertThat(devnet.stop()).isZero();
            }
            assertThat(daemon.stop()).isZero();
        }
    }
}
