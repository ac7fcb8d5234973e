package org.chainwalletd.api;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.Doc;

/**
 * Quotes: signed prices for one payment (interface.md, section 4.10). A daemon of another brand than {@code chain} uses brand-specific names
 * for two members (decisions.md, section 1). The names declared here are the default ones, which it also accepts.
 */
public final class Quoting {
    private Quoting() {}

    /** Signed quote (chain protocol, appendix D.1). */
    public record QuoteCredential(
            @Doc("1") long version,
            @Doc("32 hex characters") Bytes quoteId,
            @Doc("3 to 12 of A-Z and 0-9") String currency,

            @Doc("in the currency's smallest unit; informative")
            long amountMinor,

            @Doc("informative; called by the brand's word where the brand is another than chain")
            long rateChainPerUnit,

            @Doc(
                    "base units, the only binding amount; called by the brand's word where the brand is another than chain")
            Amount chainAmount,

            PublicKey payeePubkey,

            @Doc("when present, the quote is for this payer only")
            Optional<PublicKey> payerPubkey,

            @Doc("Unix seconds") long issuedAt,
            @Doc("Unix seconds") long expiresAt,

            @Doc("at most 256 bytes of UTF-8, empty for none")
            String memo,

            PublicKey signerPubkey,
            Ed25519Signature signature) {}

    @Method(
            name = "quote_issue",
            scope = Scope.SPEND,
            summary =
                    "Issues a quote, a signed price for one payment that expires within the hour, with the preimage and hash lock for settling it"
                            + " by an HTLC.",
            errors = {ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED, ErrorCode.UPSTREAM, ErrorCode.TX_BUILD})
    public record QuoteIssue(
            @Doc("issuer, whose key signs") Address address,

            PublicKey payeePubkey,

            @Doc("3 to 12 of A-Z and 0-9") String currency,

            @Doc("in the currency's smallest unit; informative")
            long amountMinor,

            @Doc("informative; the brand's word is read too, for example rate_alphas_per_unit")
            long rateChainPerUnit,

            @Doc("base units, the only binding amount; the brand's word is read too, for example alpha_amount")
            Amount chainAmount,

            @Doc("seconds until it expires, 1 to 3600") long ttlSecs,

            @Doc("binds the quote to this payer") Optional<PublicKey> payerPubkey,

            @Doc("at most 256 bytes of UTF-8") Optional<String> memo,

            @Doc("32 hex characters; random when absent") Optional<Bytes> quoteId)
            implements Call<QuoteIssue.Result> {
        /** Requests a quote for any payer, with a random id. */
        public static QuoteIssue of(
                Address address,
                PublicKey payeePubkey,
                String currency,
                long amountMinor,
                long rateChainPerUnit,
                Amount chainAmount,
                long ttlSecs) {
            return new QuoteIssue(
                    address,
                    payeePubkey,
                    currency,
                    amountMinor,
                    rateChainPerUnit,
                    chainAmount,
                    ttlSecs,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
        }

        public QuoteIssue withPayerPubkey(PublicKey changed) {
            return with(Optional.of(changed), memo, quoteId);
        }

        public QuoteIssue withMemo(String changed) {
            return with(payerPubkey, Optional.of(changed), quoteId);
        }

        public QuoteIssue withQuoteId(Bytes changed) {
            return with(payerPubkey, memo, Optional.of(changed));
        }

        private QuoteIssue with(Optional<PublicKey> payer, Optional<String> text, Optional<Bytes> id) {
            return new QuoteIssue(
                    address,
                    payeePubkey,
                    currency,
                    amountMinor,
                    rateChainPerUnit,
                    chainAmount,
                    ttlSecs,
                    payer,
                    text,
                    id);
        }

        public record Result(
                @Doc("what quote_verify takes") QuoteCredential quote,

                Ed25519Signature signature,
                Address signerAddress,
                Address payeeAddress,
                Hash256 genesisBlockId,
                @Doc("the signed bytes") Bytes image,

                @Doc("secret, random; not kept by the daemon")
                SecretBytes htlcPreimage,

                @Doc("SHA-256 of the preimage's 32 bytes") Hash256 htlcHashLock) {}
    }

    /** Verifies whether a quote is authentic, for this chain, and currently valid. */
    @Method(
            name = "quote_verify",
            scope = Scope.READ,
            summary =
                    "Verifies a quote for this chain and this moment, without any key. Proves who wrote it, not that he may: compare"
                            + " signer_address with the one you trust.",
            errors = {ErrorCode.UPSTREAM, ErrorCode.TX_BUILD})
    public record QuoteVerify(
            @Doc("as quote_issue answers it") QuoteCredential quote) implements Call<QuoteVerify.Result> {
        public record Result(
                boolean valid,

                @Doc("the first check that failed, when not valid")
                Optional<String> reason,

                Address signerAddress,
                Address payeeAddress,
                @Doc("of the chain it was verified for") Hash256 genesisBlockId) {}
    }
}
