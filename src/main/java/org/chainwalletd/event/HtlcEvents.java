package org.chainwalletd.event;

import org.chainwalletd.api.Htlcs;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.htlc.HtlcNews.HtlcListener;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.rpc.method.HtlcMethods;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/** Publishes {@code htlc}: each change of a record, as {@code htlc_status} tells it. */
public final class HtlcEvents implements HtlcListener {
    private static final String KIND = "htlc";

    /** @param state null: a reorganisation took the lock's block, and nothing else tells of the lock */
    private record Removed(
            Hash256 lockTxId, @U32 long outputIndex, @OrNull Htlcs.State state) {}

    private final EventHub hub;

    public HtlcEvents(EventHub hub) {
        this.hub = hub;
    }

    @Override
    public boolean isListening() {
        return hub.isHeard();
    }

    @Override
    public void changed(HtlcRecord record) {
        hub.publish(KIND, HtlcMethods.htlc(record));
    }

    @Override
    public void removed(Outpoint lock) {
        hub.publish(KIND, new Removed(lock.txId(), lock.index(), null));
    }
}
