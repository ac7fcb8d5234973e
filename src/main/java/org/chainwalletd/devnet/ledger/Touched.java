package org.chainwalletd.devnet.ledger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;

/** Addresses about which one change of the ledger says something. */
final class Touched {
    private final List<Address> addresses = new ArrayList<>();

    /** Scripts that are no address are nobody's. */
    void by(Collection<Bytes> scripts) {
        for (Bytes script : scripts) {
            if (script.length() == Address.LENGTH) {
                addresses.add(Address.of(script.toArray()));
            }
        }
    }

    List<Address> addresses() {
        return addresses;
    }
}
