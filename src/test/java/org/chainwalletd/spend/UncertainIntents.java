package org.chainwalletd.spend;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
        return Stub.of(IntentStore.class, call -> {
            boolean givesUp = call.name().equals("recall") || call.name().equals("abandon");
            if (givesUpUnknown && givesUp) {
                staysUnknown = true;
                return unknown(call, store);
            }
            if (opensUnknown && call.name().equals("open")) {
                return unknown(call, store);
            }
            return staysUnknown && call.name().equals("findForCertain")
                    ? failed(StoreException.Reason.UNAVAILABLE)
                    : call.on(store);
        });
    }

    private CompletionStage<Object> unknown(Stub.Call call, IntentStore store) {
        return commit == Commit.LOST
                ? failed(StoreException.Reason.UNKNOWN)
                : call.stage(store).thenComposeAsync(done -> failed(StoreException.Reason.UNKNOWN), Runnable::run);
    }

    private static CompletionStage<Object> failed(StoreException.Reason reason) {
        return CompletableFuture.failedFuture(new StoreException(reason, "the disk fails", null));
    }
}
