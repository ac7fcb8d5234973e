package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmCustody;
import org.chainwalletd.keyring.evm.EvmKeyChanges.EvmReplacement;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.store.files.Fence;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Spawners;

/** Keyring in a folder of a test, with a cheap Argon2id and a clock that the test moves. */
final class KeyringFixture implements AutoCloseable {
    static final ChainProfile CHAIN = ChainProfile.of("chain");
    static final Argon2 CHEAP = new Argon2(8, 1, 1);
    static final EvmReplacement FORCED = new EvmReplacement.Forced(key -> CompletableFuture.completedFuture(List.of()));
    static final String PASSPHRASE = "correct horse battery staple";

    final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final ActorTestKit testKit;
    private final ExecutorService threads;
    private final ExecutorService flows;
    private final Path wallets;
    private final boolean guest;
    private Executor argon2;
    private Executor flowing;
    private Executor disk;
    private ChainProfile profile = CHAIN;
    private Argon2 cost = CHEAP;
    private KeyringSetup.Upkeep upkeep = new KeyringSetup.Upkeep(Duration.ZERO, Duration.ofDays(1));
    private int mostMints = 1_000;
    private Fence fence = Fence.NONE;
    private Optional<Supplier<KeyringStore>> store = Optional.empty();
    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    KeyringFixture(Path wallets) {
        this(
                wallets,
                ActorTestKit.create(),
                Executors.newFixedThreadPool(4, work -> new Thread(work, threadName(wallets))),
                Executors.newCachedThreadPool(work -> new Thread(work, threadName(wallets))),
                false);
    }

    /** Uses the threads of {@code host}, which outlives it. */
    KeyringFixture(Path wallets, KeyringFixture host) {
        this(wallets, host.testKit, host.threads, host.flows, true);
    }

    private KeyringFixture(
            Path wallets, ActorTestKit testKit, ExecutorService threads, ExecutorService flows, boolean guest) {
        this.wallets = wallets;
        this.testKit = testKit;
        this.threads = threads;
        this.guest = guest;
        this.argon2 = threads;
        this.disk = threads;
        this.flows = flows;
        this.flowing = flows;
    }

    /** Returns the name of the threads on which the keyring in {@code wallets} works. */
    static String threadName(Path wallets) {
        return "keyring in " + wallets;
    }

    KeyringFixture specifiedCost() {
        cost = Argon2.SPECIFIED;
        return this;
    }

    KeyringFixture brand(String word) {
        profile = ChainProfile.of(word);
        return this;
    }

    KeyringFixture disk(Executor executor) {
        disk = executor;
        return this;
    }

    KeyringFixture argon2(Executor executor) {
        argon2 = executor;
        return this;
    }

    /** Sets the executor of work that waits for other threads of the keyring. */
    KeyringFixture flowing(UnaryOperator<Executor> gate) {
        flowing = gate.apply(flows);
        return this;
    }

    KeyringFixture upkeep(Duration first, Duration between) {
        upkeep = new KeyringSetup.Upkeep(first, between);
        return this;
    }

    void passes(Duration time) {
        now = now.plus(time);
    }

    Path wallets() {
        return wallets;
    }

    KeyringSetup setup() {
        return new KeyringSetup(
                profile,
                wallets,
                cost,
                new SecureRandom(),
                () -> now,
                metrics,
                new KeyringSetup.Executors(threads, argon2, disk, flowing),
                upkeep,
                mostMints,
                fence,
                store);
    }

    /** Uses another store than the wallet directory. */
    KeyringFixture store(Supplier<KeyringStore> other) {
        store = Optional.of(other);
        return this;
    }

    KeyringFixture fence(Fence other) {
        fence = other;
        return this;
    }

    KeyringFixture mostMints(int most) {
        mostMints = most;
        return this;
    }

    Keyring open() {
        return await(tryOpen(PASSPHRASE));
    }

    CompletionStage<Keyring> tryOpen(String passphrase) {
        return tryOpen(secret(passphrase));
    }

    CompletionStage<Keyring> tryOpen(SecretBytes passphrase) {
        return Keyring.begin(setup(), passphrase).under(Spawners.of(testKit));
    }

    static SecretBytes secret(String text) {
        return SecretBytes.takeOver(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the text of a revealed secret, which is closed. */
    static String text(SecretBytes secret) {
        try (secret) {
            return secret.use(bytes -> new String(bytes, StandardCharsets.UTF_8));
        }
    }

    /** Waits until {@code condition} holds, at most a minute. */
    static void eventually(BooleanSupplier condition) {
        Await.until("it comes true", condition);
    }

    static <T> T await(CompletionStage<T> stage) {
        try {
            return Await.result(stage);
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            while (cause instanceof CompletionException && cause.getCause() != null) {
                cause = cause.getCause();
            }
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            throw new AssertionError(cause);
        }
    }

    /** Replaces the keyring of this fixture by one with a new seed, and returns its words. */
    String initSeeded() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(new InitSeeded(
                                setup(),
                                new PrintStream(out, true, StandardCharsets.UTF_8),
                                new PrintStream(OutputStream.nullOutputStream()))
                        .run(secret(PASSPHRASE), Optional.empty()))
                .isZero();
        return out.toString(StandardCharsets.UTF_8).replaceAll("(?s).*: \"(.*)\"}.*", "$1");
    }

    /** Closes and reopens a keyring of this fixture. */
    Keyring reopened(Keyring keyring) {
        await(keyring.close());
        return open();
    }

    /** Returns a fixture for a sibling folder, on the same threads. */
    KeyringFixture beside(String name) {
        return new KeyringFixture(wallets.resolveSibling(name), this);
    }

    /** Makes a new standard key without a label. */
    static KeyEntry minted(Keyring keyring) {
        return await(keyring.generateStandard(Optional.empty()));
    }

    static KeyEntry minted(Keyring keyring, String label) {
        return await(keyring.generateStandard(Optional.of(label)));
    }

    static KeyEntry derived(Keyring keyring) {
        return await(keyring.deriveNext(Optional.empty()));
    }

    static KeyEntry derived(Keyring keyring, String label) {
        return await(keyring.deriveNext(Optional.of(label)));
    }

    /** Makes a new account-chain key and discards its words. */
    static EvmAddress created(EvmCustody evm, EvmReplacement replacement) {
        EvmCustody.Created made = await(evm.create(replacement));
        made.words().close();
        return made.address();
    }

    /** Exports all keys to a vault with the passphrase {@code vault}. */
    static Bytes vault(Keyring keyring) {
        return await(keyring.exportVault(secret("vault"))).vault();
    }

    /** Imports such a vault, and returns the new addresses. */
    static List<Address> restore(Keyring keyring, Bytes vault) {
        return await(keyring.importVault(vault, secret("vault")));
    }

    /** Deletes a key unless it is still needed. */
    static CompletionStage<Address> deletion(Keyring keyring, Address address) {
        DeletionGuard nothingAgainst = entry -> CompletableFuture.completedFuture(Optional.empty());
        return keyring.delete(address, secret(PASSPHRASE), Optional.of(nothingAgainst));
    }

    /** Changes a bit of a file. */
    static void flip(Path file, int at) throws IOException {
        byte[] content = Files.readAllBytes(file);
        content[at] ^= 1;
        Files.write(file, content);
    }

    static Address delete(Keyring keyring, Address address) {
        return await(keyring.delete(address, secret(PASSPHRASE), Optional.empty()));
    }

    /** Reveals the words of a key. */
    static String phrase(Keyring keyring, Address address) {
        return text(await(keyring.revealPhrase(address, secret(PASSPHRASE))));
    }

    static String secretHex(Keyring keyring, Address address) {
        return text(await(keyring.revealSecret(address, secret(PASSPHRASE))));
    }

    /** Asserts a refusal, and returns an assertion about its message. */
    static AbstractThrowableAssert<?, KeyringException> assertRefused(Reason reason, CompletionStage<?> stage) {
        KeyringException refusal = refusal(stage);
        assertThat(refusal.reason()).as(refusal.getMessage()).isEqualTo(reason);
        return assertThat(refusal);
    }

    /** Returns the refusal with which {@code stage} fails. */
    static KeyringException refusal(CompletionStage<?> stage) {
        try {
            Object value = await(stage);
            throw new AssertionError("not refused: " + value);
        } catch (KeyringException e) {
            return e;
        }
    }

    @Override
    public void close() {
        if (!guest) {
            testKit.shutdownTestKit();
            threads.shutdownNow();
            flows.shutdownNow();
        }
    }
}
