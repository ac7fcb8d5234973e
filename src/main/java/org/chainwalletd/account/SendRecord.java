package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Outcome;

/**
 * A transaction of ours with all its versions.
 *
 * @param maxFee wei per gas of the newest version
 * @param hashes of all versions that may have left, oldest first: replacements pay more, the last may be one to ourselves
 * @param newestCall hash of the newest version that makes the call
 * @param createdAt milliseconds since 1970
 * @param updatedAt milliseconds since 1970
 */
public record SendRecord(
        Order order,
        Call call,
        BigInteger maxFee,
        List<Hash256> hashes,
        Hash256 newestCall,
        SendState state,
        long createdAt,
        long updatedAt) {
    public SendRecord {
        hashes = List.copyOf(hashes);
    }

    /**
     * Request as its caller made it.
     *
     * @param owner whom it was made for
     * @param copy whether it repeats the call of another one, at a nonce that an endpoint named
     */
    public record Order(String reference, SendKind kind, Optional<String> owner, boolean copy) {}

    /**
     * Call that each version makes, except a cancelling one to ourselves.
     *
     * @param value in wei, as it was decided when the nonce was given
     */
    public record Call(EvmAddress from, EvmAddress to, BigInteger value, long nonce, long gasLimit) {}

    /** @param head height of the chain as it was last seen */
    static SendRecord of(AccountSend row, long head) {
        return of(row, state(row, head));
    }

    static SendRecord missing(AccountSend row) {
        return of(row, new SendState.Missing());
    }

    private static SendRecord of(AccountSend row, SendState state) {
        AccountSend.Order ordered = row.order();
        AccountSend.Call called = row.call();
        return new SendRecord(
                new Order(ordered.reference(), SendKind.valueOf(ordered.kind()), ordered.owner(), row.isCopy()),
                new Call(
                        SendSetup.address(called.from()),
                        SendSetup.address(called.to()),
                        called.value(),
                        called.nonce(),
                        called.gasLimit()),
                row.newest().maxFee(),
                row.versions().stream().map(AccountSend.Version::hash).toList(),
                row.versions().stream()
                        .filter(version -> !version.cancels())
                        .reduce((older, newer) -> newer)
                        .orElseThrow()
                        .hash(),
                state,
                row.progress().createdAt(),
                row.progress().changedAt());
    }

    private static SendState state(AccountSend row, long head) {
        return switch (row.state()) {
            case JOURNALLED -> row.newest().cancels() ? new SendState.Cancelling() : new SendState.Journalled();
            case SENT -> row.newest().cancels() ? new SendState.Cancelling() : new SendState.Sent();
            case MINED -> mined(row, row.progress().outcome().orElseThrow(), head);
            case FINAL -> ended(row, SendState.Final::new);
            case REVERTED -> ended(row, SendState.Reverted::new);
            case CANCELLED -> ended(row, SendState.Cancelled::new);
            case LOST -> new SendState.Lost();
        };
    }

    private interface Ended {
        SendState at(Hash256 hash, long blockNumber, Hash256 blockHash);
    }

    private static SendState ended(AccountSend row, Ended state) {
        Outcome outcome = row.progress().outcome().orElseThrow();
        return state.at(outcome.hash(), outcome.blockNumber(), outcome.blockHash());
    }

    /** A version to ourselves in a block is no success of what was asked for. */
    private static SendState mined(AccountSend row, Outcome outcome, long head) {
        return cancels(row, outcome)
                ? new SendState.Cancelling()
                : new SendState.Mined(
                        outcome.hash(),
                        outcome.blockNumber(),
                        outcome.blockHash(),
                        Math.max(0, head - outcome.blockNumber()),
                        outcome.succeeded());
    }

    /** The state of a row whose transaction is in a block. */
    static AccountSend.State stateOf(AccountSend row, Outcome outcome, boolean isFinal) {
        if (!isFinal) {
            return AccountSend.State.MINED;
        }
        if (cancels(row, outcome)) {
            return AccountSend.State.CANCELLED;
        }
        return outcome.succeeded() ? AccountSend.State.FINAL : AccountSend.State.REVERTED;
    }

    private static boolean cancels(AccountSend row, Outcome outcome) {
        return row.versions().stream()
                .anyMatch(version -> version.cancels() && version.hash().equals(outcome.hash()));
    }

    public String reference() {
        return order.reference();
    }

    public SendKind kind() {
        return order.kind();
    }

    public boolean isCopy() {
        return order.copy();
    }

    public EvmAddress from() {
        return call.from();
    }

    public EvmAddress to() {
        return call.to();
    }

    /** Value in wei. */
    public BigInteger value() {
        return call.value();
    }

    public long nonce() {
        return call.nonce();
    }

    /** The version that was mined, otherwise the newest. */
    public Hash256 hash() {
        return state instanceof SendState.InBlock mined ? mined.hash() : hashes.get(hashes.size() - 1);
    }

    /** The version that makes the call and was mined, otherwise the newest that makes it: never one to ourselves. */
    public Hash256 callHash() {
        return state instanceof SendState.InBlock && !(state instanceof SendState.Cancelled) ? hash() : newestCall;
    }

    /** State of a transaction as the quorum reports it. Only states with {@link #isOver} are final. */
    public sealed interface SendState {
        default boolean isOver() {
            return this instanceof Over;
        }

        /** Name of the state in {@code evm_tx_history}: the types' names are part of the interface and are never changed. */
        default String word() {
            return getClass().getSimpleName().toLowerCase(Locale.ROOT);
        }

        /** A block has a version of it. */
        sealed interface InBlock extends SendState {
            /** Hash of that version. */
            Hash256 hash();
        }

        /** Nothing changes it any more. */
        sealed interface Over extends SendState {}

        /** Durable with its nonce; no endpoint is known to have it. It may have left all the same. */
        record Journalled() implements SendState {}

        /** At least one endpoint has accepted it, or one of its replacements. */
        record Sent() implements SendState {}

        /** A transaction to ourselves with its nonce is on its way, or in a block that is not final. Until that is final either may be mined. */
        record Cancelling() implements SendState {}

        /**
         * Mined in a block that is not final yet; a reorganisation takes it back to {@link Sent}.
         *
         * @param hash of the version that was mined
         * @param succeeded false: reverted
         * @param depth blocks on top of it
         */
        record Mined(Hash256 hash, long blockNumber, Hash256 blockHash, long depth, boolean succeeded)
                implements InBlock {
            @Override
            public String word() {
                return succeeded ? "mined" : "reverting";
            }
        }

        /** Mined in a final block, and successful. */
        record Final(Hash256 hash, long blockNumber, Hash256 blockHash) implements InBlock, Over {}

        /** Mined in a final block, and reverted there: only its fee was paid. */
        record Reverted(Hash256 hash, long blockNumber, Hash256 blockHash) implements InBlock, Over {}

        /** The transaction to ourselves is in a final block: this one can never be mined. */
        record Cancelled(Hash256 hash, long blockNumber, Hash256 blockHash) implements InBlock, Over {}

        /**
         * Its nonce is used at a final block, and no endpoint shows a receipt of ours: either one comes late, or another transaction has used it.
         * Not durable: the journal has the state before it.
         */
        record Missing() implements SendState {
            @Override
            public String word() {
                return "sent";
            }
        }

        /** Its nonce is used at a final block by none of our transactions: somebody else has the key. */
        record Lost() implements Over {}
    }
}
