package org.chainwalletd.access;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/**
 * Bearer token named by the operator. The row is kept permanently, and the name is never reused, because it identifies the token's past
 * payments.
 *
 * @param expiresAt milliseconds since 1970, from which no value of it is accepted
 * @param createdAt milliseconds since 1970
 * @param revokedAt milliseconds since 1970; the row has no values then
 * @param values accepted secrets; several while a rotation overlaps
 */
public record NamedToken(
        String name,
        Scope scope,
        Policy policy,
        OptionalLong expiresAt,
        long createdAt,
        OptionalLong revokedAt,
        List<Value> values) {
    private static final String FORM = "[a-z0-9][a-z0-9._-]{0,63}";

    /** Names of the three tokens without a row. */
    private static final Set<String> CLASSIC = Set.of("read", "manage", "spend");

    /**
     * Secret that a bearer may present.
     *
     * @param sha256 SHA-256 of its ASCII characters; the token itself is not stored
     * @param until milliseconds since 1970; empty: as long as the token is valid
     */
    public record Value(Hash256 sha256, OptionalLong until) {}

    /**
     * Restrictions set by the operator. Empty members restrict nothing. A row with an unknown member is refused, because it could not be
     * enforced.
     *
     * @param methods names of methods, {@code /events} and {@code /metrics}
     * @param from addresses that it may spend from
     * @param to addresses that it may pay
     * @param capPerTx maximum that one transaction may take from its address, in base units
     * @param capPerPeriod maximum spent within one period of the operator's cap, in base units
     */
    public record Policy(
            Optional<List<String>> methods,
            Optional<List<Address>> from,
            Optional<List<Address>> to,
            Optional<Amount> capPerTx,
            Optional<Amount> capPerPeriod) {
        public static final Policy NONE =
                new Policy(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

        /** Smaller one of the caps that apply to a single transaction. */
        public Optional<Amount> mostPerTransaction() {
            return Stream.of(capPerTx, capPerPeriod).flatMap(Optional::stream).min(Comparator.naturalOrder());
        }

        /** Whether it restricts spending, so that only calls that can be checked are allowed. */
        public boolean restrictsMoney() {
            return from.isPresent() || to.isPresent() || capPerTx.isPresent() || capPerPeriod.isPresent();
        }
    }

    /** Reason why {@code name} is not a valid token name; empty if it is valid. */
    public static Optional<String> objectionTo(String name) {
        if (CLASSIC.contains(name)) {
            return Optional.of("the name " + name + " is that of a token every daemon has");
        }
        return name.matches(FORM)
                ? Optional.empty()
                : Optional.of("a name has 1 to 64 of the characters a-z 0-9 . _ - and begins with a letter or digit");
    }

    /** Returns a copy with a new value; the previous values expire at {@code overlapEnds} at the latest. */
    NamedToken rotated(Hash256 sha256, long now, long overlapEnds) {
        List<Value> next = new ArrayList<>();
        next.add(new Value(sha256, OptionalLong.empty()));
        for (Value value : values) {
            long end = Math.min(value.until().orElse(Long.MAX_VALUE), overlapEnds);
            if (end > now) {
                next.add(new Value(value.sha256(), OptionalLong.of(end)));
            }
        }
        return new NamedToken(name, scope, policy, expiresAt, createdAt, revokedAt, next);
    }

    NamedToken revoked(long now) {
        return new NamedToken(name, scope, policy, expiresAt, createdAt, OptionalLong.of(now), List.of());
    }
}
