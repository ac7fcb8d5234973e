package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.account.SendRecord.SendState;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.gates.SwapRow;

/**
 * Our transactions of a swap on the account chain. Their references are derived from the swap's id and the number of finally failed attempts of
 * their kind, which the journal knows, so a repeated call has the effect of one, also after a restart.
 */
public record SwapSends(AccountSends sends) {
    /** Gas of the first attempt of a claim or a refund; never estimated (swap.md, section 5). */
    static final long GAS = 120_000;

    /** Maximum number of attempts to lock or claim; each but the last has failed in a final block, so they take hours. Refunds have no limit. */
    private static final int MOST_ATTEMPTS = 16;
    /** Maximum multiple of {@link #GAS}. An operator should not have pinned a contract that needs more than the gas reserve of a swap. */
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
         * Tests whether one has reverted in a block recently; a nonce that was used otherwise cost no gas here.
         *
         * @param since milliseconds since 1970
         */
        boolean hasReverted(SendKind kind, long since) {
            return all(kind)
                    .filter(record -> record.state() instanceof SendState.Reverted)
                    .anyMatch(record -> (record.isCopy() ? record.updatedAt() : record.createdAt()) > since);
        }

        /** Returns the transaction id of the mined one, at any nonce, otherwise of the newest; an empty text when there is none. */
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

    static String reference(SwapRow row, SendKind kind) {
        return "swap/" + row.id() + "/" + kind.word();
    }

    private static String attempt(String first, int number) {
        return number == 1 ? first : first + "/" + number;
    }

    static String id(SendRecord record) {
        return "0x" + record.hash().hex();
    }

    /** Tests whether it has finally ended without the intended effect. */
    static boolean hasFailed(SendRecord record) {
        return record.state().isOver() && !(record.state() instanceof SendState.Final);
    }

    private static boolean hasSucceeded(SendRecord record) {
        return record.state() instanceof SendState.Final
                || record.state() instanceof SendState.Mined mined && mined.succeeded();
    }

    /**
     * Claim or refund of a lock in the contract. Its gas is fixed, because no endpoint may get a secret in a gas estimate.
     *
     * @param value wei of the lock, which is also the most that its gas may cost
     * @param deadline Unix seconds, unsigned, after which it is useless
     */
    public record Redeem(
            SendKind kind, EvmAddress from, EvmAddress contract, Bytes call, BigInteger value, OptionalLong deadline) {
        /** Leaves out the call: that of a claim holds the secret. */
        @Override
        public String toString() {
            return "Redeem[" + kind + ", from=" + from + ", contract=" + contract + "]";
        }

        /** Gas grows with each attempt, because the previous one may have run out of gas. */
        private SendRequest attempt(String first, int number, Optional<String> owner, BooleanSupplier mayBegin) {
            return new SendRequest(
                    SwapSends.attempt(first, number),
                    kind,
                    from,
                    contract,
                    SendValue.exactly(BigInteger.ZERO),
                    call,
                    new Gas.Fixed(GAS * Math.min(number, MOST_GAS_FACTOR)),
                    Optional.of(value),
                    kind == SendKind.CLAIM ? Pushing.URGENTLY : Pushing.BY_ITSELF,
                    owner,
                    mayBegin);
        }
    }

    /** Makes the transaction, or continues to pursue an existing one of its kind that has not failed; returns its id. */
    String send(SwapRow row, Redeem redeem, BooleanSupplier mayBegin) {
        Made made = of(row);
        Optional<SendRecord> newest = made.newest(redeem.kind());
        if (newest.isPresent() && !hasFailed(newest.get())) {
            sends.pursue(newest.get().reference(), redeem.deadline());
            return made.id(redeem.kind());
        }
        int next = made.count(redeem.kind()) + 1;
        String first = reference(row, redeem.kind());
        return id(make(redeem, next, redeem.attempt(first, next, Optional.of(row.id()), mayBegin)));
    }

    private SendRecord make(Redeem redeem, int number, SendRequest request) {
        if (number > MOST_ATTEMPTS && redeem.kind() != SendKind.REFUND) {
            throw new IllegalStateException(
                    MOST_ATTEMPTS + " transactions to " + redeem.kind().word() + " have failed; look at the contract");
        }
        SendRecord sent = await(sends.send(request));
        sends.pursue(sent.reference(), redeem.deadline());
        return sent;
    }

    /**
     * Sends for a lock without a row, whose attempts are found only by their references.
     *
     * @param first reference of the first attempt
     */
    public SendRecord send(String first, Redeem redeem) {
        for (int number = 1; ; number++) {
            Optional<SendRecord> found = await(sends.find(attempt(first, number)));
            if (found.isEmpty()) {
                return make(redeem, number, redeem.attempt(first, number, Optional.empty(), () -> true));
            }
            boolean isLast = number > MOST_ATTEMPTS && found.get().kind() != SendKind.REFUND;
            if (isLast || !hasFailed(found.get())) {
                sends.pursue(found.get().reference(), redeem.deadline());
                return found.get();
            }
        }
    }
}
