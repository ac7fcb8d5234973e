package org.chainwalletd.access;

import java.io.IOException;
import java.time.Clock;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Named tokens of a running daemon: a snapshot of the rows, refreshed by {@link #look}, which the daemon calls every two seconds. If the rows
 * cannot be read, the previous tokens stay in force, so that a mistake neither locks anyone out nor grants access.
 */
public final class NamedTokens {
    private static final Logger LOG = LoggerFactory.getLogger(NamedTokens.class);

    private final TokenRows rows;
    private final InstantSource clock;
    private final boolean keyExport;
    private final Map<Scope, Grant> classic = new ConcurrentHashMap<>();
    private volatile Map<Hash256, TokenEntry> entries = Map.of();
    private volatile Map<String, NamedToken> byName = Map.of();
    private Object version;

    /** Grant of one value, with the row that defines it. */
    private record TokenEntry(NamedToken token, Grant grant) {
        boolean follows(NamedToken other) {
            return token.scope() == other.scope()
                    && token.policy().equals(other.policy())
                    && token.expiresAt().equals(other.expiresAt());
        }
    }

    private NamedTokens(TokenRows rows, InstantSource clock, boolean keyExport) {
        this.rows = rows;
        this.clock = clock;
        this.keyExport = keyExport;
        for (Scope scope : Scope.values()) {
            classic.put(scope, Grant.classic(scope, keyExport));
        }
    }

    /**
     * Reads the rows.
     *
     * @param keyExport if false, methods that return keys are refused to every token
     * @throws IOException when they cannot be read; the daemon must not serve then
     */
    public static NamedTokens open(TokenRows rows, InstantSource clock, boolean keyExport) throws IOException {
        NamedTokens tokens = new NamedTokens(rows, clock, keyExport);
        tokens.load();
        return tokens;
    }

    /** Creates an instance without tokens that allows every method. */
    public static NamedTokens none() {
        return new NamedTokens(null, Clock.systemUTC(), true);
    }

    /** Returns the grant of the classic token of this scope, for its current value. */
    public Grant classic(Scope scope) {
        return classic.get(scope);
    }

    /**
     * Replaces the grant of the classic token of this scope, because the token gets a new value.
     *
     * @return ends the previous value's grant and its open calls; to be run when that value is no longer accepted
     */
    public Runnable replaceClassic(Scope scope) {
        return classic.put(scope, Grant.classic(scope, keyExport))::end;
    }

    /**
     * Looks up the grant of the token with this digest. The lookup time depends on the digest, which does not help an attacker: to choose
     * digests, one would need to know the token.
     */
    public Optional<Grant> find(Hash256 sha256) {
        TokenEntry found = entries.get(sha256);
        return found != null && !found.grant().hasEnded() ? Optional.of(found.grant()) : Optional.empty();
    }

    /** Returns the current row of a name; if the rows cannot be read, the previous one. */
    public Optional<NamedToken> row(String name) {
        loadIfChanged();
        return Optional.ofNullable(byName.get(name));
    }

    /** Whether this token is no longer accepted: it was revoked, has expired, or never existed. */
    public boolean hasEnded(String name) {
        Optional<NamedToken> row = row(name);
        return row.isEmpty()
                || row.get().revokedAt().isPresent()
                || row.get().expiresAt().isPresent()
                        && clock.millis() >= row.get().expiresAt().getAsLong();
    }

    /** Looks up the grant of a named token by its name, for a call whose token value was verified by another daemon. */
    public Optional<Grant> current(String name) {
        loadIfChanged();
        return entries.values().stream()
                .filter(entry ->
                        entry.token().name().equals(name) && !entry.grant().hasEnded())
                .map(TokenEntry::grant)
                .findFirst();
    }

    /** Cap per period of the token with this name; empty if it has none. */
    public Optional<Amount> capPerPeriod(String name) {
        return Optional.ofNullable(byName.get(name)).flatMap(row -> row.policy().capPerPeriod());
    }

    /** Loads changed rows, and ends expired grants. */
    public synchronized void look() {
        if (rows == null) {
            return;
        }
        loadIfChanged();
        for (TokenEntry each : entries.values()) {
            if (each.grant().hasEnded()) {
                each.grant().end();
            }
        }
    }

    private synchronized void loadIfChanged() {
        try {
            if (rows != null && !rows.version().equals(version)) {
                load();
                LOG.info("Named tokens reloaded");
            }
        } catch (IOException e) {
            LOG.error("Named tokens not reloaded, the previous ones stay in force: {}", e.getMessage());
        }
    }

    /** Loads the rows. Fails if all rows have disappeared: the command line never removes the file. */
    private void load() throws IOException {
        Object found = rows.version();
        Map<Hash256, TokenEntry> before = entries;
        Map<Hash256, TokenEntry> next = new HashMap<>();
        for (NamedToken token : rows.all()) {
            for (NamedToken.Value value : token.values()) {
                TokenEntry known = before.get(value.sha256());
                boolean goesOn = known != null && known.follows(token);
                Grant grant = goesOn ? known.grant() : Grant.of(token, clock, keyExport);
                grant.setExpiry(token, value);
                next.put(value.sha256(), new TokenEntry(token, grant));
            }
        }
        if (next.isEmpty() && !before.isEmpty() && rows.all().isEmpty()) {
            throw new IOException("all rows have disappeared");
        }
        Map<String, NamedToken> names = new HashMap<>();
        rows.all().forEach(row -> names.put(row.name(), row));
        // Set before a new token is accepted.
        byName = Map.copyOf(names);
        entries = Map.copyOf(next);
        version = found;
        before.forEach((sha256, each) -> {
            TokenEntry now = next.get(sha256);
            if (now == null || now.grant() != each.grant()) {
                each.grant().end();
            }
        });
    }
}
