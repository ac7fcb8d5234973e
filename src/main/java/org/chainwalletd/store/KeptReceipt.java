package org.chainwalletd.store;

import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/**
 * What is left of a payment that is buried.
 *
 * @param digest of the parameters that its token stands for
 * @param answer what the token answers, in the form of whoever had it kept ({@link ReceiptStore#keep})
 */
public record KeptReceipt(Hash256 txId, Hash256 digest, Bytes answer) {}
