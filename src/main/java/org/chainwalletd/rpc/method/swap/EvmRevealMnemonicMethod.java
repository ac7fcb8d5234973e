package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.method.keyring.Words;

/** {@code evm_reveal_mnemonic} (swap.md, section 4). */
final class EvmRevealMnemonicMethod extends NamedMethod<SwapParams.Reveal, SwapResults.Phrase> {
    private final Keyring keyring;
    private final Executor executor;

    EvmRevealMnemonicMethod(Keyring keyring, Executor executor) {
        super(
                "evm_reveal_mnemonic",
                Scope.SPEND,
                "Reveals the words of the account-chain key; those of the seed where the seed gives the key.",
                SwapParams.Reveal.class,
                SwapResults.Phrase.class);
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.NO_EVM_KEY, ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<SwapResults.Phrase> call(SwapParams.Reveal params, CallContext context) {
        return keyring.evm()
                .revealPhrase(params.passphrase())
                .thenApplyAsync(words -> new SwapResults.Phrase(Words.of(words)), executor);
    }
}
