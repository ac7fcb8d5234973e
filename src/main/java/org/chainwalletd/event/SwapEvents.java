package org.chainwalletd.event;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.method.SwapMethods;
import org.chainwalletd.rpc.method.SwapWords;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.wire.RawJson;

/** Publishes {@code swap}: each change of a swap, as {@code swap_status} tells it, and what somebody should look at. */
public final class SwapEvents implements Consumer<SwapRow> {
    private static final String KIND = "swap";

    private final EventHub hub;
    private final Function<SwapRow, RawJson> telling;

    public SwapEvents(EventHub hub, SwapWords words) {
        this.hub = hub;
        this.telling = SwapMethods.telling(words);
    }

    @Override
    public void accept(SwapRow row) {
        if (hub.isHeard()) {
            hub.publish(KIND, telling.apply(row));
        }
    }

    /** Alarm for people: no record of a swap, which the one it speaks of may not have. */
    private record AlarmRecord(String alarm, Optional<Hash256> hashlock, Optional<String> swapId, String error) {}

    public void alarm(SwapAlarm alarm) {
        if (hub.isHeard()) {
            hub.publish(KIND, new AlarmRecord(alarm.kind().word(), alarm.hashLock(), alarm.swap(), alarm.message()));
        }
    }
}
