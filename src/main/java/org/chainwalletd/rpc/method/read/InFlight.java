package org.chainwalletd.rpc.method.read;

/** What {@code get_status} tells of the spends that are under way; answered from memory. */
public interface InFlight {
    /** Outpoints that are reserved now. */
    int utxos();

    /** Spends that were broadcast and not yet seen confirmed, conflicted or abandoned. */
    int transfers();
}
