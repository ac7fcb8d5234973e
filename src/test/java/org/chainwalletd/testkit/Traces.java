package org.chainwalletd.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Searches data for secrets that must not occur in it: for their bytes, halves of them, and all common encodings. Searches for all of them in one
 * pass.
 */
public final class Traces {
    /**
     * Number of leading bytes of each trace that are looked up at every position. Two would match too much, because in texts with two bytes per
     * character every other byte is the same.
     */
    private static final int SHORTEST = Long.BYTES;

    private static final int FILTER_BITS = 20;
    /** Bytes of a file that are searched at a time. */
    private static final int WINDOW = 1 << 20;

    private final Map<Long, List<Trace>> byBeginning = new HashMap<>();
    private final boolean[] mayBegin = new boolean[1 << FILTER_BITS];
    private int longest = SHORTEST;

    private record Trace(String name, byte[] bytes) {}

    /**
     * Adds the traces of a secret.
     *
     * @param secret 16 bytes or more
     */
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
            // Without the characters that also depend on the adjacent bytes.
            text(name + " as base64", Base64.getEncoder().encodeToString(moved).substring(before == 0 ? 0 : 4, whole));
            text(
                    name + " as base64 of URLs",
                    Base64.getUrlEncoder().encodeToString(moved).substring(before == 0 ? 0 : 4, whole));
        }
        return this;
    }

    /** Adds a text, in one and in two bytes per character. */
    public Traces text(String name, String secret) {
        add(name, secret.getBytes(StandardCharsets.UTF_8));
        add(name + " in UTF-16", secret.getBytes(StandardCharsets.UTF_16LE));
        return this;
    }

    private void add(String name, byte[] trace) {
        if (trace.length < SHORTEST) {
            throw new IllegalArgumentException("found everywhere: " + name);
        }
        long beginning = ByteBuffer.wrap(trace).getLong();
        byBeginning.computeIfAbsent(beginning, any -> new ArrayList<>()).add(new Trace(name, trace));
        longest = Math.max(longest, trace.length);
        mayBegin[place(beginning)] = true;
    }

    private static int place(long beginning) {
        return (int) (beginning * 0x9e3779b97f4a7c15L >>> Long.SIZE - FILTER_BITS);
    }

    /** Returns the names of the secrets that occur in a text. */
    public List<String> in(String text) {
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        Set<String> found = new TreeSet<>();
        search(content, content.length, found);
        return new ArrayList<>(found);
    }

    /** Returns the names of the secrets that occur in any file of a folder. */
    public Set<String> under(Path folder) throws IOException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                found.addAll(in(file));
            }
        }
        return found;
    }

    /** Returns the names of the secrets that occur in a file. */
    public List<String> in(Path file) throws IOException {
        Set<String> found = new TreeSet<>();
        byte[] window = new byte[Math.max(WINDOW, 2 * longest)];
        try (InputStream content = Files.newInputStream(file)) {
            int kept = 0;
            int read = content.readNBytes(window, 0, window.length);
            while (read > 0) {
                int filled = kept + read;
                search(window, filled, found);
                // A trace that begins at the end of this window is complete in the next one.
                kept = Math.min(filled, longest - 1);
                System.arraycopy(window, filled - kept, window, 0, kept);
                read = content.readNBytes(window, kept, window.length - kept);
            }
        }
        return new ArrayList<>(found);
    }

    private void search(byte[] content, int length, Set<String> found) {
        long last = 0;
        for (int next = 0; next < length; next++) {
            last = last << Byte.SIZE | content[next] & 0xff;
            if (next >= SHORTEST - 1 && mayBegin[place(last)]) {
                for (Trace trace : byBeginning.getOrDefault(last, List.of())) {
                    if (isAt(content, length, next - SHORTEST + 1, trace.bytes())) {
                        found.add(trace.name());
                    }
                }
            }
        }
    }

    private static boolean isAt(byte[] content, int length, int at, byte[] trace) {
        return at + trace.length <= length && Arrays.equals(content, at, at + trace.length, trace, 0, trace.length);
    }
}
