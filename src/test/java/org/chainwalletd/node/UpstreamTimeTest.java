package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.node.NodeHarness.ALICE;
import static org.chainwalletd.node.NodeHarness.HEIGHT_7;
import static org.chainwalletd.node.NodeHarness.ID;
import static org.chainwalletd.node.NodeHarness.RATE_LIMIT;
import static org.chainwalletd.node.NodeHarness.failure;
import static org.chainwalletd.node.NodeHarness.get;
import static org.chainwalletd.testkit.ScriptedNode.cutOff;
import static org.chainwalletd.testkit.ScriptedNode.drip;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.result;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sweeps, timeouts, connection limits and quotas, with a clock that the test moves (interface.md, section 1.7; chain protocol, section 10.3). */
@Tag("long")
class UpstreamTimeTest {
    private static final Address BOB = Address.parse("b0".repeat(32));

    @AutoClose
    private final NodeHarness harness = NodeHarness.standingStill();

    private final ScriptedNode first = harness.node();
    private final ScriptedNode second = harness.node();

    @Test
    void four_sweeps_over_all_nodes_with_waits_of_500_1000_and_1500_ms() {
        first.on("*", cutOff());
        second.on("*", cutOff());
        CompletionStage<NodeClient.Tip> tip =
                harness.client(first.url(), second.url()).tip();

        for (int sweep = 1; sweep <= 3; sweep++) {
            harness.awaitRepeatedSweeps(sweep);
            harness.pass(500L * sweep - 1);
            assertThat(first.requests()).hasSize(sweep);
            assertThat(second.requests()).hasSize(sweep);
            harness.pass(1);
        }

        assertThat(failure(NodeException.Unreachable.class, tip))
                .hasMessage("no node answered get_block_height in 4 sweeps; the last one tried was " + second.url()
                        + ": the connection was closed without an answer");
        assertThat(first.requests()).hasSize(4);
        assertThat(second.requests()).hasSize(4);
    }

    @Test
    void a_later_sweep_can_succeed() {
        first.on("*", cutOff(), HEIGHT_7);
        CompletionStage<NodeClient.Tip> tip = harness.client(first.url()).tip();

        harness.awaitRepeatedSweeps(1);
        harness.pass(500);

        assertThat(get(tip).height()).isEqualTo(7);
    }

    @Test
    void a_hasty_view_asks_each_node_once() {
        first.on("*", cutOff());

        failure(
                NodeException.Unreachable.class,
                harness.client(first.url()).hasty().tip());

        assertThat(first.requests()).hasSize(1);
    }

    @Test
    void a_node_that_hangs_is_passed_over_after_the_call_timeout() {
        first.on("*", first.hang());
        second.on("*", HEIGHT_7);
        CompletionStage<NodeClient.Tip> tip =
                harness.client(first.url(), second.url()).tip();
        Await.until("the node hangs", () -> !first.requests().isEmpty());

        harness.pass(NodeHarness.CALL_TIMEOUT.toMillis() - 1);
        assertThat(second.requests()).isEmpty();
        harness.pass(1);

        assertThat(get(tip).height()).isEqualTo(7);
    }

    @Test
    void a_node_that_drips_is_passed_over_after_the_call_timeout() {
        first.on("*", drip());
        second.on("*", HEIGHT_7);
        CompletionStage<NodeClient.Tip> tip =
                harness.client(first.url(), second.url()).tip();
        Await.until("the node drips", () -> !first.requests().isEmpty());

        harness.pass(NodeHarness.CALL_TIMEOUT.toMillis());

        assertThat(get(tip).height()).isEqualTo(7);
        Await.until("the dripping connection is closed", () -> first.serving() == 0);
    }

    @Test
    void calls_wait_for_one_of_the_places_at_a_node() {
        first.on("*", first.held(HEIGHT_7));
        NodeClient client = harness.client(NodeHarness.settings(4, 4, 8 << 20, first.url()));
        List<CompletionStage<NodeClient.Tip>> tips = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            tips.add(client.tip());
        }
        Await.until("36 calls wait", () -> harness.gauge("walletd.upstream.waiting", first) == 36);
        assertThat(harness.gauge("walletd.upstream.connections", first)).isEqualTo(4);
        Await.until("the node serves 4", () -> first.serving() == 4);

        first.release();
        tips.forEach(NodeHarness::get);

        assertThat(first.mostAtOnce()).isEqualTo(4);
        Await.until("all places are free", () -> harness.gauge("walletd.upstream.connections", first) == 0);
    }

    @Test
    void waiting_for_a_place_ends_with_the_call_timeout() {
        first.on("*", first.held(HEIGHT_7));
        NodeClient client = harness.client(NodeHarness.settings(1, 1, 8 << 20, first.url()));
        CompletionStage<NodeClient.Tip> served = client.tip();
        Await.until("the node holds a call", () -> first.requests().size() == 1);
        CompletionStage<NodeClient.Tip> next = client.tip();
        CompletionStage<NodeClient.Tip> last = client.tip();
        Await.until("two calls wait", () -> harness.gauge("walletd.upstream.waiting", first) == 2);
        // The next call gets the connection half-way, so that none becomes free when the last call has waited long
        // enough.
        harness.pass(NodeHarness.CALL_TIMEOUT.toMillis() / 2);
        first.on("*", second.hang());
        first.release();
        assertThat(get(served).height()).isEqualTo(7);
        Await.until("the node hangs", () -> first.requests().size() == 2);

        harness.pass(NodeHarness.CALL_TIMEOUT.toMillis() / 2);

        assertThat(failure(NodeException.Unreachable.class, last))
                .hasMessageContaining(first.url().toString())
                .hasMessageContaining("no connection became free");
        harness.pass(NodeHarness.CALL_TIMEOUT.toMillis() / 2);
        failure(NodeException.Unreachable.class, next);
    }

    @Test
    void a_node_whose_quota_is_used_up_is_left_alone_until_its_window_ends() {
        first.on("get_balance", error(-32603, RATE_LIMIT));
        first.on("send_raw_transaction", result("{\"tx_id\":\"" + ID + "\"}"));
        first.on("get_address_utxos", result("{\"utxos\":[],\"tip_height\":1}"));
        NodeClient client = harness.client(first.url());

        assertThat(failure(NodeException.Rejected.class, client.balance(ALICE)).text())
                .isEqualTo(RATE_LIMIT);
        harness.pass(60_999);
        assertThat(failure(NodeException.Rejected.class, client.addressUtxos(ALICE)))
                .hasMessage("node error -32603: " + RATE_LIMIT);
        get(client.sendRawTransaction(Bytes.parse("00")));

        assertThat(first.count("get_address_utxos")).isZero();
        assertThat(harness.gauge("walletd.upstream.scan.budget", first)).isZero();
        harness.pass(1);
        get(client.addressUtxos(ALICE));
        assertThat(first.count("get_address_utxos")).isEqualTo(1);
    }

    @Test
    void calls_that_wait_for_a_place_do_not_hammer_a_node_that_became_limited() {
        first.on("get_balance", first.held(error(-32603, RATE_LIMIT)));
        NodeClient client = harness.client(NodeHarness.settings(4, 1, 8 << 20, first.url()));
        List<CompletionStage<Amount>> balances = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            balances.add(client.balance(ALICE));
        }
        Await.until("19 calls wait", () -> harness.gauge("walletd.upstream.waiting", first) == 19);

        first.release();

        for (CompletionStage<Amount> balance : balances) {
            failure(NodeException.Rejected.class, balance);
        }
        assertThat(first.count("get_balance")).isLessThan(20);
    }

    @Test
    void while_one_node_is_limited_the_others_are_asked() {
        first.on("get_balance", error(-32603, RATE_LIMIT));
        second.on("get_balance", result("{\"balance\":18446744073709551615}"));
        NodeClient client = harness.client(first.url(), second.url());
        failure(NodeException.Rejected.class, client.balance(ALICE));

        for (int i = 0; i < 4; i++) {
            assertThat(get(client.balance(ALICE))).isEqualTo(Amount.MAX);
        }

        assertThat(first.count("get_balance")).isEqualTo(1);
    }

    @Test
    void a_patient_call_waits_until_the_window_of_the_quota_ends() {
        first.on("get_balance", error(-32603, RATE_LIMIT), result("{\"balance\":3}"));
        CompletionStage<Amount> balance =
                harness.client(first.url()).patient(Duration.ofSeconds(61)).balance(ALICE);
        harness.awaitQuotaWaits(1);

        harness.pass(60_999);
        assertThat(first.count("get_balance")).isEqualTo(1);
        harness.pass(1);

        assertThat(get(balance)).isEqualTo(Amount.of(3));
    }

    @Test
    void patient_calls_have_their_time_together_and_fail_at_once_when_it_does_not_suffice() {
        first.on("get_balance", error(-32603, RATE_LIMIT));
        NodeClient client = harness.client(first.url()).patient(Duration.ofSeconds(100));
        CompletionStage<Amount> balance = client.balance(ALICE);
        harness.awaitQuotaWaits(1);
        harness.pass(61_000);

        assertThat(failure(NodeException.Rejected.class, balance).text()).isEqualTo(RATE_LIMIT);
        assertThat(failure(NodeException.Rejected.class, client.balance(ALICE)).text())
                .isEqualTo(RATE_LIMIT);
        assertThat(first.count("get_balance")).isEqualTo(2);
    }

    @Test
    void a_patient_call_goes_to_a_node_that_is_not_limited() {
        first.on("get_balance", error(-32603, RATE_LIMIT));
        second.on("get_balance", result("{\"balance\":2}"));
        NodeClient client = harness.client(first.url(), second.url()).patient(Duration.ofSeconds(61));

        assertThat(get(client.balance(ALICE))).isEqualTo(Amount.of(2));
    }

    @Test
    void patient_calls_leave_a_part_of_a_known_quota_to_others() {
        first.on("get_balance", error(-32603, RATE_LIMIT), result("{\"balance\":1}"));
        NodeClient client = harness.client(first.url());
        failure(NodeException.Rejected.class, client.balance(ALICE));
        harness.pass(61_000);

        NodeClient patient = client.patient(Duration.ofSeconds(61));
        for (int i = 0; i < 21; i++) {
            get(patient.balance(ALICE));
        }
        CompletionStage<Amount> waiting = patient.balance(ALICE);
        harness.awaitQuotaWaits(1);
        assertThat(harness.gauge("walletd.upstream.scan.budget", first)).isEqualTo(9);
        get(client.balance(ALICE));

        harness.pass(61_000);
        get(waiting);
    }

    @Test
    void a_patient_call_whose_time_does_not_suffice_leaves_the_reserved_calls_too() {
        first.on("get_balance", error(-32603, RATE_LIMIT), result("{\"balance\":1}"));
        NodeClient client = harness.client(first.url());
        useWindow(client, 21);

        assertThat(failure(
                        NodeException.Rejected.class,
                        client.patient(Duration.ofSeconds(10)).balance(ALICE)))
                .hasMessageContaining("kept for payments");
        assertThat(harness.gauge("walletd.upstream.scan.budget", first)).isEqualTo(9);
    }

    @Test
    void patient_calls_that_wait_for_a_place_fail_at_once_when_only_reserved_calls_are_left() {
        first.on("get_balance", error(-32603, RATE_LIMIT), result("{\"balance\":1}"));
        NodeClient client = harness.client(NodeHarness.settings(1, 1, 8 << 20, first.url()));
        useWindow(client, 19);
        first.on("get_balance", first.held(result("{\"balance\":1}")));
        CompletionStage<Amount> held = client.balance(ALICE);
        NodeClient patient = client.patient(Duration.ofSeconds(10));
        List<CompletionStage<Amount>> waiting =
                List.of(patient.balance(ALICE), patient.balance(ALICE), patient.balance(ALICE));
        Await.until("three calls wait", () -> harness.gauge("walletd.upstream.waiting", first) == 3);

        first.release();

        get(held);
        get(waiting.get(0));
        failure(NodeException.Rejected.class, waiting.get(1));
        failure(NodeException.Rejected.class, waiting.get(2));
        assertThat(harness.gauge("walletd.upstream.scan.budget", first)).isEqualTo(9);
    }

    /** Makes the quota of the first node known, and uses {@code calls} of its next window. */
    private void useWindow(NodeClient client, int calls) {
        failure(NodeException.Rejected.class, client.balance(ALICE));
        harness.pass(61_000);
        for (int i = 0; i < calls; i++) {
            get(client.balance(ALICE));
        }
    }

    @Test
    void the_scan_budget_counts_the_calls_of_a_window() {
        first.on("get_balance", result("{\"balance\":1}"));
        NodeClient client = harness.client(first.url());

        get(client.balance(ALICE));
        get(client.balance(ALICE));

        assertThat(harness.gauge("walletd.upstream.scan.budget", first)).isEqualTo(28);
    }

    @Test
    void a_tip_race_is_tried_again_at_once_a_few_times() {
        ScriptedNode.Step race = error(-32603, "Tip changed during validation, try again");
        first.on("send_raw_transaction", race, race, race, result("{\"tx_id\":\"" + ID + "\"}"));

        assertThat(get(harness.client(first.url()).sendRawTransaction(Bytes.parse("00"))))
                .isEqualTo(Hash256.parse(ID));
    }

    @Test
    void a_tip_race_without_end_is_surfaced() {
        first.on("send_raw_transaction", error(-32603, "Tip changed during validation, try again"));

        assertThat(failure(
                                NodeException.Rejected.class,
                                harness.client(first.url()).sendRawTransaction(Bytes.parse("00")))
                        .code())
                .isEqualTo(-32603);
        assertThat(first.count("send_raw_transaction")).isEqualTo(4);
    }

    @Test
    void a_missing_batch_method_is_replaced_by_single_calls_and_remembered_for_a_while() {
        first.on(
                "get_balance",
                (request, socket) -> result("{\"balance\":"
                                + (request.params().get("address").textValue().startsWith("a1") ? 1 : 2) + "}")
                        .serve(request, socket));
        NodeClient client = harness.client(first.url());

        assertThat(get(client.balances(List.of(ALICE, BOB, ALICE))))
                .containsExactly(Amount.of(1), Amount.of(2), Amount.of(1));
        get(client.balances(List.of(ALICE, BOB)));
        assertThat(first.count("get_balances")).isEqualTo(1);
        assertThat(first.count("get_balance")).isEqualTo(5);

        harness.pass(600_000);
        get(client.balances(List.of(ALICE, BOB)));
        assertThat(first.count("get_balances")).isEqualTo(2);
    }

    @Test
    void a_batch_goes_to_the_node_that_has_the_method() {
        second.on(
                "get_address_utxos_batch",
                result("{\"tip_height\":9,\"addresses\":[{\"address\":\"" + ALICE + "\",\"utxos\":[]},{\"address\":\""
                        + BOB + "\",\"utxos\":[],\"truncated\":true}]}"));
        first.on("get_address_utxos", result("{\"utxos\":[],\"tip_height\":8}"));
        second.on("get_address_utxos", result("{\"utxos\":[],\"tip_height\":8}"));
        NodeClient client = harness.client(first.url(), second.url());
        get(client.addressUtxos(List.of(ALICE, BOB)));

        for (int i = 0; i < 4; i++) {
            assertThat(get(client.addressUtxos(List.of(BOB, ALICE))))
                    .containsExactly(
                            new NodeClient.UtxoListing(List.of(), true, 9),
                            new NodeClient.UtxoListing(List.of(), false, 9));
        }

        assertThat(first.count("get_address_utxos_batch")).isEqualTo(1);
    }

    @Test
    void while_the_quota_of_the_node_that_has_a_method_is_used_up_the_method_does_not_count_as_missing() {
        second.on("get_address_mempool", result("{\"tip_height\":9,\"mempool\":[]}"));
        NodeClient client = harness.client(first.url(), second.url()).hasty().background();
        assertThat(failure(NodeException.Rejected.class, client.addressMempool(ALICE))
                        .code())
                .isEqualTo(-32601);
        for (int scans = 0; scans < 10; scans++) {
            get(client.addressMempool(ALICE));
        }

        CompletionStage<NodeClient.AddressMempool> waiting = client.addressMempool(ALICE);
        harness.awaitQuotaWaits(1);
        harness.pass(61_000);

        assertThat(get(waiting).tipHeight()).isEqualTo(9);
        assertThat(first.count("get_address_mempool")).isEqualTo(1);
    }

    @Test
    void what_an_old_node_lacks_is_unknown_or_asked_otherwise() {
        first.on("get_block_height", HEIGHT_7);
        NodeClient client = harness.client(first.url());

        assertThat(get(client.spentBy(new Outpoint(Hash256.parse(ID), 0)))).isEmpty();
        assertThat(get(client.info())).isEqualTo(new NodeClient.NodeInfo(null, null, null, 7L, Hash256.parse(ID)));
        assertThat(failure(NodeException.Rejected.class, client.addressMempool(ALICE))
                        .code())
                .isEqualTo(-32601);
    }

    @Test
    void a_view_of_one_node_does_not_fail_over() {
        first.on("*", cutOff());
        second.on("*", HEIGHT_7);
        NodeClient one = harness.client(NodeHarness.settings(1, 32, 8 << 20, first.url(), second.url()))
                .each()
                .get(0);

        failure(NodeException.Unreachable.class, one.tip());
        failure(NodeException.Unreachable.class, one.tip());

        assertThat(second.requests()).isEmpty();
    }

    @Test
    void after_a_restart_the_calls_that_waited_have_failed_and_are_never_sent_again() {
        first.on("*", cutOff());
        NodeClient client = harness.client(first.url());
        CompletionStage<NodeClient.Tip> waiting = client.tip();
        harness.awaitRepeatedSweeps(1);

        harness.upstream.tell(new Upstream.Ask(null, 0));

        assertThat(failure(NodeException.Unreachable.class, waiting)).hasMessageContaining("abandoned");
        first.on("*", HEIGHT_7);
        harness.pass(500);
        assertThat(get(client.tip()).height()).isEqualTo(7);
        assertThat(first.requests()).hasSize(2);
    }

    @Test
    void calls_under_way_fail_when_the_client_stops() {
        first.on("*", first.hang());
        CompletionStage<NodeClient.Tip> tip = harness.client(first.url()).tip();
        Await.until("the node hangs", () -> !first.requests().isEmpty());

        harness.kit.stop(harness.upstream);

        assertThat(failure(NodeException.Unreachable.class, tip)).hasMessageContaining("abandoned");
    }
}
