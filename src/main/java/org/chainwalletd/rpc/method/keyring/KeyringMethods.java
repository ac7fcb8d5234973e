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
     * @param newKeys makes keys of the same keyring
     * @param guard asked before a key is deleted
     * @param executor for turning the keyring's answers into results: any pool of the daemon
     */
    public static List<RpcMethod<?, ?>> all(Keyring keyring, NewKeys newKeys, DeletionGuard guard, Executor executor) {
        return List.of(
                new GenerateStandardAddressMethod(newKeys, executor),
                new GenerateIndependentAddressMethod(newKeys, executor),
                new GenerateAddressMethod(newKeys, executor),
                new ImportPrivateKeyMethod(newKeys, executor),
                new ImportMnemonicMethod(newKeys, executor),
                new ImportStandardMnemonicMethod(newKeys, executor),
                new ListAddressesMethod(keyring, executor),
                new RevealAddressMnemonicMethod(keyring, executor),
                new RevealMnemonicMethod(keyring, executor),
                new RevealPrivateKeyMethod(keyring, executor),
                new ExportAddressMethod(keyring, executor),
                new ExportVaultMethod(keyring, executor),
                new ImportVaultMethod(newKeys, executor),
                new DeleteAddressMethod(keyring, guard, executor));
    }
}
