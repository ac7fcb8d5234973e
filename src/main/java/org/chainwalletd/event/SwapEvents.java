package org.chainwalletd.event;

import java.util.function.Consumer;
import java.util.function.Function;
import org.chainwalletd.rpc.RawJson;
import org.chainwalletd.rpc.method.swap.SwapRecord;
import org.chainwalletd.rpc.method.swap.SwapWords;
import org.chainwalletd.swap.SwapRow;

/** Publishes {@code swap}: each change of a swap, as {@code swap_status} tells it. */
public final class SwapEvents implements Consumer<SwapRow> {
    private static final String KIND = "swap";

    private final EventHub hub;
    private final Function<SwapRow, RawJson> telling;

    public SwapEvents(EventHub hub, SwapWords words) {
        this.hub = hub;
        this.telling = SwapRecord.telling(words);
    }

    @Override
    public void accept(SwapRow row) {
        if (hub.isHeard()) {
            hub.publish(KIND, telling.apply(row));
        }
    }
}
