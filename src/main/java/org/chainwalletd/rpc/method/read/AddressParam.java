package org.chainwalletd.rpc.method.read;

import org.chainwalletd.chain.Address;
import org.chainwalletd.wire.Doc;

/** The parameter of methods about one address, whether the daemon holds its key or not. */
public record AddressParam(
        @Doc("Address, 64 hex characters") Address address) {}
