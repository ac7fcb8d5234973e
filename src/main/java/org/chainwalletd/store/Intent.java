package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.crypto.SealedBlob;

/**
 * One spend with all that is needed to repeat it: written before the first broadcast, and enough to answer the caller again.
 *
 * @param kind the method that asked for it, such as {@code transfer}
 * @param transaction the signed bytes; what is sent again is always exactly this. As the store has them, those of a swap's claim are sealed
 * @param inputs in the order of the transaction
 * @param builtAtHeight tip when the coins were listed
 * @param changeIndex output that returns to {@code from}, empty without change
 * @param allowance what it counts against the spend allowance
 * @param createdAt milliseconds since 1970
 * @param details what is told of it and decides nothing
 */
public record Intent(
        Hash256 txId,
        String kind,
        Address from,
        Bytes transaction,
        List<Coin> inputs,
        long builtAtHeight,
        OptionalInt changeIndex,
        Optional<TokenBinding> token,
        Amount allowance,
        long createdAt,
        Progress progress,
        Details details) {
    /**
     * What is told of a spend and is no part of it.
     *
     * @param tokenName of the access token that asked for it; empty for what the daemon does by itself, and for what an older release has kept
     * @param memo the caller's own words; they never enter a log or a metric
     * @param fee effective, for whoever cannot read the transaction because its bytes are sealed
     */
    public record Details(Optional<String> tokenName, Optional<String> memo, Optional<Amount> fee) {
        public static final Details NONE = new Details(Optional.empty(), Optional.empty(), Optional.empty());

        public Details withMemo(Optional<String> changed) {
            return new Details(tokenName, changed, fee);
        }

        /** Without the memo, which must not get into a log. */
        @Override
        public String toString() {
            return "Details[tokenName=" + tokenName + ", fee=" + fee + "]";
        }
    }

    /** One of which nothing is told. */
    public Intent(
            Hash256 txId,
            String kind,
            Address from,
            Bytes transaction,
            List<Coin> inputs,
            long builtAtHeight,
            OptionalInt changeIndex,
            Optional<TokenBinding> token,
            Amount allowance,
            long createdAt,
            Progress progress) {
        this(
                txId,
                kind,
                from,
                transaction,
                inputs,
                builtAtHeight,
                changeIndex,
                token,
                allowance,
                createdAt,
                progress,
                Details.NONE);
    }

    /**
     * How far it has come.
     *
     * @param reason the node's words for a state that is not a success; empty otherwise
     * @param changedAt time of the last change of {@code state}, milliseconds since 1970
     */
    public record Progress(IntentState state, String reason, long changedAt) {
        /** What every spend begins with. */
        public static Progress prepared(long now) {
            return new Progress(IntentState.PREPARED, "", now);
        }
    }

    public Intent {
        inputs = List.copyOf(inputs);
    }

    public IntentState state() {
        return progress.state();
    }

    public String reason() {
        return progress.reason();
    }

    public long changedAt() {
        return progress.changedAt();
    }

    /** Whether its bytes are sealed, as the store has those of a claim that holds a secret: they are no transaction then. */
    public boolean isSealed() {
        return SealedBlob.isMarked(transaction.toArray());
    }

    /** The same with other bytes: sealed, or opened. */
    public Intent holding(Bytes other) {
        return new Intent(
                txId,
                kind,
                from,
                other,
                inputs,
                builtAtHeight,
                changeIndex,
                token,
                allowance,
                createdAt,
                progress,
                details);
    }

    /** The same with other details. */
    public Intent with(Details other) {
        return new Intent(
                txId,
                kind,
                from,
                transaction,
                inputs,
                builtAtHeight,
                changeIndex,
                token,
                allowance,
                createdAt,
                progress,
                other);
    }

    /** Whether it spends from {@code address} or pays to it. What is sealed pays to whom it spends from. */
    public boolean concerns(Address address) {
        return from.equals(address)
                || !isSealed()
                        && TransactionCodec.decode(transaction.toArray()).outputs().stream()
                                .anyMatch(output -> output.address().equals(Optional.of(address)));
    }

    public Intent in(IntentState newState, String newReason, long now) {
        return new Intent(
                txId,
                kind,
                from,
                transaction,
                inputs,
                builtAtHeight,
                changeIndex,
                token,
                allowance,
                createdAt,
                new Progress(newState, newReason, now),
                details);
    }
}
