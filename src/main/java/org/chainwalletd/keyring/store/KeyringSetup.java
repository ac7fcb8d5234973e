package org.chainwalletd.keyring.store;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.store.files.Fence;

/**
 * Dependencies and settings of a keyring.
 *
 * @param wallets {@code <datadir>/wallets}; created if missing
 * @param cost Argon2id cost of every sealed file; anything but {@link Argon2#SPECIFIED} is for tests
 * @param clock for the pauses between passphrase attempts
 * @param executors for the work that the actor does not do on its own thread
 * @param upkeep schedule of background maintenance
 * @param fence checked after a write and before its acknowledgement
 * @param mostMints maximum number of calls whose keys are being sealed or wait for sealing
 * @param elsewhere opens the keyring's store when that is not the wallet directory
 */
public record KeyringSetup(
        ChainProfile profile,
        Path wallets,
        Argon2 cost,
        SecureRandom random,
        InstantSource clock,
        MeterRegistry metrics,
        Executors executors,
        Upkeep upkeep,
        int mostMints,
        Fence fence,
        Optional<Supplier<KeyringStore>> elsewhere) {
    private static final int USUAL_MINTS = 64;

    /**
     * Thread pools without circular waits: {@code flows} waits for {@code argon2} and for actors, the other pools wait for none.
     *
     * @param crypto signatures: as many threads as cores
     * @param argon2 sealing and unsealing
     * @param disk reads and writes of the store: files, or the rows of a database
     * @param flows blocking work of several steps: new keys, imports, exports, changes of the account-chain key
     */
    public record Executors(Executor crypto, Stretching argon2, Executor disk, Executor flows) {
        /** @param argon2 as many threads as computations may run concurrently, 64 MiB each */
        public Executors(Executor crypto, Executor argon2, Executor disk, Executor flows) {
            this(crypto, new Stretching(argon2), disk, flows);
        }

        /** Creates executors that run every task on the calling thread, for subcommands. */
        public static Executors onCallersThread() {
            return new Executors(Runnable::run, Runnable::run, Runnable::run, Runnable::run);
        }
    }

    /**
     * @param first delay after the keyring was opened, so that the first requests do not compete with maintenance
     * @param between delay between two runs
     */
    public record Upkeep(Duration first, Duration between) {
        static final Upkeep USUAL = new Upkeep(Duration.ofSeconds(5), Duration.ofMinutes(10));
    }

    /** Creates a setup with the specified cost, the system's clock and randomness. */
    public static KeyringSetup of(ChainProfile profile, Path wallets, MeterRegistry metrics, Executors executors) {
        return new KeyringSetup(
                profile,
                wallets,
                Argon2.SPECIFIED,
                new SecureRandom(),
                InstantSource.system(),
                metrics,
                executors,
                Upkeep.USUAL,
                USUAL_MINTS,
                Fence.NONE,
                Optional.empty());
    }

    /** Creates a setup for work on a keyring that no daemon has open. */
    public static KeyringSetup offline(ChainProfile profile, Path wallets) {
        return of(profile, wallets, new SimpleMeterRegistry(), Executors.onCallersThread());
    }

    public KeyringSetup withExecutors(Executors others) {
        return new KeyringSetup(
                profile, wallets, cost, random, clock, metrics, others, upkeep, mostMints, fence, elsewhere);
    }

    /** Returns a setup with another Argon2id cost, for tests. */
    public KeyringSetup withCost(Argon2 other) {
        return new KeyringSetup(
                profile, wallets, other, random, clock, metrics, executors, upkeep, mostMints, fence, elsewhere);
    }

    /** Returns a setup with another {@code mostMints}. */
    public KeyringSetup withMostMints(int most) {
        return new KeyringSetup(
                profile, wallets, cost, random, clock, metrics, executors, upkeep, most, fence, elsewhere);
    }

    /** Returns a setup for a folder that another process could take over. */
    public KeyringSetup withFence(Fence other) {
        return new KeyringSetup(
                profile, wallets, cost, random, clock, metrics, executors, upkeep, mostMints, other, elsewhere);
    }

    /** Returns a setup for a keyring that is not in the wallet directory. */
    public KeyringSetup withStore(Supplier<KeyringStore> other) {
        return new KeyringSetup(
                profile,
                wallets,
                cost,
                random,
                clock,
                metrics,
                executors,
                upkeep,
                mostMints,
                fence,
                Optional.of(other));
    }

    public Sealer sealer() {
        return new Sealer(profile, cost, random);
    }
}
