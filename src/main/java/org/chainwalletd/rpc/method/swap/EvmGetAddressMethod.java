package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.NoParams;

/** {@code evm_get_address} (swap.md, section 4). */
final class EvmGetAddressMethod extends NamedMethod<NoParams, SwapResults.KeyAddress> {
    private final Keyring keyring;
    private final Executor executor;

    EvmGetAddressMethod(Keyring keyring, Executor executor) {
        super(
                "evm_get_address",
                Scope.READ,
                "The address of the account-chain key; null while there is none. On a seeded keyring without a key of its own, the one of the seed.",
                NoParams.class,
                SwapResults.KeyAddress.class);
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.KEYSTORE_LOCKED);
    }

    @Override
    public CompletionStage<SwapResults.KeyAddress> call(NoParams params, CallContext context) {
        return keyring.evm()
                .current()
                .thenApplyAsync(
                        address -> new SwapResults.KeyAddress(
                                address.map(EvmAddress::toString).orElse(null), address.isPresent()),
                        executor);
    }
}
