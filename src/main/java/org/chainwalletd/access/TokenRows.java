package org.chainwalletd.access;

import java.io.IOException;
import java.util.List;
import org.chainwalletd.chain.Hash256;

/**
 * Where named tokens are kept. What is durable decides; a daemon reads it and writes nothing. One daemon has {@link TokenFile}; several daemons
 * of one store keep the same rows there.
 */
public interface TokenRows {
    /** Every row that was ever made, in the order of creation. */
    List<NamedToken> all() throws IOException;

    /** Something that is equal to what it was before as long as the rows are the same. Costs little. */
    Object version() throws IOException;

    /** @throws RefusedChange when the name was ever used */
    void add(NamedToken token) throws IOException;

    /**
     * Makes another value the token's own.
     *
     * @param overlapEnds until when the values before it hold, milliseconds since 1970
     * @throws RefusedChange when there is no such token, or it is revoked
     */
    void rotate(String name, Hash256 sha256, long now, long overlapEnds) throws IOException;

    /**
     * Ends the token for ever. Does nothing when that was done before.
     *
     * @throws RefusedChange when there is no such token
     */
    void revoke(String name, long now) throws IOException;

    /** A change that the rows do not permit; the message is for the operator. */
    final class RefusedChange extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public RefusedChange(String message) {
            super(message);
        }
    }
}
