package org.chainwalletd.rpc.method.quote;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.quote.Quotes;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.Spelling;

/** {@code quote_verify}: whether a quote is what its signer wrote for this chain, and in force now. */
final class QuoteVerifyMethod extends NamedMethod<QuoteVerifyMethod.Params, QuoteVerifyMethod.Result> {
    record Params(@Doc("as quote_issue answers it") QuoteObject quote) {}

    record Result(
            boolean valid,

            @Doc("the first check that failed, when not valid")
            Optional<String> reason,

            Address signerAddress,
            Address payeeAddress,
            @Doc("of the chain it was verified for") Hash256 genesisBlockId) {}

    private final Quotes quotes;
    private final BrandedMembers members;
    private final Executor executor;

    QuoteVerifyMethod(Quotes quotes, BrandedMembers members, Executor executor) {
        super(
                "quote_verify",
                Scope.READ,
                "Verifies a quote for this chain and this moment, without any key. Proves who wrote it, not that he may: compare"
                        + " signer_address with the one you trust.",
                Params.class,
                Result.class);
        this.quotes = quotes;
        this.members = members;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM, ErrorCode.TX_BUILD);
    }

    @Override
    public Spelling spelling() {
        return members.spelling();
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return quotes.verify(params.quote().signed()).thenApplyAsync(QuoteVerifyMethod::result, executor);
    }

    private static Result result(Quotes.Verdict verdict) {
        return new Result(
                verdict.failure().isEmpty(), verdict.failure(), verdict.signer(), verdict.payee(), verdict.genesis());
    }
}
