package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;

/** {@code reveal_private_key} (interface.md, section 4.11). */
final class RevealPrivateKeyMethod extends NamedMethod<RevealParams, RevealPrivateKeyMethod.Result> {
    /** @param secretHex 64 hex characters */
    record Result(Address address, SecretBytes secretHex) {}

    private final Keyring keyring;
    private final Executor executor;

    RevealPrivateKeyMethod(Keyring keyring, Executor executor) {
        super(
                "reveal_private_key",
                Scope.SPEND,
                "Reveals the secret of a key of any origin.",
                RevealParams.class,
                Result.class);
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<Result> call(RevealParams params, CallContext context) {
        return keyring.revealSecret(params.address(), params.passphrase())
                .thenApplyAsync(secret -> new Result(params.address(), secret), executor);
    }
}
