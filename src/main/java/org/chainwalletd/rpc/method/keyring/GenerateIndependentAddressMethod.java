package org.chainwalletd.rpc.method.keyring;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** {@code generate_independent_address}: makes a new key whose 24-word phrase spells the secret itself; the phrase restores into this daemon only. */
final class GenerateIndependentAddressMethod implements RpcMethod<LabelParams, NewKeyResult> {
    private final Keyring keyring;
    private final Executor executor;

    GenerateIndependentAddressMethod(Keyring keyring, Executor executor) {
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "generate_independent_address";
    }

    @Override
    public Scope scope() {
        return Scope.MANAGE;
    }

    @Override
    public String summary() {
        return "Makes a new key whose 24-word phrase spells the secret itself; the phrase restores into this daemon only.";
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
        return keyring.generateIndependent(params.label()).thenApplyAsync(NewKeyResult::of, executor);
    }
}
