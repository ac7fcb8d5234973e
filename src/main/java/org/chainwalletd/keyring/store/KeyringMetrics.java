package org.chainwalletd.keyring.store;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Metrics of the keyring. */
public final class KeyringMetrics {
    private final MeterRegistry registry;

    public KeyringMetrics(MeterRegistry registry, AtomicReference<KeyringView> view) {
        this.registry = registry;
        Gauge.builder("walletd.keyring.keys", view, published -> published.get().size())
                .description("keys in the keyring")
                .register(registry);
    }

    /** @param proved purpose of the passphrase: {@code keystore} or {@code vault} */
    public Counter wrongPassphrases(String proved) {
        return Counter.builder("walletd.keyring.passphrase.failures")
                .description("wrong passphrases in requests")
                .tag("proved", proved)
                .register(registry);
    }

    /** Number of writes of {@code state.json}; concurrent mints share one write. */
    public static Counter stateWrites(MeterRegistry registry) {
        return Counter.builder("walletd.keyring.state.writes")
                .description("writes of state.json")
                .register(registry);
    }

    /** Standard keys whose phrase was missing at the last check; set by the check. */
    static AtomicInteger lostPhrases(MeterRegistry registry) {
        return registry.gauge("walletd.keyring.lost.phrases", new AtomicInteger());
    }

    /**
     * @param ready sealed keys ready for use; set by the pool
     * @param missed new keys for which the pool had none ready
     */
    public record Pool(AtomicInteger ready, Counter missed) {}

    /**
     * @param underWay calls whose keys are being sealed or wait for sealing; set by {@code Arrivals}
     * @param refused calls refused because of too many such calls
     * @param abandoned calls whose callers disconnected before their keys were sealed
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

    /** Listed keys whose file was missing or truncated at the last check; set by the check. */
    static AtomicInteger damagedKeys(MeterRegistry registry) {
        return registry.gauge("walletd.keyring.damaged.keys", new AtomicInteger());
    }
}
