package org.chainwalletd.rpc;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Grows while an answer is written. Answers may hold secrets, so arrays that are outgrown are overwritten. */
final class AnswerBuffer extends OutputStream {
    private byte[] content = new byte[512];
    private int length;

    @Override
    public void write(int octet) {
        ensure(1);
        content[length++] = (byte) octet;
    }

    @Override
    public void write(byte[] source, int offset, int count) {
        ensure(count);
        System.arraycopy(source, offset, content, length, count);
        length += count;
    }

    @Override
    public void write(byte[] source) {
        write(source, 0, source.length);
    }

    void ascii(String text) {
        write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void utf8(String text) {
        write(text.getBytes(StandardCharsets.UTF_8));
    }

    int length() {
        return length;
    }

    /** Forgets everything after the first {@code newLength} bytes. */
    void truncate(int newLength) {
        Arrays.fill(content, newLength, length, (byte) 0);
        length = newLength;
    }

    /** The bytes written; the buffer is overwritten. */
    byte[] finish() {
        byte[] result = Arrays.copyOf(content, length);
        Arrays.fill(content, 0, length, (byte) 0);
        length = 0;
        return result;
    }

    private void ensure(int more) {
        if (content.length - length < more) {
            byte[] outgrown = content;
            content = Arrays.copyOf(
                    outgrown, Math.addExact(Math.max(outgrown.length, length), Math.max(more, outgrown.length)));
            Arrays.fill(outgrown, 0, length, (byte) 0);
        }
    }
}
