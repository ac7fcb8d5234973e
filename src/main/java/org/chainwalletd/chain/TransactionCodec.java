package org.chainwalletd.chain;

/** Bytes, ids and signing messages of transactions (chain protocol, sections 4 and 5). */
public final class TransactionCodec {
    private TransactionCodec() {}
}
