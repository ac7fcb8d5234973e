package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.LauncherCall;

/** Daemon with its own datadir that sells, or buys, through a sequence of processes. */
final class SwapTrader {
    static final long COINS = 30;
    static final long COIN = 150_000_000;
    static final BigInteger WEI = BigInteger.TEN.pow(18).multiply(BigInteger.TWO);

    private static final int HALTED = 137;

    private final SwapGround ground;
    private final Path datadir;
    private final boolean sells;
    private final List<String> executed = new ArrayList<>();
    private String address = "";
    private String publicKey = "";
    private String account = "";

    SwapTrader(SwapGround ground, Path datadir, boolean sells) {
        this.ground = ground;
        this.datadir = datadir;
        this.sells = sells;
    }

    /**
     * Death of a process.
     *
     * @param point as in {@link org.chainwalletd.store.files.CrashPoint}
     * @param fresh whether a new swap is begun for it; otherwise a swap left by an earlier death reaches the point
     * @param poolLocks whether the pool responds to locks meanwhile
     */
    record Death(String point, boolean fresh, boolean poolLocks) {}

    boolean sells() {
        return sells;
    }

    String address() {
        return address;
    }

    String publicKey() {
        return publicKey;
    }

    String account() {
        return account;
    }

    /** Returns the swaps whose execution was answered. */
    List<String> executed() {
        return List.copyOf(executed);
    }

    /** Makes keys in the first process and pays coins to them. */
    void begin(DaemonProcess daemon) {
        JsonNode minted = daemon.call("generate_standard_address", Map.of());
        address = minted.path("address").asText();
        publicKey = minted.path("pubkey").asText();
        account = daemon.call("evm_create_address", Map.of()).path("address").asText();
        ground.fund(address, Collections.nCopies((int) COINS, COIN), account, WEI);
        follow(daemon);
    }

    LauncherCall call() {
        return LauncherCall.daemon(datadir).node(ground.chains().chain().uri()).and(ground.options());
    }

    /** Waits until the daemon has followed the chain as it is at the time of the call. */
    void follow(DaemonProcess daemon) {
        Await.until("the chain is followed", () -> ground.isFollowedBy(daemon));
    }

    /** Requests a quote in its direction without executing it. */
    String quote(DaemonProcess daemon) {
        return quote(daemon, sells);
    }

    private String quote(DaemonProcess daemon, boolean sell) {
        return daemon.call(
                        "swap_get_quote",
                        Map.of(
                                "direction",
                                sell ? "chain_to_native" : "native_to_chain",
                                "amount_in",
                                sell ? "1" : "0.05",
                                "from",
                                address))
                .path("swap_id")
                .asText();
    }

    /** Begins a swap in its direction; returns its id. */
    String trade(DaemonProcess daemon) {
        return execute(daemon, quote(daemon));
    }

    /** Begins a buy, whatever its direction. */
    String buy(DaemonProcess daemon) {
        return execute(daemon, quote(daemon, false));
    }

    private String execute(DaemonProcess daemon, String swap) {
        daemon.call("swap_execute", Map.of("swap_id", swap));
        executed.add(swap);
        return swap;
    }

    /** Runs the first process: makes keys, gets coins, begins a swap, and dies as specified. */
    void beginAndDie(Death death, Runnable onceFunded) {
        die(death, call().manyKeys(), daemon -> {
            begin(daemon);
            onceFunded.run();
        });
    }

    /** Runs a process that dies as specified. */
    void die(Death death) {
        die(death, call(), daemon -> {});
    }

    private void die(Death death, LauncherCall call, Consumer<DaemonProcess> first) {
        HangWatch.alive();
        ground.poolLocks(sells, death.poolLocks());
        try (DaemonProcess daemon = call.crashAt(death.point()).launch()) {
            // A swap left open by an earlier death may reach the point before anything is served.
            Await.until("it serves or is dead", () -> !daemon.isAlive() || serves(daemon));
            if (daemon.isAlive()) {
                first.accept(daemon);
            }
            if (death.fresh() && daemon.isAlive()) {
                tradeIfItLives(daemon);
            }
            try {
                Await.until("the daemon dies", () -> {
                    if (daemon.isAlive()) {
                        ground.roundFor(daemon);
                    }
                    return !daemon.isAlive();
                });
            } catch (AssertionError alive) {
                throw new AssertionError("not dead at " + death.point() + "\n" + daemon.transcript(), alive);
            }
            assertThat(daemon.exitCode()).as(death.point()).isEqualTo(HALTED);
        }
    }

    private static boolean serves(DaemonProcess daemon) {
        return daemon.output().stream().anyMatch(line -> line.contains("ready on "));
    }

    private void tradeIfItLives(DaemonProcess daemon) {
        ground.round();
        Await.until("it follows or is dead", () -> !daemon.isAlive() || ground.isFollowedBy(daemon));
        try {
            trade(daemon);
        } catch (WalletdException.Transport | WalletdException.Upstream unknown) {
            // The process has reached its point already, or the swap goes on by itself.
        }
    }

    /** Runs the last process; returns the state of its swaps once none can change any more. */
    List<JsonNode> settle() {
        ground.poolLocks(sells, true);
        try (DaemonProcess daemon = call().start()) {
            for (int open = open(daemon); open > 0; open = fewer(daemon, open)) {
                HangWatch.alive();
            }
            List<JsonNode> swaps = swaps(daemon);
            assertThat(daemon.stop()).isZero();
            return swaps;
        }
    }

    private static int open(DaemonProcess daemon) {
        return (int) swaps(daemon).stream().filter(swap -> !isOver(swap)).count();
    }

    private int fewer(DaemonProcess daemon, int open) {
        try {
            Await.until("fewer than " + open + " swaps are open", () -> {
                ground.roundFor(daemon);
                return open(daemon) < open;
            });
        } catch (AssertionError standing) {
            throw new AssertionError(swaps(daemon) + "\n" + daemon.transcript(), standing);
        }
        return open(daemon);
    }

    static boolean isOver(JsonNode swap) {
        return List.of("completed", "refunded", "expired")
                .contains(swap.path("status").asText());
    }

    static List<JsonNode> swaps(DaemonProcess daemon) {
        List<JsonNode> swaps = new ArrayList<>();
        daemon.call("swap_list", Map.of("limit", 1000)).path("swaps").forEach(swaps::add);
        return swaps;
    }
}
