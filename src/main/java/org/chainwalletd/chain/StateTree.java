package org.chainwalletd.chain;

import java.security.MessageDigest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Sparse Merkle tree of depth 256 over the unspent outputs (chain protocol, section 9.3).
 *
 * <p>Immutable: a change returns a new tree that shares everything off the changed path, so keeping the tree before a block for a reorganisation
 * costs only that path. Only nodes where keys diverge are stored, so memory grows with the number of outputs, not with the depth. Subtree hashes
 * are computed when a root is requested, and cached.
 *
 * <p>Nearly all hashes of a change lie between a leaf and the depth where its key diverges from others. They are computed once per leaf, even if
 * keys inserted later diverge nearby. Chains of the same miner begin with the same leaves, so a process with many such chains computes them once
 * for all.
 */
public final class StateTree {
    public static final StateTree EMPTY = new StateTree(null, 0);

    private static final int DEPTH = 256;
    private static final byte[][] EMPTY_SUBTREES = emptySubtrees();

    private final Node top;
    private final int size;

    private StateTree(Node top, int size) {
        this.top = top;
        this.size = size;
    }

    /** Returns {@code H("…-STATE", tx_id ‖ u32le output_index)}: the key of an output in the tree. */
    public static Hash256 key(ChainProfile profile, Outpoint outpoint) {
        byte[] index = new byte[4];
        LittleEndian.putInt(index, 0, (int) outpoint.index());
        return profile.hash(DomainTag.STATE, outpoint.txId().unsafe(), index);
    }

    /**
     * Returns {@code SHA-256(serialised output ‖ u64le height ‖ coinbase flag)}: the value of an output in the tree.
     *
     * @param height of the block that created the output, unsigned
     */
    public static Hash256 leaf(TxOutput output, long height, boolean coinbase) {
        byte[] tail = new byte[9];
        LittleEndian.putLong(tail, 0, height);
        tail[8] = (byte) (coinbase ? 1 : 0);
        return Hash256.sha256(TransactionCodec.encodeOutput(output), tail);
    }

    /**
     * Returns the tree with one more leaf.
     *
     * @throws IllegalStateException when the key already exists
     */
    public StateTree insert(Hash256 key, Hash256 leaf) {
        Leaf added = new Leaf(key.unsafe(), leaf.unsafe());
        return new StateTree(top == null ? added : insert(top, added), size + 1);
    }

    /**
     * Returns the tree without this leaf; its root equals that of a tree that never had the leaf.
     *
     * @throws IllegalStateException when the key does not exist
     */
    public StateTree remove(Hash256 key) {
        if (top == null) {
            throw new IllegalStateException("no leaf " + key);
        }
        return new StateTree(remove(top, key.unsafe()), size - 1);
    }

    public Hash256 root() {
        return Hash256.of(top == null ? EMPTY_SUBTREES[DEPTH] : top.hashAt(0));
    }

    /** Returns the number of leaves. */
    public int size() {
        return size;
    }

    private static Node insert(Node node, Leaf added) {
        int divergence = firstDifference(node.key(), added.key(), node.depth());
        if (divergence < node.depth()) {
            return bit(added.key(), divergence) == 0
                    ? new Branch(divergence, added, node)
                    : new Branch(divergence, node, added);
        }
        if (node instanceof Branch branch) {
            return bit(added.key(), branch.depth()) == 0
                    ? new Branch(branch.depth(), insert(branch.left, added), branch.right)
                    : new Branch(branch.depth(), branch.left, insert(branch.right, added));
        }
        throw new IllegalStateException("leaf is there already: " + Hash256.of(added.key()));
    }

    /** Returns the remaining subtree; null when it is empty. */
    private static Node remove(Node node, byte[] key) {
        if (firstDifference(node.key(), key, node.depth()) < node.depth()) {
            throw new IllegalStateException("no leaf " + Hash256.of(key));
        }
        if (!(node instanceof Branch branch)) {
            return null;
        }
        if (bit(key, branch.depth()) == 0) {
            Node left = remove(branch.left, key);
            return left == null ? branch.right : new Branch(branch.depth(), left, branch.right);
        }
        Node right = remove(branch.right, key);
        return right == null ? branch.left : new Branch(branch.depth(), branch.left, right);
    }

    /** A subtree that is not empty. All its leaves share the key prefix up to its depth. */
    private abstract static class Node {
        /** Immutable, so that threads that race to set it never see a partial value. */
        record Cached(int depth, byte[] hash) {}

        private Cached cached;

        /** Number of leading key bits common to all leaves: the depth at which the subtree branches, or 256 for a leaf. */
        abstract int depth();

        /** Returns any key of the subtree. */
        abstract byte[] key();

        /** Returns the hash of the node at {@link #depth()}. */
        abstract byte[] ownHash();

        /** Returns the hash at some depth of at least {@code wanted}. */
        Cached below(int wanted) {
            return new Cached(depth(), ownHash());
        }

        /** Returns the hash of the subtree at a depth above its own, combined with empty siblings on the way up. */
        final byte[] hashAt(int wanted) {
            Cached known = cached;
            if (known == null || known.depth() < wanted) {
                known = below(wanted);
            }
            if (known.depth() > wanted) {
                known = new Cached(wanted, lift(known.hash(), key(), known.depth(), wanted));
            }
            cached = known;
            return known.hash();
        }
    }

    private static final class Leaf extends Node {
        /** Depth below which keys of trees with fewer than millions of leaves hardly ever diverge. */
        private static final int NEAR_TOP = 32;

        private static final int REMEMBERED = 4_096;

        /** Key and value. */
        private record Content(Hash256 key, Hash256 value) {}

        /** Hashes at depth {@link #NEAR_TOP} of the most recently used leaves. */
        private static final Map<Content, Cached> LIFTED =
                Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<Content, Cached> eldest) {
                        return size() > REMEMBERED;
                    }
                });

        private final byte[] key;
        private final byte[] value;

        Leaf(byte[] key, byte[] value) {
            this.key = key;
            this.value = value;
        }

        @Override
        int depth() {
            return DEPTH;
        }

        @Override
        byte[] key() {
            return key;
        }

        @Override
        byte[] ownHash() {
            return value;
        }

        @Override
        Cached below(int wanted) {
            return wanted > NEAR_TOP
                    ? super.below(wanted)
                    : LIFTED.computeIfAbsent(new Content(Hash256.of(key), Hash256.of(value)), content -> nearTop());
        }

        private Cached nearTop() {
            return new Cached(NEAR_TOP, lift(value, key, DEPTH, NEAR_TOP));
        }
    }

    private static final class Branch extends Node {
        private final int depth;
        private final Node left;
        private final Node right;

        Branch(int depth, Node left, Node right) {
            this.depth = depth;
            this.left = left;
            this.right = right;
        }

        @Override
        int depth() {
            return depth;
        }

        @Override
        byte[] key() {
            Node node = left;
            while (node instanceof Branch branch) {
                node = branch.left;
            }
            return node.key();
        }

        @Override
        byte[] ownHash() {
            return inner(Sha256.digest(), left.hashAt(depth + 1), right.hashAt(depth + 1));
        }
    }

    private static byte[] lift(byte[] hash, byte[] key, int from, int to) {
        MessageDigest sha256 = Sha256.digest();
        byte[] lifted = hash;
        for (int depth = from - 1; depth >= to; depth--) {
            byte[] sibling = EMPTY_SUBTREES[DEPTH - depth - 1];
            lifted = bit(key, depth) == 0 ? inner(sha256, lifted, sibling) : inner(sha256, sibling, lifted);
        }
        return lifted;
    }

    private static byte[] inner(MessageDigest sha256, byte[] left, byte[] right) {
        sha256.update(left);
        return sha256.digest(right);
    }

    /** Returns bit {@code index} of a key, counted from the most significant: 0 is left. */
    private static int bit(byte[] key, int index) {
        return key[index >>> 3] >>> (7 - (index & 7)) & 1;
    }

    /** Returns the index of the first bit below {@code limit} in which the keys differ, or {@code limit}. */
    private static int firstDifference(byte[] a, byte[] b, int limit) {
        for (int i = 0; i < a.length && 8 * i < limit; i++) {
            int difference = (a[i] ^ b[i]) & 0xff;
            if (difference != 0) {
                return Math.min(limit, 8 * i + Integer.numberOfLeadingZeros(difference) - 24);
            }
        }
        return limit;
    }

    private static byte[][] emptySubtrees() {
        byte[][] empty = new byte[DEPTH + 1][];
        empty[0] = new byte[Hash256.LENGTH];
        MessageDigest sha256 = Sha256.digest();
        for (int height = 1; height <= DEPTH; height++) {
            empty[height] = inner(sha256, empty[height - 1], empty[height - 1]);
        }
        return empty;
    }
}
