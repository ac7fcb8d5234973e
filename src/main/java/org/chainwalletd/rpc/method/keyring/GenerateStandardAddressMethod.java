package org.chainwalletd.rpc.method.keyring;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** {@code generate_standard_address}: makes a new key with a standard 24-word phrase of its own, which reveal_address_mnemonic returns. */
final class GenerateStandardAddressMethod implements RpcMethod<LabelParams, NewKeyResult> {
    private final Keyring keyring;
    private final Executor executor;

    GenerateStandardAddressMethod(Keyring keyring, Executor executor) {
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "generate_standard_address";
    }

    @Override
    public Scope scope() {
        return Scope.MANAGE;
    }

    @Override
    public String summary() {
        return "Makes a new key with a standard 24-word phrase of its own, which reveal_address_mnemonic returns.";
    }

    @Override
    public Class<LabelParams> params() {
        return LabelParams.class;
    }

    @Override
    public Class<NewKeyResult> result() {
        return NewKeyResult.class;
    }

    @Override
    public CompletionStage<NewKeyResult> call(LabelParams params, CallContext context) {
        return keyring.generateStandard(params.label()).thenApplyAsync(NewKeyResult::of, executor);
    }
}
