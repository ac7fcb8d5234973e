package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.AtomicFiles;

/**
 * The public keys beside the sealed files, so that nothing needs to be unsealed to know them (decisions.md, requirement 11): {@code
 * wallets/pubkeys/000000.keys} and so on, each up to 1,024 keys of 32 raw bytes. An address is the hash of its key, so a key proves
 * itself; one that is lost or damaged is learnt again when its secret is unsealed.
 *
 * <p>These files are this daemon's own. Other implementations neither write nor need them. Blocking; one caller at a time.
 */
final class PublicKeyFiles {
    /** Keys per file: small enough that writing the last file anew costs no more than a small one. */
    static final int PER_FILE = 1_024;

    private static final String SUFFIX = ".keys";

    private final Path folder;
    private int last;
    private byte[] lastContent = new byte[0];

    PublicKeyFiles(Path folder) {
        this.folder = folder;
    }

    /** All keys that stand here, also some of no listed address. */
    synchronized List<PublicKey> load() throws IOException {
        List<PublicKey> keys = new ArrayList<>();
        for (Path file : files()) {
            byte[] content = Files.readAllBytes(file);
            for (int at = 0; at + PublicKey.LENGTH <= content.length; at += PublicKey.LENGTH) {
                keys.add(PublicKey.of(Arrays.copyOfRange(content, at, at + PublicKey.LENGTH)));
            }
            last = numberOf(file);
            lastContent = Arrays.copyOf(content, content.length - content.length % PublicKey.LENGTH);
        }
        return keys;
    }

    /** Adds {@code keys}; when this returns they survive a power cut. */
    synchronized void add(Collection<PublicKey> keys) throws IOException {
        byte[] content = lastContent;
        int number = last;
        for (PublicKey key : keys) {
            if (content.length == PER_FILE * PublicKey.LENGTH) {
                write(number, content);
                number++;
                content = new byte[0];
            }
            int end = content.length;
            content = Arrays.copyOf(content, end + PublicKey.LENGTH);
            System.arraycopy(key.toArray(), 0, content, end, PublicKey.LENGTH);
        }
        if (!keys.isEmpty()) {
            write(number, content);
        }
    }

    /** Takes {@code keys} out of whichever files they stand in. */
    synchronized void remove(Collection<PublicKey> keys) throws IOException {
        Set<PublicKey> gone = new HashSet<>(keys);
        for (Path file : files()) {
            byte[] content = Files.readAllBytes(file);
            byte[] kept = new byte[content.length];
            int end = 0;
            for (int at = 0; at + PublicKey.LENGTH <= content.length; at += PublicKey.LENGTH) {
                byte[] key = Arrays.copyOfRange(content, at, at + PublicKey.LENGTH);
                if (!gone.contains(PublicKey.of(key))) {
                    System.arraycopy(key, 0, kept, end, PublicKey.LENGTH);
                    end += PublicKey.LENGTH;
                }
            }
            if (end < content.length) {
                write(numberOf(file), Arrays.copyOf(kept, end));
            }
        }
    }

    private void write(int number, byte[] content) throws IOException {
        AtomicFiles.createFolder(folder);
        AtomicFiles.write(folder.resolve(String.format("%06d%s", number, SUFFIX)), content);
        if (number >= last) {
            last = number;
            lastContent = content;
        }
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "[0-9]*" + SUFFIX)) {
            found.forEach(files::add);
        } catch (NoSuchFileException e) {
            return List.of();
        }
        Collections.sort(files);
        return files;
    }

    private static int numberOf(Path file) throws IOException {
        String name = file.getFileName().toString();
        try {
            return Integer.parseInt(name.substring(0, name.length() - SUFFIX.length()));
        } catch (NumberFormatException e) {
            throw new IOException("unexpected file " + file + "; remove it", e);
        }
    }
}
