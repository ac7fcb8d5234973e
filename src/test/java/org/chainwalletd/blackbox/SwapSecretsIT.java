package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.engine.SwapJournal;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.EventReader;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.Traces;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A daemon sells, buys, refunds a lock and lets a quote expire; then everything observable is searched for its secrets: its answers to each scope,
 * the data about itself, its log at the most detailed level, the files that others may read, and its heap at the end. The heap is searched only for
 * secrets that were never revealed: a claimed preimage is in blocks of both chains, which the daemon's books contain, and the account's key stays
 * unsealed while the daemon runs.
 */
@Tag("long")
class SwapSecretsIT {
    private static final Set<PosixFilePermission> OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    @TempDir
    Path folder;

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    @Test
    @Timeout(300)
    void nothing_that_can_be_seen_of_a_daemon_shows_a_secret_of_its_swaps() throws Exception {
        Path datadir = folder.resolve("datadir");
        Path heap = folder.resolve("heap.hprof");
        Path later = folder.resolve("later.hprof");
        try (SwapGround ground = new SwapGround()) {
            SwapTrader trader = new SwapTrader(ground, datadir, true);
            Swaps swaps;
            String key;
            String phrase;
            try (DaemonProcess daemon = trader.call()
                    .with("WALLETD_LOGBACK", everything().toString())
                    .start()) {
                Thread events = listening(daemon);
                trader.begin(daemon);
                swaps = trade(ground, trader, daemon);
                look(daemon, trader, swaps.all());
                daemon.dumpHeap(heap);
                look(daemon, trader, swaps.all());
                daemon.dumpHeap(later);
                key = reveal(daemon, "reveal_evm_private_key", "private_key_hex");
                phrase = reveal(daemon, "evm_reveal_mnemonic", "mnemonic");
                assertThat(daemon.stop()).isZero();
                Await.end(events);
                seen.addAll(daemon.output());
                seen.addAll(daemon.errors());
            }
            Map<String, byte[]> preimages = SwapPreimages.of(datadir, swaps.all());
            Traces kept = new Traces()
                    .bytes("refunded", preimages.get(swaps.refunded()))
                    .bytes("only quoted", preimages.get(swaps.quoted()));
            Traces shown = new Traces()
                    .bytes("sold", preimages.get(swaps.sold()))
                    .bytes("bought", preimages.get(swaps.bought()));
            Traces keys = new Traces()
                    .bytes("account key", HexFormat.of().parseHex(key))
                    .text("phrase", phrase);
            assertThat(seen).anyMatch(line -> line.contains("DEBUG"));
            for (String text : seen) {
                assertThat(kept.in(text)).as(text).isEmpty();
                assertThat(keys.in(text)).as(text).isEmpty();
                if (!isTheChainsWord(text)) {
                    assertThat(shown.in(text)).as(text).isEmpty();
                }
            }
            for (Path file : files(datadir)) {
                assertThat(kept.in(file)).as(file.toString()).isEmpty();
                assertThat(keys.in(file)).as(file.toString()).isEmpty();
                if (mayBeReadByOthers(file)) {
                    assertThat(shown.in(file)).as(file.toString()).isEmpty();
                }
            }
            // A thread may have unsealed a secret at one of the two times; a retained secret is on the heap at both.
            // The id shows that the search works.
            kept.text("id", swaps.sold());
            Set<String> stays = new HashSet<>(kept.in(heap));
            stays.retainAll(kept.in(later));
            assertThat(stays)
                    .as("on the heap, of what was never shown")
                    .isNotEmpty()
                    .isSubsetOf("id", "id in UTF-16");
        }
    }

    /** Ids of the swaps that were made. */
    private record Swaps(String sold, String bought, String refunded, String quoted) {
        List<String> all() {
            return List.of(sold, bought, refunded, quoted);
        }
    }

    /** The witness of a sent claim contains the preimage: queries and events about HTLCs return this public data. */
    private static boolean isTheChainsWord(String text) {
        return text.startsWith("htlc_") || text.startsWith("event Event[id=Optional.empty, kind=htlc");
    }

    private Path everything() throws IOException {
        return Files.writeString(folder.resolve("logback.xml"), """
                <configuration>
                  <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
                    <target>System.err</target>
                    <encoder><pattern>%level %logger %X %msg%n%ex</pattern></encoder>
                  </appender>
                  <root level="DEBUG"><appender-ref ref="console"/></root>
                </configuration>
                """);
    }

    private Thread listening(DaemonProcess daemon) throws IOException {
        EventReader reader = EventReader.open(daemon.awaitReady(), daemon.token("read"), null);
        Thread thread = new Thread(() -> {
            try (reader) {
                for (var event = reader.next(); event.isPresent(); event = reader.next()) {
                    seen.add("event " + event.get());
                }
            } catch (IOException ended) {
                // The stream ended with the daemon.
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private Swaps trade(SwapGround ground, SwapTrader trader, DaemonProcess daemon) {
        trader.follow(daemon);
        String quoted = trader.quote(daemon);
        String sold = trader.trade(daemon);
        String bought = trader.buy(daemon);
        look(daemon, trader, List.of(quoted, sold, bought));
        until(ground, daemon, sold, "completed");
        until(ground, daemon, bought, "claiming");
        look(daemon, trader, List.of(quoted, sold, bought));
        ground.rounds(3);
        ground.mineChain(61);
        until(ground, daemon, bought, "completed");
        ground.poolLocks(true, false);
        String refunded = trader.trade(daemon);
        until(ground, daemon, refunded, "user_locked");
        look(daemon, trader, List.of(quoted, refunded));
        ground.mineChain(SwapGround.SELLERS_BLOCKS);
        until(ground, daemon, refunded, "refunding");
        ground.rounds(2);
        ground.mineChain(62);
        until(ground, daemon, refunded, "refunded");
        return new Swaps(sold, bought, refunded, quoted);
    }

    private void until(SwapGround ground, DaemonProcess daemon, String swap, String status) {
        Await.until("a swap is " + status, () -> {
            ground.roundFor(daemon);
            JsonNode record = ask(daemon, "spend", "swap_status", Map.of("swap_id", swap));
            return record.path("status").asText().equals(status);
        });
    }

    private JsonNode ask(DaemonProcess daemon, String scope, String method, Map<String, ?> params) {
        try {
            JsonNode answer = daemon.client(scope).call(method, params);
            seen.add(method + " " + answer);
            return answer;
        } catch (WalletdException.RpcError refused) {
            seen.add(method + " " + refused.getMessage() + " " + refused.data());
            return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
        }
    }

    /** Makes every call that changes nothing, with every scope, and reads the pages for people and tools. */
    private void look(DaemonProcess daemon, SwapTrader trader, List<String> swaps) {
        List<String> methods = new ArrayList<>();
        daemon.client("read").call("rpc.discover", Map.of()).path("methods").forEach(method -> {
            if (method.path("x-scope").asText().equals("read")) {
                methods.add(method.path("name").asText());
            }
        });
        assertThat(methods).contains("swap_list", "swap_status", "evm_tx_history");
        methods.removeIf(method -> method.startsWith("wait_"));
        for (String scope : List.of("read", "spend")) {
            for (String method : methods) {
                ask(daemon, scope, method, Map.of());
                ask(daemon, scope, method, Map.of("address", trader.address()));
            }
            for (String swap : swaps) {
                JsonNode record = ask(daemon, scope, "swap_status", Map.of("swap_id", swap));
                ask(daemon, scope, "swap_refund", Map.of("swap_id", "ff"));
                ask(
                        daemon,
                        scope,
                        "htlc_lookup_by_hashlock",
                        Map.of("hash_lock", record.path("hashlock").asText()));
            }
        }
        Stream.of("/metrics", "/healthz", "/readyz").forEach(page -> seen.add(page(daemon, page)));
    }

    private static String page(DaemonProcess daemon, String path) {
        return Dial.answer(Dial.request(daemon.awaitReady().resolve(path))
                        .header("authorization", "Bearer " + daemon.token("read"))
                        .build())
                .body();
    }

    private static String reveal(DaemonProcess daemon, String method, String member) {
        JsonNode secret = daemon.call(method, Map.of("passphrase", DaemonProcess.PASSPHRASE))
                .path(member);
        return secret.isTextual()
                ? secret.asText()
                : Stream.iterate(0, i -> i + 1)
                        .limit(secret.size())
                        .map(i -> secret.path(i).asText())
                        .collect(Collectors.joining(" "));
    }

    private static List<Path> files(Path datadir) throws IOException {
        try (Stream<Path> all = Files.walk(datadir)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> file.toFile().length() > 0)
                    .toList();
        }
    }

    private static boolean mayBeReadByOthers(Path file) throws IOException {
        return Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains);
    }

    /** Opens the sealed journal of a stopped daemon, which only its passphrase can. */
    private static final class SwapPreimages {
        private SwapPreimages() {}

        /** Returns the preimages by swap id, 32 bytes each. */
        static Map<String, byte[]> of(Path datadir, Collection<String> swaps) {
            ActorTestKit kit = ActorTestKit.create();
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try (SqliteStore store = SqliteStore.open(datadir)) {
                KeyringSetup setup = KeyringSetup.of(
                        ChainProfile.of("chain"),
                        datadir.resolve("wallets"),
                        new SimpleMeterRegistry(),
                        new KeyringSetup.Executors(threads, threads, threads, threads));
                Keyring keyring = Await.result(Keyring.begin(
                                setup, SecretBytes.takeOver(DaemonProcess.PASSPHRASE.getBytes(StandardCharsets.UTF_8)))
                        .under(Spawners.of(kit)));
                try (SealedRecords seals = Await.result(
                        keyring.swapJournal(Await.result(store.swaps().newest()).map(SwapEntry::content)))) {
                    SwapJournal journal = new SwapJournal(store.swaps(), seals, threads);
                    Map<String, byte[]> preimages = new LinkedHashMap<>();
                    for (String swap : swaps) {
                        SwapJournal.Held held = Await.result(journal.take(swap)).orElseThrow();
                        preimages.put(
                                swap,
                                Await.result(journal.withSecret(
                                        held, secret -> CompletableFuture.completedFuture(secret.copy()))));
                    }
                    return preimages;
                } finally {
                    Await.result(keyring.close());
                }
            } finally {
                kit.shutdownTestKit();
                threads.shutdownNow();
            }
        }
    }
}
