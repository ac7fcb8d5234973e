package org.chainwalletd.swap.engine;

import java.util.function.Consumer;
import org.chainwalletd.swap.gates.SwapRow;

/** Hears of each change of a swap after it is durable, and when one is being executed. Must not block. */
@FunctionalInterface
public interface SwapListener extends Consumer<SwapRow> {
    /** It is decided whether its lock leaves; {@link #executed} follows, whatever comes of it. */
    default void executing(SwapRow row) {}

    default void executed(SwapRow row) {}
}
