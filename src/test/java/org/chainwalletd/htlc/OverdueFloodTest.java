package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.LogCapture;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks past their timeout while a third party makes locks in our name, which anybody can: the sender of a lock does not sign it. */
class OverdueFloodTest {
    private static final Party STRANGER = new Party(0x41);
    private static final int MANY = 1_000;
    private static final long REAL = 500_000;

    @TempDir
    Path folder;

    @AutoClose
    private DaemonRig rig;

    @AutoClose
    private final LogCapture log = LogCapture.ofPackage(HtlcIndex.class);

    private Party ours;

    private void start(String... more) {
        rig = DaemonRig.withChain(folder, more);
        ours = rig.imported(0x21);
        rig.fund(STRANGER, 10_000_000);
    }

    /** Locks the coin of {@code payer} to outputs that our key may take back at once. */
    private Hash256 lock(Party payer, int outputs, TxOutput output) {
        Outpoint coin = rig.coins(payer).keySet().iterator().next();
        Hash256 txId = rig.devnet()
                .ledger()
                .submit(payer.pay(
                        rig.devnet().genesisId(),
                        coin,
                        Collections.nCopies(outputs, output).toArray(TxOutput[]::new)));
        rig.mine(1);
        return txId;
    }

    private TxOutput output(long amount) {
        return output(amount, 0);
    }

    private TxOutput output(long amount, long timeout) {
        return Locks.output(new HtlcParams(ours.key, STRANGER.key, Hash256.sha256(new byte[] {1}), timeout), amount);
    }

    private Outpoint real() {
        return real(0);
    }

    private Outpoint real(long timeout) {
        rig.fund(ours, REAL + 10_000);
        return new Outpoint(lock(ours, 1, output(REAL, timeout)), 0);
    }

    private boolean isLogged(String beginning) {
        return log.messages().stream().anyMatch(line -> line.startsWith(beginning));
    }

    private void awaitWarned(Outpoint lock) {
        Await.until("the lock is reported", () -> isLogged("the lock " + lock + " of "));
    }

    @Test
    void locks_that_are_worth_no_reclaim_hide_none_that_is() {
        start("--auto-reclaim", "true");
        lock(STRANGER, MANY, output(200));

        Outpoint real = real();

        awaitWarned(real);
        Await.until("the lock is taken back", () -> isLogged("the lock " + real + " was reclaimed by "));
        rig.mine(1);
        Await.until("nothing is overdue", () -> rig.metric("walletd_htlc_overdue") == 0);
        assertThat(isLogged("the lock " + real + " is not reclaimed yet")).isFalse();
    }

    /** Returns the reclaims that have ended, in this order. */
    private List<String> attempts() {
        return log.messages().stream()
                .filter(line -> line.contains(" was reclaimed by ") || line.contains(" is not reclaimed yet"))
                .toList();
    }

    @Test
    void the_lock_worth_most_is_taken_back_before_those_that_others_made_first() {
        start("--auto-reclaim", "true");
        long timeout = rig.devnet().tip().height() + 10;
        lock(STRANGER, 40, output(1_000, timeout));
        Outpoint real = real(timeout);
        assertThat(attempts()).isEmpty();

        rig.mine(10);

        Await.until("it is taken back", () -> isLogged("the lock " + real + " was reclaimed by "));
        assertThat(attempts().stream().limit(4))
                .as("those begun at first")
                .anyMatch(line -> line.startsWith("the lock " + real + " was reclaimed by "));
    }

    @Test
    void all_overdue_locks_are_counted_and_reported_however_many_there_are() {
        start();
        lock(STRANGER, MANY, output(1_000));

        Outpoint real = real();

        awaitWarned(real);
        Await.until("all are counted", () -> rig.metric("walletd_htlc_overdue") == MANY + 1);
    }
}
