package org.chainwalletd.rpc.method.swap;

import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.AccountService;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;

/** {@code evm_tx_history}: the journal of the account chain, newest first. */
final class EvmTxHistoryMethod extends NamedMethod<SwapParams.History, SwapResults.History> {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MOST = 1_000;
    private static final long MILLIS = 1_000;

    private final Optional<AccountMethods.Services> services;
    private final Executor executor;

    EvmTxHistoryMethod(Optional<AccountMethods.Services> services, Executor executor) {
        super(
                "evm_tx_history",
                Scope.READ,
                "Everything that this daemon sent on the account chain, newest first, with how far each transaction has come. Refused without --evm-rpc.",
                SwapParams.History.class,
                SwapResults.History.class);
        this.services = services;
        this.executor = executor;
    }

    @Override
    public CompletionStage<SwapResults.History> call(SwapParams.History params, CallContext context) {
        AccountMethods.Services account = AccountMethods.require(services);
        long limit = params.limit().orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > MOST) {
            throw RpcException.invalidParams("limit is 1 to " + MOST);
        }
        BigInteger chainId = account.chain().chainId();
        return account.sends()
                .history(params.cursor().map(EvmTxHistoryMethod::before).orElse(Long.MAX_VALUE), (int) limit)
                .thenApplyAsync(page -> result(chainId, page), executor);
    }

    private static long before(String cursor) {
        try {
            long before = Long.parseLong(cursor);
            if (before > 0) {
                return before;
            }
        } catch (NumberFormatException e) {
            throw RpcException.invalidParams("the cursor is none of an earlier answer");
        }
        throw RpcException.invalidParams("the cursor is none of an earlier answer");
    }

    private static SwapResults.History result(BigInteger chainId, AccountService.Page page) {
        return new SwapResults.History(
                chainId.longValueExact(),
                page.records().stream().map(EvmTxHistoryMethod::view).toList(),
                page.next().map(String::valueOf));
    }

    private static SwapResults.SentTransaction view(SendRecord record) {
        return new SwapResults.SentTransaction(
                "0x" + record.hash().hex(),
                record.from().equals(record.to()) ? "self" : "out",
                record.kind().word(),
                record.from().toString(),
                record.to().toString(),
                record.value().toString(),
                record.state().word(),
                record.createdAt() / MILLIS,
                record.updatedAt() / MILLIS);
    }
}
