package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.http.RawClient;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.http.WithServer;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangUp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class AuthenticationTest extends WithServer {
    private static final String UNAUTHORIZED =
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"authentication required\"},\"id\":null}";

    @Test
    void each_token_grants_its_own_scope_and_no_other_string_grants_any() throws Exception {
        Authenticator authenticator = authenticator(ServerFixture.TOKENS);

        assertThat(authenticator.grantOf("Bearer " + ServerFixture.READ)).contains(Grant.of(Scope.READ));
        assertThat(authenticator.grantOf("bearer  " + ServerFixture.MANAGE + " "))
                .contains(Grant.of(Scope.MANAGE));
        assertThat(authenticator.grantOf("BEARER " + ServerFixture.SPEND)).contains(Grant.of(Scope.SPEND));
        assertThat(authenticator.grantOf(null)).isEmpty();
        assertThat(authenticator.grantOf("")).isEmpty();
        assertThat(authenticator.grantOf("Bearer")).isEmpty();
        assertThat(authenticator.grantOf("Bearer ")).isEmpty();
        assertThat(authenticator.grantOf(ServerFixture.SPEND)).isEmpty();
        assertThat(authenticator.grantOf("Basic " + ServerFixture.SPEND)).isEmpty();
        assertThat(authenticator.grantOf("Bearer " + ServerFixture.SPEND + "x")).isEmpty();
        assertThat(authenticator.grantOf("Bearer " + ServerFixture.SPEND.substring(1)))
                .isEmpty();
        assertThat(authenticator.grantOf("Bearer " + ServerFixture.SPEND.toUpperCase()))
                .isEmpty();
    }

    @Test
    void the_first_start_makes_three_files_for_the_owner_only_and_tells_each_token_once() throws Exception {
        List<String> told = new ArrayList<>();
        Authenticator authenticator =
                new Authenticator(ServerFixture.tokens(datadir, Map.of(), told::add), NamedTokens.none());

        assertThat(told).hasSize(3);
        for (Scope scope : Scope.values()) {
            Path file = datadir.resolve("token-" + scope.word());
            String content = Files.readString(file);
            assertThat(content).matches("[0-9a-f]{64}\n");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(told.get(scope.ordinal())).contains(scope.word()).contains(content.strip());
            assertThat(authenticator.grantOf("Bearer " + content.strip())).contains(Grant.of(scope));
        }

        List<String> toldAgain = new ArrayList<>();
        ServerFixture.tokens(datadir, Map.of(), toldAgain::add);
        assertThat(toldAgain).isEmpty();
    }

    @Test
    void a_configured_token_suppresses_the_file_of_its_scope_only() throws Exception {
        Authenticator authenticator = authenticator(Map.of("manage", ServerFixture.MANAGE));

        assertThat(datadir.resolve("token-manage")).doesNotExist();
        assertThat(datadir.resolve("token-read")).exists();
        assertThat(datadir.resolve("token-spend")).exists();
        assertThat(authenticator.grantOf("Bearer " + ServerFixture.MANAGE)).contains(Grant.of(Scope.MANAGE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "short",
                "fifteen-chars-x",
                "has a space in it..",
                "tab\tin the middle..",
                "not-ascii-\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
            })
    void an_unusable_configured_token_is_refused_without_being_shown(String token) {
        assertThatThrownBy(() -> ServerFixture.tokens(datadir, Map.of("read", token), line -> {}))
                .isInstanceOf(Tokens.TokenException.class)
                .hasMessageStartingWith("the configured read token ")
                .satisfies(e -> {
                    if (!token.isEmpty()) {
                        assertThat(e.getMessage()).doesNotContain(token);
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "short\n"})
    void an_unusable_token_file_is_refused_by_its_name(String content) throws Exception {
        Files.writeString(datadir.resolve("token-spend"), content);

        assertThatThrownBy(() -> ServerFixture.tokens(datadir, Map.of(), line -> {}))
                .isInstanceOf(Tokens.TokenException.class)
                .hasMessageContaining(datadir.resolve("token-spend").toString());
    }

    @Test
    void a_folder_in_the_place_of_a_token_file_is_named() throws Exception {
        Path folder = Files.createDirectory(datadir.resolve("token-read"));
        assertThatThrownBy(() -> ServerFixture.tokens(datadir, Map.of(), line -> {}))
                .isInstanceOf(Tokens.TokenException.class)
                .hasMessageContaining(folder.toString());
    }

    @Test
    void one_token_for_two_scopes_is_refused() {
        Map<String, String> tokens = new HashMap<>(ServerFixture.TOKENS);
        tokens.put("read", ServerFixture.SPEND);

        assertThatThrownBy(() -> ServerFixture.tokens(datadir, tokens, line -> {}))
                .isInstanceOf(Tokens.TokenException.class)
                .hasMessage("the read token and the spend token are the same: give every scope a token of its own");
    }

    @Test
    void a_replaced_file_is_taken_at_a_reload_and_the_old_token_is_void() throws Exception {
        TokenRotation rotation = rotation();
        Authenticator authenticator = rotation.authenticator();
        String old = token("token-read");
        Files.writeString(datadir.resolve("token-read"), "another-token-0123456789\n");

        assertThat(rotation.reload()).isTrue();

        assertThat(authenticator.grantOf("Bearer another-token-0123456789")).contains(Grant.of(Scope.READ));
        assertThat(authenticator.grantOf("Bearer " + old)).isEmpty();
    }

    @Test
    void what_a_replaced_classic_token_has_open_ends_and_that_of_the_others_continues() throws Exception {
        TokenRotation rotation = rotation();
        Authenticator authenticator = rotation.authenticator();
        Grant read = grant(authenticator, "token-read");
        Grant spend = grant(authenticator, "token-spend");
        List<String> ended = new ArrayList<>();
        spend.whenEnded(() -> ended.add("spend"));
        read.whenEnded(() -> ended.add("read"));

        Tokens.rotate(datadir, Scope.SPEND);
        rotation.reload();

        assertThat(ended).containsExactly("spend");
        assertThat(spend.objectionTo(Address.of(new byte[32]), List.of(), Amount.ZERO))
                .as("a payment that was not decided on yet is refused")
                .isPresent();
        spend.whenEnded(() -> ended.add("late"));
        assertThat(ended).containsExactly("spend", "late");
        assertThat(read.hasEnded()).isFalse();
        assertThat(grant(authenticator, "token-spend").hasEnded()).isFalse();
        assertThat(Grant.of(Scope.SPEND).hasEnded())
                .as("what the daemon does by itself goes on")
                .isFalse();
        rotation.reload();
        assertThat(grant(authenticator, "token-spend").hasEnded()).isFalse();
    }

    private Authenticator authenticator(Map<String, String> configured) throws IOException {
        return new Authenticator(ServerFixture.tokens(datadir, configured, line -> {}), NamedTokens.none());
    }

    private TokenRotation rotation() throws IOException {
        ServerFixture.tokens(datadir, Map.of(), line -> {});
        return new TokenRotation(inFiles(), NamedTokens.none());
    }

    private Tokens.InFiles inFiles() {
        return new Tokens.InFiles(datadir, Map.of(), ServerFixture.EVERY_SCOPE);
    }

    private Grant grant(Authenticator authenticator, String file) throws Exception {
        return authenticator.grantOf("Bearer " + token(file)).orElseThrow();
    }

    private String token(String file) throws IOException {
        return Files.readString(datadir.resolve(file)).strip();
    }

    @Test
    void files_that_have_changed_are_taken_at_the_second_look_that_finds_them_so() throws Exception {
        TokenRotation rotation = rotation();
        Authenticator authenticator = rotation.authenticator();
        rotation.look();
        String before = token("token-read");

        String after = Tokens.rotate(datadir, Scope.READ);
        rotation.look();
        assertThat(authenticator.grantOf("Bearer " + after)).isEmpty();
        rotation.look();

        assertThat(authenticator.grantOf("Bearer " + after)).contains(Grant.of(Scope.READ));
        assertThat(authenticator.grantOf("Bearer " + before)).isEmpty();
    }

    @Test
    void a_file_that_is_replaced_while_the_daemon_starts_is_taken() throws Exception {
        ServerFixture.tokens(datadir, Map.of(), line -> {});
        AtomicReference<String> replaced = new AtomicReference<>();
        TokenRotation rotation = new TokenRotation(
                new Tokens.Source() {
                    @Override
                    public Object stamp() {
                        return inFiles().stamp();
                    }

                    @Override
                    public Tokens read() throws IOException {
                        Tokens read = inFiles().read();
                        if (replaced.get() == null) {
                            replaced.set(Tokens.rotate(datadir, Scope.READ));
                        }
                        return read;
                    }
                },
                NamedTokens.none());

        rotation.look();
        rotation.look();

        assertThat(rotation.authenticator().grantOf("Bearer " + replaced.get())).contains(Grant.of(Scope.READ));
    }

    @Test
    void files_that_a_look_finds_unusable_change_nothing_until_they_are_mended() throws Exception {
        TokenRotation rotation = rotation();
        Authenticator authenticator = rotation.authenticator();
        Path file = datadir.resolve("token-read");
        String before = Files.readString(file).strip();

        Files.delete(file);
        rotation.look();
        rotation.look();
        assertThat(authenticator.grantOf("Bearer " + before)).contains(Grant.of(Scope.READ));
        Files.writeString(file, "short\n");
        rotation.look();
        rotation.look();
        assertThat(authenticator.grantOf("Bearer " + before)).contains(Grant.of(Scope.READ));
        Files.writeString(file, "another-token-0123456789\n");
        rotation.look();
        rotation.look();

        assertThat(authenticator.grantOf("Bearer another-token-0123456789")).contains(Grant.of(Scope.READ));
    }

    @Test
    void sighup_makes_the_process_read_the_files_again() throws Exception {
        HangUp.assumeHeard();
        TokenRotation rotation = rotation();
        Authenticator authenticator = rotation.authenticator();
        Files.writeString(datadir.resolve("token-spend"), "another-token-0123456789\n");
        rotation.onHangUp();

        long self = ProcessHandle.current().pid();
        assertThat(Await.exit(new ProcessBuilder("kill", "-HUP", Long.toString(self)).start()))
                .isZero();

        Await.until(
                "the new token is taken",
                () -> authenticator.grantOf("Bearer another-token-0123456789").isPresent());
    }

    @Test
    void a_reload_of_files_that_cannot_be_served_with_keeps_the_tokens_before() throws Exception {
        TokenRotation rotation = rotation();
        Authenticator authenticator = rotation.authenticator();
        String read = token("token-read");
        String spend = token("token-spend");

        Files.writeString(datadir.resolve("token-read"), "");
        assertThat(rotation.reload()).isFalse();
        Files.writeString(datadir.resolve("token-read"), spend + "\n");
        assertThat(rotation.reload()).isFalse();
        Files.delete(datadir.resolve("token-read"));
        assertThat(rotation.reload()).isFalse();

        assertThat(authenticator.grantOf("Bearer " + read)).contains(Grant.of(Scope.READ));
        assertThat(authenticator.grantOf("Bearer " + spend)).contains(Grant.of(Scope.SPEND));
    }

    @Test
    void every_refusal_has_the_same_bytes_whatever_was_wrong() throws Exception {
        RawClient client = startAndConnect(ServerFixture.LIMITS);
        List<String> requests = List.of(
                RawClient.postText(null, "\"x\""),
                RawClient.postText("0".repeat(64), "\"x\""),
                RawClient.postText(ServerFixture.READ, "\"scope\""),
                RawClient.postText(null, "not json"),
                RawClient.postText("0".repeat(64), "y".repeat(700_000)),
                RawClient.postText(ServerFixture.READ, "\"x\"")
                        .replace("Content-Type", "Authorization: Bearer " + ServerFixture.SPEND + "\r\nContent-Type"));
        for (String request : requests) {
            RawClient.Response answer = client.send(request).read();
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.header("www-authenticate")).isEqualTo("Bearer");
            assertThat(answer.header("content-type")).isEqualTo("application/json");
            assertThat(answer.text()).isEqualTo(UNAUTHORIZED);
        }
    }

    @Test
    void a_client_with_many_failures_is_still_served_with_a_valid_token() throws Exception {
        RawClient guesser = startAndConnect(ServerFixture.LIMITS);
        RawClient honest = fixture.client();
        for (int i = 0; i < 7; i++) {
            guesser.post("guess-" + i, "\"x\"").read();
        }
        guesser.post("guess-8", "\"x\"");

        assertThat(honest.post(ServerFixture.READ, "\"x\"").read().status()).isEqualTo(200);
        assertThat(guesser.read().status()).isEqualTo(401);
    }

    @Test
    void a_notification_beyond_its_scope_counts_as_a_failed_login() throws Exception {
        RawClient guesser = startAndConnect(ServerFixture.LIMITS);
        for (int i = 0; i < 3; i++) {
            assertThat(guesser.post(ServerFixture.READ, "\"scope of a notification\"")
                            .read()
                            .status())
                    .isEqualTo(204);
        }
        assertThat(fixture.refusals).containsExactly("unauthorized", "unauthorized", "unauthorized");
    }

    @Test
    void failures_are_held_back_longer_and_longer_and_forgiven_with_time() {
        long[] now = {0};
        Refusals.FailedLogins logins = new Refusals.FailedLogins(() -> now[0]);

        List<Long> held = new ArrayList<>();
        for (int i = 0; i < 13; i++) {
            held.add(logins.failed("192.0.2.1").toMillis());
        }
        assertThat(held).containsExactly(0L, 0L, 0L, 0L, 0L, 125L, 250L, 500L, 1000L, 2000L, 4000L, 4000L, 4000L);
        assertThat(logins.failed("192.0.2.2")).isZero();

        now[0] += 100_000_000_000L;
        assertThat(logins.failed("192.0.2.1")).isZero();
    }

    @Test
    void the_table_of_failures_is_bounded_and_one_ipv6_subscriber_is_one_client() {
        Refusals.FailedLogins logins = new Refusals.FailedLogins(() -> 0);
        for (int i = 0; i < 20_000; i++) {
            logins.failed("10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255));
        }
        assertThat(logins.size()).isEqualTo(4096);

        for (int i = 0; i < 6; i++) {
            logins.failed("2001:db8:0:1:0:0:0:" + i);
        }
        assertThat(logins.failed("2001:db8:0:1:9:9:9:9")).isPositive();
        assertThat(logins.failed("2001:db8:0:2:0:0:0:1")).isZero();
    }

    @Test
    void forwarded_addresses_are_believed_from_configured_proxies_only() throws Exception {
        String header = "X-Forwarded-For: 203.0.113.9, 198.51.100.7\r\nContent-Type";
        String request = RawClient.postText(ServerFixture.READ, "\"x\"").replace("Content-Type", header);
        assertThat(clientSeen(request)).contains("\"client\":\"127.0.0.1\"");
        assertThat(clientSeen(request, "127.0.0.0/8")).contains("\"client\":\"198.51.100.7\"");
        assertThat(clientSeen(request, "127.0.0.1", "198.51.100.0/24")).contains("\"client\":\"203.0.113.9\"");
    }

    private String clientSeen(String request, String... proxies) throws Exception {
        try (ServerFixture server =
                new ServerFixture(datadir, ServerFixture.LIMITS, List.of(proxies), Optional.empty())) {
            return server.client().send(request).read().text();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"proxy.example", "10.0.0.0/33", "10.0.0.0/x", "1.2.3", ""})
    void a_proxy_that_is_neither_an_address_nor_a_range_is_refused(String proxy) {
        assertThatThrownBy(() -> new ClientAddress(List.of(proxy))).isInstanceOf(IllegalArgumentException.class);
    }
}
