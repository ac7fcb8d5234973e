package org.chainwalletd.rpc.method.keyring;

import java.util.Optional;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.Doc;

/** Parameters of the methods that take in a phrase. */
record MnemonicParams(
        @Doc("24 English BIP-39 words: one string with any white space between them, or an array of words")
        SecretBytes mnemonic,

        @Doc("text for people, at most 256 bytes of UTF-8, no control characters")
        Optional<String> label) {}
