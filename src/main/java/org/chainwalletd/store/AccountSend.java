package org.chainwalletd.store;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * A transaction of the account chain with everything needed to send it again; written before its first byte is sent. Amounts in wei have up to 256
 * bits; nonces, gas and heights are signed 64-bit numbers that are not negative; times are milliseconds since 1970.
 *
 * @param id assigned by the store; {@link #NEW} before that
 * @param versions oldest first, at least one; all have the same nonce
 */
public record AccountSend(long id, Order order, Call call, List<Version> versions, Progress progress) {
    public static final long NEW = 0;

    /** Value of {@code pushing} for a copy: the same call as another row, with a nonce that an endpoint named and that another row may have too. */
    public static final String COPY = "COPY";

    public AccountSend {
        versions = List.copyOf(versions);
        if (versions.isEmpty()) {
            throw new IllegalArgumentException("a transaction without a version");
        }
    }

    /**
     * The request that the transaction carries out.
     *
     * @param reference the caller's name for it; unique permanently
     * @param digest of the request; the same reference with another digest is a conflict
     * @param feeCeiling upper limit in wei for all gas together
     * @param pushing who rebroadcasts the transaction and raises its fee: {@link #COPY} or another name chosen by the journal's user
     * @param owner name of the swap or access token on whose behalf it was made
     */
    public record Order(
            String reference,
            Hash256 digest,
            String kind,
            Optional<BigInteger> feeCeiling,
            String pushing,
            Optional<String> owner) {
        /** Returns the request of a copy, with its own reference. */
        public Order copy(String itsReference) {
            return new Order(itsReference, digest, kind, feeCeiling, COPY, owner);
        }
    }

    /**
     * The call made by every version of the transaction, except versions that only use up the nonce.
     *
     * @param chainId of the chain whose nonce it takes
     * @param from 20 bytes
     * @param to 20 bytes
     * @param data call data; sealed while in the store
     */
    public record Call(
            BigInteger chainId, Bytes from, Bytes to, BigInteger value, Bytes data, long nonce, long gasLimit) {
        Call holding(Bytes other) {
            return new Call(chainId, from, to, value, other, nonce, gasLimit);
        }

        /** Returns the same call with another nonce. */
        public Call at(long other) {
            return new Call(chainId, from, to, value, data, other, gasLimit);
        }

        /** Leaves out the call data: that of a claim contains the secret. */
        @Override
        public String toString() {
            return "Call[nonce=" + nonce + "]";
        }
    }

    /**
     * State of the transaction.
     *
     * @param outcome the block that contains one of its versions; in an end state the block that led to it
     */
    public record Progress(State state, Optional<Outcome> outcome, long createdAt, long changedAt) {
        public static Progress begun(long now) {
            return new Progress(State.JOURNALLED, Optional.empty(), now, now);
        }
    }

    /** States of a transaction, in order. */
    public enum State {
        JOURNALLED,
        SENT,
        MINED,
        FINAL,
        REVERTED,
        CANCELLED,
        LOST;

        /** Returns whether the state never changes again. */
        public boolean isOver() {
            return compareTo(FINAL) >= 0;
        }
    }

    /**
     * A signed version of the transaction that may have been sent.
     *
     * @param raw the signed bytes, sealed while in the store; every broadcast sends exactly these
     * @param tip priority fee in wei per gas
     * @param maxFee fee limit in wei per gas
     * @param cancels whether it only uses up the nonce, by a transfer to our own address
     */
    public record Version(Hash256 hash, Bytes raw, BigInteger tip, BigInteger maxFee, boolean cancels, long createdAt) {
        public Version holding(Bytes other) {
            return new Version(hash, other, tip, maxFee, cancels, createdAt);
        }

        /** Leaves out the signed bytes: those of a claim contain the secret. */
        @Override
        public String toString() {
            return "Version[" + hash + ", maxFee=" + maxFee + ", cancels=" + cancels + "]";
        }
    }

    /**
     * Result of a version in a block.
     *
     * @param hash of the version in the block
     * @param succeeded false when it was reverted
     */
    public record Outcome(Hash256 hash, long blockNumber, Hash256 blockHash, boolean succeeded) {}

    /** Leaves out the call data and signed bytes: those of a claim contain the secret. */
    @Override
    public String toString() {
        return "AccountSend[" + reference() + ", nonce=" + nonce() + ", " + state() + ", " + versions + "]";
    }

    public String reference() {
        return order.reference();
    }

    public long nonce() {
        return call.nonce();
    }

    public State state() {
        return progress.state();
    }

    /** Returns whether it repeats the call of another row with a nonce that the journal did not assign. */
    public boolean isCopy() {
        return order.pushing().equals(COPY);
    }

    public Version newest() {
        return versions.get(versions.size() - 1);
    }

    public AccountSend numbered(long given) {
        return new AccountSend(given, order, call, versions, progress);
    }

    /** Returns this transaction with the call data and signed bytes replaced by their sealed or decrypted form. */
    public AccountSend holding(Bytes otherData, List<Version> otherVersions) {
        return new AccountSend(id, order, call.holding(otherData), otherVersions, progress);
    }

    /** Returns this transaction with another version added. */
    public AccountSend with(Version version) {
        List<Version> more = new ArrayList<>(versions);
        more.add(version);
        return new AccountSend(id, order, call, more, changed(state(), progress.outcome(), version.createdAt()));
    }

    public AccountSend in(State newState, Optional<Outcome> newOutcome, long now) {
        return new AccountSend(id, order, call, versions, changed(newState, newOutcome, now));
    }

    private Progress changed(State state, Optional<Outcome> outcome, long now) {
        return new Progress(state, outcome, progress.createdAt(), now);
    }
}
