package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.Optional;
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

/**
 * Handlers of the methods of {@link EvmAccount} for the account-chain key. They require the keyring, but no account chain.
 *
 * @param guard checked before a key is deleted or replaced
 */
public record EvmKeyMethods(Keyring keyring, EvmKeyGuard guard, Executor executor) {
    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(
                        EvmGetAddress.class,
                        call -> keyring.evm().current(),
                        address -> new EvmGetAddress.Result(address.map(EvmAddress::toString), address.isPresent()),
                        executor),
                RpcMethod.of(
                        EvmCreateAddress.class,
                        (call, context) -> KeyringMethods.unlessGone(
                                context,
                                gone -> keyring.evm()
                                        .create(
                                                isSet(call.force())
                                                        ? new EvmReplacement.Forced(guard)
                                                        : new EvmReplacement.Never("force"),
                                                gone),
                                executor),
                        made -> new EvmCreateAddress.Result(
                                made.address().toString(), KeyringMethods.Words.of(made.words())),
                        executor),
                RpcMethod.of(
                        EvmImportMnemonic.class,
                        (call, context) -> KeyringMethods.unlessGone(
                                context,
                                gone -> keyring.evm()
                                        .importPhrase(call.mnemonic(), overwriting(call.overwrite(), guard), gone),
                                executor),
                        address -> new Imported(address.toString()),
                        executor),
                RpcMethod.of(
                        EvmImportKey.class,
                        (call, context) -> KeyringMethods.unlessGone(
                                context,
                                gone -> keyring.evm()
                                        .importKey(call.privateKeyHex(), overwriting(call.overwrite(), guard), gone),
                                executor),
                        address -> new Imported(address.toString()),
                        executor),
                RpcMethod.of(
                        EvmRevealMnemonic.class,
                        (call, context) -> keyring.evm().revealPhrase(call.passphrase(), context::isGone),
                        words -> new EvmRevealMnemonic.Result(KeyringMethods.Words.of(words)),
                        executor),
                RpcMethod.of(
                        RevealEvmPrivateKey.class,
                        (call, context) -> keyring.evm().revealKey(call.passphrase(), context::isGone),
                        revealed -> new RevealEvmPrivateKey.Result(
                                revealed.address().toString(), revealed.secretHex()),
                        executor),
                RpcMethod.of(
                        EvmDeleteKey.class,
                        (call, context) -> KeyringMethods.unlessGone(
                                context,
                                gone -> keyring.evm()
                                        .delete(
                                                call.passphrase(),
                                                isSet(call.force()) ? Optional.empty() : Optional.of(guard),
                                                gone),
                                executor),
                        address -> new EvmDeleteKey.Result(address.toString()),
                        executor));
    }

    private static EvmReplacement overwriting(Optional<Boolean> overwrite, EvmKeyGuard guard) {
        return isSet(overwrite) ? new EvmReplacement.Guarded(guard) : new EvmReplacement.Never("overwrite");
    }

    private static boolean isSet(Optional<Boolean> option) {
        return option.orElse(false);
    }
}
