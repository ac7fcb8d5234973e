package org.chainwalletd.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.account.AccountRig.done;

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Bytes;
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

    /** How the {@code n}-th write of the journal ends. */
    private enum Fate {
        /** The process dies before it. */
        NOT_DONE,
        /** The process dies after it. */
        DONE,
        /** The disk refuses it, and the store says so. */
        REFUSED,
        /** It is done, and the store cannot say whether it is. */
        UNKNOWN
    }

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

    /** A journal whose {@code n}-th write ends in a given way; after a death it never answers again. */
    private static final class FatedJournal implements AccountSendStore {
        private final AccountSendStore real;
        private final int fated;
        private final Fate fate;
        private final AtomicInteger writes = new AtomicInteger();
        private volatile boolean dead;

        private FatedJournal(AccountSendStore real, int fated, Fate fate) {
            this.real = real;
            this.fated = fated;
            this.fate = fate;
        }

        private boolean isDead() {
            return dead;
        }

        private void orUntil(BooleanSupplier condition) {
            Await.until("it goes on or dies", () -> dead || condition.getAsBoolean());
        }

        private <T> CompletionStage<T> write(Supplier<CompletionStage<T>> work) {
            if (dead) {
                return new CompletableFuture<>();
            }
            if (writes.incrementAndGet() != fated) {
                return work.get();
            }
            if (fate == Fate.REFUSED) {
                return failed(StoreException.Reason.UNAVAILABLE);
            }
            if (fate != Fate.NOT_DONE) {
                done(work.get());
            }
            if (fate == Fate.UNKNOWN) {
                return failed(StoreException.Reason.UNKNOWN);
            }
            dead = true;
            return new CompletableFuture<>();
        }

        private static <T> CompletionStage<T> failed(StoreException.Reason reason) {
            return CompletableFuture.failedFuture(new StoreException(reason, "a test's disk", null));
        }

        private <T> CompletionStage<T> read(Supplier<CompletionStage<T>> work) {
            return dead ? new CompletableFuture<>() : work.get();
        }

        @Override
        public CompletionStage<Journalled> open(List<AccountSend> sends) {
            return write(() -> real.open(sends));
        }

        @Override
        public CompletionStage<Boolean> addVersion(long id, int versionsBefore, AccountSend.Version version) {
            return write(() -> real.addVersion(id, versionsBefore, version));
        }

        @Override
        public CompletionStage<Boolean> enter(
                long id,
                AccountSend.State before,
                AccountSend.State state,
                Optional<AccountSend.Outcome> outcome,
                long now) {
            return write(() -> real.enter(id, before, state, outcome, now));
        }

        @Override
        public CompletionStage<Optional<AccountSend>> find(String reference) {
            return read(() -> real.find(reference));
        }

        @Override
        public CompletionStage<List<AccountSend>> ofOwner(BigInteger chainId, String owner) {
            return read(() -> real.ofOwner(chainId, owner));
        }

        @Override
        public CompletionStage<List<AccountSend>> open(BigInteger chainId) {
            return read(() -> real.open(chainId));
        }

        @Override
        public CompletionStage<OptionalLong> nextNonce(BigInteger chainId, Bytes from) {
            return read(() -> real.nextNonce(chainId, from));
        }

        @Override
        public CompletionStage<OptionalLong> lastLost(BigInteger chainId, Bytes from) {
            return read(() -> real.lastLost(chainId, from));
        }

        @Override
        public CompletionStage<List<AccountSend>> unsealed(int most) {
            return read(() -> real.unsealed(most));
        }

        @Override
        public CompletionStage<Void> seal(AccountSend sealed) {
            return real.seal(sealed);
        }

        @Override
        public CompletionStage<Optional<Bytes>> newestSealed() {
            return read(real::newestSealed);
        }

        @Override
        public CompletionStage<List<AccountSend>> page(BigInteger chainId, long before, int most) {
            return read(() -> real.page(chainId, before, most));
        }
    }
}
