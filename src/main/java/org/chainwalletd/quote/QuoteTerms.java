package org.chainwalletd.quote;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;

/**
 * What somebody wants to have quoted; see {@link Quote} for the fields that both have.
 *
 * @param issuer address of the key that signs
 * @param life seconds until it expires, more than 0 and at most {@link Quote#MAX_LIFE}
 * @param id 16 bytes; random ones when empty
 */
public record QuoteTerms(
        Address issuer,
        PublicKey payee,
        String currency,
        long amountMinor,
        long rate,
        Amount chainAmount,
        long life,
        Optional<PublicKey> payer,
        String memo,
        Optional<Bytes> id) {}
