package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.account.FatedJournal.Fate;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process may end before and after each write of the journal: one reference is one payment all the same. */
class AccountSendCrashTest {
    private static final int WRITES = 4;

    @TempDir
    Path folder;

    @Test
    void a_death_at_any_write_neither_loses_the_payment_nor_makes_a_second_one() throws Exception {
        for (int write = 1; write <= WRITES; write++) {
            for (Fate fate : List.of(Fate.NOT_DONE, Fate.DONE)) {
                Path here = Files.createDirectory(folder.resolve(fate + "-" + write));
                try (AccountRig rig = new AccountRig(here)) {
                    BigInteger before = rig.received();
                    dieAt(rig, write, fate);
                    settle(rig, before, fate + " at write " + write);
                }
            }
        }
    }

    private static void dieAt(AccountRig rig, int write, Fate fate) {
        FatedJournal[] journal = new FatedJournal[1];
        rig.restartWith(real -> {
            journal[0] = new FatedJournal(real, write, fate);
            return journal[0];
        });
        CompletionStage<SendRecord> sent = rig.sends.send(rig.request("one", BigInteger.valueOf(7)));
        journal[0].orUntil(() -> sent.toCompletableFuture().isDone());
        if (!journal[0].isDead()) {
            CompletionStage<SendRecord> raised = rig.sends.raise("one");
            journal[0].orUntil(() -> raised.toCompletableFuture().isDone());
        }
        if (!journal[0].isDead()) {
            rig.chain.mine(6);
            journal[0].orUntil(() -> false);
        }
        assertThat(journal[0].isDead()).isTrue();
        rig.crash();
    }

    private static void settle(AccountRig rig, BigInteger before, String what) {
        SendRecord again = rig.send("one", 7);
        rig.chain.clock().advance(AccountRig.PACE.resend());
        Await.until("it is mined", () -> {
            rig.chain.mine();
            return rig.chain.nonce(rig.own) == 1;
        });
        rig.chain.mine(5);
        rig.await("one", SendState.Final.class);
        assertThat(rig.received().subtract(before)).as(what).isEqualTo(7);
        assertThat(rig.chain.nonce(rig.own)).as(what).isEqualTo(1);
        assertThat(rig.find("one").hashes()).as(what).containsAll(again.hashes());
        assertThat(rig.chain.waiting()).as(what).noneMatch(tx -> tx.nonce() > 0);
    }

    @Test
    void a_full_disk_keeps_the_transaction_from_leaving_and_uses_no_nonce() {
        try (AccountRig rig = new AccountRig(folder)) {
            rig.restartWith(real -> new FatedJournal(real, 1, Fate.REFUSED));

            assertThatThrownBy(() -> rig.send("one", 7))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            why -> assertThat(why.reason()).isEqualTo(StoreException.Reason.UNAVAILABLE));
            assertThat(rig.chain.waiting()).isEmpty();
            assertThat(rig.send("two", 7).nonce()).isZero();
        }
    }

    @Test
    void what_the_store_has_written_without_being_able_to_say_so_is_followed_all_the_same() {
        try (AccountRig rig = new AccountRig(folder)) {
            rig.restartWith(real -> new FatedJournal(real, 1, Fate.UNKNOWN));

            assertThatThrownBy(() -> rig.send("one", 7))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            why -> assertThat(why.reason()).isEqualTo(StoreException.Reason.UNKNOWN));
            rig.await("one", SendState.Sent.class);
            assertThat(rig.send("one", 7).nonce()).isZero();
            assertThat(rig.send("two", 7).nonce()).isEqualTo(1);
        }
    }

    @Test
    void a_row_whose_state_the_journal_neither_takes_nor_tells_is_read_until_it_does() {
        AtomicBoolean refusesTheState = new AtomicBoolean(true);
        AtomicBoolean refusesToTell = new AtomicBoolean();
        AtomicBoolean askedInVain = new AtomicBoolean();
        try (AccountRig rig = new AccountRig(folder)) {
            rig.restartWith(real -> (AccountSendStore) Proxy.newProxyInstance(
                    AccountSendStore.class.getClassLoader(),
                    new Class<?>[] {AccountSendStore.class},
                    (proxy, method, args) -> {
                        boolean isFinal = method.getName().equals("enter") && args[2] == AccountSend.State.FINAL;
                        if (isFinal && refusesTheState.compareAndSet(true, false)) {
                            refusesToTell.set(true);
                            return FatedJournal.failed(StoreException.Reason.UNAVAILABLE);
                        }
                        if (method.getName().equals("find") && refusesToTell.compareAndSet(true, false)) {
                            askedInVain.set(true);
                            return FatedJournal.failed(StoreException.Reason.UNAVAILABLE);
                        }
                        return method.invoke(real, args);
                    }));
            rig.send("one", 7);
            rig.chain.mine(6);

            Await.until("the journal was asked in vain", askedInVain::get);

            Await.until(
                    "it is durable",
                    () -> AccountRig.done(rig.journal.find("one")).orElseThrow().state() == AccountSend.State.FINAL);
        }
    }
}
