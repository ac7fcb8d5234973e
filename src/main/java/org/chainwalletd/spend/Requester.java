package org.chainwalletd.spend;

import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;

/**
 * The caller who asks for a spend.
 *
 * @param grant of the token that was presented
 * @param memo the caller's own words for it: no part of the payment, so a repeated token pays nothing anew whatever they are
 */
public record Requester(Grant grant, Optional<String> memo) {
    /** One without a memo. */
    public static Requester of(Grant grant) {
        return new Requester(grant, Optional.empty());
    }

    /** One whom nothing restricts. */
    public static Requester unrestricted() {
        return of(Grant.of(Scope.SPEND));
    }

    /** Without the memo, which must not get into a log. */
    @Override
    public String toString() {
        return "token " + grant.name();
    }
}
