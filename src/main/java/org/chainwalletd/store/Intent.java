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
 * A spend with everything needed to send it again and to answer its caller again; written before the first broadcast.
 *
 * @param kind the method that requested it, such as {@code transfer}
 * @param transaction the signed bytes; every broadcast sends exactly these. The bytes of a swap's claim are sealed (encrypted) while in the store
 * @param inputs in the order of the transaction
 * @param builtAtHeight height of the tip when the coins were listed
 * @param changeIndex index of the first output that returns to {@code from}; all later outputs do too. Empty without change
 * @param allowance the amount counted against the spend allowance
 * @param createdAt milliseconds since 1970
 * @param details data that is only reported
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
     * Data that is reported with a spend and has no effect on it.
     *
     * @param tokenName name of the access token that requested it; empty for spends that the daemon makes by itself and spends of older releases
     * @param memo the caller's own text; must never enter a log or a metric
     * @param fee the effective fee, for readers that cannot decode the transaction because it is sealed
     */
    public record Details(Optional<String> tokenName, Optional<String> memo, Optional<Amount> fee) {
        public static final Details NONE = new Details(Optional.empty(), Optional.empty(), Optional.empty());

        /** Leaves out the memo, which must not get into a log. */
        @Override
        public String toString() {
            return "Details[tokenName=" + tokenName + ", fee=" + fee + "]";
        }
    }

    /** Creates a spend without details. */
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
     * State of a spend.
     *
     * @param reason the node's message for a state that is not a success; empty otherwise
     * @param changedAt time of the last change of {@code state}, milliseconds since 1970
     */
    public record Progress(IntentState state, String reason, long changedAt) {
        /** Returns the first state of every spend. */
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

    /** Returns whether the transaction bytes are sealed, as the bytes of a claim with a secret are in the store; sealed bytes cannot be decoded. */
    public boolean isSealed() {
        return SealedBlob.isMarked(transaction.toArray());
    }

    /** Returns this spend with the transaction bytes replaced by their sealed or decrypted form. */
    public Intent holding(Bytes other) {
        return with(other, progress, details);
    }

    /** Returns this spend with other details. */
    public Intent with(Details other) {
        return with(transaction, progress, other);
    }

    /** Returns whether the spend spends from {@code address} or pays to it. A sealed claim pays to the address that it spends from. */
    public boolean concerns(Address address) {
        return from.equals(address)
                || !isSealed()
                        && TransactionCodec.decode(transaction.toArray()).outputs().stream()
                                .anyMatch(output -> output.address().equals(Optional.of(address)));
    }

    public Intent in(IntentState newState, String newReason, long now) {
        return with(transaction, new Progress(newState, newReason, now), details);
    }

    private Intent with(Bytes bytes, Progress state, Details reported) {
        return new Intent(
                txId,
                kind,
                from,
                bytes,
                inputs,
                builtAtHeight,
                changeIndex,
                token,
                allowance,
                createdAt,
                state,
                reported);
    }
}
