package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.EvmAccount;
import org.chainwalletd.api.EvmAccount.EvmCreateAddress;
import org.chainwalletd.api.EvmAccount.EvmDeleteKey;
import org.chainwalletd.api.EvmAccount.EvmGetAddress;
import org.chainwalletd.api.EvmAccount.EvmImportKey;
import org.chainwalletd.api.EvmAccount.EvmImportMnemonic;
import org.chainwalletd.api.EvmAccount.EvmRevealMnemonic;
import org.chainwalletd.api.EvmAccount.Imported;
import org.chainwalletd.api.EvmAccount.RevealEvmPrivateKey;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.evm.EvmKeyChanges.EvmReplacement;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.rpc.RpcMethod;

/** Answers the methods of {@link EvmAccount} about the account-chain key. They need the keyring, no account chain. */
public final class EvmKeyMethods {
    private final Keyring keyring;
    private final EvmKeyGuard guard;
    private final Executor executor;

    private EvmKeyMethods(Keyring keyring, EvmKeyGuard guard, Executor executor) {
        this.keyring = keyring;
        this.guard = guard;
        this.executor = executor;
    }

    /**
     * @param guard asked before a key is deleted or replaced
     * @param executor for turning the keyring's answers into results: any pool of the daemon
     */
    public static List<RpcMethod<?, ?>> all(Keyring keyring, EvmKeyGuard guard, Executor executor) {
        EvmKeyMethods methods = new EvmKeyMethods(keyring, guard, executor);
        return List.of(
                RpcMethod.of(EvmGetAddress.class, methods::address),
                RpcMethod.of(EvmCreateAddress.class, methods::create),
                RpcMethod.of(EvmImportMnemonic.class, methods::importMnemonic),
                RpcMethod.of(EvmImportKey.class, methods::importKey),
                RpcMethod.of(EvmRevealMnemonic.class, methods::revealMnemonic),
                RpcMethod.of(RevealEvmPrivateKey.class, methods::revealKey),
                RpcMethod.of(EvmDeleteKey.class, methods::delete));
    }

    private CompletionStage<EvmGetAddress.Result> address(EvmGetAddress call) {
        return keyring.evm()
                .current()
                .thenApplyAsync(
                        address -> new EvmGetAddress.Result(address.map(EvmAddress::toString), address.isPresent()),
                        executor);
    }

    private CompletionStage<EvmCreateAddress.Result> create(EvmCreateAddress call) {
        EvmReplacement replacement =
                call.force().orElse(false) ? new EvmReplacement.Forced(guard) : new EvmReplacement.Never("force");
        return keyring.evm()
                .create(replacement)
                .thenApplyAsync(
                        made -> new EvmCreateAddress.Result(
                                made.address().toString(), KeyringMethods.Words.of(made.words())),
                        executor);
    }

    private CompletionStage<Imported> importMnemonic(EvmImportMnemonic call) {
        return keyring.evm()
                .importPhrase(call.mnemonic(), overwriting(call.overwrite()))
                .thenApplyAsync(address -> new Imported(address.toString()), executor);
    }

    private CompletionStage<Imported> importKey(EvmImportKey call) {
        return keyring.evm()
                .importKey(call.privateKeyHex(), overwriting(call.overwrite()))
                .thenApplyAsync(address -> new Imported(address.toString()), executor);
    }

    private EvmReplacement overwriting(Optional<Boolean> overwrite) {
        return overwrite.orElse(false) ? new EvmReplacement.Guarded(guard) : new EvmReplacement.Never("overwrite");
    }

    private CompletionStage<EvmRevealMnemonic.Result> revealMnemonic(EvmRevealMnemonic call) {
        return keyring.evm()
                .revealPhrase(call.passphrase())
                .thenApplyAsync(words -> new EvmRevealMnemonic.Result(KeyringMethods.Words.of(words)), executor);
    }

    private CompletionStage<RevealEvmPrivateKey.Result> revealKey(RevealEvmPrivateKey call) {
        return keyring.evm()
                .revealKey(call.passphrase())
                .thenApplyAsync(
                        revealed -> new RevealEvmPrivateKey.Result(
                                revealed.address().toString(), revealed.secretHex()),
                        executor);
    }

    private CompletionStage<EvmDeleteKey.Result> delete(EvmDeleteKey call) {
        Optional<EvmKeyGuard> asked = call.force().orElse(false) ? Optional.empty() : Optional.of(guard);
        return keyring.evm()
                .delete(call.passphrase(), asked)
                .thenApplyAsync(address -> new EvmDeleteKey.Result(address.toString()), executor);
    }
}
