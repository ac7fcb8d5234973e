package org.chainwalletd.devnet.ledger;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Hash256;

/**
 * Verifies signatures and remembers the good ones, so that a transaction is not verified again when it is mined, nor the same signature
 * for each input of one owner. Safe for threads; the verification itself holds no lock.
 */
final class SignatureCache {
    private static final int REMEMBERED = 65_536;

    private final Set<Hash256> good = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Hash256, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    }));

    boolean verify(byte[] publicKey, byte[] message, byte[] signature) {
        Hash256 name = Hash256.sha256(publicKey, signature, message);
        if (good.contains(name)) {
            return true;
        }
        boolean valid = StrictSignatures.verify(publicKey, message, signature);
        if (valid) {
            good.add(name);
        }
        return valid;
    }
}
