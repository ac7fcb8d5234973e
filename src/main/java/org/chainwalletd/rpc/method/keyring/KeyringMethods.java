package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.concurrent.Executor;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.rpc.RpcMethod;

/** The family of keyring methods (interface.md, section 4.11). */
public final class KeyringMethods {
    private KeyringMethods() {}

    /**
     * @param guard asked before a key is deleted
     * @param executor for turning the keyring's answers into results: any pool of the daemon
     */
    public static List<RpcMethod<?, ?>> all(Keyring keyring, DeletionGuard guard, Executor executor) {
        return List.of(
                new GenerateStandardAddressMethod(keyring, executor),
                new GenerateIndependentAddressMethod(keyring, executor),
                new GenerateAddressMethod(keyring, executor),
                new ImportPrivateKeyMethod(keyring, executor),
                new ImportMnemonicMethod(keyring, executor),
                new ImportStandardMnemonicMethod(keyring, executor),
                new ListAddressesMethod(keyring, executor),
                new RevealAddressMnemonicMethod(keyring, executor),
                new RevealMnemonicMethod(keyring, executor),
                new RevealPrivateKeyMethod(keyring, executor),
                new ExportAddressMethod(keyring, executor),
                new ExportVaultMethod(keyring, executor),
                new ImportVaultMethod(keyring, executor),
                new DeleteAddressMethod(keyring, guard, executor));
    }
}
