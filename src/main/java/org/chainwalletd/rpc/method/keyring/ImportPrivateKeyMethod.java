package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.Alias;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** {@code import_private_key}: takes in a raw Ed25519 secret; the caller keeps the backup. */
final class ImportPrivateKeyMethod implements RpcMethod<ImportPrivateKeyMethod.Params, NewKeyResult> {
    /** @param privateKey 64 hex characters */
    record Params(
            @Alias("secret_hex") @Doc("raw 32-byte Ed25519 secret as 64 hex characters")
            SecretBytes privateKey,

            @Doc("text for people, at most 256 bytes of UTF-8, no control characters")
            Optional<String> label) {}

    private final Keyring keyring;
    private final Executor executor;

    ImportPrivateKeyMethod(Keyring keyring, Executor executor) {
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "import_private_key";
    }

    @Override
    public Scope scope() {
        return Scope.MANAGE;
    }

    @Override
    public String summary() {
        return "Takes in a raw Ed25519 secret; the caller keeps the backup.";
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_EXISTS);
    }

    @Override
    public Class<Params> params() {
        return Params.class;
    }

    @Override
    public Class<NewKeyResult> result() {
        return NewKeyResult.class;
    }

    @Override
    public CompletionStage<NewKeyResult> call(Params params, CallContext context) {
        return keyring.importSecret(params.privateKey(), params.label()).thenApplyAsync(NewKeyResult::of, executor);
    }
}
