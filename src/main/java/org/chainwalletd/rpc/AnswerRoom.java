package org.chainwalletd.rpc;

/** Where the bytes of an answer are counted while it is written and until its client has read it. Thread-safe, never waits. */
public interface AnswerRoom {
    /** Has room for everything. */
    AnswerRoom BOUNDLESS = new AnswerRoom() {
        @Override
        public boolean take(long bytes) {
            return true;
        }

        @Override
        public void takeAnyway(long bytes) {
            // Nobody counts.
        }

        @Override
        public void giveBack(long bytes) {
            // Nobody counts.
        }
    };

    /** Takes {@code bytes} when they are left, all of them or none. */
    boolean take(long bytes);

    /** Takes them whether they are left or not: what tells the outcome of an act must not be lost. */
    void takeAnyway(long bytes);

    /** Gives back a part of what was taken: an answer was dropped. */
    void giveBack(long bytes);

    /** Whether nothing more is to be begun that is answered here. */
    default boolean full() {
        return false;
    }
}
