package org.chainwalletd.spend;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Stub;

/** Store on a disk that fails in the middle of commits: its answers about a new intent, a recall or an abandonment prove nothing. */
final class UncertainIntents {
    /** Fate of the commit whose outcome is unknown. */
    enum Commit {
        LOST,
        WRITTEN
    }

    private final Commit commit;
    /** Whether the opening of an intent fails with an unknown outcome. */
    volatile boolean opensUnknown = true;
    /** Whether recalls and abandonments fail with an unknown outcome; from the first one on, no certain answer is available. */
    volatile boolean givesUpUnknown;
    /** Whether no certain answer is available. */
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
