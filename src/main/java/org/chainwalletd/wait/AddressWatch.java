package org.chainwalletd.wait;

import org.chainwalletd.chain.Address;
import org.chainwalletd.node.push.PushFeed.WatchReason;

/** Where the addresses are named that a node should push changes of. Calls do not block and are counted. */
public interface AddressWatch {
    void want(WatchReason reason, Address address);

    void unwant(WatchReason reason, Address address);
}
