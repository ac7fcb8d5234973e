package org.chainwalletd.follow;

/** Decides whose answers about own coins count while the books have not reached the tip that a node reports. */
public enum Precedence {
    /** The nodes' answers: the books are late. */
    NODES,
    /**
     * The followed blocks: a node has returned false data and is still skipped, or a node reports a tip that it does not show, or one on a branch without
     * proven work, while another node confirms the followed tip.
     */
    BOOKS,
    /**
     * Neither: nodes report blocks that they do not show, and no node confirms the followed tip. The blocks may not exist, or hold what the books
     * lack.
     */
    NEITHER
}
