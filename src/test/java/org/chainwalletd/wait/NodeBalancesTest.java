package org.chainwalletd.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

class NodeBalancesTest {
    private static final long TIP = 100;
    private static final Address SHOP = WaitRig.address(1);

    private final NodeBalances balances = new NodeBalances();
    private long changes;

    @Test
    void one_node_alone_is_believed_where_there_is_no_other() {
        read(1_000);
        read(1_300);

        assertThat(growth(1, 0)).contains(Amount.of(300));
    }

    @Test
    void a_node_that_names_too_little_first_invents_no_payment() {
        read(400, 1_000, 1_000);
        read(1_000, 1_000, 1_000);

        assertThat(growth(3, 0)).isEmpty();
    }

    @Test
    void nodes_at_different_heights_show_a_payment_when_the_second_one_does() {
        read(1_000, 1_000);
        read(1_300, 1_000);
        assertThat(growth(2, 0)).isEmpty();
        read(1_300, null);
        read(1_300, 1_300);

        assertThat(growth(2, 0)).contains(Amount.of(300));
    }

    @Test
    void growth_counts_only_from_balances_that_were_read_after_the_call() {
        read(1_000, 1_000);
        read(1_300, 1_000);
        long since = changes;
        read(1_300, 1_300);
        assertThat(growth(2, since)).isEmpty();
        read(1_500, 1_500);

        assertThat(growth(2, since)).contains(Amount.of(200));
    }

    @Test
    void growth_in_blocks_that_are_followed_by_now_does_not_count() {
        read(1_000);
        read(1_300);

        assertThat(balances.growth(1, 0, tip -> tip > TIP)).isEmpty();
    }

    @Test
    void a_node_that_would_answer_only_after_its_quota_is_not_waited_for() {
        List<Amount> amounts = List.of(Amount.of(1_000));
        NodeClient prompt = node(wait -> CompletableFuture.completedFuture(amounts));
        NodeClient limited = node(wait -> wait.isEmpty()
                ? new CompletableFuture<>()
                : CompletableFuture.failedFuture(new NodeException.Rejected(-32603, "no room in " + wait.get())));

        assertThat(Await.result(NodeBalances.ask(List.of(limited, prompt), List.of(SHOP), Runnable::run)))
                .containsExactly(Optional.empty(), Optional.of(amounts));
    }

    @Test
    void quotas_are_waited_for_if_no_node_answers_without() {
        List<Amount> amounts = List.of(Amount.of(1_000));
        NodeClient limited = node(wait -> wait.isEmpty()
                ? CompletableFuture.completedFuture(amounts)
                : CompletableFuture.failedFuture(new NodeException.Rejected(-32603, "no room in " + wait.get())));

        assertThat(Await.result(NodeBalances.ask(List.of(limited, limited), List.of(SHOP), Runnable::run)))
                .containsExactly(Optional.of(amounts), Optional.of(amounts));
    }

    /** @param balances answer by the time that the call may wait for quotas, if limited */
    private static NodeClient node(Function<Optional<Object>, CompletionStage<List<Amount>>> balances) {
        return Stub.of(
                NodeClient.class,
                call -> call.name().equals("patient")
                        ? node(wait -> balances.apply(Optional.of(call.arguments()[0])))
                        : balances.apply(Optional.empty()));
    }

    private void read(Integer... byNode) {
        List<Optional<Amount>> answers = Arrays.stream(byNode)
                .map(amount -> Optional.ofNullable(amount).map(Amount::of))
                .toList();
        balances.read(answers, changes++, TIP);
    }

    private Optional<Amount> growth(int nodes, long since) {
        return balances.growth(nodes, since, tip -> true);
    }
}
