package org.chainwalletd.keyring.store;

import io.micrometer.core.instrument.MeterRegistry;
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
 * Parts that a keyring is built of.
 *
 * @param wallets {@code <datadir>/wallets}; made when it is not there
 * @param cost of every sealed file; anything but {@link Argon2#SPECIFIED} is for tests
 * @param clock for the slowing down of passphrase attempts
 * @param executors where the work is done that the actor only hands out
 * @param upkeep when the work is done that nobody waits for
 * @param fence asked before what was written is acknowledged
 * @param mostMints how many calls may have keys sealed at a time, those that wait for it included
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
     * None of them waits for itself: {@code flows} waits for {@code argon2} and for actors, the others for nobody.
     *
     * @param crypto signatures: as many threads as cores
     * @param argon2 sealing and unsealing
     * @param disk reads and writes of the store: files, or the rows of a database
     * @param flows blocking work of several steps: new keys, imports, exports, changes of the account-chain key
     */
    public record Executors(Executor crypto, Stretching argon2, Executor disk, Executor flows) {
        /** @param argon2 as many threads as computations may run at once, 64 MiB each */
        public Executors(Executor crypto, Executor argon2, Executor disk, Executor flows) {
            this(crypto, new Stretching(argon2), disk, flows);
        }

        /** Everything on the thread that asks for it, for subcommands. */
        public static Executors onCallersThread() {
            return new Executors(Runnable::run, Runnable::run, Runnable::run, Runnable::run);
        }
    }

    /**
     * @param first after the keyring was opened, so that the first answers do not compete with it
     * @param between from one time to the next
     */
    public record Upkeep(Duration first, Duration between) {
        static final Upkeep USUAL = new Upkeep(Duration.ofSeconds(5), Duration.ofMinutes(10));
    }

    /** With the specified cost, the system's clock and randomness. */
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

    public KeyringSetup withExecutors(Executors others) {
        return new KeyringSetup(
                profile, wallets, cost, random, clock, metrics, others, upkeep, mostMints, fence, elsewhere);
    }

    /** With sealed files that cost something else than is specified, for tests. */
    public KeyringSetup withCost(Argon2 other) {
        return new KeyringSetup(
                profile, wallets, other, random, clock, metrics, executors, upkeep, mostMints, fence, elsewhere);
    }

    /** With another bound on keys that are being made. */
    public KeyringSetup withMostMints(int most) {
        return new KeyringSetup(
                profile, wallets, cost, random, clock, metrics, executors, upkeep, most, fence, elsewhere);
    }

    /** For a folder that somebody else could come into. */
    public KeyringSetup withFence(Fence other) {
        return new KeyringSetup(
                profile, wallets, cost, random, clock, metrics, executors, upkeep, mostMints, other, elsewhere);
    }

    /** For a keyring that is not in the wallet directory. */
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
