package org.chainwalletd.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.boot.Daemon;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.ConfigurationException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;

/** Whole daemon in the test's process, called over HTTP; optionally over a development chain whose node can return false data. */
public final class DaemonRig implements AutoCloseable {
    public static final String PASSPHRASE = "tests only";
    /** Cost of the sealed files of these daemons. The specified cost takes half a second per key, and would prove no more here. */
    public static final Argon2 COST = new Argon2(8, 1, 1);

    /** Value of a flag that is to be omitted. */
    public static final String UNSAID = "";

    private static final Duration PATIENCE = Duration.ofSeconds(100);

    private final Daemon daemon;
    private final WalletdClient client;
    private final String token;
    private final Optional<Chain> chain;

    /**
     * Chain behind the daemon's only node.
     *
     * @param guest whether it outlives the daemon
     */
    private record Chain(Devnet devnet, DistortingNode node, boolean guest) {}

    /** @param more flags and their values */
    public DaemonRig(Path datadir, URI node, String... more) {
        this(COST, Clock.systemUTC(), datadir, Optional.empty(), node, more);
    }

    private DaemonRig(Argon2 cost, Clock clock, Path datadir, Optional<Chain> chain, URI node, String... more) {
        this.chain = chain;
        try {
            daemon = start(settings(datadir, node, more), cost, clock);
            token = Files.readString(datadir.resolve("token-spend")).strip();
            client = client(token);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a daemon without a chain, with the given cost of sealed files. */
    public static DaemonRig ofCost(Argon2 cost, Path datadir, String... more) {
        return new DaemonRig(cost, Clock.systemUTC(), datadir, Optional.empty(), ScriptedNode.refusing(), more);
    }

    /** Starts a daemon over a new chain with ten blocks. */
    public static DaemonRig withChain(Path datadir, String... more) {
        try {
            Devnet devnet = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
            return over(devnet, false, Clock.systemUTC(), datadir, more);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a daemon over a chain that outlives it. */
    public static DaemonRig over(Devnet devnet, Path datadir, String... more) {
        return over(devnet, Clock.systemUTC(), datadir, more);
    }

    /** Starts a daemon with the given clock over a chain that outlives it. */
    public static DaemonRig over(Devnet devnet, Clock clock, Path datadir, String... more) {
        return over(devnet, true, clock, datadir, more);
    }

    private static DaemonRig over(Devnet devnet, boolean guest, Clock clock, Path datadir, String... more) {
        DistortingNode node = new DistortingNode(devnet.uri());
        return new DaemonRig(COST, clock, datadir, Optional.of(new Chain(devnet, node, guest)), node.url(), more);
    }

    public static Settings settings(Path datadir, URI node, String... more) {
        Map<String, String> flags = new HashMap<>(Map.of(
                "--datadir",
                datadir.toString(),
                "--bind",
                "127.0.0.1:0",
                "--node-rpc",
                node.toString(),
                "--network",
                "devnet"));
        for (int i = 0; i < more.length; i += 2) {
            flags.put(more[i], more[i + 1]);
        }
        flags.values().removeIf(UNSAID::equals);
        try {
            return SettingsLoader.load(flags, Map.of(), datadir).settings();
        } catch (ConfigurationException e) {
            throw new AssertionError(e);
        }
    }

    /** Starts only a daemon, with cheap sealed files. */
    public static Daemon start(Settings settings) {
        return start(settings, COST, Clock.systemUTC());
    }

    private static Daemon start(Settings settings, Argon2 cost, Clock clock) {
        return Daemon.start(settings, passphrase(), line -> {}, cost, clock);
    }

    public static SecretBytes passphrase() {
        return SecretBytes.takeOver(PASSPHRASE.getBytes(StandardCharsets.UTF_8));
    }

    /** Creates parameters from alternating names and values; values that are hex text in the protocol are converted to it. */
    public static Map<String, Object> params(Object... namesAndValues) {
        Map<String, Object> params = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            boolean text = value instanceof Address
                    || value instanceof Hash256
                    || value instanceof Bytes
                    || value instanceof PublicKey;
            params.put((String) namesAndValues[i], text ? value.toString() : value);
        }
        return params;
    }

    /** Creates parameters of a transfer to one recipient, with further parameters. */
    public static Map<String, Object> transfer(Object from, Object to, Object amount, Object... more) {
        return payment(from, to, amount, more);
    }

    /** Creates parameters of a submission of payouts from one address. */
    public static Map<String, Object> payouts(Party from, List<?> orders) {
        return params("payouts", orders, "from", params("addresses", List.of(from.address.toString())));
    }

    /** Creates parameters of a single payout in a submission. */
    public static Map<String, Object> payout(Object id, Party to, Object amount) {
        return params("payout_id", id, "to", to.address, "amount", amount);
    }

    public String token() {
        return token;
    }

    /** Returns the daemon, for tests in its own package. */
    public Daemon daemon() {
        return daemon;
    }

    public URI uri() {
        return daemon.uri();
    }

    /** Returns the chain of a rig that has one. */
    public Devnet devnet() {
        return chain.orElseThrow().devnet();
    }

    /** Returns the daemon's node, in a rig that has a chain. */
    public DistortingNode node() {
        return chain.orElseThrow().node();
    }

    /** Returns a client with the spend token. */
    public WalletdClient client() {
        return client;
    }

    /** Calls with the spend token. */
    public JsonNode call(String method, Map<String, ?> params) {
        return client.call(method, params);
    }

    /** Calls with parameters as in {@link #params}. */
    public JsonNode call(String method, Object... namesAndValues) {
        return call(method, params(namesAndValues));
    }

    public WalletdException.RpcError refused(String method, Map<String, ?> params) {
        return DaemonProcess.refusal(client, method, params);
    }

    /** Calls with parameters as in {@link #params}, and returns the refusal. */
    public WalletdException.RpcError refused(String method, Object... namesAndValues) {
        return refused(method, params(namesAndValues));
    }

    /** Calls, asserts that the refusal has this code, and returns it. */
    public WalletdException.RpcError refused(int code, String method, Map<String, ?> params) {
        WalletdException.RpcError error = refused(method, params);
        assertThat(error.code()).as(method + ": " + error.getMessage()).isEqualTo(code);
        return error;
    }

    /** Calls with parameters as in {@link #params}, asserts that the refusal has this code, and returns it. */
    public WalletdException.RpcError refused(int code, String method, Object... namesAndValues) {
        return refused(code, method, params(namesAndValues));
    }

    /** Calls and returns the code of the refusal. */
    public int refusal(String method, Map<String, ?> params) {
        return refused(method, params).code();
    }

    /** Calls with parameters as in {@link #params}, and returns the code of the refusal. */
    public int refusal(String method, Object... namesAndValues) {
        return refused(method, namesAndValues).code();
    }

    /** Creates parameters of a transfer to one recipient, with further names and values, alternating. */
    public static Map<String, Object> payment(Object from, Object to, Object amount, Object... more) {
        Map<String, Object> payment = params("from", from, "outputs", List.of(params("to", to, "amount", amount)));
        payment.putAll(params(more));
        return payment;
    }

    /** Returns the text of a refusal, after asserting its {@code code} and that nothing was sent to a node. */
    public String refusedUnsent(int code, String method, Map<String, ?> params) {
        long sent = node().count("send_raw_transaction");
        WalletdException.RpcError error = refused(code, method, params);
        assertThat(node().count("send_raw_transaction"))
                .as("nothing was broadcast")
                .isEqualTo(sent);
        return error.getMessage();
    }

    public Party imported(int number) {
        Party party = new Party(number);
        call("import_private_key", params("private_key", party.secret()));
        return party;
    }

    /** Pays confirmed coins to a party. */
    public void fund(Party party, long... values) {
        Coins.give(devnet(), party.address, values);
    }

    /** Mines blocks and returns the new height. */
    public long mine(int blocks) {
        devnet().mine(blocks);
        return devnet().tip().height();
    }

    /** Waits until the daemon has followed the chain to its tip. */
    public void awaitFollowed() {
        awaitFollowed(devnet());
    }

    /** Waits until the daemon has followed a chain other than the rig's own to its tip. */
    public void awaitFollowed(Devnet chain) {
        String tip = chain.tip().id().hex();
        Await.until(
                "the daemon follows to " + chain.tip().height(),
                () -> followed().equals(tip));
    }

    /** Returns the id of the followed tip; empty before the first block is followed. */
    public String followed() {
        return followerStatus().path("last_indexed_block_id").asText();
    }

    /** Waits until the blocks needed by its keys have been read. */
    public void awaitHistories() {
        Await.until(
                "all histories are read",
                () -> followerStatus().path("full_scan_complete").asBoolean());
    }

    /** Creates a standard key and returns its address. */
    public String newAddress() {
        return call("generate_standard_address").get("address").asText();
    }

    /** Returns the balance of an address as reported by the daemon. */
    public long balance(Object address) {
        return call("get_balance", "address", address).get("balance").asLong();
    }

    /** Waits until the chain of the nodes is pinned in {@code datadir}. */
    public void awaitPinned(Path datadir) {
        Await.until("the chain is pinned", () -> Files.exists(datadir.resolve("genesis")));
    }

    /** Returns the result of {@code get_follower_status}; a missing node before the first block is followed. */
    public JsonNode followerStatus() {
        try {
            return call("get_follower_status", Map.of());
        } catch (WalletdException.Upstream notYet) {
            return MissingNode.getInstance();
        }
    }

    /** Returns the coins of a party according to the chain itself. */
    public Map<Outpoint, Long> coins(Party party) {
        return Coins.of(devnet(), party.address);
    }

    /** Returns the text of {@code /metrics}. */
    public String metrics() {
        return Dial.answer(Dial.request(uri().resolve("/metrics"), token)
                        .timeout(Duration.ofSeconds(10))
                        .build())
                .body();
    }

    /** Returns the value of a metric without labels, or of one with these labels; fails if it is not served. */
    public double metric(String name) {
        return metrics()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
                .findFirst()
                .orElseThrow();
    }

    /** Whether a line of the metrics matches. */
    public boolean tells(String line) {
        return metrics().lines().anyMatch(each -> each.matches(line));
    }

    /** Returns the answer of {@code /readyz}. */
    public HttpResponse<String> readiness() {
        return Dial.answer(Dial.request(uri().resolve("/readyz")).build());
    }

    /** Returns a client with another token. */
    public WalletdClient client(String other) {
        return new WalletdClient(uri(), other, Optional.empty(), PATIENCE);
    }

    /** Completes when the daemon can no longer work. */
    public CompletionStage<Void> gaveUp() {
        return daemon.gaveUp();
    }

    @Override
    public void close() {
        daemon.close();
        chain.ifPresent(behind -> {
            behind.node().close();
            if (!behind.guest()) {
                behind.devnet().close();
            }
        });
    }
}
