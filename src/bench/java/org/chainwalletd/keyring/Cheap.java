package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.store.files.AtomicFiles;

/** Copies a keyring so that it opens with another Argon2id cost: every key file becomes one blob that proves the passphrase and no key. */
final class Cheap {
    private Cheap() {}

    static void copy(Path from, Path to, Argon2 cost, String passphrase) throws IOException {
        Sealer sealer = new Sealer(ChainProfile.of("chain"), cost, new SecureRandom());
        SealedBlob blob;
        try (SecretBytes phrase = SecretBytes.takeOver(passphrase.getBytes(StandardCharsets.UTF_8));
                SecretBytes secret = sealer.newSecret()) {
            blob = sealer.seal(Sealer.Role.IMPORTED, phrase, secret);
        }
        AtomicFiles.createFolder(to.resolve("imported"));
        AtomicFiles.createFolder(to.resolve("pubkeys"));
        Files.copy(from.resolve("state.json"), to.resolve("state.json"));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(from.resolve("pubkeys"))) {
            for (Path file : files) {
                Files.copy(file, to.resolve("pubkeys").resolve(file.getFileName()));
            }
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(from.resolve("imported"), "*.key.enc")) {
            for (Path file : files) {
                Files.write(to.resolve("imported").resolve(file.getFileName()), blob.toBytes());
            }
        }
    }
}
