package org.chainwalletd.chain;

/** Domain separation tags for hashing and signing (chain protocol, section 2.2). */
public enum DomainTag {
    /** Raw prefix of the signing message of a transaction. */
    SIG("SIG"),
    /** Raw prefix of a signed text message. */
    MSG("MSG"),
    /** Raw prefix of a quote credential. */
    QUOTE("QUOTE"),
    /** Raw prefix of the hash that turns a BIP-39 seed into a standard key. */
    MNEMONIC("MNEMONIC-ED25519-V1"),
    TX("TX"),
    WTXID("WTXID"),
    TXROOT("TXROOT"),
    STATE("STATE"),
    ADDR("ADDR"),
    POW_P("POW-P"),
    POW_S("POW-S"),
    SCRIPT("SCRIPT"),
    MERKLE("MERKLE"),
    AGENT("AGENT");

    private final String suffix;

    DomainTag(String suffix) {
        this.suffix = suffix;
    }

    String suffix() {
        return suffix;
    }
}
