package org.chainwalletd.swap.engine;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receiver of each change of a swap once it is durable: updates the book of open swaps, counts, logs, and forwards it. Never blocks. */
public final class SwapNews implements Consumer<SwapRow> {
    private static final Logger LOG = LoggerFactory.getLogger(SwapNews.class);

    private final SwapBook book;
    private final MeterRegistry meters;
    private final Consumer<SwapRow> listener;

    public SwapNews(SwapBook book, MeterRegistry meters, Consumer<SwapRow> listener) {
        this.book = book;
        this.meters = meters;
        this.listener = listener;
        Arrays.stream(SwapStatus.values()).forEach(this::meter);
    }

    private void meter(SwapStatus status) {
        if (status.isTerminal()) {
            ended(status);
        } else {
            Gauge.builder("walletd.swap.open", () -> book.count(status))
                    .tag("status", status.word())
                    .description("Swaps that are not over")
                    .register(meters);
        }
    }

    private Counter ended(SwapStatus status) {
        return Counter.builder("walletd.swap.ended")
                .tag("status", status.word())
                .description("Swaps that came to an end since the start")
                .register(meters);
    }

    @Override
    public void accept(SwapRow row) {
        SwapStatus now = row.status();
        Optional<SwapStatus> before = book.enter(row);
        if (!before.equals(Optional.of(now))) {
            log(row, before);
            if (now.isTerminal()) {
                ended(now).increment();
            }
        }
        listener.accept(row);
    }

    private static void log(SwapRow row, Optional<SwapStatus> before) {
        String from = before.map(SwapStatus::word).orElse("new");
        if (row.status() == SwapStatus.LOST) {
            LOG.error("swap {}: {} -> lost: the pool has both locks", row.id(), from);
        } else {
            LOG.info("swap {}: {} -> {}", row.id(), from, row.status().word());
        }
    }
}
