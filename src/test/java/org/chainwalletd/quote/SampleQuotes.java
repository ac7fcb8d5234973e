package org.chainwalletd.quote;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.quote.Quotes.SignedQuote;
import org.chainwalletd.testkit.Vectors;

/** Quotes of the vectors, and signatures over any quote. */
final class SampleQuotes {
    private SampleQuotes() {}

    /** Quote of a JSON object of the vectors. */
    static Quote quote(JsonNode object) {
        return new Quote(
                Vectors.u64(object, "version"),
                Bytes.parse(Vectors.text(object, "quote_id")),
                Vectors.text(object, "currency"),
                Vectors.u64(object, "amount_minor"),
                Vectors.u64(object, "rate_chain_per_unit"),
                Amount.ofUnsigned(Vectors.u64(object, "chain_amount")),
                PublicKey.parse(Vectors.text(object, "payee_pubkey")),
                Optional.ofNullable(object.get("payer_pubkey")).map(key -> PublicKey.parse(key.textValue())),
                Vectors.u64(object, "issued_at"),
                Vectors.u64(object, "expires_at"),
                Vectors.text(object, "memo"));
    }

    /** Signs {@code quote} with the key of {@code seed}. */
    static SignedQuote signed(ChainProfile chain, Hash256 genesis, Quote quote, byte[] seed) {
        byte[] key = Ed25519.publicKey(seed);
        byte[] signature = Ed25519.sign(seed, key, QuoteImage.encode(chain, genesis, quote));
        return new SignedQuote(quote, PublicKey.of(key), Ed25519Signature.of(signature));
    }
}
