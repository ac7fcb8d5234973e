package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.keyring.EvmKeyGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code evm_import_key} (swap.md, section 4). */
final class EvmImportKeyMethod extends NamedMethod<SwapParams.ImportKey, SwapResults.Imported> {
    private final Keyring keyring;
    private final EvmKeyGuard guard;
    private final Executor executor;

    EvmImportKeyMethod(Keyring keyring, EvmKeyGuard guard, Executor executor) {
        super(
                "evm_import_key",
                Scope.MANAGE,
                "Takes a raw secp256k1 secret as the account-chain key; the caller keeps the backup. With overwrite it takes the place of another one, which is kept, sealed; refused while that holds a balance, or may, or a swap is open.",
                SwapParams.ImportKey.class,
                SwapResults.Imported.class);
        this.keyring = keyring;
        this.guard = guard;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_EXISTS);
    }

    @Override
    public CompletionStage<SwapResults.Imported> call(SwapParams.ImportKey params, CallContext context) {
        return keyring.evm()
                .importKey(params.privateKeyHex(), EvmKeyMethods.overwriting(params.overwrite(), guard))
                .thenApplyAsync(address -> new SwapResults.Imported(address.toString()), executor);
    }
}
