package org.chainwalletd.rpc.method.swap;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.chainwalletd.keyring.EvmKeyGuard;
import org.chainwalletd.keyring.EvmReplacement;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.RpcMethod;

/** The methods about the account-chain key (interface.md, section 4.13). They need the keyring, no account chain. */
public final class EvmKeyMethods {
    private EvmKeyMethods() {}

    /**
     * @param guard asked before a key is deleted or replaced
     * @param executor for turning the keyring's answers into results: any pool of the daemon
     */
    public static List<RpcMethod<?, ?>> all(Keyring keyring, EvmKeyGuard guard, Executor executor) {
        return List.of(
                new EvmGetAddressMethod(keyring, executor),
                new EvmCreateAddressMethod(keyring, guard, executor),
                new EvmImportMnemonicMethod(keyring, guard, executor),
                new EvmImportKeyMethod(keyring, guard, executor),
                new EvmRevealMnemonicMethod(keyring, executor),
                new RevealEvmPrivateKeyMethod(keyring, executor),
                new EvmDeleteKeyMethod(keyring, guard, executor));
    }

    static EvmReplacement overwriting(Optional<Boolean> overwrite, EvmKeyGuard guard) {
        return overwrite.orElse(false) ? new EvmReplacement.Guarded(guard) : new EvmReplacement.Never("overwrite");
    }
}
