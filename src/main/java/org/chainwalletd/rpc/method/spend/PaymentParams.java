package org.chainwalletd.rpc.method.spend;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.Doc;

/** What a payment and its simulation are told alike (interface.md, section 4.7). */
record PaymentParams(
        @Doc("sender's address, a key of this daemon") Address from,
        @Doc("1 to 16 recipients") List<OutputParam> outputs,

        @Doc("base units per 100 cost units; 1 is the consensus minimum and the default")
        OptionalLong feeRate,

        @Doc("absolute fee in base units; raised to the consensus minimum")
        Optional<Amount> fee,

        @Doc("refuse a higher fee; default 2000000") Optional<Amount> maxFee,

        @Doc("hex, at most 4096 bytes, attached to the first output")
        Optional<String> datum) {}
