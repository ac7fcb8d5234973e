package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.chainwalletd.chain.VectorTransactions.CHAIN;
import static org.chainwalletd.chain.VectorTransactions.hash;
import static org.chainwalletd.testkit.Vectors.bytes;
import static org.chainwalletd.testkit.Vectors.integer;
import static org.chainwalletd.testkit.Vectors.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class BlockTest {
    @TestFactory
    Stream<DynamicTest> headers_ids_and_bytes() {
        return Vectors.tests("blocks.json", row -> {
            BlockHeader header = new BlockHeader(
                    integer(row, "version").longValueExact(),
                    Vectors.u64(row, "height"),
                    hash(row, "prev_block_id"),
                    Vectors.u64(row, "timestamp"),
                    hash(row, "difficulty_target"),
                    Vectors.u64(row, "nonce"),
                    hash(row, "tx_root"),
                    hash(row, "state_root"));
            assertThat(header.encode()).isEqualTo(bytes(row, "header")).hasSize(BlockHeader.LENGTH);
            assertThat(BlockHeader.decode(bytes(row, "header"))).isEqualTo(header);

            Block block = Block.decode(bytes(row, "block"));
            assertThat(block.header()).isEqualTo(header);
            assertThat(block.id()).isEqualTo(hash(row, "block_id"));
            assertThat(block.encode()).isEqualTo(bytes(row, "block"));
            assertThat(block.length()).isEqualTo(integer(row, "block_size").longValueExact());
            assertThat(block.computeTxRoot(CHAIN)).isEqualTo(header.txRoot());
            checkTransactions(row, block);
        });
    }

    private static void checkTransactions(JsonNode row, Block block) {
        JsonNode expected = row.required("transactions");
        assertThat(block.transactions()).hasSize(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            Transaction tx = block.transactions().get(i);
            assertThat(TransactionCodec.txId(CHAIN, tx)).isEqualTo(hash(expected.get(i), "tx_id"));
            assertThat(TransactionCodec.witnessTxId(CHAIN, tx)).isEqualTo(hash(expected.get(i), "witness_tx_id"));
            assertThat(TransactionCodec.encode(tx)).isEqualTo(bytes(expected.get(i), "serialised"));
            assertThat(tx.isCoinbase()).isEqualTo(i == 0);
        }
        assertThat(block.transactions().get(0).outputs().get(0).value())
                .isEqualTo(Amount.of(integer(row, "coinbase_value")));
    }

    @TestFactory
    Stream<DynamicTest> proof_of_work() {
        return Vectors.tests("blocks.json", row -> {
            BlockHeader header = BlockHeader.decode(bytes(row, "header"));
            Argon2BytesGenerator argon2 = new Argon2BytesGenerator();
            argon2.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                    .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                    .withMemoryAsKB(65_536)
                    .withIterations(2)
                    .withParallelism(1)
                    .withSalt(header.powSalt(CHAIN).toArray())
                    .build());
            byte[] out = new byte[32];
            argon2.generateBytes(header.powPassword(CHAIN).toArray(), out);
            assertThat(Hash256.of(out)).isEqualTo(hash(row, "pow_hash"));
            assertThat(header.isMetBy(Hash256.of(out))).isTrue();
        });
    }

    @Test
    void state_roots_follow_from_the_transactions() {
        StateTree tree = StateTree.EMPTY;
        for (JsonNode row : Vectors.rows("blocks.json")) {
            Block block = Block.decode(bytes(row, "block"));
            for (Transaction tx : block.transactions()) {
                tree = applied(tree, tx, block.header().height(), CHAIN);
            }
            assertThat(tree.root()).isEqualTo(block.header().stateRoot());
        }
        assertThat(tree.size()).isEqualTo(4);
    }

    @Test
    void the_genesis_block_of_another_brand_has_other_roots_and_another_id() {
        JsonNode row = Vectors.row("other-brand.json", "devnet-genesis");
        ChainProfile brand = ChainProfile.of(text(row, "brand"));
        Transaction coinbase = TransactionCodec.decode(bytes(row, "coinbase"));
        assertThat(TransactionCodec.txId(brand, coinbase)).isEqualTo(hash(row, "coinbase_tx_id"));
        BlockHeader header = BlockHeader.decode(bytes(row, "header"));
        assertThat(header.id()).isEqualTo(hash(row, "block_id"));
        assertThat(new Block(header, List.of(coinbase)).computeTxRoot(brand))
                .isEqualTo(hash(row, "tx_root"))
                .isEqualTo(header.txRoot());
        assertThat(applied(StateTree.EMPTY, coinbase, 0, brand).root())
                .isEqualTo(hash(row, "state_root"))
                .isEqualTo(header.stateRoot());
    }

    private static StateTree applied(StateTree before, Transaction tx, long height, ChainProfile profile) {
        StateTree tree = before;
        if (!tx.isCoinbase()) {
            for (Outpoint spent : tx.inputs()) {
                tree = tree.remove(StateTree.key(profile, spent));
            }
        }
        Hash256 id = TransactionCodec.txId(profile, tx);
        for (int i = 0; i < tx.outputs().size(); i++) {
            tree = tree.insert(
                    StateTree.key(profile, new Outpoint(id, i)),
                    StateTree.leaf(tx.outputs().get(i), height, tx.isCoinbase()));
        }
        return tree;
    }

    @TestFactory
    Stream<DynamicTest> transaction_trees() {
        return Vectors.tests("merkle.json", row -> {
            List<Hash256> leaves = new ArrayList<>();
            row.required("leaves").forEach(leaf -> leaves.add(Hash256.parse(leaf.textValue())));
            assertThat(MerkleTree.root(CHAIN, leaves)).isEqualTo(hash(row, "root"));
        });
    }

    @TestFactory
    Stream<DynamicTest> rewards() {
        return Vectors.tests(
                "reward.json",
                row -> assertThat(Reward.at(Vectors.u64(row, "height"))).isEqualTo(Amount.of(integer(row, "reward"))));
    }

    @Test
    void every_prefix_of_a_block_is_refused_and_so_is_an_extra_byte() {
        byte[] block = bytes(Vectors.row("blocks.json", "block-2"), "block");
        for (int length = 0; length < block.length; length++) {
            byte[] prefix = Arrays.copyOf(block, length);
            DecodeException refusal = catchThrowableOfType(DecodeException.class, () -> Block.decode(prefix));
            assertThat(refusal.kind()).as("length " + length).isEqualTo(DecodeException.Kind.UNEXPECTED_EOF);
        }
        byte[] longer = Arrays.copyOf(block, block.length + 1);
        assertThat(catchThrowableOfType(DecodeException.class, () -> Block.decode(longer))
                        .kind())
                .isEqualTo(DecodeException.Kind.TRAILING_BYTES);
    }

    @Test
    void a_block_above_four_mebibytes_is_refused_unread() {
        byte[] block =
                Arrays.copyOf(bytes(Vectors.row("blocks.json", "block-2"), "block"), ChainProfile.MAX_BLOCK_BYTES + 1);
        assertThatThrownBy(() -> Block.decode(block))
                .isInstanceOf(DecodeException.class)
                .hasMessageContaining("block too long");
    }

    @Test
    void a_header_has_exactly156_bytes_and_keeps_the_whole_range_of_its_numbers() {
        BlockHeader header = new BlockHeader(
                0xffff_ffffL, -1L, Hash256.ZERO, Long.MIN_VALUE, Difficulty.EASIEST, -2L, Hash256.ZERO, Hash256.ZERO);
        assertThat(BlockHeader.decode(header.encode())).isEqualTo(header);
        assertThat(header.withNonce(7).nonce()).isEqualTo(7);
        assertThatThrownBy(() -> BlockHeader.decode(new byte[155])).isInstanceOf(DecodeException.class);
        assertThatThrownBy(() -> BlockHeader.decode(new byte[157])).isInstanceOf(DecodeException.class);
        assertThatThrownBy(() -> new BlockHeader(
                        1L << 32, 0, Hash256.ZERO, 0, Difficulty.EASIEST, 0, Hash256.ZERO, Hash256.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_proof_of_work_hash_equal_to_the_target_is_not_good_enough() {
        BlockHeader header = BlockHeader.decode(new byte[BlockHeader.LENGTH]).withNonce(1);
        assertThat(header.isMetBy(Hash256.ZERO)).isFalse();
        BlockHeader easy = new BlockHeader(
                1, 0, Hash256.ZERO, 0, Hash256.parse("80" + "00".repeat(31)), 0, Hash256.ZERO, Hash256.ZERO);
        assertThat(easy.isMetBy(Hash256.parse("7f" + "ff".repeat(31)))).isTrue();
        assertThat(easy.isMetBy(easy.target())).isFalse();
        assertThat(easy.isMetBy(Difficulty.EASIEST)).isFalse();
    }
}
