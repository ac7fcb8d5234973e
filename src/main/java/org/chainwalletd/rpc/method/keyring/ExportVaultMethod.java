package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.VaultExport;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;

/** {@code export_vault} (interface.md, section 4.11). */
final class ExportVaultMethod extends NamedMethod<ExportVaultMethod.Params, ExportVaultMethod.Result> {
    record Params(
            @Doc("passphrase of the vault, independent of the keystore's")
            SecretBytes passphrase) {}

    record Result(
            Bytes vaultHex,

            @Doc(
                    "what is not in the vault because its sealed file is damaged, missing or another key's; absent when everything is. The log"
                            + " names the file and the reason")
            Optional<List<Missing>> notExported) {}

    record Missing(
            @Doc("`key`, `phrase` (its key is in the vault), or `evm_key`")
            String part,

            @Doc("as list_addresses or evm_get_address tells it")
            String address) {}

    private final Keyring keyring;
    private final Executor executor;

    ExportVaultMethod(Keyring keyring, Executor executor) {
        super(
                "export_vault",
                Scope.SPEND,
                "Seals every key, with standard phrases and labels, into a portable vault. What is damaged is left out and named; when nothing can"
                        + " be unsealed the call fails. Takes one key derivation per sealed file.",
                Params.class,
                Result.class);
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public boolean repeatable() {
        return true;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return keyring.exportVault(params.passphrase()).thenApplyAsync(ExportVaultMethod::result, executor);
    }

    private static Result result(VaultExport.Export export) {
        List<Missing> missing = export.missing().stream()
                .map(one -> new Missing(one.part(), one.address()))
                .toList();
        return new Result(export.vault(), missing.isEmpty() ? Optional.empty() : Optional.of(missing));
    }
}
