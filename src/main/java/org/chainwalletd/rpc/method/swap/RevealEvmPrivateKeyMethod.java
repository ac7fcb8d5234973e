package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code reveal_evm_private_key} (swap.md, section 4). */
final class RevealEvmPrivateKeyMethod extends NamedMethod<SwapParams.Reveal, SwapResults.Secret> {
    private final Keyring keyring;
    private final Executor executor;

    RevealEvmPrivateKeyMethod(Keyring keyring, Executor executor) {
        super(
                "reveal_evm_private_key",
                Scope.SPEND,
                "Reveals the secret of the account-chain key.",
                SwapParams.Reveal.class,
                SwapResults.Secret.class);
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.NO_EVM_KEY, ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<SwapResults.Secret> call(SwapParams.Reveal params, CallContext context) {
        return keyring.evm()
                .revealKey(params.passphrase())
                .thenApplyAsync(
                        revealed -> new SwapResults.Secret(revealed.address().toString(), revealed.secretHex()),
                        executor);
    }
}
