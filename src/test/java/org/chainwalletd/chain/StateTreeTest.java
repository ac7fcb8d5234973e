package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.chain.VectorTransactions.CHAIN;
import static org.chainwalletd.chain.VectorTransactions.hash;
import static org.chainwalletd.testkit.Vectors.bytes;
import static org.chainwalletd.testkit.Vectors.integer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class StateTreeTest {
    @TestFactory
    Stream<DynamicTest> keys_leaves_and_roots() {
        return Vectors.tests("statetree.json", row -> {
            StateTree tree = StateTree.EMPTY;
            for (JsonNode entry : row.required("entries")) {
                Hash256 key = StateTree.key(
                        CHAIN,
                        new Outpoint(
                                hash(entry, "tx_id"),
                                integer(entry, "output_index").longValueExact()));
                Hash256 leaf = StateTree.leaf(
                        TransactionCodec.decodeOutput(bytes(entry, "output")),
                        Vectors.u64(entry, "height"),
                        Vectors.flag(entry, "is_coinbase"));
                assertThat(key).isEqualTo(hash(entry, "key"));
                assertThat(leaf).isEqualTo(hash(entry, "leaf"));
                tree = tree.insert(key, leaf);
            }
            assertThat(tree.root()).isEqualTo(hash(row, "root"));
            assertThat(tree.size()).isEqualTo(row.required("entries").size());
        });
    }

    @Test
    void the_root_is_that_of_the_definition_whatever_the_order_of_changes() {
        Random random = Seeded.random("StateTreeTest");
        StateTree tree = StateTree.EMPTY;
        TreeMap<Hash256, Hash256> model = new TreeMap<>();
        for (int step = 0; step < 120; step++) {
            if (!model.isEmpty() && random.nextInt(3) == 0) {
                Hash256 key = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
                model.remove(key);
                tree = tree.remove(key);
            } else {
                Hash256 key = nearbyKey(random, model);
                if (model.containsKey(key)) {
                    continue;
                }
                Hash256 leaf = randomHash(random);
                model.put(key, leaf);
                tree = tree.insert(key, leaf);
            }
            assertThat(tree.size()).isEqualTo(model.size());
            if (random.nextInt(4) == 0) {
                assertThat(tree.root()).as("step " + step).isEqualTo(byDefinition(model));
            }
        }
        assertThat(tree.root()).isEqualTo(byDefinition(model));
        for (Hash256 key : model.keySet()) {
            tree = tree.remove(key);
        }
        assertThat(tree.root()).isEqualTo(StateTree.EMPTY.root());
    }

    /** Returns a key that often shares a long prefix with an existing key, so that deep branches occur. */
    private static Hash256 nearbyKey(Random random, Map<Hash256, Hash256> model) {
        if (model.isEmpty() || random.nextBoolean()) {
            return randomHash(random);
        }
        byte[] key =
                List.copyOf(model.keySet()).get(random.nextInt(model.size())).toArray();
        int bit = random.nextInt(256);
        key[bit >>> 3] ^= (byte) (0x80 >>> (bit & 7));
        return Hash256.of(key);
    }

    private static Hash256 randomHash(Random random) {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return Hash256.of(bytes);
    }

    /** Computes the root literally as in section 9.3: recursion over all 256 levels, without compression. */
    private static Hash256 byDefinition(TreeMap<Hash256, Hash256> leaves) {
        List<byte[]> empty = new ArrayList<>(List.of(new byte[32]));
        for (int height = 1; height <= 256; height++) {
            byte[] below = empty.get(height - 1);
            empty.add(Hash256.sha256(below, below).toArray());
        }
        return Hash256.of(subtree(new ArrayList<>(leaves.entrySet()), 0, empty));
    }

    private static byte[] subtree(List<Map.Entry<Hash256, Hash256>> leaves, int depth, List<byte[]> empty) {
        if (leaves.isEmpty()) {
            return empty.get(256 - depth);
        }
        if (depth == 256) {
            return leaves.get(0).getValue().toArray();
        }
        List<Map.Entry<Hash256, Hash256>> left = new ArrayList<>();
        List<Map.Entry<Hash256, Hash256>> right = new ArrayList<>();
        for (Map.Entry<Hash256, Hash256> leaf : leaves) {
            boolean one = (leaf.getKey().toArray()[depth / 8] & (0x80 >>> (depth % 8))) != 0;
            (one ? right : left).add(leaf);
        }
        return Hash256.sha256(subtree(left, depth + 1, empty), subtree(right, depth + 1, empty))
                .toArray();
    }

    @Test
    void an_earlier_tree_is_not_touched_by_later_changes() {
        Hash256 key = Hash256.sha256(new byte[] {1});
        Hash256 other = Hash256.sha256(new byte[] {2});
        StateTree one = StateTree.EMPTY.insert(key, key);
        Hash256 root = one.root();
        StateTree two = one.insert(other, other);
        assertThat(two.root()).isNotEqualTo(root);
        assertThat(one.root()).isEqualTo(root);
        assertThat(two.remove(other).root()).isEqualTo(root);
        assertThat(one.size()).isEqualTo(1);
        assertThat(StateTree.EMPTY.size()).isZero();
    }

    @Test
    void inserting_twice_and_removing_nothing_are_errors() {
        Hash256 key = Hash256.sha256(new byte[] {1});
        Hash256 other = Hash256.sha256(new byte[] {2});
        StateTree one = StateTree.EMPTY.insert(key, key);
        assertThatThrownBy(() -> one.insert(key, other)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> one.remove(other)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> StateTree.EMPTY.remove(key)).isInstanceOf(IllegalStateException.class);
        StateTree two = one.insert(other, other);
        assertThatThrownBy(() -> two.insert(other, key)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> two.remove(Hash256.ZERO)).isInstanceOf(IllegalStateException.class);
    }
}
