package org.chainwalletd.account;

import static org.chainwalletd.account.AccountRig.done;

import java.math.BigInteger;
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

/** A journal whose {@code n}-th write ends in a given way; after a death it never answers again. */
public final class FatedJournal implements AccountSendStore {
    /** How the {@code n}-th write of the journal ends. */
    public enum Fate {
        /** The process dies before it. */
        NOT_DONE,
        /** The process dies after it. */
        DONE,
        /** The disk refuses it, and the store says so. */
        REFUSED,
        /** It is done, and the store cannot say whether it is. */
        UNKNOWN,
        /** The store cannot say whether it is done; it is before the next write, or when it is told to. */
        UNKNOWN_YET
    }

    private final AccountSendStore real;
    private final int fated;
    private final Fate fate;
    private final AtomicInteger writes = new AtomicInteger();
    private volatile Runnable late = () -> {};
    private volatile boolean dead;

    public FatedJournal(AccountSendStore real, int fated, Fate fate) {
        this.real = real;
        this.fated = fated;
        this.fate = fate;
    }

    public boolean isDead() {
        return dead;
    }

    /** Whether its fate has come to pass. */
    public boolean isBeyond() {
        return writes.get() >= fated;
    }

    public void orUntil(BooleanSupplier condition) {
        Await.until("it goes on or dies", () -> dead || condition.getAsBoolean());
    }

    /** Does the write that was in doubt, if there is one. */
    synchronized void settle() {
        late.run();
        late = () -> {};
    }

    private <T> CompletionStage<T> write(Supplier<CompletionStage<T>> work) {
        if (dead) {
            return new CompletableFuture<>();
        }
        settle();
        if (writes.incrementAndGet() != fated) {
            return work.get();
        }
        if (fate == Fate.REFUSED) {
            return failed(StoreException.Reason.UNAVAILABLE);
        }
        if (fate == Fate.UNKNOWN_YET) {
            late = () -> done(work.get());
            return failed(StoreException.Reason.UNKNOWN);
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

    static <T> CompletionStage<T> failed(StoreException.Reason reason) {
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
    public CompletionStage<Boolean> isBoundElsewhere(String reference) {
        return read(() -> real.isBoundElsewhere(reference));
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
    public CompletionStage<Void> makeCertain() {
        settle();
        return read(real::makeCertain);
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
