package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.node.NodeHarness.ALICE;
import static org.chainwalletd.node.NodeHarness.HEIGHT_7;
import static org.chainwalletd.node.NodeHarness.ID;
import static org.chainwalletd.node.NodeHarness.RATE_LIMIT;
import static org.chainwalletd.node.NodeHarness.failure;
import static org.chainwalletd.node.NodeHarness.get;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.result;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Connections, queue order and quotas that background calls leave to payments and reads. */
class PriorityTest {
    private static final ScriptedNode.Step BALANCE_1 = result("{\"balance\":1}");

    @AutoClose
    private final NodeHarness harness = NodeHarness.standingStill();

    private final ScriptedNode node = harness.node();

    @Test
    void the_background_has_at_most_sixteen_places_and_the_foreground_the_others() {
        node.on("get_block_height", node.held(HEIGHT_7)).on("get_balance", BALANCE_1);
        NodeClient client = harness.client(node.url());
        List<CompletionStage<NodeClient.Tip>> tips = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            tips.add(client.background().tip());
        }
        Await.until("24 calls wait", () -> harness.gauge("walletd.upstream.waiting", node) == 24);
        assertThat(harness.gauge("walletd.upstream.connections", node)).isEqualTo(16);

        assertThat(get(client.balance(ALICE))).isEqualTo(Amount.of(1));

        node.release();
        tips.forEach(NodeHarness::get);
        assertThat(node.mostAtOnce()).isLessThanOrEqualTo(17);
    }

    @Test
    void a_place_that_becomes_free_goes_to_the_foreground_first() {
        node.on("get_balance", node.held(BALANCE_1)).on("get_block_height", HEIGHT_7);
        NodeClient client = harness.client(NodeHarness.settings(1, 1, 8 << 20, node.url()));
        CompletionStage<Amount> held = client.balance(ALICE);
        Await.until("the node is asked", () -> node.serving() == 1);
        CompletionStage<NodeClient.Tip> background = client.background().tip();
        Await.until("it waits", () -> harness.gauge("walletd.upstream.waiting", node) == 1);
        CompletionStage<Amount> foreground = client.balance(ALICE);
        Await.until("both wait", () -> harness.gauge("walletd.upstream.waiting", node) == 2);

        node.release();
        get(held);
        get(foreground);
        get(background);

        assertThat(node.requests().stream().map(ScriptedNode.Request::method))
                .containsExactly("get_balance", "get_balance", "get_block_height");
    }

    @Test
    void only_so_many_calls_wait_in_the_background() {
        node.on("*", node.hang());
        NodeClient client =
                harness.client(NodeHarness.settings(1, 32, 8 << 20, node.url())).background();
        for (int i = 0; i < 16 + 1024; i++) {
            client.tip();
        }
        Await.until("1024 calls wait", () -> harness.gauge("walletd.upstream.waiting", node) == 1024);

        assertThat(failure(NodeException.Unreachable.class, client.tip()))
                .hasMessageContaining("1024 calls wait for it already");
    }

    @Test
    void the_background_uses_a_third_of_a_window_of_scans_and_waits_for_the_next() {
        node.on("get_balance", BALANCE_1);
        NodeClient client = harness.client(node.url());
        NodeClient background = client.background();
        for (int i = 0; i < 10; i++) {
            get(background.balance(ALICE));
        }
        CompletionStage<Amount> eleventh = background.balance(ALICE);
        harness.awaitQuotaWaits(1);

        for (int i = 0; i < 20; i++) {
            get(client.balance(ALICE));
        }
        assertThat(node.count("get_balance")).isEqualTo(30);
        harness.pass(60_999);
        assertThat(node.count("get_balance")).isEqualTo(30);
        harness.pass(1);

        assertThat(get(eleventh)).isEqualTo(Amount.of(1));
    }

    @Test
    void questions_without_a_quota_are_not_counted_against_the_background() {
        node.on("*", HEIGHT_7);
        NodeClient background = harness.client(node.url()).background();

        for (int i = 0; i < 70; i++) {
            get(background.tip());
        }

        assertThat(harness.gauge("walletd.upstream.scan.budget", node)).isEqualTo(30);
    }

    @Test
    void a_background_call_gives_up_with_the_words_of_the_node_after_ten_minutes() {
        node.on("get_balance", error(-32603, RATE_LIMIT));
        CompletionStage<Amount> balance =
                harness.client(node.url()).background().balance(ALICE);

        for (int windows = 1; windows <= 9; windows++) {
            harness.awaitQuotaWaits(windows);
            harness.pass(61_000);
        }

        assertThat(failure(NodeException.Rejected.class, balance).text()).isEqualTo(RATE_LIMIT);
        assertThat(node.count("get_balance")).isEqualTo(10);
    }

    @Test
    void an_answer_for_which_no_thread_is_free_may_stand_for_something_done() {
        node.on("send_raw_transaction", result("{\"tx_id\":\"" + ID + "\"}"));
        NodeClient client = harness.client(NodeHarness.settings(1, 32, 8 << 20, node.url()), task -> {
            throw new RejectedExecutionException();
        });

        assertThat(failure(NodeException.Unreachable.class, client.sendRawTransaction(Bytes.parse("00"))))
                .hasMessageContaining("no thread is free to read its answer");
        Await.until("the place is free again", () -> harness.gauge("walletd.upstream.connections", node) == 0);
    }
}
