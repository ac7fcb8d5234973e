package org.chainwalletd.keyring;

import org.chainwalletd.chain.ChainProfile;

/** What a sealed blob is for; bound into it as additional data, so that none can stand in for another (interface.md, section 1.6). */
enum SealedRole {
    SEED("seed"),
    IMPORTED("imported"),
    MNEMONIC("mnemonic"),
    VAULT("vault"),
    /** Proves the passphrase of a keyring that has no key yet; a file of this daemon, unknown to others. */
    CHECK("check");

    private final String word;

    SealedRole(String word) {
        this.word = word;
    }

    byte[] bytes(ChainProfile profile) {
        return profile.sealedRole(word);
    }
}
