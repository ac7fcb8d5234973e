package org.chainwalletd.wait;

import org.chainwalletd.chain.Address;
import org.chainwalletd.node.push.PushFeed.WatchReason;

/**
 * Registers addresses whose changes nodes should push. Calls do not block. Registrations are counted: each {@code want} needs its own {@code
 * unwant}.
 */
public interface AddressWatch {
    void want(WatchReason reason, Address address);

    void unwant(WatchReason reason, Address address);
}
