package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;
import org.chainwalletd.rpc.U32;

/** {@code generate_address}: derives the next key of the legacy seed. */
final class GenerateAddressMethod implements RpcMethod<LabelParams, GenerateAddressMethod.Result> {
    /** @param index of the key on the path m/44'/9527'/0'/0'/index' */
    record Result(Address address, PublicKey pubkey, @U32 long index) {}

    private final Keyring keyring;
    private final Executor executor;

    GenerateAddressMethod(Keyring keyring, Executor executor) {
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "generate_address";
    }

    @Override
    public Scope scope() {
        return Scope.MANAGE;
    }

    @Override
    public String summary() {
        return "Derives the next key of a seeded (legacy) keyring: index 0, 1, 2 and so on. Refused on a keyring without a seed.";
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.KEYSTORE_LOCKED);
    }

    @Override
    public Class<LabelParams> params() {
        return LabelParams.class;
    }

    @Override
    public Class<Result> result() {
        return Result.class;
    }

    @Override
    public CompletionStage<Result> call(LabelParams params, CallContext context) {
        return keyring.deriveNext(params.label())
                .thenApplyAsync(
                        entry -> new Result(
                                entry.address(),
                                entry.publicKey(),
                                entry.index().orElseThrow()),
                        executor);
    }
}
