package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code generate_standard_address} (interface.md, section 4.11). */
final class GenerateStandardAddressMethod extends NamedMethod<LabelParams, NewKeyResult> {
    private final NewKeys keys;
    private final Executor executor;

    GenerateStandardAddressMethod(NewKeys keys, Executor executor) {
        super(
                "generate_standard_address",
                Scope.MANAGE,
                "Makes a new key with a standard 24-word phrase of its own, which reveal_address_mnemonic returns.",
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
        return keys.generateStandard(params.label(), context).thenApplyAsync(NewKeyResult::of, executor);
    }
}
