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
 * @param run of this process; quotes of another one are not executed
 * @param pace from the end of one look to the next
 * @param tip height of the followed tip of the chain, unsigned; empty before the first look. What is over is watched by its blocks, which no
 *     clock of this machine can hurry
 * @param stopping whether the daemon is being stopped: no secret leaves for the first time then
 * @param book of the open swaps: told what the journal has and whose locks are decided on
 * @param changed hears of each change after it is durable, and enters it in the book; must not block
 * @param margins that are demanded when the secret leaves: half of one later, a claim in no block is an alarm
 * @param alarms hears what somebody should look at; must not block
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
