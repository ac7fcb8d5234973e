package org.chainwalletd.rpc.method.quote;

import java.util.List;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.quote.Quotes;
import org.chainwalletd.rpc.RpcMethod;

/** The family of methods for quotes (interface.md, section 4.10). */
public final class QuoteMethods {
    private QuoteMethods() {}

    /** @param executor turns answers into results: any pool of the daemon */
    public static List<RpcMethod<?, ?>> all(ChainProfile chain, Quotes quotes, Executor executor) {
        BrandedMembers members = new BrandedMembers(chain);
        return List.of(
                new QuoteIssueMethod(quotes, members, executor), new QuoteVerifyMethod(quotes, members, executor));
    }
}
