package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code import_mnemonic} (interface.md, section 4.11). */
final class ImportMnemonicMethod extends NamedMethod<MnemonicParams, NewKeyResult> {
    private final NewKeys keys;
    private final Executor executor;

    ImportMnemonicMethod(NewKeys keys, Executor executor) {
        super(
                "import_mnemonic",
                Scope.MANAGE,
                "Takes in a key from the 24 words that spell its secret (an independent phrase).",
                MnemonicParams.class,
                NewKeyResult.class);
        this.keys = keys;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_EXISTS, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<NewKeyResult> call(MnemonicParams params, CallContext context) {
        return keys.importIndependent(params.mnemonic(), params.label()).thenApplyAsync(NewKeyResult::of, executor);
    }
}
