package org.chainwalletd.keyring.store;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The keyring's figures for operators. */
public final class KeyringMetrics {
    private final MeterRegistry registry;

    public KeyringMetrics(MeterRegistry registry, AtomicReference<KeyringView> view) {
        this.registry = registry;
        Gauge.builder("walletd.keyring.keys", view, published -> published.get().size())
                .description("keys in the keyring")
                .register(registry);
    }

    /** @param proved what the passphrase was for: {@code keystore} or {@code vault} */
    public Counter wrongPassphrases(String proved) {
        return Counter.builder("walletd.keyring.passphrase.failures")
                .description("wrong passphrases in requests")
                .tag("proved", proved)
                .register(registry);
    }

    /** How often {@code state.json} was written; mints that meet share one write. */
    public static Counter stateWrites(MeterRegistry registry) {
        return Counter.builder("walletd.keyring.state.writes")
                .description("writes of state.json")
                .register(registry);
    }

    /** Standard keys whose phrase was missing when the files were looked at; to be set by who looks. */
    static AtomicInteger lostPhrases(MeterRegistry registry) {
        return registry.gauge("walletd.keyring.lost.phrases", new AtomicInteger());
    }

    /**
     * @param ready keys that are sealed and wait to be given out; to be set by their owner
     * @param missed new keys that found none ready
     */
    public record Pool(AtomicInteger ready, Counter missed) {}

    /**
     * @param underWay calls whose keys are being sealed, or wait for it; to be set by their owner
     * @param refused calls that found too many of them
     * @param abandoned calls whose callers left before their keys were sealed
     */
    public record Mints(AtomicInteger underWay, Counter refused, Counter abandoned) {}

    public static Mints mints(MeterRegistry registry) {
        return new Mints(
                registry.gauge("walletd.keyring.mints", new AtomicInteger()),
                Counter.builder("walletd.keyring.mints.refused")
                        .description("calls for new keys that were refused because too many were being made")
                        .register(registry),
                Counter.builder("walletd.keyring.mints.abandoned")
                        .description("calls for new keys whose callers left before the keys were sealed")
                        .register(registry));
    }

    public static Pool pool(MeterRegistry registry) {
        return new Pool(
                registry.gauge("walletd.keyring.pool.keys", new AtomicInteger()),
                Counter.builder("walletd.keyring.pool.misses")
                        .description("new standard keys that found no sealed one ready")
                        .register(registry));
    }

    /** Listed keys whose file was missing or cut when the files were looked at; to be set by who looks. */
    static AtomicInteger damagedKeys(MeterRegistry registry) {
        return registry.gauge("walletd.keyring.damaged.keys", new AtomicInteger());
    }
}
