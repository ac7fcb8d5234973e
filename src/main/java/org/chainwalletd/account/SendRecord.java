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
 * Transaction sent by this daemon on the account chain, with all its versions.
 *
 * @param maxFee wei per gas of the newest version
 * @param hashes hashes of all versions that may have been sent, oldest first: replacements pay more, the last may be a transaction to ourselves
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
     * @param owner owner of the request, see {@link SendRequest#owner}
     * @param copy whether it repeats the call of another send, at a nonce that an endpoint reported
     */
    public record Order(String reference, SendKind kind, Optional<String> owner, boolean copy) {}

    /**
     * Call made by each version, except a cancelling transaction to ourselves.
     *
     * @param value in wei, as determined when the nonce was assigned
     */
    public record Call(EvmAddress from, EvmAddress to, BigInteger value, long nonce, long gasLimit) {}

    /**
     * Creates the record of a row.
     *
     * @param head last known height of the chain
     */
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

    /** A mined transaction to ourselves does not count as success of the request. */
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

    /** Returns the state of a row whose transaction is in a block. */
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

    /** Returns the hash of the version that was mined, otherwise of the newest one. */
    public Hash256 hash() {
        return state instanceof SendState.InBlock mined ? mined.hash() : hashes.get(hashes.size() - 1);
    }

    /** Returns the hash of the version that makes the call: the one that was mined, otherwise the newest one; never a transaction to ourselves. */
    public Hash256 callHash() {
        return state instanceof SendState.InBlock && !(state instanceof SendState.Cancelled) ? hash() : newestCall;
    }

    /** State of a transaction as the quorum reports it. Only states with {@link #isOver} are final. */
    public sealed interface SendState {
        default boolean isOver() {
            return this instanceof Over;
        }

        /** Name of the state in {@code evm_tx_history}. The names of these types are part of the interface and must not change. */
        default String word() {
            return getClass().getSimpleName().toLowerCase(Locale.ROOT);
        }

        /** State in which a block contains a version of the transaction. */
        sealed interface InBlock extends SendState {
            /** Hash of that version. */
            Hash256 hash();
        }

        /** State that never changes again. */
        sealed interface Over extends SendState {}

        /** Durable with its nonce, and not known to have reached an endpoint, although it may have. */
        record Journalled() implements SendState {}

        /** At least one endpoint has accepted the transaction or one of its replacements. */
        record Sent() implements SendState {}

        /** A transaction to ourselves with the same nonce was made and is not final, so either may be mined. */
        record Cancelling() implements SendState {}

        /**
         * Mined in a block that is not final yet; a reorganisation returns it to {@link Sent}.
         *
         * @param hash of the version that was mined
         * @param succeeded false: reverted
         * @param depth number of blocks above it
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

        /** The transaction to ourselves is in a final block, so the request's own transaction can never be mined. */
        record Cancelled(Hash256 hash, long blockNumber, Hash256 blockHash) implements InBlock, Over {}

        /**
         * Its nonce is used at a final block, but no endpoint returns a receipt of ours: the receipt is late, or another transaction has used the
         * nonce. Not durable: the journal keeps the previous state.
         */
        record Missing() implements SendState {
            @Override
            public String word() {
                return "sent";
            }
        }

        /** Its nonce is used at a final block by a transaction that is not ours: another party has the key. */
        record Lost() implements Over {}
    }
}
