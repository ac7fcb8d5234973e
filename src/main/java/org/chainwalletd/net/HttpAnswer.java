package org.chainwalletd.net;

/**
 * A complete HTTP answer. Its bytes count against the budget of its exchange until it is closed, which whoever has read it does.
 *
 * @param body decoded from its transfer coding; not to be changed
 */
public record HttpAnswer(int status, byte[] body, ByteBudget.Share held) implements AutoCloseable {
    @Override
    public void close() {
        held.close();
    }

    /** The peer gave another status than the one that a stream begins with. */
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
