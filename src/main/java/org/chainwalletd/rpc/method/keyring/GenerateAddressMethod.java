package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code generate_address} (interface.md, section 4.11). */
final class GenerateAddressMethod extends NamedMethod<LabelParams, GenerateAddressMethod.Result> {
    /** @param index of the key on the path m/44'/9527'/0'/0'/index' */
    record Result(
            Address address,
            PublicKey pubkey,
            @U32 long index,
            @Doc(NewKeyResult.REST) Optional<Long> rescanBlocksLeft) {}

    private final NewKeys keys;
    private final Executor executor;

    GenerateAddressMethod(NewKeys keys, Executor executor) {
        super(
                "generate_address",
                Scope.MANAGE,
                "Derives the next key of a seeded (legacy) keyring: index 0, 1, 2 and so on. Refused on a keyring without a seed.",
                LabelParams.class,
                Result.class);
        this.keys = keys;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.KEYSTORE_LOCKED);
    }

    @Override
    public CompletionStage<Result> call(LabelParams params, CallContext context) {
        return keys.deriveNext(params.label())
                .thenApplyAsync(
                        brought -> new Result(
                                brought.key().address(),
                                brought.key().knownPublicKey(),
                                brought.key().index().orElseThrow(),
                                brought.rescanBlocksLeft()),
                        executor);
    }
}
