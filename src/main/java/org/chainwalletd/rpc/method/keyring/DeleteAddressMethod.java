package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;

/** {@code delete_address} (interface.md, section 4.11). */
final class DeleteAddressMethod extends NamedMethod<DeleteAddressMethod.Params, DeleteAddressMethod.Result> {
    record Params(
            Address address,
            @Doc("passphrase of the keystore") SecretBytes passphrase,

            @Doc("delete it whatever it holds, also when its sealed file is damaged; default false")
            Optional<Boolean> force) {}

    record Result(Address deleted) {}

    private final Keyring keyring;
    private final DeletionGuard guard;
    private final Executor executor;

    DeleteAddressMethod(Keyring keyring, DeletionGuard guard, Executor executor) {
        super(
                "delete_address",
                Scope.SPEND,
                "Deletes a key for good. Refused while its address holds or awaits coins, is needed by a spend in flight, or cannot be checked, unless force is true.",
                Params.class,
                Result.class);
        this.keyring = keyring;
        this.guard = guard;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        Optional<DeletionGuard> asked = params.force().orElse(false) ? Optional.empty() : Optional.of(guard);
        return keyring.delete(params.address(), params.passphrase(), asked).thenApplyAsync(Result::new, executor);
    }
}
