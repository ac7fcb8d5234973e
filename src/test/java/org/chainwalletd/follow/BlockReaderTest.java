package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.DomainTag;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.MerkleTree;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks as long as consensus allows, and longer ones that a node lists. */
class BlockReaderTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final int QUARTER = Block.MAX_TRANSACTIONS_BYTES / 4;

    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final Map<Hash256, Bytes> bodies = new HashMap<>();
    private final List<Hash256> asked = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private static Hash256 id(int number) {
        return Hash256.sha256(Integer.toString(number).getBytes());
    }

    /** Creates a node that lists a block of these transactions and sends their bytes. */
    private NodeClient node(List<Hash256> ids, Map<Hash256, Bytes> sent) {
        List<Hash256> leaves = ids.stream()
                .map(id -> PROFILE.hash(
                        DomainTag.WTXID, bodies.getOrDefault(id, Bytes.EMPTY).toArray()))
                .toList();
        BlockHeader header = new BlockHeader(
                BlockHeader.VERSION,
                7,
                Hash256.ZERO,
                1_700_000_000L,
                Difficulty.EASIEST,
                0,
                MerkleTree.root(PROFILE, leaves),
                Hash256.ZERO);
        NodeClient.BlockSummary summary = new NodeClient.BlockSummary(
                header.id(),
                header.height(),
                header.previousId(),
                header.stateRoot(),
                header.txRoot(),
                header.timestamp(),
                header.nonce(),
                header.target(),
                ids.size(),
                ids);
        return Stub.of(NodeClient.class, call -> {
            if (call.name().equals("blockAt")) {
                return CompletableFuture.completedFuture(Optional.of(summary));
            }
            Hash256 id = (Hash256) call.arguments()[0];
            asked.add(id);
            return CompletableFuture.completedFuture(Optional.ofNullable(sent.get(id))
                    .map(bytes -> new NodeClient.NodeTransaction(id, bytes, false, header.id(), 7L)));
        });
    }

    /** Creates a node with a block of {@code count} transactions of a quarter of its room each, the last one longer by {@code more}. */
    private NodeClient node(int count, int more) {
        List<Hash256> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(id(i));
            // Cannot be decoded: such a transaction counts with its bytes, too.
            bodies.put(id(i), Bytes.wrap(new byte[QUARTER + (i == count - 1 ? more : 0)]));
        }
        return node(ids, bodies);
    }

    private Fetched read(NodeClient node, NodeClient any) {
        BlockReader reader = new BlockReader(PROFILE, any, new Leniency(Network.MAINNET), executor);
        return Await.result(reader.read(node, 7));
    }

    private static void assertTooLong(Fetched fetched) {
        assertThat(fetched)
                .isInstanceOfSatisfying(
                        Fetched.Invalid.class,
                        invalid -> assertThat(invalid.fault().rule()).isEqualTo(Fault.Rule.LENGTH));
    }

    @Test
    void a_block_of_exactly_the_longest_transactions_is_read_and_one_of_a_byte_more_is_false() {
        NodeClient longest = node(4, 0);
        assertThat(Block.MAX_TRANSACTIONS_BYTES % 4).isZero();
        assertThat(read(longest, longest)).isInstanceOf(Fetched.Whole.class);

        NodeClient longer = node(4, 1);
        assertTooLong(read(longer, longer));
    }

    @Test
    void no_transaction_is_requested_after_those_that_do_not_fit_into_a_block() {
        NodeClient endless = node(100, 0);

        assertTooLong(read(endless, endless));

        assertThat(asked.stream().distinct().count()).isLessThanOrEqualTo(5L + Walk.BODIES_AT_ONCE);
    }

    @Test
    void no_transaction_is_requested_after_one_that_is_missing() {
        NodeClient without =
                node(IntStream.range(0, 1_000).mapToObj(BlockReaderTest::id).toList(), Map.of());

        assertThat(read(without, without)).isInstanceOf(Fetched.Missing.class);

        assertThat(asked).hasSizeLessThanOrEqualTo(4 * Walk.BODIES_AT_ONCE);
    }

    @Test
    void transactions_come_from_the_node_that_lists_them_when_requests_to_all_nodes_fail() {
        NodeClient failing = Stub.of(
                NodeClient.class,
                call -> CompletableFuture.failedFuture(new NodeException.Unreachable("no node answers")));

        assertThat(read(node(4, 0), failing)).isInstanceOf(Fetched.Whole.class);
    }

    @Test
    void transactions_of_other_nodes_that_do_not_fit_into_a_block_do_not_make_the_block_false() {
        NodeClient honest = node(4, 0);
        Map<Hash256, Bytes> tooLong = new HashMap<>();
        bodies.forEach((id, bytes) -> tooLong.put(id, Bytes.wrap(new byte[QUARTER + 1])));

        assertThat(read(honest, node(List.copyOf(bodies.keySet()), tooLong))).isInstanceOf(Fetched.Whole.class);
    }

    @Test
    void a_list_of_more_transactions_than_fit_into_a_block_is_false_before_any_is_requested() {
        List<Hash256> ids = new ArrayList<>();
        for (int i = 0; i <= Block.MAX_TRANSACTIONS; i++) {
            ids.add(id(i));
        }
        NodeClient crowded = node(ids, Map.of());
        assertTooLong(read(crowded, crowded));
        assertThat(asked).isEmpty();

        NodeClient full = node(ids.subList(1, ids.size()), Map.of());
        assertThat(read(full, full)).isInstanceOf(Fetched.Missing.class);
        assertThat(ids.size() - 1).isEqualTo(74_895);
    }
}
