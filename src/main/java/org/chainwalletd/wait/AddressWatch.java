package org.chainwalletd.wait;

import org.chainwalletd.chain.Address;

/** Where the addresses are named that a node should push changes of. Calls do not block and are counted. */
public interface AddressWatch {
    void want(Address address);

    void unwant(Address address);
}
