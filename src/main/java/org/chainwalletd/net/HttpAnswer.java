package org.chainwalletd.net;

/**
 * Complete HTTP answer. Its bytes count against the budget of its exchange until its reader closes it.
 *
 * @param body after removal of the transfer coding; must not be modified
 */
public record HttpAnswer(int status, byte[] body, ByteBudget.Share held) implements AutoCloseable {
    @Override
    public void close() {
        held.close();
    }

    /** The peer answered the request for a stream with another status than 200. */
    public static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        RefusedException(int status) {
            super("HTTP " + status, null, false, false);
            this.status = status;
        }

        public int status() {
            return status;
        }
    }
}
