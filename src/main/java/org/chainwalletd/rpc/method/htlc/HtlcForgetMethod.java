package org.chainwalletd.rpc.method.htlc;

import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.htlc.Forgetting;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code htlc_forget}: takes a settled HTLC out of the index. */
final class HtlcForgetMethod extends NamedMethod<HtlcForgetMethod.Params, HtlcForgetMethod.Result> {
    record Params(Hash256 lockTxId, @Doc("default 0") @U32 OptionalLong outputIndex) {}

    record Result(@Doc("false when there is no such record") boolean removed) {}

    private final Forgetting forgetting;
    private final Executor executor;

    HtlcForgetMethod(Forgetting forgetting, Executor executor) {
        super(
                "htlc_forget",
                Scope.MANAGE,
                "Removes a claimed, reclaimed or unknown HTLC from the local index. It comes back when a reorganisation takes the"
                        + " block away that settled it.",
                Params.class,
                Result.class);
        this.forgetting = forgetting;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return forgetting
                .forget(new Outpoint(params.lockTxId(), params.outputIndex().orElse(0)))
                .thenApplyAsync(Result::new, executor);
    }
}
