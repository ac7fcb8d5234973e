package org.chainwalletd.boot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.chainwalletd.config.FileAccess;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.store.FileFailures;

/**
 * Reads the keystore passphrase from a file: UTF-8, one line. One line end after it, LF or CR LF, is not part of it, since every editor
 * and {@code echo} adds one; nothing else is taken away. What can only be a mistake is refused, because a key that is sealed under it opens
 * with nothing that the operator would think of.
 */
final class PassphraseFile {
    static final int LONGEST = 4096;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final Path file;

    PassphraseFile(Path file) {
        this.file = file;
    }

    /**
     * @return UTF-8 bytes
     * @throws StartupException when it cannot be read, others may read it, or it does not hold one line
     */
    SecretBytes read() {
        byte[] content = new byte[LONGEST + 1];
        try {
            checkAccess();
            try (InputStream in = Files.newInputStream(file)) {
                return passphrase(content, in.readNBytes(content, 0, content.length));
            }
        } catch (FileSystemException e) {
            throw refused("cannot be read (" + FileFailures.reason(e) + ")");
        } catch (IOException e) {
            throw refused("cannot be read (" + e.getMessage() + ")");
        } finally {
            Arrays.fill(content, (byte) 0);
        }
    }

    private void checkAccess() throws IOException {
        FileAccess.of(file).objectionToSecret().ifPresent(objection -> {
            throw refused(objection);
        });
    }

    private SecretBytes passphrase(byte[] content, int read) {
        if (read > LONGEST) {
            throw refused("is longer than " + LONGEST + " bytes");
        }
        int length = withoutLineEnd(content, read);
        if (length == 0) {
            throw refused("is empty");
        }
        for (int i = 0; i < length; i++) {
            if (content[i] == '\n' || content[i] == '\r' || content[i] == 0) {
                throw refused("must hold the passphrase alone, on one line");
            }
        }
        boolean marked = Arrays.mismatch(content, BYTE_ORDER_MARK) >= BYTE_ORDER_MARK.length;
        if (marked || !isUtf8(content, length)) {
            throw refused("must be UTF-8, without a byte order mark");
        }
        return SecretBytes.takeOver(Arrays.copyOf(content, length));
    }

    private static int withoutLineEnd(byte[] content, int length) {
        if (length == 0 || content[length - 1] != '\n') {
            return length;
        }
        return length > 1 && content[length - 2] == '\r' ? length - 2 : length - 1;
    }

    /** Decodes into a small buffer that is overwritten, not into a text that nobody can overwrite. */
    private static boolean isUtf8(byte[] content, int length) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        char[] text = new char[length];
        try {
            return !decoder.decode(ByteBuffer.wrap(content, 0, length), CharBuffer.wrap(text), true)
                    .isError();
        } finally {
            Arrays.fill(text, '\0');
        }
    }

    private StartupException refused(String why) {
        return new StartupException("the passphrase file " + file + " " + why);
    }
}
