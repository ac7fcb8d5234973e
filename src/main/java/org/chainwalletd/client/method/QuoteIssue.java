package org.chainwalletd.client.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * {@code quote_issue}: Issues a quote, a signed price for one payment that expires within the hour, with the
 * preimage and hash lock for settling it by an HTLC. Needs the spend token.
 *
 * @param address issuer, whose key signs
 * @param currency 3 to 12 of A-Z and 0-9
 * @param amountMinor in the currency's smallest unit; informative
 * @param rateChainPerUnit informative; the brand's word is read too, for example rate_alphas_per_unit
 * @param chainAmount base units, the only binding amount; the brand's word is read too, for example alpha_amount
 * @param ttlSecs seconds until it expires, 1 to 3600
 * @param payerPubkey binds the quote to this payer
 * @param memo at most 256 bytes of UTF-8
 * @param quoteId 32 hex characters; random when absent
 */
public record QuoteIssue(
        String address,
        String payeePubkey,
        String currency,
        BigInteger amountMinor,
        BigInteger rateChainPerUnit,
        BigInteger chainAmount,
        BigInteger ttlSecs,
        Optional<String> payerPubkey,
        Optional<String> memo,
        Optional<String> quoteId)
        implements Call<QuoteIssue.Result> {
    /** With what must be there. */
    public static QuoteIssue of(
            String address,
            String payeePubkey,
            String currency,
            BigInteger amountMinor,
            BigInteger rateChainPerUnit,
            BigInteger chainAmount,
            BigInteger ttlSecs) {
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

    public QuoteIssue withPayerPubkey(String payerPubkey) {
        return new QuoteIssue(
                address,
                payeePubkey,
                currency,
                amountMinor,
                rateChainPerUnit,
                chainAmount,
                ttlSecs,
                Optional.of(payerPubkey),
                memo,
                quoteId);
    }

    public QuoteIssue withMemo(String memo) {
        return new QuoteIssue(
                address,
                payeePubkey,
                currency,
                amountMinor,
                rateChainPerUnit,
                chainAmount,
                ttlSecs,
                payerPubkey,
                Optional.of(memo),
                quoteId);
    }

    public QuoteIssue withQuoteId(String quoteId) {
        return new QuoteIssue(
                address,
                payeePubkey,
                currency,
                amountMinor,
                rateChainPerUnit,
                chainAmount,
                ttlSecs,
                payerPubkey,
                memo,
                Optional.of(quoteId));
    }

    @Override
    public String method() {
        return "quote_issue";
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("address", address);
        params.put("payee_pubkey", payeePubkey);
        params.put("currency", currency);
        params.put("amount_minor", amountMinor);
        params.put("rate_chain_per_unit", rateChainPerUnit);
        params.put("chain_amount", chainAmount);
        params.put("ttl_secs", ttlSecs);
        payerPubkey.ifPresent(value -> params.put("payer_pubkey", value));
        memo.ifPresent(value -> params.put("memo", value));
        quoteId.ifPresent(value -> params.put("quote_id", value));
        return params;
    }

    @Override
    public Result read(JsonNode result) {
        return Result.read(result);
    }

    /**
     * What the method answers.
     *
     * @param quote what quote_verify takes
     * @param image the signed bytes
     * @param htlcPreimage secret, random; not kept by the daemon
     * @param htlcHashLock SHA-256 of the preimage's 32 bytes
     */
    public record Result(
            Quote quote,
            String signature,
            String signerAddress,
            String payeeAddress,
            String genesisBlockId,
            String image,
            String htlcPreimage,
            String htlcHashLock) {
        static Result read(JsonNode json) {
            Answer answer = Answer.of(json);
            return new Result(
                    answer.get("quote", Quote::read),
                    answer.get("signature", Answer::text),
                    answer.get("signer_address", Answer::text),
                    answer.get("payee_address", Answer::text),
                    answer.get("genesis_block_id", Answer::text),
                    answer.get("image", Answer::text),
                    answer.get("htlc_preimage", Answer::text),
                    answer.get("htlc_hash_lock", Answer::text));
        }

        @Override
        public String toString() {
            return "Result[not shown]";
        }

        /**
         * Part of the answer.
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
            static Quote read(JsonNode json) {
                Answer answer = Answer.of(json);
                return new Quote(
                        answer.get("version", Answer::u64),
                        answer.get("quote_id", Answer::text),
                        answer.get("currency", Answer::text),
                        answer.get("amount_minor", Answer::u64),
                        answer.get("rate_chain_per_unit", Answer::u64),
                        answer.get("chain_amount", Answer::u64),
                        answer.get("payee_pubkey", Answer::text),
                        answer.optional("payer_pubkey", Answer::text),
                        answer.get("issued_at", Answer::u64),
                        answer.get("expires_at", Answer::u64),
                        answer.get("memo", Answer::text),
                        answer.get("signer_pubkey", Answer::text),
                        answer.get("signature", Answer::text));
            }
        }
    }
}
