package org.chainwalletd.follow;

/** Result of reading one block. */
sealed interface Fetched {
    long height();

    /**
     * Its parts belong together; its place in the chain is not judged yet.
     *
     * @param workChecked whether its work was computed, or none is asked for
     */
    record Whole(ChainBlock block, boolean workChecked) implements Fetched {
        @Override
        public long height() {
            return block.height();
        }
    }

    /** Not to be had now: the node has no such block, or nobody the transactions. */
    record Missing(long height, String what) implements Fetched {}

    /** The node's answer contradicts itself. */
    record Unsound(long height, Fault fault) implements Fetched {}
}
