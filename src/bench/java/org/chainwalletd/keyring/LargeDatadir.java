package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyFolder;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.PublicKeyFiles;
import org.chainwalletd.keyring.store.SealedPlace;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.StateFile;
import org.chainwalletd.store.files.AtomicFiles;

/**
 * Generates a datadir with many standard keys in seconds instead of hours: all key files share one salt, and all phrase files another, so
 * that two key derivations are enough. They open like any other; a real keyring never shares a salt.
 *
 * <p>{@code java -cp … org.chainwalletd.keyring.LargeDatadir <datadir> <number of keys> <passphrase>}
 */
public final class LargeDatadir {
    private static final byte[] KEY_SALT = "sixteen bytes  k".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PHRASE_SALT = "sixteen bytes  p".getBytes(StandardCharsets.US_ASCII);

    private LargeDatadir() {}

    public static void main(String[] args) throws IOException {
        long start = System.nanoTime();
        write(Path.of(args[0]), Integer.parseInt(args[1]), args[2]);
        System.out.printf("%s keys in %d s%n", args[1], (System.nanoTime() - start) / 1_000_000_000);
    }

    static void write(Path datadir, int keys, String passphrase) throws IOException {
        Path wallets = datadir.resolve("wallets");
        AtomicFiles.createFolder(wallets.resolve("imported"));
        ChainProfile profile = ChainProfile.of("chain");
        SecureRandom random = new SecureRandom();
        Sealer sealer = new Sealer(profile, Argon2.SPECIFIED, random);
        KeyFolder folder = new KeyFolder(wallets);
        byte[] phraseBytes = passphrase.getBytes(StandardCharsets.UTF_8);
        SecretBytes keyKey = Argon2.SPECIFIED.derive(phraseBytes, KEY_SALT);
        SecretBytes phraseKey = Argon2.SPECIFIED.derive(phraseBytes, PHRASE_SALT);
        List<KeyEntry> entries = new ArrayList<>(keys);
        for (int i = 0; i < keys; i++) {
            Optional<String> label = i % 10 == 0 ? Optional.of("customer " + i) : Optional.empty();
            Mnemonic phrase = sealer.newPhrase();
            try (NewKey key = NewKey.alone(sealer, sealer.newSecret(), KeyNote.Origin.INDEPENDENT, label)) {
                Files.write(
                        folder.key(key.address()),
                        sealed(keyKey, KEY_SALT, random, Sealer.Role.IMPORTED.bytes(profile), key.secret()));
                Files.write(
                        folder.path(SealedPlace.phrase(key.address())),
                        sealed(phraseKey, PHRASE_SALT, random, Sealer.Role.MNEMONIC.bytes(profile), phrase.entropy()));
                entries.add(key.entry());
            }
        }
        new PublicKeyFiles(folder.publicKeys()).add(entries);
        new StateFile(folder.state()).write(KeyringView.of(entries, 0, Map.of()), false);
    }

    private static byte[] sealed(SecretBytes key, byte[] salt, SecureRandom random, byte[] role, SecretBytes content) {
        byte[] nonce = new byte[SealedBlob.NONCE_LENGTH];
        random.nextBytes(nonce);
        return content.use(
                plain -> SealedBlob.seal(key, salt, nonce, role, plain).toBytes());
    }
}
