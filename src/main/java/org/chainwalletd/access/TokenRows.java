package org.chainwalletd.access;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.chainwalletd.chain.Hash256;

/**
 * Storage of named tokens. The durable state is authoritative; a daemon only reads it. A daemon on SQLite uses {@link TokenFile}; the daemons
 * of a database store the same text there.
 */
public interface TokenRows {
    /** Returns all rows ever created, in order of creation. */
    List<NamedToken> all() throws IOException;

    /** Returns a cheap version value, which equals the previous one while the rows are unchanged. */
    Object version() throws IOException;

    /** Replaces all rows; nothing is changed when {@code change} throws. */
    void change(UnaryOperator<List<NamedToken>> change) throws IOException;

    /** @throws RefusedChange when the name has ever been used */
    default void add(NamedToken token) throws IOException {
        change(rows -> {
            if (rows.stream().anyMatch(row -> row.name().equals(token.name()))) {
                throw new RefusedChange("the name " + token.name()
                        + " was used before, and a name is never used again: its payments are told by it");
            }
            List<NamedToken> next = new ArrayList<>(rows);
            next.add(token);
            return next;
        });
    }

    /**
     * Gives the token a new value.
     *
     * @param overlapEnds time at which the previous values expire, milliseconds since 1970
     * @throws RefusedChange when there is no such token, or it is revoked
     */
    default void rotate(String name, Hash256 sha256, long now, long overlapEnds) throws IOException {
        replace(name, row -> {
            if (row.revokedAt().isPresent()) {
                throw new RefusedChange("the token " + name + " is revoked: create one with another name");
            }
            return row.rotated(sha256, now, overlapEnds);
        });
    }

    /**
     * Revokes the token permanently. Idempotent.
     *
     * @throws RefusedChange when there is no such token
     */
    default void revoke(String name, long now) throws IOException {
        replace(name, row -> row.revokedAt().isPresent() ? row : row.revoked(now));
    }

    private void replace(String name, UnaryOperator<NamedToken> change) throws IOException {
        change(rows -> {
            if (rows.stream().noneMatch(row -> row.name().equals(name))) {
                throw new RefusedChange("there is no token " + name + "; token list shows all");
            }
            return rows.stream()
                    .map(row -> row.name().equals(name) ? change.apply(row) : row)
                    .toList();
        });
    }

    /** Signals a change that the rows do not permit; the message is for the operator. */
    final class RefusedChange extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public RefusedChange(String message) {
            super(message);
        }
    }
}
