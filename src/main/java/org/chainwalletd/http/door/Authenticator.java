package org.chainwalletd.http.door;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;

/**
 * Maps a bearer token to what it permits (interface.md, section 5). Stores only the SHA-256 of each token. Every check computes one digest and
 * compares it with those of all three classic tokens, so that its timing does not reveal which token was close.
 */
public final class Authenticator {
    private static final String SCHEME = "bearer ";

    private final NamedTokens named;
    private volatile Map<Scope, Value> values = Map.of();

    /** SHA-256 of an accepted classic token, and the grant for calls made with it. */
    private record Value(byte[] digest, Grant grant) {
        boolean is(byte[] other) {
            return MessageDigest.isEqual(digest, other);
        }
    }

    /** @param tokens classic tokens, all different */
    public Authenticator(Tokens tokens, NamedTokens named) {
        this.named = named;
        replace(tokens);
    }

    NamedTokens named() {
        return named;
    }

    /**
     * Accepts other tokens from now on. Calls in progress with a replaced value end, like those of a revoked named token; other tokens are
     * unaffected.
     */
    public synchronized void replace(Tokens tokens) {
        Map<Scope, Value> before = values;
        Map<Scope, Value> next = new EnumMap<>(Scope.class);
        List<Runnable> endings = new ArrayList<>();
        for (Scope scope : Scope.values()) {
            byte[] digest = tokens.digest(scope).orElseGet(Authenticator::unmatched);
            Value known = before.get(scope);
            if (known != null && known.is(digest)) {
                next.put(scope, known);
                continue;
            }
            if (known != null) {
                endings.add(named.replaceClassic(scope));
            }
            next.put(scope, new Value(digest, named.classic(scope)));
        }
        values = next;
        endings.forEach(Runnable::run);
    }

    /**
     * @param authorization value of the Authorization header, or null
     * @return the grant of the token; empty without a header, for another scheme, and for a token that is unknown, revoked or expired
     */
    public Optional<Grant> grantOf(String authorization) {
        byte[] digest = Hash256.sha256(bearerToken(authorization).getBytes(StandardCharsets.UTF_8))
                .toArray();
        Map<Scope, Value> known = values;
        boolean read = known.get(Scope.READ).is(digest);
        boolean manage = known.get(Scope.MANAGE).is(digest);
        boolean spend = known.get(Scope.SPEND).is(digest);
        if (!(read | manage | spend)) {
            return named.find(Hash256.of(digest));
        }
        // Not the newest grant of the scope: the value may be replaced at this moment.
        return Optional.of(known.get(spend ? Scope.SPEND : manage ? Scope.MANAGE : Scope.READ)
                .grant());
    }

    /** Text after the scheme, or an empty string, which is never a token. */
    private static String bearerToken(String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return "";
        }
        return authorization.substring(SCHEME.length()).strip();
    }

    /** Placeholder for a scope without a token. */
    private static byte[] unmatched() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        return random;
    }
}
