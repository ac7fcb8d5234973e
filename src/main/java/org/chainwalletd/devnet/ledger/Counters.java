package org.chainwalletd.devnet.ledger;

/** What a node counts since its start; guarded by the ledger. */
final class Counters {
    long blocksAccepted;
    long reorgsApplied;
    long blocksUndone;
}
