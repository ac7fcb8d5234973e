package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.keyring.KeyringFixture.await;
import static org.chainwalletd.keyring.KeyringFixture.minted;
import static org.chainwalletd.keyring.KeyringFixture.secret;

import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VaultExportTest {
    @TempDir
    Path datadir;

    private final AtomicReference<Runnable> gate = new AtomicReference<>(() -> {});

    @AutoClose
    private KeyringFixture fixture;

    private Keyring keyring;
    private Address address;

    @BeforeEach
    void open() {
        fixture = new KeyringFixture(datadir.resolve("wallets")).flowing(threads -> work -> {
            gate.get().run();
            threads.execute(work);
        });
        keyring = fixture.open();
        address = minted(keyring).address();
    }

    @Test
    void exports_that_no_thread_takes_leave_room_for_those_that_follow() {
        noThread(() -> {
            throw new RejectedExecutionException("the queue is full");
        });
        noThread(() -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        gate.set(() -> {});

        assertThat(await(keyring.exportVault(secret("vault"))).missing()).isEmpty();
        assertThat(await(keyring.exportAddress(address, secret("vault"))).length())
                .isPositive();
    }

    private void noThread(Runnable failing) {
        gate.set(failing);
        for (int i = 0; i <= VaultExport.MOST_SINGLE; i++) {
            assertNotBegun(passphrase -> keyring.exportAddress(address, passphrase));
            assertNotBegun(keyring::exportVault);
        }
    }

    private static void assertNotBegun(Function<SecretBytes, CompletionStage<?>> export) {
        SecretBytes passphrase = secret("vault");
        CompletionStage<?> stage = export.apply(passphrase);

        assertThatThrownBy(() -> Await.result(stage))
                .cause()
                .isInstanceOfAny(RejectedExecutionException.class, OutOfMemoryError.class);
        assertThat(passphrase.isClosed()).isTrue();
    }
}
