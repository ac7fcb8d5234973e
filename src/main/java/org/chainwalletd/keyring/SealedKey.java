package org.chainwalletd.keyring;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SealedBlob;

/** A 1:1 key whose secrets are sealed already; nothing of it is on the disk yet. */
record SealedKey(Address address, PublicKey publicKey, SealedBlob secret, Optional<SealedBlob> phrase) {}
