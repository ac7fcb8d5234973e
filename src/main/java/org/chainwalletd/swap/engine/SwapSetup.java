package org.chainwalletd.swap.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.legs.SwapAlarm;

/**
 * Dependencies and settings of the engine.
 *
 * @param run id of this process; quotes of another process are not executed
 * @param pace delay between the end of a round and the start of the next
 * @param tip height of the followed tip of the chain, unsigned; empty before the first tip is known. Swaps that are over stay watched for a number
 * of its blocks, which a wrong clock of this machine cannot shorten
 * @param stopping whether the daemon is stopping; no secret is then revealed for the first time
 * @param book of the open swaps; receives the rows of the journal and the swaps whose lock is being decided on
 * @param changed receives each change after it is durable, and enters it in the book; must not block
 * @param margins required when the secret is revealed; a claim still in no block when only half of one is left raises an alarm
 * @param alarms receives conditions that an operator should look at; must not block
 */
public record SwapSetup(
        SwapJournal journal,
        Legs legs,
        String run,
        InstantSource clock,
        Duration pace,
        Supplier<OptionalLong> tip,
        BooleanSupplier stopping,
        SwapBook book,
        Consumer<SwapRow> changed,
        SwapLimits.Span margins,
        Consumer<SwapAlarm> alarms) {
    long now() {
        return clock.instant().getEpochSecond();
    }
}
