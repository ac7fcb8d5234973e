package org.chainwalletd.rpc.method.keyring;

import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.Doc;

/** Parameters of the methods that reveal what belongs to one address. */
record RevealParams(
        Address address, @Doc("passphrase of the keystore") SecretBytes passphrase) {}
