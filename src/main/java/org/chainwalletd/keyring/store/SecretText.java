package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.KeyringException.Reason;

/** Buffer for text with secrets, held in bytes and never in strings. Overwrites each array that it replaces by a larger one. */
public final class SecretText implements AutoCloseable {
    private byte[] content = new byte[1024];
    private int length;

    public SecretText add(byte[] bytes) {
        room(bytes.length);
        System.arraycopy(bytes, 0, content, length, bytes.length);
        length += bytes.length;
        return this;
    }

    public SecretText add(String text) {
        return add(text.getBytes(StandardCharsets.UTF_8));
    }

    public SecretText add(SecretBytes secret) {
        return secret.use(this::add);
    }

    /** Appends lower-case hexadecimal. */
    public SecretText addHex(SecretBytes secret) {
        return secret.use(bytes -> {
            room(2 * bytes.length);
            for (byte b : bytes) {
                content[length++] = digit(b >> 4 & 15);
                content[length++] = digit(b & 15);
            }
            return this;
        });
    }

    /** Returns the collected text; this buffer is empty afterwards. */
    public SecretBytes toSecret() {
        byte[] exact = Arrays.copyOf(content, length);
        close();
        return SecretBytes.takeOver(exact);
    }

    @Override
    public void close() {
        Arrays.fill(content, (byte) 0);
        length = 0;
    }

    private void room(int more) {
        if (length + more > content.length) {
            byte[] larger = Arrays.copyOf(content, Math.max(2 * content.length, length + more));
            Arrays.fill(content, (byte) 0);
            content = larger;
        }
    }

    private static byte digit(int value) {
        return (byte) (value < 10 ? '0' + value : 'a' + value - 10);
    }

    /** Returns lower-case hexadecimal; {@code secret} stays open. */
    public static SecretBytes hex(SecretBytes secret) {
        try (SecretText buffer = new SecretText()) {
            return buffer.addHex(secret).toSecret();
        }
    }

    /**
     * Decodes 64 hexadecimal characters of either case to 32 bytes; {@code hex} stays open.
     *
     * @param name of the parameter, for the message
     * @throws KeyringException with {@link Reason#INVALID}; the message never quotes the text
     */
    public static SecretBytes parseHex(String name, SecretBytes hex) {
        return hex.use(text -> parseHex(name, text));
    }

    public static SecretBytes parseHex(String name, byte[] text) {
        if (text.length != 2 * Ed25519.SEED_LENGTH) {
            throw wrong(name);
        }
        byte[] secret = new byte[Ed25519.SEED_LENGTH];
        for (int i = 0; i < secret.length; i++) {
            int high = Character.digit((char) (text[2 * i] & 0xff), 16);
            int low = Character.digit((char) (text[2 * i + 1] & 0xff), 16);
            if (high < 0 || low < 0) {
                Arrays.fill(secret, (byte) 0);
                throw wrong(name);
            }
            secret[i] = (byte) (high << 4 | low);
        }
        return SecretBytes.takeOver(secret);
    }

    private static KeyringException wrong(String name) {
        return new KeyringException(Reason.INVALID, name + " must be 64 hex characters (a 32-byte secret)");
    }

    /**
     * Reads the first {@code limit} bytes of {@code file}, or all of a shorter one. Avoids the JDK's convenience methods, whose buffers
     * stay on the heap.
     */
    public static SecretBytes read(Path file, int limit) throws IOException {
        byte[] content = new byte[limit];
        try (InputStream in = Files.newInputStream(file)) {
            int length = in.readNBytes(content, 0, limit);
            return SecretBytes.takeOver(Arrays.copyOf(content, length));
        } finally {
            Arrays.fill(content, (byte) 0);
        }
    }
}
