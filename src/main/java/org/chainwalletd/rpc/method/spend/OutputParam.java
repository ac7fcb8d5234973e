package org.chainwalletd.rpc.method.spend;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.Doc;

/** One recipient. {@code to} stays text until the number of outputs is known to be allowed. */
record OutputParam(
        @Doc("recipient's address, 64 hex characters") String to,
        @Doc("base units, at least 200") Amount amount) {}
