package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** {@code import_standard_mnemonic}: takes in a key from a standard 24-word phrase, which is kept with it. */
final class ImportStandardMnemonicMethod implements RpcMethod<MnemonicParams, NewKeyResult> {
    private final Keyring keyring;
    private final Executor executor;

    ImportStandardMnemonicMethod(Keyring keyring, Executor executor) {
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "import_standard_mnemonic";
    }

    @Override
    public Scope scope() {
        return Scope.MANAGE;
    }

    @Override
    public String summary() {
        return "Takes in a key from a standard 24-word phrase, which is kept with it.";
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_EXISTS);
    }

    @Override
    public Class<MnemonicParams> params() {
        return MnemonicParams.class;
    }

    @Override
    public Class<NewKeyResult> result() {
        return NewKeyResult.class;
    }

    @Override
    public CompletionStage<NewKeyResult> call(MnemonicParams params, CallContext context) {
        return keyring.importStandard(params.mnemonic(), params.label()).thenApplyAsync(NewKeyResult::of, executor);
    }
}
