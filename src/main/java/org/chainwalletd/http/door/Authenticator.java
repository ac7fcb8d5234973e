package org.chainwalletd.http.door;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.NamedTokens;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;

/**
 * Decides what a bearer token allows (interface.md, section 5). Holds only the SHA-256 of each token. Every check computes one digest and
 * compares it with those of all three classic tokens, so that its time says nothing about which token was close.
 */
public final class Authenticator {
    private static final String SCHEME = "bearer ";

    private final NamedTokens named;
    private volatile Map<Scope, byte[]> digests;

    /** @param tokens no two scopes share one */
    public Authenticator(Tokens tokens, NamedTokens named) {
        this.named = named;
        replace(tokens);
    }

    NamedTokens named() {
        return named;
    }

    /** Takes other tokens from now on; requests in work keep what they were granted. */
    public void replace(Tokens tokens) {
        Map<Scope, byte[]> next = new EnumMap<>(Scope.class);
        for (Scope scope : Scope.values()) {
            next.put(scope, tokens.digest(scope).orElseGet(Authenticator::unmatched));
        }
        digests = next;
    }

    /**
     * @param authorization value of the Authorization header, or null
     * @return what the token allows; empty for no header, another scheme, and a token that is unknown, revoked or expired
     */
    public Optional<Grant> grantOf(String authorization) {
        byte[] digest = Hash256.sha256(bearerToken(authorization).getBytes(StandardCharsets.UTF_8))
                .toArray();
        Map<Scope, byte[]> known = digests;
        boolean read = MessageDigest.isEqual(digest, known.get(Scope.READ));
        boolean manage = MessageDigest.isEqual(digest, known.get(Scope.MANAGE));
        boolean spend = MessageDigest.isEqual(digest, known.get(Scope.SPEND));
        if (!(read | manage | spend)) {
            return named.find(Hash256.of(digest));
        }
        return Optional.of(named.classic(spend ? Scope.SPEND : manage ? Scope.MANAGE : Scope.READ));
    }

    /** Text after the scheme, or an empty string, which is no token. */
    private static String bearerToken(String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return "";
        }
        return authorization.substring(SCHEME.length()).strip();
    }

    /** Stands where a scope has no token. */
    private static byte[] unmatched() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        return random;
    }
}
