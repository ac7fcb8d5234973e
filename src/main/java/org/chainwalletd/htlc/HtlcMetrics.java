package org.chainwalletd.htlc;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.chainwalletd.store.books.HtlcRows;

/** The figures of the HTLC index for operators. Safe for threads. */
public final class HtlcMetrics {
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong overdue = new AtomicLong();

    public HtlcMetrics(MeterRegistry registry) {
        Gauge.builder("walletd.htlc.records", records, AtomicLong::get)
                .description("HTLCs in the local index")
                .register(registry);
        Gauge.builder("walletd.htlc.overdue", overdue, AtomicLong::get)
                .description("Own locks past their timeout that nobody has claimed or taken back")
                .register(registry);
    }

    void counted(List<HtlcRows.Count> counts, int overdueLocks) {
        records.set(counts.stream().mapToLong(HtlcRows.Count::rows).sum());
        overdue.set(overdueLocks);
    }
}
