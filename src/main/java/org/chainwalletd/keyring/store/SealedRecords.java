package org.chainwalletd.keyring.store;

import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.crypto.SecretBytes;

/**
 * Many small records sealed under one key, so that a process derives it only once: the records share a salt, and each has its own random
 * 96-bit nonce. Opening records with other salts costs one derivation per salt.
 */
public final class SealedRecords implements AutoCloseable {
    /** Bound on derivations. All starts but the first reuse the salt of an existing record, so a keyring has far fewer salts. */
    private static final int MOST_SALTS = 64;

    private final byte[] role;
    private final SecureRandom random;
    private final Bytes salt;
    private final Function<Bytes, CompletableFuture<SecretBytes>> derive;
    private final Executor crypto;
    private final Map<Bytes, CompletableFuture<SecretBytes>> keys = new ConcurrentHashMap<>();

    private SealedRecords(
            byte[] role,
            SecureRandom random,
            Bytes salt,
            Function<Bytes, CompletableFuture<SecretBytes>> derive,
            Executor crypto) {
        this.role = role;
        this.random = random;
        this.salt = salt;
        this.derive = derive;
        this.crypto = crypto;
    }

    /**
     * Derives the key.
     *
     * @param like a sealed record whose salt is reused; empty for a new salt
     * @param derive derives the key of a salt: one Argon2id
     */
    public static CompletionStage<SealedRecords> open(
            byte[] role,
            SecureRandom random,
            Optional<Bytes> like,
            Function<Bytes, CompletableFuture<SecretBytes>> derive,
            Executor crypto) {
        byte[] salt = new byte[SealedBlob.SALT_LENGTH];
        try {
            if (like.isPresent()) {
                salt = SealedBlob.parse(like.get().toArray()).salt();
            } else {
                random.nextBytes(salt);
            }
        } catch (UnsealException e) {
            return CompletableFuture.failedFuture(e);
        }
        SealedRecords records = new SealedRecords(role, random, Bytes.wrap(salt), derive, crypto);
        return records.key(records.salt).thenApplyAsync(key -> records, crypto);
    }

    /** Seals a record without a derivation. The caller closes the content. */
    public Bytes seal(SecretBytes content) {
        byte[] nonce = new byte[SealedBlob.NONCE_LENGTH];
        random.nextBytes(nonce);
        SecretBytes key = keys.get(salt).join();
        return Bytes.wrap(content.use(plain -> SealedBlob.seal(key, salt.toArray(), nonce, role, plain))
                .toBytes());
    }

    /** Opens a record; fails with {@link UnsealException} for damage, another role or another passphrase. The caller closes the content. */
    public CompletionStage<SecretBytes> open(Bytes sealed) {
        try {
            SealedBlob blob = SealedBlob.parse(sealed.toArray());
            return key(Bytes.wrap(blob.salt())).thenApplyAsync(key -> blob.open(key, role), crypto);
        } catch (UnsealException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<SecretBytes> key(Bytes wanted) {
        CompletableFuture<SecretBytes> known = keys.get(wanted);
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        if (keys.size() >= MOST_SALTS) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("records with more than " + MOST_SALTS + " different salts"));
        }
        return keys.compute(
                wanted,
                (ignored, before) ->
                        before == null || before.isCompletedExceptionally() ? derive.apply(wanted) : before);
    }

    /** Overwrites the derived keys, and those still being derived as soon as they are. */
    @Override
    public void close() {
        keys.values().forEach(key -> key.thenAcceptAsync(SecretBytes::close, Runnable::run));
    }
}
