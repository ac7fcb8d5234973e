package org.chainwalletd.spend;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Address;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Spending over a development chain, with the address of a shop and one that pays. */
abstract class SpendCase {
    @TempDir
    Path folder;

    SpendHarness spends;
    Address shop;
    Address payer;

    private final long[] coins;

    /** @param coins of the payer in base units; none: there is no payer yet */
    SpendCase(long... coins) {
        this.coins = coins;
    }

    /** Sets what the harness must know before spending starts. */
    void prepare() {}

    @BeforeEach
    void start() {
        spends = new SpendHarness(folder);
        prepare();
        spends.start();
        shop = spends.keys.add(99);
        if (coins.length > 0) {
            payer = spends.funded(1, coins);
        }
    }

    @AfterEach
    void stop() {
        spends.close();
    }

    /** Gives each broadcast the next of these faults, and the last one to all later ones. */
    void onSend(LedgerNode.Fault... faults) {
        AtomicInteger number = new AtomicInteger();
        spends.node.faults(method -> method.equals("send_raw_transaction")
                ? faults[Math.min(number.getAndIncrement(), faults.length - 1)]
                : LedgerNode.Fault.NONE);
    }
}
