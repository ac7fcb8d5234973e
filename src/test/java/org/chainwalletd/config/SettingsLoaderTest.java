package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.testkit.OwnFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsLoaderTest {
    private static final String TOKEN_A = "a".repeat(64);
    private static final String TOKEN_B = "b".repeat(64);
    private static final String TOKEN_C = "c".repeat(64);

    @TempDir
    Path home;

    private final Map<String, String> flags = new HashMap<>();
    private final Map<String, String> environment = new HashMap<>();

    private Configuration load() {
        return SettingsLoader.load(flags, environment, home);
    }

    private List<String> problems() {
        ConfigurationException refused = catchThrowableOfType(ConfigurationException.class, this::load);
        assertThat(refused).as("the configuration is refused").isNotNull();
        return refused.problems();
    }

    /** The only one. */
    private AbstractStringAssert<?> assertProblem() {
        return assertThat(problems()).singleElement().asString();
    }

    private Path file(String content) throws IOException {
        Path file = Files.createDirectories(home.resolve(".chain-walletd")).resolve("walletd.conf");
        return OwnFiles.of(Files.writeString(file, content));
    }

    @Test
    void without_anything_given_the_defaults_of_the_interface_hold() {
        Settings settings = load().settings();
        assertThat(settings.chain().brand()).isEqualTo("chain");
        assertThat(settings.identity().genesis()).isEmpty();
        assertThat(settings.datadir()).isEqualTo(home.resolve(".chain-walletd"));
        assertThat(settings.node().urls()).containsExactly(URI.create("http://127.0.0.1:9334"));
        assertThat(settings.node().attempts()).isEqualTo(4);
        assertThat(settings.node().backoff()).isEqualTo(Duration.ofMillis(500));
        assertThat(settings.node().maxConnections()).isEqualTo(32);
        assertThat(settings.node().indexer()).isEmpty();
        assertThat(settings.http().listening().bind()).isEqualTo(new InetSocketAddress("127.0.0.1", 7448));
        assertThat(settings.http().tls()).isFalse();
        assertThat(settings.http().tokenFlags()).isEmpty();
        assertThat(settings.http().requests().maxBodyBytes()).isEqualTo(2 * 1024 * 1024);
        assertThat(settings.http().batches().maxItems()).isEqualTo(1000);
        assertThat(settings.http().listening().metrics()).isEmpty();
        assertThat(settings.spend())
                .isEqualTo(new Settings.Spend(
                        Optional.empty(),
                        Optional.empty(),
                        Duration.ofDays(1),
                        Duration.ofMinutes(10),
                        Duration.ofDays(30),
                        Optional.empty(),
                        Duration.ofSeconds(30),
                        false,
                        false,
                        false,
                        new Settings.Payouts(List.of(), 100_000, Duration.ofSeconds(1), 2, 20)));
        assertThat(settings.devnet()).isEmpty();
        assertThat(settings.jsonLogs()).isFalse();
        assertThat(load().warnings()).isEmpty();
    }

    /** Options of the connections between daemons, which are only valid together. */
    private static final Map<Option, String> CLUSTER = Map.of(
            Option.CLUSTER_BIND, "10.0.0.7:7450",
            Option.CLUSTER_CERT, "node.pem",
            Option.CLUSTER_KEY, "node.key",
            Option.CLUSTER_CA, "ca.pem");

    @Test
    void connections_of_daemons_need_a_database_and_certificates_outside_of_this_machine() {
        flags.put("--cluster-bind", "127.0.0.1:0");
        assertThatThrownBy(this::load).hasMessageContaining("is for daemons that share a database");
        flags.put("--store", "postgresql://u@127.0.0.1/a");
        assertThat(load().settings()
                        .database()
                        .orElseThrow()
                        .cluster()
                        .orElseThrow()
                        .files())
                .isEmpty();
        flags.put("--cluster-key", "node.key");
        assertThatThrownBy(this::load).hasMessageContaining("belong together");
        flags.remove("--cluster-key");
        flags.put("--cluster-bind", "0.0.0.0:7450");
        assertThatThrownBy(this::load).hasMessageContaining("the address at which the other daemons reach this one");
        flags.put("--cluster-bind", "10.0.0.7:7450");
        assertThatThrownBy(this::load).hasMessageContaining("would travel in clear");
        flags.remove("--cluster-bind");
        flags.put("--cluster-ca", "ca.pem");
        assertThatThrownBy(this::load).hasMessageContaining("does nothing without --cluster-bind");
    }

    /** Four different valid values for each option, each in the form of its flag. */
    private static List<String> samples(Option option) {
        return switch (option.form()) {
            case SWITCH -> List.of("true", "false");
            case WORD -> List.of("brand", "other", "third");
            case NETWORK -> List.of("mainnet", "testnet", "devnet");
            case HASH -> List.of("11".repeat(32), "22".repeat(32), "33".repeat(32));
            case BLOCK -> List.of("1:" + "11".repeat(32), "2:" + "22".repeat(32), "3:" + "33".repeat(32));
            case HEIGHT -> List.of("7", "full", "now");
            case COIN_SOURCE -> List.of("node", "ledger", "node");
            case CLASSIC_TOKENS -> List.of("read", "none", "all");
            case FINALITY -> List.of("safe", "12", "finalized");
            case EVM_ADDRESS, EVM_ADDRESSES ->
                List.of("0x" + "11".repeat(20), "0x" + "22".repeat(20), "0x" + "33".repeat(20));
            case ADDRESSES -> List.of("11".repeat(32), "22".repeat(32) + "," + "33".repeat(32), "44".repeat(32));
            case STORE ->
                List.of("postgresql://u@127.0.0.1/a", "postgresql://u@localhost:1/b", "postgresql://u@[::1]/c");
            case PATH -> List.of("/tmp/a", "/tmp/b", "/tmp/c");
            case SECRET -> List.of(TOKEN_A, TOKEN_B, TOKEN_C);
            case URL -> List.of("http://a.test:1", "https://b.test/x", "http://c.test");
            case URLS -> List.of("http://a.test:1", "http://b.test:2,https://c.test", "http://c.test");
            case ADDRESS -> List.of("127.0.0.1:1", "127.0.0.2:2", "[::1]:3");
            case WORDS -> List.of("a.test", "b.test,10.0.0.1", "c.test");
            case NETWORKS -> List.of("10.0.0.0/8", "192.0.2.1,::1", "fd00::/8");
            case COUNT, BYTES, MILLISECONDS, SECONDS, AMOUNT, NUMBER ->
                Stream.of(1L, 2L, 3L)
                        .map(step -> String.valueOf(Math.max(1, option.least()) + step))
                        .toList();
        };
    }

    @ParameterizedTest
    @EnumSource(Option.class)
    void a_flag_goes_over_the_environment_over_the_file_over_the_default(Option option) throws IOException {
        List<String> values = samples(option);
        String last = values.get(values.size() - 1);
        Path file = OwnFiles.of(
                Files.writeString(home.resolve("given.conf"), option.key() + " = \"" + values.get(0) + "\"\n"));
        if (option == Option.EVM_RPC) {
            flags.put("--evm-chain-id", "1");
            flags.put("--evm-quorum", "1");
        }
        assertThat(originOf(option)).isEqualTo("default");
        if (CLUSTER.containsKey(option)) {
            flags.put("--store", "postgresql://u@127.0.0.1/a");
            CLUSTER.forEach((other, value) -> {
                if (other != option) {
                    flags.put(other.flag(), value);
                }
            });
        }
        flags.put("--config", file.toString());
        assertThat(originOf(option)).isEqualTo("file " + file);
        environment.put(option.variable("chain"), values.get(1));
        assertThat(originOf(option)).isEqualTo("variable " + option.variable("chain"));
        flags.put(option.flag(), last);
        assertThat(originOf(option)).isEqualTo("flag " + option.flag());
    }

    private String originOf(Option option) {
        return load().origins().get(option);
    }

    @Test
    void every_flag_arrives_in_its_setting() throws IOException {
        Path password = OwnFiles.secret(home.resolve("password"), "s3cret\n");
        flags.putAll(Map.ofEntries(
                Map.entry("--brand", "Brand"),
                Map.entry("--expect-genesis", "AB".repeat(32)),
                Map.entry("--network", "testnet"),
                Map.entry("--datadir", "~/data"),
                Map.entry("--json-logs", "true"),
                Map.entry("--node-rpc", "http://a.test:1, https://b.test/path"),
                Map.entry("--upstream-attempts", "7"),
                Map.entry("--upstream-retry-backoff-ms", "70"),
                Map.entry("--upstream-timeout-ms", "700"),
                Map.entry("--upstream-max-answer-bytes", "70000"),
                Map.entry("--upstream-max-connections", "8"),
                Map.entry("--indexer-rpc", "http://i.test,http://j.test"),
                Map.entry("--indexer-token", "indexer-token"),
                Map.entry("--bind", "[::1]:80"),
                Map.entry("--tls", "true"),
                Map.entry("--tls-san", "x.test,10.0.0.9"),
                Map.entry("--http2", "true"),
                Map.entry("--http2-max-streams", "31"),
                Map.entry("--http2-max-header-bytes", "3100"),
                Map.entry("--http2-max-control-per-sec", "32"),
                Map.entry("--allow-public-bind", "true"),
                Map.entry("--auth-token-read", TOKEN_A),
                Map.entry("--auth-token-manage", TOKEN_B),
                Map.entry("--auth-token-spend", TOKEN_C),
                Map.entry("--max-body-bytes", "5000"),
                Map.entry("--max-head-bytes", "4000"),
                Map.entry("--max-batch", "5"),
                Map.entry("--max-batch-answer-bytes", "70000"),
                Map.entry("--max-connections-per-address", "7"),
                Map.entry("--max-held-bytes", "80000"),
                Map.entry("--held-percent-per-address", "60"),
                Map.entry("--held-percent-per-connection", "30"),
                Map.entry("--batch-parallelism", "6"),
                Map.entry("--max-connections", "9"),
                Map.entry("--max-concurrent-per-token", "10"),
                Map.entry("--max-waits", "21"),
                Map.entry("--head-deadline-secs", "11"),
                Map.entry("--drain-secs", "0"),
                Map.entry("--trusted-proxies", "10.0.0.0/8,::1"),
                Map.entry("--metrics-bind", "127.0.0.1:9100"),
                Map.entry("--console", "true"),
                Map.entry("--no-key-export", "true"),
                Map.entry("--classic-tokens", "all"),
                Map.entry("--spend-cap-per-tx", "18446744073709551615"),
                Map.entry("--spend-cap-per-period", "0"),
                Map.entry("--spend-cap-period-secs", "12"),
                Map.entry("--reservation-ttl-secs", "13"),
                Map.entry("--token-keep-days", "2"),
                Map.entry("--spends-keep-days", "500"),
                Map.entry("--receipt-ttl-secs", "172800"),
                Map.entry("--rebroadcast-interval-secs", "15"),
                Map.entry("--payout-from", "ab".repeat(32)),
                Map.entry("--payout-queue-max", "23"),
                Map.entry("--payout-delay", "24"),
                Map.entry("--payout-fee-rate", "25"),
                Map.entry("--payout-coins", "26"),
                Map.entry("--auto-reclaim", "true"),
                Map.entry("--shared-keys", "true"),
                Map.entry("--store-restored", "true"),
                Map.entry("--evm-rpc", "http://e.test,http://f.test"),
                Map.entry("--evm-chain-id", "31337"),
                Map.entry("--evm-quorum", "1"),
                Map.entry("--evm-timeout-ms", "701"),
                Map.entry("--evm-tokens", "0x5FbDB2315678afecb367f032d93F642f64180aa3"),
                Map.entry("--evm-known-nonce", "5"),
                Map.entry("--evm-brand", "acct"),
                Map.entry("--evm-native", "gold"),
                Map.entry("--swap-evm-finality", "12"),
                Map.entry("--unseal-threads", "3"),
                Map.entry("--key-pool", "19"),
                Map.entry("--max-mints", "22"),
                Map.entry("--passphrase-file", "~/words"),
                Map.entry("--verify-work", "off"),
                Map.entry("--checkpoint", "17:" + "cd".repeat(32)),
                Map.entry("--follow-from", "full"),
                Map.entry("--follow-max-lag", "18"),
                Map.entry("--own-coins", "ledger"),
                Map.entry("--credits-keep-days", "400"),
                Map.entry("--swap-contract", "0x" + "c0".repeat(20)),
                Map.entry("--swap-contract-code-hash", "0x" + "ce".repeat(32)),
                Map.entry("--swap-contract-from-block", "77"),
                Map.entry("--swap-chain-confirmations", "31"),
                Map.entry("--swap-lock-blocks", "4000"),
                Map.entry("--swap-lock-secs", "40000"),
                Map.entry("--swap-evm-margin-secs", "3000"),
                Map.entry("--swap-chain-margin-blocks", "300"),
                Map.entry("--swap-max-fee-bps", "90"),
                Map.entry("--swap-max-impact-bps", "400"),
                Map.entry("--swap-allow-relay", "true"),
                Map.entry("--swap-leave-open", "true"),
                Map.entry("--swap-pool", "https://pool.test/p"),
                Map.entry("--swap-pool-ca", "pool.pem"),
                Map.entry("--store-password-file", password.toString()),
                Map.entry("--advertise-url", "https://daemon.test:7448/"),
                Map.entry("--cluster-bind", "10.0.0.7:7450"),
                Map.entry("--cluster-cert", "node.pem"),
                Map.entry("--cluster-key", "node.key"),
                Map.entry("--cluster-ca", "ca.pem"),
                Map.entry(
                        "--store",
                        "postgresql://walletd@db1.test:5433,[::1]/payments?sslmode=verify-full&sslrootcert=root.pem")));
        assertThat(load().settings())
                .usingRecursiveComparison()
                .ignoringFields("identity.profile")
                .isEqualTo(new Settings(
                        new Settings.ChainIdentity(
                                null, Optional.of(Hash256.parse("ab".repeat(32))), Optional.of(Network.TESTNET)),
                        home.resolve("data"),
                        new Settings.Node(
                                List.of(URI.create("http://a.test:1"), URI.create("https://b.test/path")),
                                7,
                                Duration.ofMillis(70),
                                Duration.ofMillis(700),
                                70_000,
                                8,
                                Optional.of(new Settings.Indexer(
                                        List.of(URI.create("http://i.test"), URI.create("http://j.test")),
                                        Optional.of("indexer-token")))),
                        new Settings.Http(
                                new Settings.Listening(
                                        new InetSocketAddress("::1", 80),
                                        true,
                                        Optional.of(new InetSocketAddress("127.0.0.1", 9100)),
                                        List.of("10.0.0.0/8", "::1")),
                                true,
                                List.of("x.test", "10.0.0.9"),
                                Optional.of(new Settings.Http2(31, 3100, 32)),
                                Map.of("read", TOKEN_A, "manage", TOKEN_B, "spend", TOKEN_C),
                                new Settings.Requests(4000, 5000, 10, 21, Duration.ofSeconds(11)),
                                new Settings.Batches(5, 70_000, 6),
                                9,
                                new Settings.ClientShares(7, OptionalLong.of(80_000), 60, 30),
                                Duration.ZERO,
                                true,
                                new Settings.Access(Set.of("read", "manage", "spend"), false)),
                        new Settings.Spend(
                                Optional.of(Amount.MAX),
                                Optional.of(Amount.ZERO),
                                Duration.ofSeconds(12),
                                Duration.ofSeconds(13),
                                Duration.ofDays(2),
                                Optional.of(Duration.ofDays(500)),
                                Duration.ofSeconds(15),
                                true,
                                true,
                                true,
                                new Settings.Payouts(
                                        List.of(Address.parse("ab".repeat(32))), 23, Duration.ofSeconds(24), 25, 26)),
                        new Settings.Keyring(3, 22, 19, Optional.of(home.resolve("words"))),
                        new Settings.Follow(
                                false,
                                Optional.of(new Settings.Checkpoint(17, Hash256.parse("cd".repeat(32)))),
                                Optional.of(0L),
                                18,
                                true,
                                400),
                        new Settings.Account(
                                Optional.of(new Settings.Evm(
                                        List.of(URI.create("http://e.test"), URI.create("http://f.test")),
                                        1,
                                        31_337,
                                        Duration.ofMillis(701),
                                        List.of(EvmAddress.parse("0x5FbDB2315678afecb367f032d93F642f64180aa3")),
                                        OptionalLong.of(5),
                                        new Settings.EvmFinality.Blocks(12))),
                                new Settings.EvmWords("acct", "gold")),
                        new Settings.Swaps(
                                Optional.of(new Settings.Swap(
                                        URI.create("https://pool.test/p"),
                                        Optional.of(Path.of("pool.pem")),
                                        Optional.of(new Settings.Swapping(
                                                EvmAddress.parse("0x" + "c0".repeat(20)),
                                                Hash256.parse("ce".repeat(32)),
                                                OptionalLong.of(77),
                                                OptionalLong.of(31),
                                                4_000,
                                                40_000,
                                                3_000,
                                                300,
                                                90,
                                                400,
                                                true)))),
                                true),
                        Optional.empty(),
                        Optional.of(new Settings.Database(
                                "walletd",
                                List.of("db1.test:5433", "[::1]:5432"),
                                "payments",
                                true,
                                Optional.of(Path.of("root.pem")),
                                Optional.of(password),
                                Optional.empty(),
                                Optional.of(URI.create("https://daemon.test:7448/")),
                                Optional.of(new Settings.Cluster(
                                        new InetSocketAddress("10.0.0.7", 7450),
                                        Optional.of(new Settings.PemFiles(
                                                Path.of("node.pem").toAbsolutePath(),
                                                Path.of("node.key").toAbsolutePath(),
                                                Path.of("ca.pem").toAbsolutePath())))))),
                        true));
        assertThat(load().settings().chain().brand()).isEqualTo("brand");
    }

    @Test
    void the_development_node_is_the_node() {
        flags.put("--devnet", "true");
        flags.put("--devnet-bind", "127.0.0.1:12345");
        flags.put("--devnet-block-interval", "0");
        flags.put("--devnet-seed", "-7");
        flags.put("--devnet-prompt", "true");
        Settings settings = load().settings();
        assertThat(settings.devnet())
                .contains(new Settings.Devnet(
                        new InetSocketAddress("127.0.0.1", 12345),
                        home.resolve(".chain-walletd/devnet"),
                        Duration.ZERO,
                        false,
                        OptionalLong.of(-7),
                        false,
                        true));
        assertThat(settings.node().urls()).containsExactly(URI.create("http://127.0.0.1:12345"));
        environment.put("CHAIN_NODE_RPC", "http://other.test");
        assertThat(load().warnings()).anyMatch(warning -> warning.contains("CHAIN_NODE_RPC"));
        flags.put("--node-rpc", "http://other.test");
        assertThat(problems()).containsExactly("--devnet and --node-rpc exclude each other: leave one out");
        flags.remove("--node-rpc");
        flags.put("--network", "mainnet");
        assertThat(problems())
                .containsExactly("--devnet is the devnet and --network says mainnet: leave --network out");
        flags.put("--network", "devnet");
        assertThat(load().settings().identity().network()).contains(Network.DEVNET);
    }

    @Test
    void the_brand_names_the_nodes_variable_and_the_datadir() {
        flags.put("--brand", "other");
        environment.put("CHAIN_NODE_RPC", "http://wrong.test");
        environment.put("OTHER_NODE_RPC", "http://right.test");
        assertThat(load().settings().node().urls()).containsExactly(URI.create("http://right.test"));
        assertThat(load().settings().datadir()).isEqualTo(home.resolve(".other-walletd"));
    }

    @Test
    void the_file_in_the_datadir_is_read_without_being_named() throws IOException {
        file("walletd { http.max-batch = 7, node.rpc = [\"http://a.test\", \"http://b.test\"], http.tls = yes }");
        Settings settings = load().settings();
        assertThat(settings.http().batches().maxItems()).isEqualTo(7);
        assertThat(settings.http().tls()).isTrue();
        assertThat(settings.node().urls()).hasSize(2);
    }

    @Test
    void a_file_in_a_datadir_cannot_name_another_datadir() throws IOException {
        file("walletd.datadir = /elsewhere");
        assertProblem().contains("/elsewhere", "--config");
    }

    @Test
    void a_file_in_a_datadir_cannot_name_another_brand() throws IOException {
        file("walletd.chain.brand = other");
        assertProblem().contains(".other-walletd", "--config");
        flags.put("--datadir", home.resolve(".chain-walletd").toString());
        assertThat(load().settings().chain().brand()).isEqualTo("other");
    }

    @Test
    void an_upper_case_brand_word_is_the_same_word() {
        flags.put("--brand", "OTHER");
        assertThat(load().settings().datadir()).isEqualTo(home.resolve(".other-walletd"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "walletd.http.max-bach = 7|unknown key walletd.http.max-bach; did you mean walletd.http.max-batch?",
                "walletd.node-rpc = \"x\"|unknown key walletd.node-rpc; it is called walletd.node.rpc",
                "walletd.upstream-attempts = 3|unknown key walletd.upstream-attempts; it is called walletd.node.attempts",
                "walletd.spend-cap-per-tx = 3|unknown key walletd.spend-cap-per-tx; it is called walletd.spend.cap-per-tx",
                "walletd.brand = other|unknown key walletd.brand; it is called walletd.chain.brand",
                "http.tls = true|unknown key http.tls; it is called walletd.http.tls",
                "something.of.another.program = 1|unknown key something.of.another.program",
                "walletd.http.bind { port = 1 }|unknown key walletd.http.bind.port",
            })
    void an_unknown_key_stops_the_start_with_advice(String line, String complaint) throws IOException {
        Path file = file("\n" + line + "\n");
        assertThat(problems()).anySatisfy(problem -> assertThat(problem).startsWith(file + " line 2: " + complaint));
    }

    @Test
    void a_file_that_is_no_hocon_is_refused_with_its_place() throws IOException {
        Path file = file("walletd {\n  http = [\n");
        assertProblem().contains(file.toString());
    }

    @Test
    void a_named_file_must_be_there() {
        environment.put("WALLETD_CONFIG", home.resolve("nowhere.conf").toString());
        assertThat(problems()).containsExactly("--config " + home.resolve("nowhere.conf") + " cannot be read");
    }

    @Test
    void all_problems_are_reported_together() {
        flags.put("--bind", "nonsense");
        flags.put("--upstream-attempts", "0");
        flags.put("--brand", "toolong");
        flags.put("--no-such-flag", "1");
        environment.put("WALLETD_EXPECT_GENESIS", "12");
        assertThat(problems())
                .containsExactlyInAnyOrder(
                        "--bind 'nonsense' must be host:port, such as 127.0.0.1:7448 or [::1]:7448",
                        "--upstream-attempts '0' must be from 1 to 100",
                        "--brand 'toolong' the brand word must have exactly five ASCII letters: 'toolong'",
                        "unknown flag --no-such-flag",
                        "--expect-genesis (from variable WALLETD_EXPECT_GENESIS) '12' must be 64 hex characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  "})
    void an_empty_token_is_refused(String token) throws IOException {
        environment.put("WALLETD_AUTH_TOKEN_SPEND", token);
        assertThat(problems())
                .containsExactly(
                        "--auth-token-spend (from variable WALLETD_AUTH_TOKEN_SPEND) is empty; give a value or leave it out");
        environment.clear();
        file("walletd.http.auth-token-read = \"\"");
        assertProblem().startsWith("--auth-token-read").contains("is empty");
    }

    @Test
    void a_token_is_never_shown() {
        flags.put("--auth-token-read", "very secret indeed");
        assertThat(problems()).containsExactly("--auth-token-read must be printable ASCII without spaces");
    }

    @Test
    void scopes_do_not_share_a_token() {
        flags.put("--auth-token-read", TOKEN_A);
        flags.put("--auth-token-spend", TOKEN_A);
        assertProblem().contains("same token").doesNotContain(TOKEN_A);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://a.test",
                "a.test:9334",
                "http://",
                "http://u:p@a.test",
                "http://a.test:0",
                "http://a.test:70000",
                "http://a test",
                "http://a.test,,http://b.test",
                "http://a.test,http://a.test",
                "",
                ","
            })
    void a_wrong_node_url_is_refused(String urls) {
        flags.put("--node-rpc", urls);
        assertProblem().startsWith("--node-rpc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":7448",
                "127.0.0.1",
                "127.0.0.1:70000",
                "::1:7448",
                "1.2.3:80",
                "no.such.host.invalid:1",
                "a b:1"
            })
    void a_wrong_bind_address_is_refused(String bind) {
        flags.put("--bind", bind);
        assertProblem().startsWith("--bind");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "10.0.0.0/33", "300.1.1.1", "10.0.0.0/8/8", "10.0.0.0/", "fe80::/129"})
    void proxies_are_addresses_or_networks(String proxies) {
        flags.put("--trusted-proxies", proxies);
        assertProblem().startsWith("--trusted-proxies");
    }

    @Test
    void what_is_allowed_but_hardly_meant_is_warned_of() {
        flags.put("--tls-san", "a.test");
        flags.put("--spend-cap-per-tx", "10");
        flags.put("--spend-cap-per-period", "9");
        environment.put("WALLETD_AUTH_TOKEN_READ", "short");
        environment.put("WALLETD_EXPECT_GENSIS", "00");
        assertThat(load().warnings())
                .containsExactlyInAnyOrder(
                        "the variable WALLETD_EXPECT_GENSIS means nothing to the daemon; did you mean WALLETD_EXPECT_GENESIS?",
                        "--tls-san does nothing without --tls",
                        "--auth-token-read is short; 64 random hex characters are a good token",
                        "--spend-cap-per-period is below --spend-cap-per-tx, which can thus never be reached");
    }

    @Test
    void a_token_on_the_command_line_is_warned_of_because_everybody_on_the_machine_reads_it() {
        flags.put("--auth-token-spend", TOKEN_C);
        flags.put("--indexer-rpc", "http://indexer.test");
        flags.put("--indexer-token", TOKEN_A);
        environment.put("WALLETD_AUTH_TOKEN_READ", TOKEN_B);
        environment.put("WALLETD_AUDIT_FILE", "/var/log/audit.log");
        assertThat(load().warnings())
                .hasSize(2)
                .allMatch(warning -> warning.contains("stands on the command line"))
                .noneMatch(warning -> warning.contains(TOKEN_A) || warning.contains(TOKEN_C))
                .anyMatch(warning -> warning.contains("WALLETD_AUTH_TOKEN_SPEND"))
                .anyMatch(warning -> warning.contains("WALLETD_INDEXER_TOKEN"));
    }

    @Test
    void a_public_bind_is_refused_unless_something_protects_the_tokens() {
        flags.put("--bind", "0.0.0.0:7448");
        assertProblem().contains("--tls", "--allow-public-bind");
        flags.put("--tls", "true");
        assertThat(load().settings().http().tls()).isTrue();
        flags.remove("--tls");
        flags.put("--allow-public-bind", "true");
        assertThat(load().settings().http().listening().allowPublic()).isTrue();
        flags.remove("--allow-public-bind");
        flags.put("--bind", "127.0.0.1:7448");
        flags.put("--metrics-bind", "0.0.0.0:9100");
        assertProblem().startsWith("--metrics-bind");
    }

    @Test
    void the_token_for_indexers_may_be_in_a_file_and_is_never_shown() throws IOException {
        Path kept = Files.writeString(home.resolve("indexer.token"), "s3cret-of-the-file\n");
        flags.put("--indexer-rpc", "http://i.test");
        flags.put("--indexer-token-file", kept.toString());

        Settings.Indexer indexer = load().settings().node().indexer().orElseThrow();

        assertThat(indexer.token()).contains("s3cret-of-the-file");
        assertThat(load().settings().toString()).contains("i.test").doesNotContain("s3cret");
        flags.put("--indexer-token", "another");
        assertThat(problems())
                .containsExactly("--indexer-token and --indexer-token-file exclude each other: leave one out");
    }

    @Test
    void a_token_file_that_holds_no_token_stops_the_start() throws IOException {
        flags.put("--indexer-rpc", "http://i.test");
        flags.put("--indexer-token-file", home.resolve("missing").toString());
        assertProblem().contains("cannot be read");

        Path empty = Files.writeString(home.resolve("empty"), "\n");
        flags.put("--indexer-token-file", empty.toString());
        assertProblem().contains("is empty");

        Path two = Files.writeString(home.resolve("two"), "one two");
        flags.put("--indexer-token-file", two.toString());
        assertProblem().contains("without spaces").doesNotContain("one two");
    }

    @Test
    void an_account_chain_is_named_completely_or_not_at_all() {
        flags.put("--evm-rpc", "http://e.test");

        assertThatThrownBy(this::load)
                .hasMessageContaining("--evm-rpc needs --evm-chain-id")
                .hasMessageContaining("--evm-quorum 2 needs as many endpoints, and --evm-rpc names 1");

        flags.put("--evm-chain-id", "1");
        flags.put("--evm-quorum", "1");
        assertThat(load().settings().account().chain().orElseThrow().finality())
                .isEqualTo(new Settings.EvmFinality.Tag("finalized"));
        assertThat(load().warnings()).anyMatch(warning -> warning.contains("--evm-quorum 1"));
        flags.put("--evm-tokens", "0x5fbDB2315678afecb367f032d93F642f64180aa3");
        assertThatThrownBy(this::load).hasMessageContaining("checksum");
    }

    @Test
    void the_days_of_a_token_have_an_older_name_in_seconds_and_two_that_differ_are_refused() {
        assertThat(load().settings().spend().receiptTtl()).isEqualTo(Duration.ofDays(30));
        flags.put("--token-keep-days", "7");
        assertThat(load().settings().spend().receiptTtl()).isEqualTo(Duration.ofDays(7));
        flags.put("--receipt-ttl-secs", "60");
        assertThatThrownBy(this::load)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("--receipt-ttl-secs and --token-keep-days");
        flags.remove("--token-keep-days");
        assertThat(load().settings().spend().receiptTtl()).isEqualTo(Duration.ofSeconds(60));
    }
}
