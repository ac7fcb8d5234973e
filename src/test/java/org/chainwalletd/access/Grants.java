package org.chainwalletd.access;

import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;

/** Grants of named tokens, without rows. */
public final class Grants {
    private static final NamedToken.Value VALUE = new NamedToken.Value(Hash256.ZERO, OptionalLong.empty());

    private Grants() {}

    public static Grant of(Scope scope, NamedToken.Policy policy) {
        return of("worker", scope, policy);
    }

    public static Grant of(String name, Scope scope, NamedToken.Policy policy) {
        NamedToken token =
                new NamedToken(name, scope, policy, OptionalLong.empty(), 0, OptionalLong.empty(), List.of(VALUE));
        return Grant.of(token, InstantSource.system(), true);
    }

    /** Ends a grant, as the revocation of its token does. */
    public static void end(Grant grant) {
        grant.end();
    }
}
