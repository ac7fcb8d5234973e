package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two daemons have the same key and make the same payment: the chain must never treat the two as one. */
class TwinDaemonsTest {
    private static final int PAYMENT = 1_000;

    @TempDir
    Path folder;

    private final Party shop = new Party(99);
    private Devnet devnet;
    private DaemonRig one;
    private DaemonRig other;
    private Party payer;

    @BeforeEach
    void start() throws IOException {
        devnet = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
        one = DaemonRig.over(devnet, folder.resolve("one"));
        other = DaemonRig.over(devnet, folder.resolve("other"));
        payer = one.imported(1);
        other.imported(1);
    }

    @AfterEach
    void stop() {
        one.close();
        other.close();
        devnet.close();
    }

    private Map<String, Object> payment(String token) {
        return DaemonRig.transfer(payer.address, shop.address, PAYMENT, "client_token", token);
    }

    /** Id of the transaction; empty when it was refused. */
    private Optional<String> pay(DaemonRig daemon, String token) {
        try {
            JsonNode receipt = daemon.call("transfer", payment(token));
            return Optional.of(receipt.path("tx_id").asText());
        } catch (WalletdException refused) {
            return Optional.empty();
        }
    }

    private void assertPaid(List<Optional<String>> answers) {
        List<String> acknowledged = answers.stream().flatMap(Optional::stream).toList();
        Set<String> transactions = new HashSet<>(acknowledged);
        assertThat(transactions).as("no transaction is two payments").hasSameSizeAs(acknowledged);
        devnet.mine(1);
        assertThat(one.coins(shop)).hasSize(acknowledged.size());
    }

    @Test
    void each_of_them_makes_a_payment_of_its_own_while_there_are_coins() {
        one.fund(payer, 50_000, 50_000);

        List<Optional<String>> answers = List.of(pay(one, "token-one"), pay(other, "token-other"));

        assertThat(answers).allMatch(Optional::isPresent);
        assertPaid(answers);
    }

    @Test
    void the_only_coin_pays_once_and_the_second_caller_is_told_that_nothing_was_paid() {
        one.fund(payer, 50_000);
        Optional<String> first = pay(one, "token-one");

        String refusal = other.refusedUnsent(-32039, "transfer", payment("token-other"));

        assertThat(refusal).contains("funds are in flight");
        assertPaid(List.of(first));
        Optional<String> second = pay(other, "token-other");
        assertThat(second).isPresent();
        assertPaidAfter(1, second);
    }

    @Test
    void the_only_coin_is_never_one_transaction_for_both_although_no_node_remembers_the_first() {
        try (DaemonRig told = DaemonRig.over(devnet, folder.resolve("told"), "--shared-keys", "true");
                DaemonRig toldToo = DaemonRig.over(devnet, folder.resolve("told-too"), "--shared-keys", "true")) {
            told.imported(1);
            toldToo.imported(1);
            told.fund(payer, 50_000);
            Optional<String> first = pay(told, "token-one");
            devnet.forgetMempool();

            Optional<String> second = pay(toldToo, "token-other");

            assertThat(first).isPresent();
            assertThat(second).isNotEqualTo(first);
            devnet.mine(1);
            assertThat(one.coins(shop)).hasSize(1);
        }
    }

    @Test
    void who_is_told_of_the_other_waits_for_its_pending_payment_with_the_only_coin() {
        try (DaemonRig told = DaemonRig.over(devnet, folder.resolve("told"), "--shared-keys", "true")) {
            told.imported(1);
            told.fund(payer, 50_000);
            Optional<String> first = pay(one, "token-one");

            String refusal = told.refusedUnsent(-32039, "transfer", payment("token-other"));

            assertThat(refusal).contains("funds are in flight");
            assertPaid(List.of(first));
            assertPaidAfter(1, pay(told, "token-other"));
        }
    }

    private void assertPaidAfter(int before, Optional<String> answer) {
        devnet.mine(1);
        assertThat(one.coins(shop)).hasSize(before + answer.stream().toList().size());
    }

    @Test
    void one_daemon_pays_twice_when_the_first_was_to_be_abandoned_although_a_node_has_it() {
        one.fund(payer, 50_000, 50_000);
        JsonNode first = one.call("transfer", payment("token-first"));
        JsonNode coin = first.path("inputs").get(0);
        JsonNode abandoned = one.call(
                "abandon_transfer",
                params(
                        "outpoints",
                        List.of(params(
                                "tx_id", coin.path("tx_id").asText(),
                                "output_index", coin.path("output_index").asLong()))));
        assertThat(abandoned.path("released_count").asInt()).isZero();

        Optional<String> second = pay(one, "token-second");

        assertThat(one.call("transfer", payment("token-first"))).isEqualTo(first);
        assertPaid(List.of(Optional.of(first.path("tx_id").asText()), second));
    }

    @Test
    void at_the_same_moment_no_transaction_is_given_to_both() {
        ExecutorService callers = Executors.newFixedThreadPool(2);
        one.fund(payer, 50_000, 50_000, 40_000, 30_000);
        List<Optional<String>> answers = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            String token = "token-at-once-" + round;
            CompletableFuture<Optional<String>> first = CompletableFuture.supplyAsync(() -> pay(one, token), callers);
            CompletableFuture<Optional<String>> second =
                    CompletableFuture.supplyAsync(() -> pay(other, token), callers);
            answers.add(Await.result(first));
            answers.add(Await.result(second));
        }
        callers.shutdown();
        List<String> acknowledged = answers.stream().flatMap(Optional::stream).toList();
        assertThat(new HashSet<>(acknowledged)).hasSameSizeAs(acknowledged);
        assertThat(acknowledged).isNotEmpty();
    }
}
