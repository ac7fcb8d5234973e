package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.IntentState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Spending over a development chain, with the address of a shop and a paying address. */
abstract class SpendCase {
    @TempDir
    Path folder;

    SpendHarness spends;
    Address shop;
    Address payer;

    private final long[] coins;

    /**
     * @param coins coins of the payer in base units; none: no payer is created
     */
    SpendCase(long... coins) {
        this.coins = coins;
    }

    /** Configures the harness before spending starts. */
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

    /** Requests a payment from the payer to the shop. */
    final CompletionStage<Receipt> transfer(long amount) {
        return transfer(amount, null);
    }

    final CompletionStage<Receipt> transfer(long amount, String token) {
        return spends.spending.transfer(SpendHarness.request(payer, shop, amount, token));
    }

    /** Pays the shop. */
    final Receipt pay(long amount) {
        return SpendHarness.get(transfer(amount));
    }

    final Receipt pay(long amount, String token) {
        return SpendHarness.get(transfer(amount, token));
    }

    final IntentState stateOf(Hash256 txId) {
        return spends.stateOf(txId);
    }

    /** Used part of the operator's allowance. */
    final Amount spent() {
        return SpendHarness.get(spends.spending.allowanceStatus()).spent();
    }

    /** Confirms everything in flight and asserts how often the shop was paid. */
    final void assertPaid(int times) {
        spends.confirmAll();
        assertThat(spends.coins(shop)).hasSize(times);
    }

    /** Requests a payment that every node refuses. */
    final void refusedByNode(long amount, String token) {
        spends.node.refuseSends("Mempool rejected transaction: fee density too low for mempool");
        SpendHarness.refusal(SpendRefusal.UpstreamFailed.class, transfer(amount, token));
        spends.node.refuseSends(null);
    }

    /** Gives each broadcast the next of these faults, and all later ones the last fault. */
    void onSend(LedgerNode.Fault... faults) {
        AtomicInteger number = new AtomicInteger();
        spends.node.faults(method -> method.equals("send_raw_transaction")
                ? faults[Math.min(number.getAndIncrement(), faults.length - 1)]
                : LedgerNode.Fault.NONE);
    }
}
