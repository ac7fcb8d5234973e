package org.chainwalletd.quote;

import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.PublicKey;

/**
 * A quote with the signature that makes it a credential. The signer's key is not part of what is signed.
 *
 * @param signature over {@link QuoteImage}
 */
public record SignedQuote(Quote quote, PublicKey signer, Ed25519Signature signature) {}
