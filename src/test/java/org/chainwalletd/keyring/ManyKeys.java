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
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyFolder;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.PublicKeyFiles;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.StateFile;
import org.chainwalletd.store.files.AtomicFiles;

/** Makes a keyring of many independent keys quickly: nothing is synced, and sealing is as cheap as the fixture's. */
final class ManyKeys {
    /** Keys of {@link #write}: each is generated and sealed once for all tests of the process. */
    private static final List<Sealed> DRAWN = new ArrayList<>();

    private record Sealed(KeyEntry entry, byte[] file) {}

    private ManyKeys() {}

    /** Writes a keyring; all folders get the same keys. */
    static List<KeyEntry> write(Path wallets, int keys) throws IOException {
        synchronized (DRAWN) {
            draw(DRAWN, keys);
            return write(wallets, DRAWN.subList(0, keys));
        }
    }

    /** Writes a keyring with keys that no other folder has. */
    static List<KeyEntry> writeOthers(Path wallets, int keys) throws IOException {
        List<Sealed> drawn = new ArrayList<>();
        draw(drawn, keys);
        return write(wallets, drawn);
    }

    private static void draw(List<Sealed> drawn, int keys) {
        Sealer sealer = new Sealer(KeyringFixture.CHAIN, KeyringFixture.CHEAP, new SecureRandom());
        try (SecretBytes passphrase = KeyringFixture.secret(KeyringFixture.PASSPHRASE)) {
            for (int i = drawn.size(); i < keys; i++) {
                Optional<String> label = i % 7 == 0 ? Optional.of("number " + i) : Optional.empty();
                try (NewKey key = NewKey.alone(sealer, sealer.newSecret(), KeyNote.Origin.INDEPENDENT, label)) {
                    drawn.add(new Sealed(
                            key.entry(),
                            sealer.seal(Sealer.Role.IMPORTED, passphrase, key.secret())
                                    .toBytes()));
                }
            }
        }
    }

    private static List<KeyEntry> write(Path wallets, List<Sealed> keys) throws IOException {
        KeyFolder folder = new KeyFolder(wallets);
        folder.create();
        List<KeyEntry> entries = new ArrayList<>();
        for (Sealed key : keys) {
            Files.write(folder.key(key.entry().address()), key.file());
            entries.add(key.entry());
        }
        AtomicFiles.createFolder(folder.publicKeys());
        new PublicKeyFiles(folder.publicKeys()).add(entries);
        new StateFile(folder.state()).write(KeyringView.of(entries, 0, Map.of()), false);
        return entries;
    }
}
