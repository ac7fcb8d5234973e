package org.chainwalletd.rpc;

/** Budget in which the bytes of an answer are counted while it is written and until its client has read it. Thread-safe, never waits. */
public interface AnswerRoom {
    /** Budget without a bound. */
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

    /** Takes {@code bytes} from the budget if so many are left, all of them or none. */
    boolean take(long bytes);

    /** Takes bytes even if they are not left: the outcome of an act must not be lost. */
    void takeAnyway(long bytes);

    /** Gives back a part of the bytes taken, because an answer was dropped. */
    void giveBack(long bytes);

    /** Whether the budget is used up, so that no further call that is answered here is begun. */
    default boolean full() {
        return false;
    }
}
