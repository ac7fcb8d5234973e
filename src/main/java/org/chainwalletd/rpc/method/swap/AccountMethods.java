package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.AccountService;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.EvmKeyException;
import org.chainwalletd.keyring.EvmKeyRefusal;
import org.chainwalletd.keyring.EvmKeys;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.rpc.RpcMethod;

/** The methods that ask the account chain or send on it (interface.md, section 4.13; swap.md, section 4). */
public final class AccountMethods {
    private AccountMethods() {}

    /** @param tokens contracts whose balances are shown */
    public record Services(AccountChain chain, AccountService sends, EvmKeys keys, List<EvmAddress> tokens) {
        public Services {
            tokens = List.copyOf(tokens);
        }
    }

    /** @param services empty in a daemon that knows no account chain: then each call is refused */
    public static List<RpcMethod<?, ?>> all(Optional<Services> services, Executor executor) {
        return List.of(
                new EvmGetBalancesMethod(services, executor),
                new EvmTxHistoryMethod(services, executor),
                new EvmSendNativeMethod(services, executor));
    }

    /** @throws RpcException when there is no account chain */
    static Services require(Optional<Services> services) {
        return services.orElseThrow(() -> RpcException.invalidParams(
                "swap not configured: this daemon knows no account chain, start it with --evm-rpc"));
    }

    /** With the current key's address; fails when there is none. */
    static <T> CompletionStage<T> withKey(
            Services services, Executor executor, Function<EvmAddress, CompletionStage<T>> then) {
        return services.keys()
                .current()
                .thenComposeAsync(
                        address -> address.map(then)
                                .orElseGet(() ->
                                        CompletableFuture.failedFuture(new EvmKeyException(new EvmKeyRefusal.NoKey()))),
                        executor);
    }
}
