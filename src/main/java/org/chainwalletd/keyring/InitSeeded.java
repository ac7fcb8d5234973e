package org.chainwalletd.keyring;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.crypto.Mnemonic.MnemonicException;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.SecretText;
import org.chainwalletd.store.files.DatadirLock;

/**
 * Subcommand {@code init-seeded}: creates a seeded (legacy HD) keyring (interface.md, section 1.5; decisions.md, section 2). Prints exactly
 * one JSON line {@code {"mnemonic": "<24 words>"}} on standard output, everything else on standard error.
 */
public final class InitSeeded {
    private static final int LONGEST_FILE = 4_096;

    private final KeyringSetup setup;
    private final PrintStream out;
    private final PrintStream err;

    public InitSeeded(KeyringSetup setup, PrintStream out, PrintStream err) {
        this.setup = setup;
        this.out = out;
        this.err = err;
    }

    /**
     * Creates the keyring; changes nothing when one exists already.
     *
     * @param passphrase of the new keystore; closed here
     * @param mnemonicFile 24 words to use instead of new ones, in UTF-8
     * @return exit code: 0 when the keyring was created, else 1
     */
    public int run(SecretBytes passphrase, Optional<Path> mnemonicFile) {
        KeyringStore store = FolderStore.open(setup, true);
        try (passphrase) {
            if (passphrase.length() == 0) {
                throw new IOException("the keystore passphrase is empty");
            }
            requireFree(store);
            try (Mnemonic phrase = phrase(mnemonicFile)) {
                create(store, phrase, passphrase);
            }
            return 0;
        } catch (IOException | KeyringException | MnemonicException e) {
            err.println("init-seeded: " + e.getMessage());
            return 1;
        }
    }

    private void requireFree(KeyringStore store) throws IOException {
        if (!store.isFree()) {
            throw new IOException("there is a keyring already at " + setup.wallets());
        }
    }

    private Mnemonic phrase(Optional<Path> file) throws IOException {
        if (file.isEmpty()) {
            return setup.sealer().newPhrase();
        }
        try (SecretBytes words = SecretText.read(file.get(), LONGEST_FILE)) {
            return words.use(utf8 -> Mnemonic.parse(utf8, Mnemonic.KEY_WORDS));
        } catch (IOException e) {
            throw new IOException("cannot read the file " + file.get(), e);
        }
    }

    private void create(KeyringStore store, Mnemonic phrase, SecretBytes passphrase) throws IOException {
        DatadirLock lock = DatadirLock.acquire(setup.wallets().toAbsolutePath().getParent());
        try (lock;
                SecretBytes entropy = phrase.entropy();
                SecretBytes words = phrase.phrase();
                SecretText line = new SecretText()) {
            requireFree(store);
            SealedBlob seed = setup.sealer().seal(Sealer.Role.SEED, passphrase, entropy);
            try (SecretBytes json =
                    line.add("{\"mnemonic\": \"").add(words).add("\"}\n").toSecret()) {
                print(json);
            }
            store.makeSeeded(seed);
            err.println("seeded keyring made in " + setup.wallets()
                    + "; the words on standard output are the only backup of all keys derived from it");
        }
    }

    /**
     * Prints the words before the keyring is created: words without a keyring are worthless and harmless, but a keyring whose words were
     * never shown could not be backed up.
     */
    private void print(SecretBytes json) throws IOException {
        boolean failed = json.use(bytes -> {
            out.write(bytes, 0, bytes.length);
            out.flush();
            return out.checkError();
        });
        if (failed) {
            throw new IOException("the words could not be written to standard output; no keyring was made");
        }
    }
}
