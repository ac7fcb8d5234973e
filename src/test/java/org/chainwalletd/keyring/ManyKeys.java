package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.store.AtomicFiles;

/** Makes a keyring of many independent keys quickly: nothing is synced, and sealing is as cheap as the fixture's. */
final class ManyKeys {
    private ManyKeys() {}

    static List<KeyEntry> write(Path wallets, int keys) throws IOException {
        KeyFolder folder = new KeyFolder(wallets);
        folder.create();
        Sealer sealer = new Sealer(KeyringFixture.CHAIN, KeyringFixture.CHEAP, new SecureRandom());
        List<KeyEntry> entries = new ArrayList<>();
        try (SecretBytes passphrase = KeyringFixture.secret(KeyringFixture.PASSPHRASE)) {
            for (int i = 0; i < keys; i++) {
                Optional<String> label = i % 7 == 0 ? Optional.of("number " + i) : Optional.empty();
                try (NewKey key = NewKey.alone(sealer, sealer.newSecret(), KeyOrigin.INDEPENDENT, label)) {
                    Files.write(
                            folder.key(key.address()),
                            sealer.seal(SealedRole.IMPORTED, passphrase, key.secret())
                                    .toBytes());
                    entries.add(key.entry());
                }
            }
        }
        AtomicFiles.createFolder(folder.publicKeys());
        new PublicKeyFiles(folder.publicKeys()).add(entries);
        new StateFile(folder.state()).write(KeyringView.of(entries, 0, Map.of()), false);
        return entries;
    }
}
