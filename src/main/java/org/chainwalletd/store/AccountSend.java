package org.chainwalletd.store;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * A transaction of the account chain with all that is needed to repeat it: written before its first byte leaves. Numbers in wei are up to 256
 * bits; nonces, gas and heights are signed 64-bit numbers that are not negative; times are milliseconds since 1970.
 *
 * @param id given by the store; {@link #NEW} before that
 * @param versions oldest first, at least one; all have the same nonce
 */
public record AccountSend(long id, Order order, Call call, List<Version> versions, Progress progress) {
    public static final long NEW = 0;

    /** Pushing of a copy: the same call as another row, with a nonce that an endpoint named and that another row may have too. */
    public static final String COPY = "COPY";

    public AccountSend {
        versions = List.copyOf(versions);
        if (versions.isEmpty()) {
            throw new IllegalArgumentException("a transaction without a version");
        }
    }

    /**
     * What was asked for.
     *
     * @param reference the caller's name for it, unique for ever
     * @param digest of what was asked for; the same reference with another digest is a conflict
     * @param feeCeiling most wei for gas in all
     * @param pushing who sends it again, by a word of the owner
     * @param owner whom it was made for
     */
    public record Order(
            String reference,
            Hash256 digest,
            String kind,
            Optional<BigInteger> feeCeiling,
            String pushing,
            Optional<String> owner) {
        /** Of a copy. */
        public Order copy(String itsReference) {
            return new Order(itsReference, digest, kind, feeCeiling, COPY, owner);
        }
    }

    /**
     * What every version of it does, until one only spends the nonce.
     *
     * @param chainId whose nonce it takes
     * @param from 20 bytes
     * @param to 20 bytes
     * @param data call data; what is sealed of it while it is in the store
     */
    public record Call(
            BigInteger chainId, Bytes from, Bytes to, BigInteger value, Bytes data, long nonce, long gasLimit) {
        Call holding(Bytes other) {
            return new Call(chainId, from, to, value, other, nonce, gasLimit);
        }

        /** With another nonce. */
        public Call at(long other) {
            return new Call(chainId, from, to, value, data, other, gasLimit);
        }

        /** Without its data: that of a claim holds the secret. */
        @Override
        public String toString() {
            return "Call[nonce=" + nonce + "]";
        }
    }

    /**
     * What has become of it.
     *
     * @param outcome the block that one of its versions is in; of a state that is over the block that makes it so
     */
    public record Progress(State state, Optional<Outcome> outcome, long createdAt, long changedAt) {
        public static Progress begun(long now) {
            return new Progress(State.JOURNALLED, Optional.empty(), now, now);
        }
    }

    /** How far it has come. */
    public enum State {
        JOURNALLED,
        SENT,
        MINED,
        FINAL,
        REVERTED,
        CANCELLED,
        LOST;

        /** Whether it never changes again. */
        public boolean isOver() {
            return compareTo(FINAL) >= 0;
        }
    }

    /**
     * One that may have left.
     *
     * @param raw the signed bytes, sealed while they are in the store; what is sent again is always exactly this
     * @param cancels whether it only spends the nonce, to ourselves
     */
    public record Version(Hash256 hash, Bytes raw, BigInteger tip, BigInteger maxFee, boolean cancels, long createdAt) {
        public Version holding(Bytes other) {
            return new Version(hash, other, tip, maxFee, cancels, createdAt);
        }

        /** Without its bytes: those of a claim hold the secret. */
        @Override
        public String toString() {
            return "Version[" + hash + ", maxFee=" + maxFee + ", cancels=" + cancels + "]";
        }
    }

    /**
     * @param hash of the version in the block
     * @param succeeded false: reverted
     */
    public record Outcome(Hash256 hash, long blockNumber, Hash256 blockHash, boolean succeeded) {}

    /** Without its call data and signed bytes: those of a claim hold the secret. */
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

    /** Whether it repeats the call of another row at a nonce that was not given by the journal. */
    public boolean isCopy() {
        return order.pushing().equals(COPY);
    }

    public Version newest() {
        return versions.get(versions.size() - 1);
    }

    public AccountSend numbered(long given) {
        return new AccountSend(given, order, call, versions, progress);
    }

    /** With other call data and signed bytes: what is sealed of them, or what was. */
    public AccountSend holding(Bytes otherData, List<Version> otherVersions) {
        return new AccountSend(id, order, call.holding(otherData), otherVersions, progress);
    }

    /** With one version more. */
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
