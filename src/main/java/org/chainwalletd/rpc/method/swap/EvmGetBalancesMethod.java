package org.chainwalletd.rpc.method.swap;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.AccountFunds;
import org.chainwalletd.account.TokenBalance;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.NoParams;

/** {@code evm_get_balances}: what the quorum says of the native asset, and an endpoint of each configured token. */
final class EvmGetBalancesMethod extends NamedMethod<NoParams, SwapResults.Balances> {
    private final Optional<AccountMethods.Services> services;
    private final Executor executor;

    EvmGetBalancesMethod(Optional<AccountMethods.Services> services, Executor executor) {
        super(
                "evm_get_balances",
                Scope.READ,
                "Balances of the account-chain key: the native asset as a quorum of endpoints names it, what open swaps need of it, and the configured tokens. Refused without --evm-rpc.",
                NoParams.class,
                SwapResults.Balances.class);
        this.services = services;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.NO_EVM_KEY, ErrorCode.UPSTREAM);
    }

    @Override
    public CompletionStage<SwapResults.Balances> call(NoParams params, CallContext context) {
        AccountMethods.Services account = AccountMethods.require(services);
        return AccountMethods.withKey(account, executor, address -> balances(account, address));
    }

    private CompletionStage<SwapResults.Balances> balances(AccountMethods.Services account, EvmAddress address) {
        List<CompletableFuture<TokenBalance>> tokens = new ArrayList<>();
        for (EvmAddress token : account.tokens()) {
            tokens.add(TokenBalance.read(account.chain().any(), token, address, executor)
                    .toCompletableFuture());
        }
        return account.sends()
                .funds(address)
                .thenCombineAsync(
                        CompletableFuture.allOf(tokens.toArray(CompletableFuture[]::new)),
                        (funds, done) -> result(
                                address,
                                funds,
                                tokens.stream().map(CompletableFuture::join).toList()),
                        executor);
    }

    private static SwapResults.Balances result(EvmAddress address, AccountFunds funds, List<TokenBalance> tokens) {
        return new SwapResults.Balances(
                address.toString(),
                funds.balance().toString(),
                funds.reserved().toString(),
                tokens.stream()
                        .map(token -> new SwapResults.Token(
                                token.token().toString(),
                                token.symbol(),
                                token.decimals(),
                                token.balance().toString()))
                        .toList());
    }
}
