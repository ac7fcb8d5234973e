package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.wire.Doc;

/** {@code reveal_mnemonic} (interface.md, section 4.11). */
final class RevealMnemonicMethod extends NamedMethod<RevealMnemonicMethod.Params, RevealMnemonicMethod.Result> {
    record Params(@Doc("passphrase of the keystore") SecretBytes passphrase) {}

    /** @param mnemonic 24 lower-case words; not portable to most other wallets */
    record Result(List<SecretBytes> mnemonic) {}

    private final Keyring keyring;
    private final Executor executor;

    RevealMnemonicMethod(Keyring keyring, Executor executor) {
        super(
                "reveal_mnemonic",
                Scope.SPEND,
                "Reveals the 24 words of the seed of a seeded (legacy) keyring.",
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
    public CompletionStage<Result> call(Params params, CallContext context) {
        return keyring.revealSeedPhrase(params.passphrase())
                .thenApplyAsync(phrase -> new Result(Words.of(phrase)), executor);
    }
}
