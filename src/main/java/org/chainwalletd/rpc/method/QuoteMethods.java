package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
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

/** Answers the methods of {@link org.chainwalletd.api.Quoting}. */
public final class QuoteMethods {
    /** Brand whose word the declared names carry. */
    private static final String DEFAULT_BRAND = "chain";

    private final Quotes quotes;
    private final Executor executor;

    private QuoteMethods(Quotes quotes, Executor executor) {
        this.quotes = quotes;
        this.executor = executor;
    }

    /** @param executor turns answers into results: any pool of the daemon */
    public static List<RpcMethod<?, ?>> all(ChainProfile chain, Quotes quotes, Executor executor) {
        QuoteMethods methods = new QuoteMethods(quotes, executor);
        Spelling spelling = spelling(chain.brand());
        return List.of(
                RpcMethod.of(QuoteIssue.class, spelling, methods::issue),
                RpcMethod.of(QuoteVerify.class, spelling, methods::verify));
    }

    /** The two members of a quote that carry the brand's word (decisions.md, section 1). */
    private static Spelling spelling(String brand) {
        return brand.equals(DEFAULT_BRAND)
                ? Spelling.AS_DECLARED
                : Spelling.of(Map.of(
                        "chain_amount", brand + "_amount", "rate_chain_per_unit", "rate_" + brand + "s_per_unit"));
    }

    private CompletionStage<QuoteIssue.Result> issue(QuoteIssue call, CallContext context) {
        Quotes.QuoteTerms terms = new Quotes.QuoteTerms(
                call.address(),
                call.payeePubkey(),
                call.currency(),
                call.amountMinor(),
                call.rateChainPerUnit(),
                call.chainAmount(),
                call.ttlSecs(),
                call.payerPubkey(),
                call.memo().orElse(""),
                call.quoteId().map(id -> quoteId("quote_id", id)));
        return quotes.issue(terms).thenApplyAsync(QuoteMethods::issued, executor);
    }

    private static QuoteIssue.Result issued(Quotes.Issued issued) {
        return new QuoteIssue.Result(
                credential(issued.signed()),
                issued.signed().signature(),
                issued.signer(),
                issued.payee(),
                issued.genesis(),
                issued.image(),
                issued.preimage(),
                issued.hashLock());
    }

    private CompletionStage<QuoteVerify.Result> verify(QuoteVerify call, CallContext context) {
        return quotes.verify(signed(call.quote())).thenApplyAsync(QuoteMethods::verdict, executor);
    }

    private static QuoteVerify.Result verdict(Quotes.Verdict verdict) {
        return new QuoteVerify.Result(
                verdict.failure().isEmpty(), verdict.failure(), verdict.signer(), verdict.payee(), verdict.genesis());
    }

    private static QuoteCredential credential(SignedQuote signed) {
        Quote quote = signed.quote();
        return new QuoteCredential(
                quote.version(),
                quote.id(),
                quote.currency(),
                quote.amountMinor(),
                quote.rate(),
                quote.chainAmount(),
                quote.payee(),
                quote.payer(),
                quote.issuedAt(),
                quote.expiresAt(),
                quote.memo(),
                signed.signer(),
                signed.signature());
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
     * @param path of the parameter, for the message
     * @throws RefusedException -32602 unless there are 16 bytes
     */
    private static Bytes quoteId(String path, Bytes id) {
        if (id.length() != Quote.ID_LENGTH) {
            throw RefusedException.invalidParams(
                    "parameter `" + path + "` must be 32 hex characters, got " + 2 * id.length());
        }
        return id;
    }
}
