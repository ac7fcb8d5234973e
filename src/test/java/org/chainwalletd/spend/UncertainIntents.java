package org.chainwalletd.spend;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Stub;

/** A store on a disk that fails in the middle of commits: what it says of a new intent, a recall or an abandonment is no proof of anything. */
final class UncertainIntents {
    /** What becomes of the commit whose outcome is not known. */
    enum Commit {
        LOST,
        WRITTEN
    }

    private final Commit commit;
    /** Whether intents are opened without a proof of it. */
    volatile boolean opensUnknown = true;
    /** Whether recalls and abandonments are written without a proof of it; from the first one on nobody can find out for certain. */
    volatile boolean givesUpUnknown;
    /** Whether nobody can find out for certain. */
    volatile boolean staysUnknown = true;

    UncertainIntents(Commit commit) {
        this.commit = commit;
    }

    IntentStore before(IntentStore store) {
        return Stub.of(IntentStore.class, call -> call(store, call.method(), call.arguments()));
    }

    private Object call(IntentStore store, Method method, Object[] arguments) throws Throwable {
        if (opensUnknown && method.getName().equals("open")) {
            return opened(store, (Intent) arguments[0], (Long) arguments[1], (Boolean) arguments[2], (LongSupplier)
                    arguments[3]);
        }
        boolean givesUp = method.getName().equals("recall") || method.getName().equals("abandon");
        if (givesUpUnknown && givesUp) {
            staysUnknown = true;
            return commit == Commit.LOST
                    ? failed(StoreException.Reason.UNKNOWN)
                    : ((CompletionStage<?>) method.invoke(store, arguments))
                            .thenComposeAsync(made -> failed(StoreException.Reason.UNKNOWN), Runnable::run);
        }
        if (staysUnknown && method.getName().equals("findForCertain")) {
            return failed(StoreException.Reason.UNAVAILABLE);
        }
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private CompletionStage<Object> opened(
            IntentStore store, Intent intent, long closedBefore, boolean capped, LongSupplier now) {
        return commit == Commit.LOST
                ? failed(StoreException.Reason.UNKNOWN)
                : store.open(intent, closedBefore, capped, now)
                        .thenComposeAsync(opening -> failed(StoreException.Reason.UNKNOWN), Runnable::run);
    }

    private static CompletionStage<Object> failed(StoreException.Reason reason) {
        return CompletableFuture.failedFuture(new StoreException(reason, "the disk fails", null));
    }
}
