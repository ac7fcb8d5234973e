package org.chainwalletd.rpc.method.quote;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.quote.QuoteTerms;
import org.chainwalletd.quote.Quotes;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.DescribedBy;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.Spelling;

/** {@code quote_issue}: signs a price for one payment. */
final class QuoteIssueMethod extends NamedMethod<QuoteIssueMethod.Params, QuoteIssueMethod.Result> {
    record Params(
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

            @Doc("32 hex characters; random when absent") Optional<Bytes> quoteId) {}

    record Result(
            @Doc("what quote_verify takes") @DescribedBy(QuoteObject.class)
            ObjectNode quote,

            Ed25519Signature signature,
            Address signerAddress,
            Address payeeAddress,
            Hash256 genesisBlockId,
            @Doc("the signed bytes") Bytes image,

            @Doc("secret, random; not kept by the daemon") SecretBytes htlcPreimage,

            @Doc("SHA-256 of the preimage's 32 bytes") Hash256 htlcHashLock) {}

    private final Quotes quotes;
    private final BrandedMembers members;
    private final Executor executor;

    QuoteIssueMethod(Quotes quotes, BrandedMembers members, Executor executor) {
        super(
                "quote_issue",
                Scope.SPEND,
                "Issues a quote, a signed price for one payment that expires within the hour, with the preimage and hash lock for settling it"
                        + " by an HTLC.",
                Params.class,
                Result.class);
        this.quotes = quotes;
        this.members = members;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED, ErrorCode.UPSTREAM, ErrorCode.TX_BUILD);
    }

    @Override
    public Spelling spelling() {
        return members.spelling();
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return quotes.issue(terms(params)).thenApplyAsync(this::result, executor);
    }

    private static QuoteTerms terms(Params params) {
        return new QuoteTerms(
                params.address(),
                params.payeePubkey(),
                params.currency(),
                params.amountMinor(),
                params.rateChainPerUnit(),
                params.chainAmount(),
                params.ttlSecs(),
                params.payerPubkey(),
                params.memo().orElse(""),
                params.quoteId().map(id -> QuoteObject.quoteId("quote_id", id)));
    }

    private Result result(Quotes.Issued issued) {
        return new Result(
                QuoteObject.of(issued.signed(), members),
                issued.signed().signature(),
                issued.signer(),
                issued.payee(),
                issued.genesis(),
                issued.image(),
                issued.preimage(),
                issued.hashLock());
    }
}
