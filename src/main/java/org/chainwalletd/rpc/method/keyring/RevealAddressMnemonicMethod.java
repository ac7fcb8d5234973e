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

/** {@code reveal_address_mnemonic} (interface.md, section 4.11). */
final class RevealAddressMnemonicMethod extends NamedMethod<RevealParams, RevealAddressMnemonicMethod.Result> {
    /** @param mnemonic 24 lower-case words */
    record Result(Address address, List<SecretBytes> mnemonic) {}

    private final Keyring keyring;
    private final Executor executor;

    RevealAddressMnemonicMethod(Keyring keyring, Executor executor) {
        super(
                "reveal_address_mnemonic",
                Scope.SPEND,
                "Reveals the 24 words of a 1:1 key: its standard phrase, or the words that spell its secret.",
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
        return keyring.revealPhrase(params.address(), params.passphrase())
                .thenApplyAsync(phrase -> new Result(params.address(), Words.of(phrase)), executor);
    }
}
