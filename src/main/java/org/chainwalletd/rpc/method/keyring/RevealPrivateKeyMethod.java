package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.Scope;

/** {@code reveal_private_key}: reveals the secret of a key of any origin. */
final class RevealPrivateKeyMethod implements RpcMethod<RevealParams, RevealPrivateKeyMethod.Result> {
    /** @param secretHex 64 hex characters */
    record Result(Address address, SecretBytes secretHex) {}

    private final Keyring keyring;
    private final Executor executor;

    RevealPrivateKeyMethod(Keyring keyring, Executor executor) {
        this.keyring = keyring;
        this.executor = executor;
    }

    @Override
    public String name() {
        return "reveal_private_key";
    }

    @Override
    public Scope scope() {
        return Scope.SPEND;
    }

    @Override
    public String summary() {
        return "Reveals the secret of a key of any origin.";
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.WALLET_NOT_FOUND, ErrorCode.KEYSTORE_LOCKED, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public Class<RevealParams> params() {
        return RevealParams.class;
    }

    @Override
    public Class<Result> result() {
        return Result.class;
    }

    @Override
    public CompletionStage<Result> call(RevealParams params, CallContext context) {
        return keyring.revealSecret(params.address(), params.passphrase())
                .thenApplyAsync(secret -> new Result(params.address(), secret), executor);
    }
}
