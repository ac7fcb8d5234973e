package org.chainwalletd.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * What {@code init-seeded} makes of the words of the vector {@code hd-0-abandon-art} under {@link DaemonProcess#PASSPHRASE}, without a process and
 * the two Argon2id of it. The keys that a daemon derives from a seed cost it no Argon2id of their own, where every other key takes one to be made
 * and one for its first signature: for tests with many keys whose kind is all the same.
 */
public final class SeededKeyring {
    private static final String SEED =
            "5744563101c2ac35aa15a328e6acbe5c32b0db6304a3756b29a38d7f387fe37f485742a1788c2ad0"
                    + "8c74a0d584949edcfb7636bd02a9565a379d39bd29f568c8f24e2e9c7f5a978aa31a4bb4dbcdbdcfa1";
    private static final String STATE = "{\"next_index\": 0, \"derived\": {}, \"labels\": {}, \"imported\": []}\n";

    private SeededKeyring() {}

    /** Puts one where nothing is yet; returns {@code datadir}. */
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
