package org.chainwalletd.spend.plan;

import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;

/**
 * Caller that requests a spend.
 *
 * @param grant rights of the token that was presented
 * @param memo caller's own text about the spend; not part of the payment, so a repeated token with another memo does not pay again
 */
public record Requester(Grant grant, Optional<String> memo) {
    /** Creates a caller without a memo. */
    public static Requester of(Grant grant) {
        return new Requester(grant, Optional.empty());
    }

    /** Creates an unrestricted caller. */
    public static Requester unrestricted() {
        return of(Grant.of(Scope.SPEND));
    }

    /** Describes the caller without the memo, which must not be logged. */
    @Override
    public String toString() {
        return "token " + grant.name();
    }
}
