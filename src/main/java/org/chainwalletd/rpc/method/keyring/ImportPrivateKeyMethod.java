package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Alias;
import org.chainwalletd.wire.Doc;

/** {@code import_private_key} (interface.md, section 4.11). */
final class ImportPrivateKeyMethod extends NamedMethod<ImportPrivateKeyMethod.Params, NewKeyResult> {
    /** @param privateKey 64 hex characters */
    record Params(
            @Alias("secret_hex") @Doc("raw 32-byte Ed25519 secret as 64 hex characters")
            SecretBytes privateKey,

            @Doc("text for people, at most 256 bytes of UTF-8, no control characters")
            Optional<String> label) {}

    private final NewKeys keys;
    private final Executor executor;

    ImportPrivateKeyMethod(NewKeys keys, Executor executor) {
        super(
                "import_private_key",
                Scope.MANAGE,
                "Takes in a raw Ed25519 secret; the caller keeps the backup.",
                Params.class,
                NewKeyResult.class);
        this.keys = keys;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_EXISTS, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<NewKeyResult> call(Params params, CallContext context) {
        return keys.importSecret(params.privateKey(), params.label()).thenApplyAsync(NewKeyResult::of, executor);
    }
}
