package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code import_standard_mnemonic} (interface.md, section 4.11). */
final class ImportStandardMnemonicMethod extends NamedMethod<MnemonicParams, NewKeyResult> {
    private final NewKeys keys;
    private final Executor executor;

    ImportStandardMnemonicMethod(NewKeys keys, Executor executor) {
        super(
                "import_standard_mnemonic",
                Scope.MANAGE,
                "Takes in a key from a standard 24-word phrase, which is kept with it.",
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
        return keys.importStandard(params.mnemonic(), params.label()).thenApplyAsync(NewKeyResult::of, executor);
    }
}
