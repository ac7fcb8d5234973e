package org.chainwalletd.keyring;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.testkit.Await;

/** Seals of the journals without a keyring, at a low cost. */
public final class TestSeals {
    private static final AtomicInteger DERIVED = new AtomicInteger();

    private TestSeals() {}

    public static SealedRecords of(Optional<Bytes> like) {
        return of(Sealer.Role.SWAP_JOURNAL, like);
    }

    public static SealedRecords ofAccountSends(Optional<Bytes> like) {
        return of(Sealer.Role.ACCOUNT_SENDS, like);
    }

    private static SealedRecords of(Sealer.Role role, Optional<Bytes> like) {
        Executor executor = ForkJoinPool.commonPool();
        return Await.result(SealedRecords.open(
                role.bytes(KeyringFixture.CHAIN),
                new SecureRandom(),
                like,
                salt -> CompletableFuture.supplyAsync(() -> derive(salt), executor),
                executor));
    }

    private static SecretBytes derive(Bytes salt) {
        DERIVED.incrementAndGet();
        return KeyringFixture.CHEAP.derive("phrase".getBytes(StandardCharsets.UTF_8), salt.toArray());
    }

    public static int derivations() {
        return DERIVED.get();
    }
}
