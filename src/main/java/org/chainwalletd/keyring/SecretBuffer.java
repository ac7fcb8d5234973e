package org.chainwalletd.keyring;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.chainwalletd.crypto.SecretBytes;

/** Collects text that holds secrets; every array it outgrows is overwritten. */
final class SecretBuffer implements AutoCloseable {
    private byte[] content = new byte[1024];
    private int length;

    SecretBuffer add(byte[] bytes) {
        room(bytes.length);
        System.arraycopy(bytes, 0, content, length, bytes.length);
        length += bytes.length;
        return this;
    }

    SecretBuffer add(String text) {
        return add(text.getBytes(StandardCharsets.UTF_8));
    }

    SecretBuffer add(SecretBytes secret) {
        return secret.use(this::add);
    }

    /** Lower-case hexadecimal. */
    SecretBuffer addHex(SecretBytes secret) {
        return secret.use(bytes -> {
            room(2 * bytes.length);
            for (byte b : bytes) {
                content[length++] = digit(b >> 4 & 15);
                content[length++] = digit(b & 15);
            }
            return this;
        });
    }

    /** What was collected; this buffer is empty afterwards. */
    SecretBytes toSecret() {
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
}
