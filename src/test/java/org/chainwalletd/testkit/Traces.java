package org.chainwalletd.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;

/**
 * What secrets would look like where they must not be: their bytes, halves of them, and every usual way to write them. Looks for all at once,
 * in one pass.
 */
public final class Traces {
    private static final int PAIRS = 1 << 16;
    private static final int SHORTEST = 8;

    private final List<Trace> traces = new ArrayList<>();
    private final boolean[] beginnings = new boolean[PAIRS];

    private record Trace(String name, byte[] bytes) {}

    /** @param secret 16 bytes or more */
    public Traces bytes(String name, byte[] secret) {
        int half = secret.length / 2;
        add(name + ", first half", Arrays.copyOf(secret, half));
        add(name + ", second half", Arrays.copyOfRange(secret, half, secret.length));
        for (HexFormat form : List.of(HexFormat.of(), HexFormat.of().withUpperCase())) {
            String hex = form.formatHex(secret);
            text(name + " as hex, first half", hex.substring(0, secret.length));
            text(name + " as hex, second half", hex.substring(secret.length));
        }
        for (int before = 0; before < 3; before++) {
            byte[] moved = new byte[before + secret.length];
            System.arraycopy(secret, 0, moved, before, secret.length);
            int whole = moved.length / 3 * 4;
            // Without the characters that also depend on what stands before and after.
            text(name + " as base64", Base64.getEncoder().encodeToString(moved).substring(before == 0 ? 0 : 4, whole));
            text(
                    name + " as base64 of URLs",
                    Base64.getUrlEncoder().encodeToString(moved).substring(before == 0 ? 0 : 4, whole));
        }
        return this;
    }

    /** As it stands, in one byte for each character and in two. */
    public Traces text(String name, String secret) {
        add(name, secret.getBytes(StandardCharsets.UTF_8));
        add(name + " in UTF-16", secret.getBytes(StandardCharsets.UTF_16LE));
        return this;
    }

    private void add(String name, byte[] trace) {
        if (trace.length < SHORTEST) {
            throw new IllegalArgumentException("found everywhere: " + name);
        }
        traces.add(new Trace(name, trace));
        beginnings[pair(trace[0], trace[1])] = true;
    }

    private static int pair(byte first, byte second) {
        return (first & 0xff) << 8 | second & 0xff;
    }

    /** Names of those that are in a text. */
    public List<String> in(String text) {
        return in(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Names of those that are in a file of less than 2 GiB. */
    public List<String> in(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            MappedByteBuffer content = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            return in(content);
        }
    }

    private List<String> in(ByteBuffer content) {
        TreeSet<String> found = new TreeSet<>();
        int last = content.limit() - 1;
        for (int at = 0; at < last; at++) {
            if (beginnings[pair(content.get(at), content.get(at + 1))]) {
                for (Trace trace : traces) {
                    if (isAt(content, at, trace.bytes())) {
                        found.add(trace.name());
                    }
                }
            }
        }
        return new ArrayList<>(found);
    }

    private static boolean isAt(ByteBuffer content, int at, byte[] trace) {
        if (at + trace.length > content.limit()) {
            return false;
        }
        for (int i = 0; i < trace.length; i++) {
            if (content.get(at + i) != trace[i]) {
                return false;
            }
        }
        return true;
    }
}
