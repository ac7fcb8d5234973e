package org.chainwalletd.rpc;

/** Memory budget for the bytes of an answer, from writing until its client has read it. Thread-safe, never waits. */
public interface AnswerRoom {
    /** Unlimited budget. */
    AnswerRoom BOUNDLESS = new AnswerRoom() {
        @Override
        public boolean take(long bytes) {
            return true;
        }

        @Override
        public void takeAnyway(long bytes) {
            // Nothing is counted.
        }

        @Override
        public void giveBack(long bytes) {
            // Nothing is counted.
        }
    };

    /** Takes {@code bytes} from the budget if that many are left, otherwise none. */
    boolean take(long bytes);

    /** Takes bytes even if the budget is exceeded: the outcome of a call with effects must not be lost. */
    void takeAnyway(long bytes);

    /** Returns bytes taken for an answer that was dropped. */
    void giveBack(long bytes);

    /** Whether the budget is used up, so that no further call with an answer is started. */
    default boolean full() {
        return false;
    }
}
