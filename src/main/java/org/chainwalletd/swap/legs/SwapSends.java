package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.swap.gates.SwapRow;

/**
 * Our transactions of a swap on the account chain. Their names follow from the swap's id and from how many of their kind have finally failed,
 * which the journal knows: doing a thing twice does it once, also after a restart.
 */
public record SwapSends(AccountSends sends) {
    /** Gas of a claim or a refund, as long as none has failed; never estimated (swap.md, section 5). */
    static final long GAS = 120_000;

    /** Greatest number of attempts to lock or claim; each but the last has failed in a final block, so they take hours. Refunds have no limit. */
    private static final int MOST_ATTEMPTS = 16;
    /** A contract that takes more than the reserve of a swap holds is none that the operator should have pinned. */
    private static final int MOST_GAS_FACTOR = 4;

    /** All sends of a swap, oldest first. */
    record Made(List<SendRecord> records) {
        private Stream<SendRecord> all(SendKind kind) {
            return records.stream().filter(record -> record.kind() == kind);
        }

        Optional<SendRecord> newest(SendKind kind) {
            return all(kind).filter(record -> !record.isCopy()).reduce((before, after) -> after);
        }

        int count(SendKind kind) {
            return (int) all(kind).filter(record -> !record.isCopy()).count();
        }

        /**
         * Whether one has failed in a block lately; a nonce that went elsewhere has cost nothing.
         *
         * @param since milliseconds since 1970
         */
        boolean hasReverted(SendKind kind, long since) {
            return all(kind)
                    .filter(record -> record.state() instanceof SendState.Reverted)
                    .anyMatch(record -> (record.isCopy() ? record.updatedAt() : record.createdAt()) > since);
        }

        /** Its transaction id: of what was mined, by whichever nonce, otherwise of the newest; empty text when there is none. */
        String id(SendKind kind) {
            return all(kind)
                    .filter(SwapSends::hasSucceeded)
                    .findFirst()
                    .or(() -> newest(kind))
                    .map(SwapSends::id)
                    .orElse("");
        }
    }

    Made of(SwapRow row) {
        return new Made(await(sends.ofOwner(row.id())));
    }

    static String reference(SwapRow row, SendKind kind, int attempt) {
        return attempt("swap/" + row.id() + "/" + kind.word(), attempt);
    }

    private static String attempt(String first, int number) {
        return number == 1 ? first : first + "/" + number;
    }

    static String id(SendRecord record) {
        return "0x" + record.hash().hex();
    }

    /** Whether it has ended, in a final block, without doing what it was for. */
    static boolean hasFailed(SendRecord record) {
        return record.state().isOver() && !(record.state() instanceof SendState.Final);
    }

    private static boolean hasSucceeded(SendRecord record) {
        return record.state() instanceof SendState.Final
                || record.state() instanceof SendState.Mined mined && mined.succeeded();
    }

    /** More than the attempt before: it may have run out of it. */
    public static long gas(int attempt) {
        return GAS * Math.min(attempt, MOST_GAS_FACTOR);
    }

    /**
     * Makes the transaction of a kind unless there is one that has not failed, which is kept going then; answers with its id.
     *
     * @param deadline Unix seconds, unsigned, after which it is worth nothing
     */
    String send(SwapRow row, SendKind kind, OptionalLong deadline, IntFunction<SendRequest> attempt) {
        Made made = of(row);
        Optional<SendRecord> newest = made.newest(kind);
        if (newest.isPresent() && !hasFailed(newest.get())) {
            sends.pursue(newest.get().reference(), deadline);
            return made.id(kind);
        }
        return id(make(made.count(kind) + 1, deadline, attempt));
    }

    private SendRecord make(int next, OptionalLong deadline, IntFunction<SendRequest> attempt) {
        SendRequest request = attempt.apply(next);
        if (next > MOST_ATTEMPTS && request.kind() != SendKind.REFUND) {
            throw new IllegalStateException(
                    MOST_ATTEMPTS + " transactions to " + request.kind().word() + " have failed; look at the contract");
        }
        SendRecord sent = await(sends.send(request));
        sends.pursue(sent.reference(), deadline);
        return sent;
    }

    /**
     * Sends for a lock without a row, whose attempts are known by their names alone.
     *
     * @param name of the first attempt
     */
    public SendRecord send(String name, OptionalLong deadline, BiFunction<String, Integer, SendRequest> attempt) {
        for (int number = 1; ; number++) {
            String reference = attempt(name, number);
            Optional<SendRecord> found = await(sends.find(reference));
            if (found.isEmpty()) {
                return make(number, deadline, next -> attempt.apply(reference, next));
            }
            boolean isLast = number > MOST_ATTEMPTS && found.get().kind() != SendKind.REFUND;
            if (isLast || !hasFailed(found.get())) {
                sends.pursue(reference, deadline);
                return found.get();
            }
        }
    }
}
