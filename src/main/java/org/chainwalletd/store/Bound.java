package org.chainwalletd.store;

import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;

/** What a token is bound to. */
public sealed interface Bound {
    /** Of the parameters that the token stands for. */
    Hash256 digest();

    /**
     * A spend with all that is needed to repeat it.
     *
     * @param lostForGood whether it was closed without success, and no reorganisation is expected to let a block have it
     */
    record ToSpend(Intent spend, boolean lostForGood) implements Bound {
        @Override
        public Hash256 digest() {
            return spend.token().orElseThrow().digest();
        }
    }

    /**
     * A payment that is buried, of which no more is left than what its token answers.
     *
     * @param answer in the form of whoever had it kept ({@link ReceiptStore#keep})
     */
    record ToReceipt(Hash256 txId, Hash256 digest, Bytes answer) implements Bound {}
}
