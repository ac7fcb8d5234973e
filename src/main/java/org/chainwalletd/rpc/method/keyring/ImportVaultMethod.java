package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;

/** {@code import_vault} (interface.md, section 4.11). */
final class ImportVaultMethod extends NamedMethod<ImportVaultMethod.Params, ImportVaultMethod.Result> {
    record Params(
            Bytes vaultHex,

            @Doc("passphrase of the vault, independent of the keystore's")
            SecretBytes passphrase) {}

    /** @param imported newly added addresses in the order of the vault */
    record Result(
            List<Address> imported, @Doc(NewKeyResult.REST) Optional<Long> rescanBlocksLeft) {}

    private final NewKeys keys;
    private final Executor executor;

    ImportVaultMethod(NewKeys keys, Executor executor) {
        super(
                "import_vault",
                Scope.SPEND,
                "Takes in the keys of a vault that are not in the keyring yet, all together.",
                Params.class,
                Result.class);
        this.keys = keys;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return keys.importVault(params.vaultHex(), params.passphrase())
                .thenApplyAsync(brought -> new Result(brought.key(), brought.rescanBlocksLeft()), executor);
    }
}
