package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code quote_verify}: Verifies a quote for this chain and this moment, without any key. Proves who wrote it, not
 * that he may: compare signer_address with the one you trust. Needs the read token.
 *
 * @param quote as quote_issue answers it
 */
public record QuoteVerify(Quote quote) implements Call<QuoteVerify.Result> {
    /** With what must be there. */
    public static QuoteVerify of(Quote quote) {
        return new QuoteVerify(quote);
    }

    @Override
    public String method() {
        return "quote_verify";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("quote", quote.params());
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * Part of the parameters.
     *
     * @param version 1
     * @param quoteId 32 hex characters
     * @param currency 3 to 12 of A-Z and 0-9
     * @param amountMinor in the currency's smallest unit; informative
     * @param rateChainPerUnit informative; called by the brand's word where the brand is another than chain
     * @param chainAmount base units, the only binding amount; called by the brand's word where the brand is another
     * than chain
     * @param payerPubkey when present, the quote is for this payer only
     * @param issuedAt Unix seconds
     * @param expiresAt Unix seconds
     * @param memo at most 256 bytes of UTF-8, empty for none
     */
    public record Quote(
            BigInteger version,
            String quoteId,
            String currency,
            BigInteger amountMinor,
            BigInteger rateChainPerUnit,
            BigInteger chainAmount,
            String payeePubkey,
            Optional<String> payerPubkey,
            BigInteger issuedAt,
            BigInteger expiresAt,
            String memo,
            String signerPubkey,
            String signature) {
        /** With what must be there. */
        public static Quote of(
                BigInteger version,
                String quoteId,
                String currency,
                BigInteger amountMinor,
                BigInteger rateChainPerUnit,
                BigInteger chainAmount,
                String payeePubkey,
                BigInteger issuedAt,
                BigInteger expiresAt,
                String memo,
                String signerPubkey,
                String signature) {
            return new Quote(
                    version,
                    quoteId,
                    currency,
                    amountMinor,
                    rateChainPerUnit,
                    chainAmount,
                    payeePubkey,
                    Optional.empty(),
                    issuedAt,
                    expiresAt,
                    memo,
                    signerPubkey,
                    signature);
        }

        public Quote withPayerPubkey(String payerPubkey) {
            return new Quote(
                    version,
                    quoteId,
                    currency,
                    amountMinor,
                    rateChainPerUnit,
                    chainAmount,
                    payeePubkey,
                    Optional.of(payerPubkey),
                    issuedAt,
                    expiresAt,
                    memo,
                    signerPubkey,
                    signature);
        }

        Map<String, Object> params() {
            Map<String, Object> params = new LinkedHashMap<>();
            params.put("version", version);
            params.put("quote_id", quoteId);
            params.put("currency", currency);
            params.put("amount_minor", amountMinor);
            params.put("rate_chain_per_unit", rateChainPerUnit);
            params.put("chain_amount", chainAmount);
            params.put("payee_pubkey", payeePubkey);
            payerPubkey.ifPresent(value -> params.put("payer_pubkey", value));
            params.put("issued_at", issuedAt);
            params.put("expires_at", expiresAt);
            params.put("memo", memo);
            params.put("signer_pubkey", signerPubkey);
            params.put("signature", signature);
            return params;
        }
    }

    /**
     * What the method answers.
     *
     * @param reason the first check that failed, when not valid
     * @param genesisBlockId of the chain it was verified for
     */
    public record Result(
            Boolean valid, Optional<String> reason, String signerAddress, String payeeAddress, String genesisBlockId) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("valid", Answer::truth),
                    answer.optional("reason", Answer::text),
                    answer.get("signer_address", Answer::text),
                    answer.get("payee_address", Answer::text),
                    answer.get("genesis_block_id", Answer::text));
        }
    }
}
