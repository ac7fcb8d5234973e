package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.keyring.EvmKeyGuard;
import org.chainwalletd.keyring.EvmReplacement;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.method.keyring.Words;

/** {@code evm_create_address} (swap.md, section 4). */
final class EvmCreateAddressMethod extends NamedMethod<SwapParams.CreateKey, SwapResults.NewKey> {
    private final Keyring keyring;
    private final EvmKeyGuard guard;
    private final Executor executor;

    EvmCreateAddressMethod(Keyring keyring, EvmKeyGuard guard, Executor executor) {
        super(
                "evm_create_address",
                Scope.MANAGE,
                "Makes the account-chain key of 24 new words. With force it takes the place of another one, which is kept, sealed, unless a swap is open.",
                SwapParams.CreateKey.class,
                SwapResults.NewKey.class);
        this.keyring = keyring;
        this.guard = guard;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_EXISTS);
    }

    @Override
    public CompletionStage<SwapResults.NewKey> call(SwapParams.CreateKey params, CallContext context) {
        return keyring.evm()
                .create(replacement(params.force().orElse(false)))
                .thenApplyAsync(
                        made -> new SwapResults.NewKey(made.address().toString(), Words.of(made.words())), executor);
    }

    private EvmReplacement replacement(boolean force) {
        return force ? new EvmReplacement.Forced(guard) : new EvmReplacement.Never("force");
    }
}
