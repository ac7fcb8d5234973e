package org.chainwalletd.swap.pool;

/** Why the pool gave no answer that can be used. All are -32020 to a caller. */
public abstract sealed class PoolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private PoolException(String message) {
        super(message, null, false, false);
    }

    /** The pool answered with an error of its own. */
    public static final class Refused extends PoolException {
        private static final long serialVersionUID = 1L;

        private final int status;

        /** @param words the pool's, already cut and cleaned */
        public Refused(int status, String words) {
            super("the pool refuses (HTTP " + status + "): " + words);
            this.status = status;
        }

        public int status() {
            return status;
        }
    }

    /** No answer, or none in time. Whether the question arrived is not known. */
    public static final class Unreachable extends PoolException {
        private static final long serialVersionUID = 1L;

        public Unreachable(String why) {
            super("the pool gives no answer: " + why);
        }
    }

    /** What it answered has not the shape of an answer, or is too long. */
    public static final class BadAnswer extends PoolException {
        private static final long serialVersionUID = 1L;

        public BadAnswer(String what) {
            super("the pool answers nonsense: " + what);
        }
    }
}
