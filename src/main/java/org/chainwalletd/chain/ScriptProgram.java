package org.chainwalletd.chain;

import java.util.BitSet;
import java.util.Optional;

/**
 * Structure of a serialised script program (chain protocol, section 6.1): decoded strictly, never executed. Sufficient to recognise a well-formed
 * program and to compute its structural hash; admission and evaluation rules are not checked.
 */
public final class ScriptProgram {
    /** Treatment of constants in the structural hash (appendix F). */
    public enum HashVariant {
        /** The hash covers the presence of a constant only. */
        A,
        /** The hash also covers the type of the constant. */
        B
    }

    private static final int MAX_NODES = 65_535;
    private static final int MAX_LIST = 65_536;
    private static final int MAX_DEPTH = 128;
    private static final int NONE = -1;

    private static final int COMP = 0x01;
    private static final int UNIT = 0x02;
    private static final int PAIR = 0x03;
    private static final int CASE = 0x08;
    private static final int JET = 0x0b;
    private static final int WITNESS = 0x0c;
    private static final int CONST = 0x0e;

    private final byte[] tags;
    private final int[] first;
    private final int[] second;
    /** Id of a jet, or value tag of a constant. */
    private final int[] payload;

    private ScriptProgram(int nodes) {
        tags = new byte[nodes];
        first = new int[nodes];
        second = new int[nodes];
        payload = new int[nodes];
    }

    /** @throws DecodeException unless {@code bytes} are a well-formed program */
    public static ScriptProgram decode(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        long nodes = in.u32("node count");
        long root = in.u32("root index");
        if (nodes > MAX_NODES || nodes > in.remaining()) {
            throw new DecodeException(0, "node count " + nodes + " with " + in.remaining() + " bytes left");
        }
        if (root >= nodes) {
            throw new DecodeException(4, "root index " + root + " of " + nodes + " nodes");
        }
        ScriptProgram program = new ScriptProgram((int) nodes);
        BitSet reachable = new BitSet((int) nodes);
        reachable.set((int) root);
        for (int i = 0; i < nodes; i++) {
            if (!reachable.get(i)) {
                throw new DecodeException(in.position(), "node " + i + " is not reachable from the root");
            }
            program.readNode(in, i, reachable);
        }
        in.end("program");
        return program;
    }

    /** Tests whether {@code script} decodes as a program. */
    public static boolean isWellFormed(Bytes script) {
        try {
            decode(script.toArray());
            return true;
        } catch (DecodeException e) {
            return false;
        }
    }

    public int nodeCount() {
        return tags.length;
    }

    /**
     * Returns the structural hash of appendix F, equal for programs that differ only in the content of their constants; empty when the program has
     * a node for which the appendix defines no hash.
     */
    public Optional<Hash256> structuralHash(ChainProfile profile, HashVariant variant) {
        byte[][] hashes = new byte[tags.length][];
        for (int i = tags.length - 1; i >= 0; i--) {
            byte[] own = {tags[i]};
            byte[] none = {};
            byte[] left = first[i] == NONE ? none : hashes[first[i]];
            byte[] right = second[i] == NONE ? none : hashes[second[i]];
            switch (tags[i]) {
                case COMP, PAIR, CASE, UNIT, WITNESS -> {}
                case JET -> left = new ByteWriter(4).u32(payload[i]).finish();
                case CONST -> left = variant == HashVariant.A ? none : new byte[] {(byte) payload[i]};
                default -> {
                    return Optional.empty();
                }
            }
            hashes[i] = profile.hash(DomainTag.SCRIPT, own, left, right).unsafe();
        }
        return Optional.of(Hash256.wrap(hashes[0]));
    }

    private void readNode(ByteReader in, int index, BitSet reachable) {
        int start = in.position();
        tags[index] = (byte) in.u8("node");
        first[index] = NONE;
        second[index] = NONE;
        switch (tags[index]) {
            case 0x00, UNIT, WITNESS -> {}
            case COMP, PAIR, CASE, 0x0a -> {
                first[index] = readChild(in, index, reachable);
                second[index] = readChild(in, index, reachable);
            }
            case 0x04, 0x05, 0x06, 0x07 -> first[index] = readChild(in, index, reachable);
            case 0x09 -> {
                first[index] = readChild(in, index, reachable);
                second[index] = readChild(in, index, reachable);
                in.u64("fold count");
            }
            case JET -> payload[index] = (int) in.u32("jet id");
            case 0x0d -> in.skip(Hash256.LENGTH, "hidden node");
            case CONST -> payload[index] = readConstant(in);
            default -> throw new DecodeException(start, "unknown node tag " + (tags[index] & 0xff));
        }
    }

    private int readChild(ByteReader in, int parent, BitSet reachable) {
        int start = in.position();
        long child = in.u32("child index");
        if (child <= parent || child >= tags.length) {
            throw new DecodeException(start, "child index " + child + " of node " + parent + " of " + tags.length);
        }
        reachable.set((int) child);
        return (int) child;
    }

    private static int readConstant(ByteReader in) {
        long length = in.u32("constant length");
        in.require(length, "constant");
        int start = in.position();
        int tag = skipValue(in, 0);
        if (in.position() - start != length) {
            throw new DecodeException(start, "constant of " + (in.position() - start) + " bytes in " + length);
        }
        return tag;
    }

    /** Skips one serialised value (section 6.2) and returns its tag. */
    private static int skipValue(ByteReader in, int depth) {
        int start = in.position();
        if (depth > MAX_DEPTH) {
            throw new DecodeException(start, "value nested deeper than " + MAX_DEPTH);
        }
        int tag = in.u8("value");
        switch (tag) {
            case 0x00 -> {}
            case 0x01, 0x02 -> skipValue(in, depth + 1);
            case 0x03 -> {
                skipValue(in, depth + 1);
                skipValue(in, depth + 1);
            }
            case 0x04 -> skipList(in, depth);
            case 0x05 -> in.skip(in.u32("bytes length"), "bytes");
            case 0x06 -> in.skip(8, "u64");
            case 0x07, 0x09 -> in.skip(32, "32-byte value");
            case 0x08 -> in.flag("boolean");
            default -> throw new DecodeException(start, "unknown value tag " + tag);
        }
        return tag;
    }

    private static void skipList(ByteReader in, int depth) {
        int start = in.position();
        long count = in.u32("list count");
        if (count > MAX_LIST) {
            throw new DecodeException(start, "list of " + count + " elements (max " + MAX_LIST + ")");
        }
        for (long i = 0; i < count; i++) {
            skipValue(in, depth + 1);
        }
    }
}
