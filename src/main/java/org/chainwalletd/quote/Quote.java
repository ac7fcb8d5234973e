package org.chainwalletd.quote;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;

/**
 * Content of a quote as received: only the lengths of ids and keys are checked before {@link Quotes.QuoteCheck}. All integers are u64.
 *
 * @param id 16 bytes; the payment carries them as its datum
 * @param amountMinor amount charged, in the currency's smallest unit; informative
 * @param rate base units of the chain per unit of the currency; informative, not used in computations
 * @param chainAmount base units; the only binding amount
 * @param payer when present, the only party that may settle the quote
 * @param issuedAt Unix seconds
 * @param expiresAt Unix seconds
 * @param memo empty for none
 */
public record Quote(
        long version,
        Bytes id,
        String currency,
        long amountMinor,
        long rate,
        Amount chainAmount,
        PublicKey payee,
        Optional<PublicKey> payer,
        long issuedAt,
        long expiresAt,
        String memo) {
    /** Only existing version. */
    public static final int VERSION = 1;

    public static final int ID_LENGTH = 16;
    public static final int MAX_MEMO_BYTES = 256;
    /** Maximum time from issue to expiry, in seconds. */
    public static final long MAX_LIFE = 3600;

    /**
     * @throws IllegalArgumentException unless the id has 16 bytes
     */
    public Quote {
        if (id.length() != ID_LENGTH) {
            throw new IllegalArgumentException("a quote id has 16 bytes, not " + id.length());
        }
    }

    byte[] currencyBytes() {
        return currency.getBytes(StandardCharsets.UTF_8);
    }

    byte[] memoBytes() {
        return memo.getBytes(StandardCharsets.UTF_8);
    }
}
