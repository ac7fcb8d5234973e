package org.chainwalletd.devnet.indexer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.chainwalletd.devnet.call.Json;

/** Counts settled HTLCs. */
final class Tally {
    private long succeeded;
    private long refunded;
    private long blocks;
    private long last;

    void add(Htlc settled) {
        if (settled.settlement().isClaim()) {
            succeeded++;
        } else {
            refunded++;
        }
        blocks += settled.settlement().height() - settled.lockHeight();
        last = Math.max(last, settled.settlement().height());
    }

    long total() {
        return succeeded + refunded;
    }

    /** From lock to settlement, rounded down. */
    long averageBlocks() {
        return blocks / total();
    }

    /**
     * @param lastMember name of the member for the height of the last settlement
     */
    ObjectNode write(ObjectNode row, String lastMember) {
        row.put("total", total()).put("succeeded", succeeded).put("refunded", refunded);
        row.set(lastMember, Json.u64(last));
        return row;
    }
}
