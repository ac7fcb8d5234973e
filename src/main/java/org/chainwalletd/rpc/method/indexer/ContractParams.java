package org.chainwalletd.rpc.method.indexer;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Doc;

record ContractParams(
        Address address, @Doc("Only this kind of contract") Optional<Hash256> contractHash) {}
