package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code generate_independent_address} (interface.md, section 4.11). */
final class GenerateIndependentAddressMethod extends NamedMethod<LabelParams, NewKeyResult> {
    private final NewKeys keys;
    private final Executor executor;

    GenerateIndependentAddressMethod(NewKeys keys, Executor executor) {
        super(
                "generate_independent_address",
                Scope.MANAGE,
                "Makes a new key whose 24-word phrase spells the secret itself; the phrase restores into this daemon only.",
                LabelParams.class,
                NewKeyResult.class);
        this.keys = keys;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<NewKeyResult> call(LabelParams params, CallContext context) {
        return keys.generateIndependent(params.label(), context).thenApplyAsync(NewKeyResult::of, executor);
    }
}
