package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** {@code export_address}: seals one key, with its standard phrase and label, into a portable vault. */
final class ExportAddressMethod implements RpcMethod<ExportAddressMethod.Params, ExportAddressMethod.Result> {
    record Params(
            Address address,

            @Doc("passphrase of the vault, independent of the keystore's")
            SecretBytes passphrase) {}

    record Result(Address address, Bytes vaultHex) {}

    private final Keyring keyring;
    private final Executor executor;

    ExportAddressMethod(Keyring keyring, Executor executor) {
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "export_address";
    }

    @Override
    public Scope scope() {
        return Scope.SPEND;
    }

    @Override
    public String summary() {
        return "Seals one key, with its standard phrase and label, into a portable vault.";
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED);
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
        return keyring.exportAddress(params.address(), params.passphrase())
                .thenApplyAsync(vault -> new Result(params.address(), vault), executor);
    }
}
