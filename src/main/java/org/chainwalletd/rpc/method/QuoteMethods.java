package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.Quoting.QuoteCredential;
import org.chainwalletd.api.Quoting.QuoteIssue;
import org.chainwalletd.api.Quoting.QuoteVerify;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.quote.Quote;
import org.chainwalletd.quote.Quotes;
import org.chainwalletd.quote.Quotes.SignedQuote;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.wire.Spelling;

/** Handlers of the methods of {@link org.chainwalletd.api.Quoting}. */
public record QuoteMethods(ChainProfile chain, Quotes quotes) {
    /** Brand word in the declared names. */
    private static final String DEFAULT_BRAND = "chain";

    public List<RpcMethod<?, ?>> all() {
        Spelling spelling = spelling(chain.brand());
        return List.of(
                RpcMethod.of(QuoteIssue.class, spelling, this::issue),
                RpcMethod.of(QuoteVerify.class, spelling, this::verify));
    }

    /** Spelling of the two members of a quote that contain the brand word (decisions.md, section 1). */
    private static Spelling spelling(String brand) {
        return brand.equals(DEFAULT_BRAND)
                ? Spelling.AS_DECLARED
                : Spelling.of(Map.of(
                        "chain_amount", brand + "_amount", "rate_chain_per_unit", "rate_" + brand + "s_per_unit"));
    }

    private CompletionStage<QuoteIssue.Result> issue(QuoteIssue call, CallContext context) {
        call.quoteId().ifPresent(id -> quoteId("quote_id", id));
        return quotes.issue(call);
    }

    private CompletionStage<QuoteVerify.Result> verify(QuoteVerify call, CallContext context) {
        return quotes.verify(signed(call.quote()));
    }

    /** @throws RefusedException -32602 for an id of another length */
    private static SignedQuote signed(QuoteCredential credential) {
        Quote quote = new Quote(
                credential.version(),
                quoteId("quote.quote_id", credential.quoteId()),
                credential.currency(),
                credential.amountMinor(),
                credential.rateChainPerUnit(),
                credential.chainAmount(),
                credential.payeePubkey(),
                credential.payerPubkey(),
                credential.issuedAt(),
                credential.expiresAt(),
                credential.memo());
        return new SignedQuote(quote, credential.signerPubkey(), credential.signature());
    }

    /**
     * @param path path of the parameter, for the message
     * @throws RefusedException -32602 unless the id has 16 bytes
     */
    private static Bytes quoteId(String path, Bytes id) {
        if (id.length() != Quote.ID_LENGTH) {
            throw RefusedException.invalidParams(
                    "parameter `" + path + "` must be 32 hex characters, got " + 2 * id.length());
        }
        return id;
    }
}
