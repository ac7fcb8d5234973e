package org.chainwalletd.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Keyring that {@code init-seeded} makes from the words of the vector {@code hd-0-abandon-art} under {@link DaemonProcess#PASSPHRASE}, without a
 * process and its two Argon2id computations. Keys derived from a seed need no Argon2id computation, whereas every other key needs one when it is
 * made and one for its first signature: for tests with many keys of any kind.
 */
public final class SeededKeyring {
    private static final String SEED =
            "5744563101c2ac35aa15a328e6acbe5c32b0db6304a3756b29a38d7f387fe37f485742a1788c2ad0"
                    + "8c74a0d584949edcfb7636bd02a9565a379d39bd29f568c8f24e2e9c7f5a978aa31a4bb4dbcdbdcfa1";
    private static final String STATE = "{\"next_index\": 0, \"derived\": {}, \"labels\": {}, \"imported\": []}\n";

    private SeededKeyring() {}

    /** Creates the keyring in an empty folder; returns {@code datadir}. */
    public static Path in(Path datadir) {
        try {
            Path wallets = Files.createDirectories(datadir.resolve("wallets"));
            Files.createDirectory(wallets.resolve("imported"));
            Files.write(wallets.resolve("seed.enc"), HexFormat.of().parseHex(SEED));
            Files.writeString(wallets.resolve("state.json"), STATE);
            OwnFiles.of(datadir);
            return datadir;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
