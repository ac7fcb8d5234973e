package org.chainwalletd.account;

import static org.chainwalletd.account.AccountRig.done;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;

/** Journal whose {@code n}-th write has a given outcome; after a death it never answers again. */
public final class FatedJournal {
    /** Outcome of the {@code n}-th write. */
    public enum Fate {
        /** The process dies before the write. */
        NOT_DONE,
        /** The process dies after the write. */
        DONE,
        /** The disk fails, and the store reports this. */
        REFUSED,
        /** The write is made, but the store reports an unknown outcome. */
        UNKNOWN,
        /** The store reports an unknown outcome; the write is made before the next one, or when a test requests it. */
        UNKNOWN_YET,
        /** Like {@link #UNKNOWN_YET}, but the wait for the store times out before the store answers. */
        UNANSWERED_YET
    }

    private final int fated;
    private final Fate fate;
    private final AtomicInteger writes = new AtomicInteger();
    private volatile Runnable late = () -> {};
    private volatile boolean dead;

    public FatedJournal(int fated, Fate fate) {
        this.fated = fated;
        this.fate = fate;
    }

    /** Returns the journal, which writes to {@code real}. */
    public AccountSendStore over(AccountSendStore real) {
        return Stub.of(AccountSendStore.class, call -> {
            if (call.name().equals("makeCertain")) {
                settle();
            }
            if (isWrite(call)) {
                return write(call, real);
            }
            return dead && !call.name().equals("seal") ? new CompletableFuture<>() : call.on(real);
        });
    }

    /** Whether a call writes new rows or changes one. */
    static boolean isWrite(Stub.Call call) {
        return isOpening(call)
                || call.name().equals("addVersion")
                || call.name().equals("enter");
    }

    static boolean isOpening(Stub.Call call) {
        return call.name().equals("open") && call.arguments()[0] instanceof List;
    }

    static boolean isListing(Stub.Call call) {
        return call.name().equals("open") && !isOpening(call);
    }

    public boolean isDead() {
        return dead;
    }

    /** Whether the chosen write was reached. */
    public boolean isBeyond() {
        return writes.get() >= fated;
    }

    public void orUntil(BooleanSupplier condition) {
        Await.until("it goes on or dies", () -> dead || condition.getAsBoolean());
    }

    /** Makes the write with the unknown outcome, if there is one. */
    synchronized void settle() {
        late.run();
        late = () -> {};
    }

    private CompletionStage<?> write(Stub.Call call, AccountSendStore real) {
        if (dead) {
            return new CompletableFuture<>();
        }
        settle();
        if (writes.incrementAndGet() != fated) {
            return made(call, real);
        }
        if (fate == Fate.REFUSED) {
            return failed(StoreException.Reason.UNAVAILABLE);
        }
        if (fate == Fate.UNKNOWN_YET || fate == Fate.UNANSWERED_YET) {
            late = () -> done(made(call, real));
            return fate == Fate.UNKNOWN_YET
                    ? failed(StoreException.Reason.UNKNOWN)
                    : CompletableFuture.failedFuture(new IllegalStateException("no outcome in time"));
        }
        if (fate != Fate.NOT_DONE) {
            done(made(call, real));
        }
        if (fate == Fate.UNKNOWN) {
            return failed(StoreException.Reason.UNKNOWN);
        }
        dead = true;
        return new CompletableFuture<>();
    }

    /** Passes a call to the real journal. */
    @SuppressWarnings("unchecked")
    static CompletionStage<Object> made(Stub.Call call, AccountSendStore real) {
        try {
            return (CompletionStage<Object>) call.on(real);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    static <T> CompletionStage<T> failed(StoreException.Reason reason) {
        return CompletableFuture.failedFuture(new StoreException(reason, "a test's disk", null));
    }
}
