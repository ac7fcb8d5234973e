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
 * A bearer token that the operator has named. The row stays for ever: what the name was used for is told by it, so it is never used again.
 *
 * @param expiresAt milliseconds since 1970; from then on no value of it is accepted
 * @param createdAt milliseconds since 1970
 * @param revokedAt likewise; the row has no values then
 * @param values what is accepted as the token; several while a rotation overlaps
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

    /** Names that the three tokens without a row are known by. */
    private static final Set<String> CLASSIC = Set.of("read", "manage", "spend");

    /**
     * A secret that a bearer may show.
     *
     * @param sha256 of its characters in ASCII; the token itself is stored nowhere
     * @param until milliseconds since 1970; empty: as long as the token lives
     */
    public record Value(Hash256 sha256, OptionalLong until) {}

    /**
     * Restrictions that the operator sets. Empty members restrict nothing. A row with a member that is not here is refused: nobody would judge it.
     *
     * @param methods names of methods, {@code /events} and {@code /metrics}
     * @param from addresses that it may spend from
     * @param to addresses that it may pay
     * @param capPerTx most that one transaction may take from its address, in base units
     * @param capPerPeriod most that may leave in one period of the operator's, in base units
     */
    public record Policy(
            Optional<List<String>> methods,
            Optional<List<Address>> from,
            Optional<List<Address>> to,
            Optional<Amount> capPerTx,
            Optional<Amount> capPerPeriod) {
        /** Restricts nothing. */
        public static final Policy NONE =
                new Policy(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

        /** The smaller one of the caps that a single transaction is under. */
        public Optional<Amount> mostPerTransaction() {
            return Stream.of(capPerTx, capPerPeriod).flatMap(Optional::stream).min(Comparator.naturalOrder());
        }

        /** Whether only calls that it can judge are allowed. */
        public boolean restrictsMoney() {
            return from.isPresent() || to.isPresent() || capPerTx.isPresent() || capPerPeriod.isPresent();
        }
    }

    /** Why this is no name for a token; empty when it is one. */
    public static Optional<String> objectionTo(String name) {
        if (CLASSIC.contains(name)) {
            return Optional.of("the name " + name + " is that of a token every daemon has");
        }
        return name.matches(FORM)
                ? Optional.empty()
                : Optional.of("a name has 1 to 64 of the characters a-z 0-9 . _ - and begins with a letter or digit");
    }

    /** Puts a value in the place of those before it, which hold at most until then. */
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
