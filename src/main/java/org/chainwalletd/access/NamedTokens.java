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
 * The named tokens as a running daemon knows them: a view of the rows, taken anew by {@link #look}, which the daemon calls every two seconds. Rows
 * that cannot be read change nothing: the tokens before stay in force, so that a slip locks nobody out and opens nothing.
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

    /** A grant of one value, with the row that it follows from. */
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
     * @param keyExport false: methods that give keys away are refused to every token
     * @throws IOException when they cannot be read: nobody is served then
     */
    public static NamedTokens open(TokenRows rows, InstantSource clock, boolean keyExport) throws IOException {
        NamedTokens tokens = new NamedTokens(rows, clock, keyExport);
        tokens.take();
        return tokens;
    }

    /** None, and every method allowed. */
    public static NamedTokens none() {
        return new NamedTokens(null, Clock.systemUTC(), true);
    }

    /** Grant of the classic token of this scope, for the value that is accepted now. */
    public Grant classic(Scope scope) {
        return classic.get(scope);
    }

    /**
     * Makes another grant for the classic token of this scope, which gets another value.
     *
     * @return ends the grant of the value before, and what that has open; to be run when that is not accepted any more
     */
    public Runnable replaceClassic(Scope scope) {
        return classic.put(scope, Grant.classic(scope, keyExport))::end;
    }

    /**
     * Looks up the grant of the token with this digest. That the digest is looked up by its bits tells an observer of the time nothing that helps: who
     * could choose digests would have the token already.
     */
    public Optional<Grant> find(Hash256 sha256) {
        TokenEntry found = entries.get(sha256);
        return found != null && !found.grant().hasEnded() ? Optional.of(found.grant()) : Optional.empty();
    }

    /** The row of a name as it is now; a file that cannot be read leaves the one that was read before. */
    public Optional<NamedToken> row(String name) {
        takeChanged();
        return Optional.ofNullable(byName.get(name));
    }

    /** Whether nothing is accepted as this token any more: it was revoked, has expired, or was never there. */
    public boolean hasEnded(String name) {
        Optional<NamedToken> row = row(name);
        return row.isEmpty()
                || row.get().revokedAt().isPresent()
                || row.get().expiresAt().isPresent()
                        && clock.millis() >= row.get().expiresAt().getAsLong();
    }

    /** Looks up the grant of a named token by its name, for a call whose value of the token another daemon has accepted. */
    public Optional<Grant> current(String name) {
        takeChanged();
        return entries.values().stream()
                .filter(entry ->
                        entry.token().name().equals(name) && !entry.grant().hasEnded())
                .map(TokenEntry::grant)
                .findFirst();
    }

    /** Cap per period of a token by its name, empty when it has none. */
    public Optional<Amount> capPerPeriod(String name) {
        return Optional.ofNullable(byName.get(name)).flatMap(row -> row.policy().capPerPeriod());
    }

    /** Takes changed rows, and ends what has expired. */
    public synchronized void look() {
        if (rows == null) {
            return;
        }
        takeChanged();
        for (TokenEntry each : entries.values()) {
            if (each.grant().hasEnded()) {
                each.grant().end();
            }
        }
    }

    private synchronized void takeChanged() {
        try {
            if (rows != null && !rows.version().equals(version)) {
                take();
                LOG.info("Named tokens read again");
            }
        } catch (IOException e) {
            LOG.error("Named tokens not taken, those before stay in force: {}", e.getMessage());
        }
    }

    /** A file that goes while the daemon runs was not removed by the command line, which never does so. */
    private void take() throws IOException {
        Object found = rows.version();
        Map<Hash256, TokenEntry> before = entries;
        Map<Hash256, TokenEntry> next = new HashMap<>();
        for (NamedToken token : rows.all()) {
            for (NamedToken.Value value : token.values()) {
                TokenEntry known = before.get(value.sha256());
                boolean goesOn = known != null && known.follows(token);
                Grant grant = goesOn ? known.grant() : Grant.of(token, clock, keyExport);
                grant.lastsAs(token, value);
                next.put(value.sha256(), new TokenEntry(token, grant));
            }
        }
        if (next.isEmpty() && !before.isEmpty() && rows.all().isEmpty()) {
            throw new IOException("all rows are gone");
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
