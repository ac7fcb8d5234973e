package org.chainwalletd.rpc.method.wait;

import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;

/** What the feed of credits is asked about our addresses and our chain. */
public interface CreditOwners {
    CompletionStage<Boolean> owns(Address address);

    /** Blocks until a coinbase may be spent. */
    int maturity();

    /** Whether the chain is known to be the one that the operator means. */
    boolean isVerified();
}
