package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.devnet.NodeCall.result;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DevnetExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DevnetTest {
    private static final String A = "47b9fce311f27e0a92693cc97ca24c9ddecc698aaf8741244b440a327779ab58";

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    private final ChainHarness on = new ChainHarness(chain);

    @Test
    void the_faucet_pays_with_an_ordinary_transaction_of_the_next_block() {
        String txId = on.result("devnet_faucet", "{'address':'" + A + "','amount':1000000000}")
                .get("tx_id")
                .textValue();
        assertThat(on.result("get_transaction", "{'hash':'" + txId + "'}")
                        .get("in_mempool")
                        .booleanValue())
                .isTrue();
        JsonNode mined = on.result("devnet_mine", "{'blocks':1}");

        assertThat(mined.get("height").intValue()).isEqualTo(11);
        assertThat(mined.get("blocks")).hasSize(1);
        assertThat(on.result("get_transaction", "{'hash':'" + txId + "'}").get("block_hash"))
                .isEqualTo(mined.get("block_id"));
        assertThat(on.balance(Address.parse(A))).isEqualTo(1_000_000_000L);
    }

    @Test
    void faucet_payments_before_a_block_do_not_build_on_each_other() {
        for (int i = 0; i < 25; i++) {
            on.result("devnet_faucet", "{'address':'" + A + "','amount':5000000000}");
        }
        on.result("devnet_mine", "{'blocks':1}");

        assertThat(on.balance(Address.parse(A))).isEqualTo(125_000_000_000L);
    }

    @Test
    void the_faucet_puts_coinbases_together_and_mines_what_is_missing() {
        on.result("devnet_faucet", "{'address':'" + A + "','amount':300000000000}");
        on.result("devnet_mine", "{'blocks':1}");

        assertThat(on.balance(Address.parse(A))).isEqualTo(300_000_000_000L);
    }

    @Test
    void the_faucet_says_what_it_cannot_pay() {
        assertThat(on.error("devnet_faucet", "{'address':'" + A + "','amount':199}"))
                .isEqualTo("-32602 amount must be at least 200");
        assertThat(on.error("devnet_faucet", "{'address':'" + A + "','amount':18446744073709551615}"))
                .startsWith("-32602 amount must be at most ");
    }

    @Test
    void blocks_come_by_themselves_at_the_interval_until_suspended() throws Exception {
        try (Devnet devnet = Devnet.start(DevnetConfig.onDemand(ChainProfile.of("alpha"))
                .withFirstBlocks(1)
                .withBlockInterval(Duration.ofMillis(5)))) {
            assertThat(devnet.genesisId().hex())
                    .isEqualTo("d77d10810ffea1837397c6afd87f5ea57ac1d5b2d3427ab86dd340e84c294d8d");
            result(devnet.uri(), "devnet_faucet", "{'address':'" + A + "','amount':1000000000}");
            Await.until(
                    "the payment is in a block",
                    () -> result(devnet.uri(), "get_balance", "{'address':'" + A + "'}")
                                    .get("balance")
                                    .longValue()
                            == 1_000_000_000L);
            result(devnet.uri(), "devnet_set", "{'mining':false}");
        }
    }

    @Test
    void callers_in_parallel_all_get_through() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try {
            List<Callable<String>> calls = Collections.nCopies(
                    100,
                    () -> on.result("devnet_faucet", "{'address':'" + A + "','amount':1000}")
                            .get("tx_id")
                            .textValue());
            Set<String> txIds = new HashSet<>();
            for (Future<String> call : callers.invokeAll(calls, 1, TimeUnit.MINUTES)) {
                txIds.add(Await.outcome(call));
            }
            assertThat(txIds).hasSize(100);
            chain.mine(1);
            assertThat(on.balance(Address.parse(A))).isEqualTo(100_000L);
        } finally {
            callers.shutdownNow();
        }
    }

    /** The next higher port may be in use; it is taken only if it is free. */
    @Test
    void the_indexer_goes_elsewhere_when_the_port_above_the_node_is_taken() throws Exception {
        try (ServerSocket above = withAFreePortBelow();
                Devnet devnet = Devnet.start(DevnetConfig.onDemand(ChainProfile.of("chain"))
                        .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), above.getLocalPort() - 1)))) {
            assertThat(devnet.uri().getPort()).isEqualTo(above.getLocalPort() - 1);
            assertThat(devnet.indexerUri().getPort()).isNotEqualTo(above.getLocalPort());
        }
    }

    private static ServerSocket withAFreePortBelow() throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        for (int tries = 0; tries < 100; tries++) {
            ServerSocket taken = new ServerSocket(0, 1, here);
            try {
                new ServerSocket(taken.getLocalPort() - 1, 1, here).close();
                return taken;
            } catch (IOException e) {
                taken.close();
            }
        }
        throw new IOException("no two free ports beside each other");
    }
}
