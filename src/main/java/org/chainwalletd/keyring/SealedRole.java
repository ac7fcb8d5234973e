package org.chainwalletd.keyring;

import org.chainwalletd.chain.ChainProfile;

/** What a sealed blob is for; bound into it as additional data, so that none can stand in for another (interface.md, section 1.6; swap.md, section 5). */
enum SealedRole {
    SEED("seed"),
    IMPORTED("imported"),
    MNEMONIC("mnemonic"),
    VAULT("vault"),
    EVM_KEY("evm-key"),
    EVM_MNEMONIC("evm-mnemonic"),
    /** Proves the passphrase of a keyring that has no key yet; a file of this daemon, unknown to others. */
    CHECK("check"),
    /** Rows of the swap journal (swap.md, section 6). */
    SWAP_JOURNAL("swap-journal"),
    /** Call data and signed bytes in the journal of the account chain: those of a claim hold the secret of its swap. */
    ACCOUNT_SENDS("account-sends");

    private final String word;

    SealedRole(String word) {
        this.word = word;
    }

    byte[] bytes(ChainProfile profile) {
        return profile.sealedRole(word);
    }
}
