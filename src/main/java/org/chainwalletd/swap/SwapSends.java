package org.chainwalletd.swap;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SendKind;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendState;

/**
 * Our transactions of a swap on the account chain. Their names follow from the swap's id and from how many of their kind have finally failed,
 * which the journal knows: doing a thing twice does it once, also after a restart.
 */
final class SwapSends {
    /** What a claim or a refund may take, as long as none has failed; never estimated (swap.md, section 5). */
    static final long GAS = 120_000;

    /** Each but the last has failed in a final block, so this is hours. */
    private static final int MOST_ATTEMPTS = 16;
    /** A contract that takes more than the reserve of a swap holds is none that the operator should have pinned. */
    private static final int MOST_GAS_FACTOR = 4;

    private final AccountSends sends;
    private final Executor executor;

    SwapSends(AccountSends sends, Executor executor) {
        this.sends = sends;
        this.executor = executor;
    }

    /** All that was ever made for a swap, oldest first. */
    record Made(List<SendRecord> records) {
        Optional<SendRecord> newest(SendKind kind) {
            return records.stream().filter(record -> record.kind() == kind).reduce((before, after) -> after);
        }

        int count(SendKind kind) {
            return (int)
                    records.stream().filter(record -> record.kind() == kind).count();
        }

        /** Its transaction id, of the version that was mined where one was; empty text when there is none. */
        String id(SendKind kind) {
            return newest(kind).map(SwapSends::id).orElse("");
        }
    }

    CompletionStage<Made> of(SwapRow row) {
        return sends.ofOwner(row.id()).thenApplyAsync(Made::new, executor);
    }

    static String reference(SwapRow row, SendKind kind, int attempt) {
        String first = "swap/" + row.id() + "/" + kind.word();
        return attempt == 1 ? first : first + "/" + attempt;
    }

    static String id(SendRecord record) {
        return "0x" + record.hash().hex();
    }

    /** Whether it has ended, in a final block, without doing what it was for. */
    static boolean hasFailed(SendRecord record) {
        return record.state().isOver() && !(record.state() instanceof SendState.Final);
    }

    /** More than the attempt before: it may have run out of it. */
    static long gas(int attempt) {
        return GAS * Math.min(attempt, MOST_GAS_FACTOR);
    }

    /** Makes the transaction of a kind unless there is one that has not failed; completes with its id. */
    CompletionStage<String> send(SwapRow row, SendKind kind, IntFunction<SendRequest> attempt) {
        return of(row).thenComposeAsync(made -> send(made, kind, attempt), executor);
    }

    private CompletionStage<String> send(Made made, SendKind kind, IntFunction<SendRequest> attempt) {
        Optional<SendRecord> newest = made.newest(kind);
        if (newest.isPresent() && !hasFailed(newest.get())) {
            return CompletableFuture.completedFuture(id(newest.get()));
        }
        int next = made.count(kind) + 1;
        if (next > MOST_ATTEMPTS) {
            return CompletableFuture.failedFuture(new IllegalStateException(
                    MOST_ATTEMPTS + " transactions to " + kind.word() + " have failed; look at the contract"));
        }
        return sends.send(attempt.apply(next)).thenApplyAsync(SwapSends::id, executor);
    }
}
