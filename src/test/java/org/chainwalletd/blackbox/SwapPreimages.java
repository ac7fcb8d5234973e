package org.chainwalletd.blackbox;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.Spawner;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.SqliteStore;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.engine.SwapJournal;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;

/** Opens the sealed journal of a daemon that has ended, as only its passphrase can. */
final class SwapPreimages {
    private SwapPreimages() {}

    /** By swap id, 32 bytes each. */
    static Map<String, byte[]> of(Path datadir, Collection<String> swaps) {
        ActorTestKit kit = ActorTestKit.create();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (SqliteStore store = SqliteStore.open(datadir)) {
            KeyringSetup setup = KeyringSetup.of(
                    ChainProfile.of("chain"),
                    datadir.resolve("wallets"),
                    new SimpleMeterRegistry(),
                    new KeyringSetup.Executors(threads, threads, threads, threads));
            Keyring keyring = Await.result(Keyring.open(
                    setup,
                    SecretBytes.takeOver(DaemonProcess.PASSPHRASE.getBytes(StandardCharsets.UTF_8)),
                    new Spawner() {
                        @Override
                        public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
                            return kit.spawn(behavior);
                        }
                    }));
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
