package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.keyring.EvmKeyGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code evm_delete_key} (swap.md, section 4). */
final class EvmDeleteKeyMethod extends NamedMethod<SwapParams.DeleteKey, SwapResults.Deleted> {
    private final Keyring keyring;
    private final EvmKeyGuard guard;
    private final Executor executor;

    EvmDeleteKeyMethod(Keyring keyring, EvmKeyGuard guard, Executor executor) {
        super(
                "evm_delete_key",
                Scope.SPEND,
                "Deletes the account-chain key for good. Refused while it holds a balance, or its balance is unknown, or a swap is open, unless force is true. Replaced keys stay.",
                SwapParams.DeleteKey.class,
                SwapResults.Deleted.class);
        this.keyring = keyring;
        this.guard = guard;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.NO_EVM_KEY, ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<SwapResults.Deleted> call(SwapParams.DeleteKey params, CallContext context) {
        Optional<EvmKeyGuard> asked = params.force().orElse(false) ? Optional.empty() : Optional.of(guard);
        return keyring.evm()
                .delete(params.passphrase(), asked)
                .thenApplyAsync(address -> new SwapResults.Deleted(address.toString()), executor);
    }
}
