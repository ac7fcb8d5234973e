package org.chainwalletd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Htlcs.HtlcList;
import org.chainwalletd.api.Keys.RevealPrivateKey;
import org.chainwalletd.api.Reads.GetBalance;
import org.chainwalletd.api.Reads.Ping;
import org.chainwalletd.api.Spending.Output;
import org.chainwalletd.api.Spending.PaidOutput;
import org.chainwalletd.api.Spending.Payment;
import org.chainwalletd.api.Spending.Transfer;
import org.chainwalletd.api.Waiting.WaitForPayment;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.crypto.SecretBytes;
import org.junit.jupiter.api.Test;

/** Typed methods over a transport that simulates the daemon. */
class TypedClientTest {
    private static final String HEX = "ab".repeat(32);
    private static final Address SOMEBODY = Address.parse(HEX);
    private static final URI HERE = URI.create("http://127.0.0.1:1/");

    private final List<String> sent = new ArrayList<>();
    private final List<Duration> timeouts = new ArrayList<>();
    private CompletableFuture<Transport.Answer> next;
    private final WalletdClient client =
            WalletdClient.builder(HERE, "t").transport(this::post).build();

    @Test
    void parameters_are_sent_by_their_names_on_the_wire_and_left_out_ones_do_not() {
        answer("{\"tx_id\":\"" + HEX + "\",\"size\":1,\"fee\":1,\"fee_rate\":1,\"inputs\":[],\"outputs\":"
                + "[{\"to\":\"" + HEX
                + "\",\"amount\":18446744073709551615,\"is_change\":false}],\"built_at_height\":7}");
        Transfer.Result receipt =
                client.call(new Transfer(Payment.of(SOMEBODY, List.of(Output.of(SOMEBODY, Amount.MAX))), "payout-1"));

        assertThat(sent)
                .containsExactly("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"transfer\",\"params\":{\"from\":\"" + HEX
                        + "\",\"outputs\":[{\"to\":\"" + HEX
                        + "\",\"amount\":18446744073709551615}],\"client_token\":\"payout-1\"}}");
        assertThat(receipt.outputs()).extracting(PaidOutput::amount).containsExactly(Amount.MAX);
        assertThat(receipt.builtAtHeight()).isEqualTo(7);
    }

    @Test
    void a_parameter_that_is_one_or_more_is_sent_as_an_array() {
        answer("{\"htlcs\":[]}");

        client.call(HtlcList.of().withState(List.of(Htlcs.State.LOCKED, Htlcs.State.LOCKED_EXPIRED)));

        assertThat(sent.get(0)).contains("\"params\":{\"state\":[\"locked\",\"locked_expired\"]}");
    }

    @Test
    void a_result_without_a_member_that_is_always_there_is_no_answer_of_the_daemon() {
        answer("{\"balance\":\"12\"}");

        assertThatThrownBy(() -> client.call(new GetBalance(SOMEBODY)))
                .isExactlyInstanceOf(WalletdException.Transport.class)
                .hasMessageContaining("get_balance");
    }

    @Test
    void the_asynchronous_methods_fail_with_the_same_exceptions() {
        next = CompletableFuture.completedFuture(new Transport.Answer(
                200,
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32010,\"message\":\"x\"},\"id\":1}"
                        .getBytes(StandardCharsets.UTF_8)));

        assertThat(client.callAsync(new GetBalance(SOMEBODY)))
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableThat()
                .withCauseInstanceOf(WalletdException.WalletNotFound.class);
    }

    @Test
    void each_code_of_the_table_has_its_exception_and_any_other_the_general_one() {
        Map<Integer, Class<?>> table = Map.of(
                -32700, WalletdException.Parse.class,
                -32601, WalletdException.MethodNotFound.class,
                -32602, WalletdException.InvalidParams.class,
                -32603, WalletdException.Internal.class,
                -32001, WalletdException.Authentication.class,
                -32010, WalletdException.WalletNotFound.class,
                -32011, WalletdException.WalletExists.class,
                -32020, WalletdException.Upstream.class,
                -32036, WalletdException.TxAuth.class,
                -32031, WalletdException.InsufficientBalance.class);
        table.forEach((code, type) -> assertThat(WalletdException.RpcError.of(code, "words", null))
                .isExactlyInstanceOf(type)
                .hasMessage("words"));

        assertThat(WalletdException.RpcError.of(-32099, "words", null))
                .isExactlyInstanceOf(WalletdException.RpcError.class)
                .extracting(WalletdException.RpcError::code)
                .isEqualTo(-32099);
    }

    @Test
    void a_wait_is_given_its_own_time_besides_that_of_a_call() {
        answer("{\"address\":\"" + HEX + "\",\"received\":false,\"timed_out\":true,\"waited_secs\":0}");
        client.call(WaitForPayment.of(SOMEBODY).withTimeoutSecs(700));
        client.call(WaitForPayment.of(SOMEBODY).withTimeoutSecs(0));

        assertThat(timeouts).containsExactly(Duration.ofSeconds(630), Duration.ofSeconds(30));
    }

    @Test
    void giving_up_a_call_gives_up_its_request() {
        next = new CompletableFuture<>();
        CompletableFuture<?> call = client.callAsync(new GetBalance(SOMEBODY));

        call.cancel(true);

        assertThat(next).isCancelled();
    }

    @Test
    void a_failed_request_is_not_sent_again() {
        next = CompletableFuture.failedFuture(new IOException("reset"));

        assertThatThrownBy(() -> client.call(new Ping()))
                .isInstanceOf(WalletdException.Transport.class)
                .hasMessageContaining("reset");

        assertThat(sent).hasSize(1);
    }

    @Test
    void a_transport_and_a_fingerprint_exclude_each_other() {
        WalletdClient.Builder both = WalletdClient.builder(URI.create("https://127.0.0.1/"), "t")
                .transport(this::post)
                .fingerprint("sha256:" + "0".repeat(64));

        assertThatThrownBy(both::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("either");
    }

    @Test
    void the_environment_names_url_token_and_fingerprint() {
        Map<String, String> complete = Map.of(
                "WALLETD_URL", "https://127.0.0.1:1/",
                "WALLETD_AUTH_TOKEN", "t",
                "WALLETD_FINGERPRINT", "sha256:" + "0".repeat(64));
        assertThat(WalletdClient.fromEnvironment(complete)).isNotNull();
        assertThatThrownBy(() -> WalletdClient.fromEnvironment(Map.of("WALLETD_URL", "http://127.0.0.1/")))
                .hasMessageContaining("WALLETD_AUTH_TOKEN");
        assertThatThrownBy(() -> WalletdClient.fromEnvironment(Map.of(
                        "WALLETD_URL", "https://127.0.0.1/",
                        "WALLETD_AUTH_TOKEN", "t",
                        "WALLETD_FINGERPRINT", "SHA256:00")))
                .hasMessageContaining("fingerprint");
    }

    @Test
    void a_token_that_is_none_is_refused_without_being_shown() {
        assertThatThrownBy(() -> WalletdClient.builder(HERE, "top secret\n").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void a_record_with_a_secret_does_not_show_it() {
        SecretBytes passphrase = SecretBytes.copyOf("my passphrase".getBytes(StandardCharsets.UTF_8));
        assertThat(new RevealPrivateKey(SOMEBODY, passphrase).toString()).doesNotContain("my passphrase");
    }

    @Test
    void a_secret_is_sent_as_text_and_stays_for_another_try() {
        SecretBytes passphrase = SecretBytes.copyOf("grün".getBytes(StandardCharsets.UTF_8));
        next = CompletableFuture.failedFuture(new IOException("reset"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> client.call(new RevealPrivateKey(SOMEBODY, passphrase)))
                    .isInstanceOf(WalletdException.Transport.class);
        }
        assertThat(sent).hasSize(2).allMatch(request -> request.contains("\"passphrase\":\"grün\""));
    }

    private void answer(String result) {
        next = CompletableFuture.completedFuture(new Transport.Answer(
                200, ("{\"jsonrpc\":\"2.0\",\"result\":" + result + ",\"id\":1}").getBytes(StandardCharsets.UTF_8)));
    }

    private CompletableFuture<Transport.Answer> post(URI url, String token, byte[] body, Duration timeout) {
        sent.add(new String(body, StandardCharsets.UTF_8));
        timeouts.add(timeout);
        return next;
    }
}
