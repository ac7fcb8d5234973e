package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** {@code export_vault}: seals every key, with standard phrases and labels, into a portable vault. Takes one key derivation per sealed file. */
final class ExportVaultMethod implements RpcMethod<ExportVaultMethod.Params, ExportVaultMethod.Result> {
    record Params(
            @Doc("passphrase of the vault, independent of the keystore's")
            SecretBytes passphrase) {}

    record Result(Bytes vaultHex) {}

    private final Keyring keyring;
    private final Executor executor;

    ExportVaultMethod(Keyring keyring, Executor executor) {
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "export_vault";
    }

    @Override
    public Scope scope() {
        return Scope.SPEND;
    }

    @Override
    public String summary() {
        return "Seals every key, with standard phrases and labels, into a portable vault. Takes one key derivation per sealed file.";
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public Class<Params> params() {
        return Params.class;
    }

    @Override
    public Class<Result> result() {
        return Result.class;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return keyring.exportVault(params.passphrase()).thenApplyAsync(Result::new, executor);
    }
}
