package org.chainwalletd.indexer;

import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.TxOutput;

/**
 * What the datum of an output says about quotes.
 *
 * @param quoteId 16 bytes, or null
 * @param unhonorable whether the output has only the hash of a datum, so that no quote can be read from it
 */
public record OutputDatum(Bytes quoteId, boolean unhonorable) {
    /** Length of a quote's id. */
    public static final int QUOTE_ID_BYTES = 16;

    /** No datum that says anything. */
    public static final OutputDatum NONE = new OutputDatum(null, false);

    /** A datum is a quote's id only when it is in the output itself and has exactly 16 bytes. */
    public static OutputDatum of(TxOutput output) {
        if (output.datum() == null) {
            return new OutputDatum(null, output.datumHash() != null);
        }
        return output.datum().length() == QUOTE_ID_BYTES ? new OutputDatum(output.datum(), false) : NONE;
    }
}
