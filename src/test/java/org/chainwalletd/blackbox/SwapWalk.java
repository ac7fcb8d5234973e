package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Deaths of a daemon that trades in one direction, in their order, and what is asserted after the last. What earlier deaths have left open
 * goes on beside the swap that a death is for. By default a swap dies once on either side of the moment from which its secret may be known;
 * with {@code -Dwalletd.crash-points=all} swaps die at every step.
 */
final class SwapWalk {
    static final boolean EVERYWHERE =
            System.getProperty("walletd.crash-points", "").equals("all");

    /** Until what the pool has seen last is in a block. */
    private static final int ROUNDS_OF_THE_POOL = 3;

    private final List<SwapTrader.Death> deaths = new ArrayList<>();
    private final String direction;
    private boolean poolLocks;

    private SwapWalk(String direction) {
        this.direction = direction;
    }

    static SwapWalk ofSells() {
        return new SwapWalk("CHAIN_TO_NATIVE");
    }

    static SwapWalk ofBuys() {
        return new SwapWalk("NATIVE_TO_CHAIN");
    }

    /** A place in a swap: a point, and a status or a step. */
    private String at(String point, String where) {
        return where.isEmpty() ? point : point + "@" + direction + ":" + where;
    }

    /** Dies with a new swap. */
    SwapWalk fresh(String point, String where) {
        deaths.add(new SwapTrader.Death(at(point, where), true, poolLocks));
        return this;
    }

    SwapWalk fresh(String point) {
        return fresh(point, "");
    }

    /** Dies with a swap that an earlier death has left. */
    SwapWalk next(String point, String where) {
        deaths.add(new SwapTrader.Death(at(point, where), false, poolLocks));
        return this;
    }

    /** From here on; before, it waits. */
    SwapWalk thePoolLocks() {
        poolLocks = true;
        return this;
    }

    /** In the end both chains add up, each swap that may have locked has locked once and is completed, and no other has. */
    void walk(SwapGround ground, Path datadir, boolean sells) {
        SwapTrader trader = new SwapTrader(ground, datadir, sells);
        SwapAudit audit = new SwapAudit(ground.chains(), trader);
        trader.beginAndDie(deaths.get(0), audit::begin);
        deaths.subList(1, deaths.size()).forEach(trader::die);
        List<JsonNode> swaps = trader.settle();
        ground.rounds(ROUNDS_OF_THE_POOL);
        if (sells) {
            swaps.forEach(swap -> assertThat(swap.path("chain_timeout_height").asLong())
                    .as("the walk itself lets no lock end: " + swap)
                    .isGreaterThan(ground.height()));
        }
        assertThat(swaps)
                .as("the pool is honest, and only a quote that its own life did not execute comes to nothing")
                .extracting(swap -> swap.path("status").asText())
                .isSubsetOf("completed", "expired")
                .contains("completed");
        for (JsonNode swap : swaps) {
            boolean isCompleted = swap.path("status").asText().equals("completed");
            assertThat(audit.locks(swap)).as("locks of " + swap).isEqualTo(isCompleted ? 1 : 0);
            if (trader.executed().contains(swap.path("swap_id").asText())) {
                assertThat(isCompleted).as("answered: " + swap).isTrue();
            }
        }
        audit.moneyAddsUp();
        audit.hasWhatItTraded(swaps);
    }
}
