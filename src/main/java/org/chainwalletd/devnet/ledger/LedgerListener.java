package org.chainwalletd.devnet.ledger;

import java.util.List;
import org.chainwalletd.chain.Address;

/** Hears of every change in the order in which it happened. Called under the ledger's lock: must return at once. */
@FunctionalInterface
public interface LedgerListener {
    /**
     * @param scripts addresses whose mempool or confirmed state changed; repeated when several things happened to one
     * @param tip height of the new tip, or null when the tip is the old one
     */
    void changed(List<Address> scripts, Long tip);
}
