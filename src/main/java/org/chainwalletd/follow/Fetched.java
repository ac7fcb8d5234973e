package org.chainwalletd.follow;

/** Result of reading one block. */
sealed interface Fetched {
    long height();

    /**
     * A block whose parts are proven; its place in the chain is not judged yet.
     *
     * @param workChecked whether its work was computed, or none is demanded
     */
    record Whole(ChainBlock block, boolean workChecked) implements Fetched {
        @Override
        public long height() {
            return block.height();
        }
    }

    /** A block that cannot be read now: the node does not have it, or no node sends all its transactions. */
    record Missing(long height, String reason) implements Fetched {}

    /** A block that failed a check. */
    record Invalid(long height, Fault fault) implements Fetched {}
}
