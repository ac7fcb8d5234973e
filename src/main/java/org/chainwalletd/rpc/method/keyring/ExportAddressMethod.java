package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;

/** {@code export_address} (interface.md, section 4.11). */
final class ExportAddressMethod extends NamedMethod<ExportAddressMethod.Params, ExportAddressMethod.Result> {
    record Params(
            Address address,

            @Doc("passphrase of the vault, independent of the keystore's")
            SecretBytes passphrase) {}

    record Result(Address address, Bytes vaultHex) {}

    private final Keyring keyring;
    private final Executor executor;

    ExportAddressMethod(Keyring keyring, Executor executor) {
        super(
                "export_address",
                Scope.SPEND,
                "Seals one key, with its standard phrase and label, into a portable vault.",
                Params.class,
                Result.class);
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return keyring.exportAddress(params.address(), params.passphrase())
                .thenApplyAsync(vault -> new Result(params.address(), vault), executor);
    }
}
