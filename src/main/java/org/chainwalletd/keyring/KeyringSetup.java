package org.chainwalletd.keyring;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.Argon2;

/**
 * What a keyring is built of.
 *
 * @param wallets {@code <datadir>/wallets}; made when it is not there
 * @param cost of every sealed file; anything but {@link Argon2#SPECIFIED} is for tests
 * @param clock for the slowing down of passphrase attempts
 * @param executors where the work is done that the actor only hands out
 * @param upkeep when the work is done that nobody waits for
 */
public record KeyringSetup(
        ChainProfile profile,
        Path wallets,
        Argon2 cost,
        SecureRandom random,
        InstantSource clock,
        MeterRegistry metrics,
        Executors executors,
        Upkeep upkeep) {

    /**
     * @param crypto signatures: as many threads as cores
     * @param argon2 sealing and unsealing: as many at once as configured, 64 MiB each
     * @param disk files
     */
    public record Executors(Executor crypto, Executor argon2, Executor disk) {}

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
                Upkeep.USUAL);
    }

    KeyringSetup withExecutors(Executors others) {
        return new KeyringSetup(profile, wallets, cost, random, clock, metrics, others, upkeep);
    }

    /** With sealed files that cost something else than is specified, for tests. */
    public KeyringSetup withCost(Argon2 other) {
        return new KeyringSetup(profile, wallets, other, random, clock, metrics, executors, upkeep);
    }

    Sealer sealer() {
        return new Sealer(profile, cost, random);
    }
}
