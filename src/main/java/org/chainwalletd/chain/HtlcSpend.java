package org.chainwalletd.chain;

/** The two ways in which an HTLC output can be spent (chain protocol, section 6.4). */
public sealed interface HtlcSpend {
    /** 64-byte Ed25519 signature over the signing message of the spending transaction. */
    Bytes signature();

    /**
     * By the receiver.
     *
     * @param preimage any length, also empty
     */
    record Claim(Bytes preimage, Bytes signature) implements HtlcSpend {}

    /** By the sender, after the timeout. */
    record Reclaim(Bytes signature) implements HtlcSpend {}
}
