package org.chainwalletd.keyring;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.chainwalletd.crypto.SecretBytes;

/** Reads files that hold secrets. What the JDK's own methods read them with stays on the heap. */
final class SecretFiles {
    private SecretFiles() {}

    /** The first {@code limit} bytes of {@code file}, or all of a shorter one. */
    static SecretBytes read(Path file, int limit) throws IOException {
        byte[] content = new byte[limit];
        try (InputStream in = Files.newInputStream(file)) {
            int length = in.readNBytes(content, 0, limit);
            return SecretBytes.takeOver(Arrays.copyOf(content, length));
        } finally {
            Arrays.fill(content, (byte) 0);
        }
    }
}
