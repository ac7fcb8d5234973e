package org.chainwalletd.devnet.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.Test;

/** The block vectors assembled and validated. */
class BlockVectorTest {
    private static final ChainProfile CHAIN = ChainProfile.of("chain");
    private static final Address MINER =
            Address.parse("baf5bbd42f09269033ef5597686168675115fdc46091af4ee934ff06d17b7257");

    private final Ledger ledger = new Ledger(CHAIN, Effort.NONE, (scripts, tip) -> {});

    {
        ledger.prompt(true);
    }

    private static JsonNode row(String name) {
        return Vectors.row("blocks.json", name);
    }

    private static Block block(String name) {
        return Block.decode(Vectors.bytes(row(name), "block"));
    }

    @Test
    void genesis_is_the_one_of_the_development_network() {
        assertThat(Genesis.block(CHAIN).encode()).isEqualTo(Vectors.bytes(row("devnet-genesis"), "block"));
        assertThat(ledger.genesisId().hex()).isEqualTo(Vectors.text(row("devnet-genesis"), "block_id"));
    }

    @Test
    void genesis_of_another_brand_has_the_same_coinbase_and_other_roots() {
        JsonNode alpha = Vectors.row("other-brand.json", "devnet-genesis");
        Block genesis = Genesis.block(ChainProfile.of("alpha"));
        assertThat(genesis.header().encode()).isEqualTo(Vectors.bytes(alpha, "header"));
        assertThat(genesis.id().hex()).isEqualTo(Vectors.text(alpha, "block_id"));
        assertThat(TransactionCodec.encode(genesis.transactions().get(0))).isEqualTo(Vectors.bytes(alpha, "coinbase"));
    }

    @Test
    void mining_at_the_same_times_gives_the_same_blocks() {
        ManualClock clock = new ManualClock(Instant.ofEpochSecond(Vectors.u64(row("block-1"), "timestamp")));
        Miner miner = new Miner(ledger, BlockLog.inMemory(), MINER, clock);
        miner.mine(1);
        clock.set(Instant.ofEpochSecond(Vectors.u64(row("block-2"), "timestamp")));
        ledger.submit(block("block-2").transactions().get(1));
        miner.mine(1);

        for (String name : List.of("block-1", "block-2")) {
            Block mined = ledger.blockAt(Vectors.u64(row(name), "height"))
                    .orElseThrow()
                    .block();
            assertThat(mined.encode()).as(name).isEqualTo(Vectors.bytes(row(name), "block"));
        }
    }

    @Test
    void restoring_them_gives_the_same_state() {
        for (String name : List.of("block-1", "block-2")) {
            ledger.restore(block(name));
            assertThat(ledger.tip().id().hex()).isEqualTo(Vectors.text(row(name), "block_id"));
            assertThat(ledger.stateRoot().hex()).isEqualTo(Vectors.text(row(name), "state_root"));
        }
    }

    @Test
    void a_block_that_breaks_a_rule_is_not_restored() {
        Block good = block("block-1");
        BlockHeader header = good.header();
        refused(good, with(header, 2, header.timestamp(), header.txRoot()), "height 2");
        refused(good, with(header, 1, Genesis.TIMESTAMP, header.txRoot()), "timestamp not above the median");
        refused(
                good,
                with(header, 1, Genesis.TIMESTAMP + 604_801, header.txRoot()),
                "timestamp too far above the parent's");
        refused(good, with(header, 1, header.timestamp(), Hash256.ZERO), "transaction root " + Hash256.ZERO);
        refused(block("block-2"), block("block-2").header(), "height 2");
        Block greedy = new Block(header, block("block-2").transactions().subList(0, 1));
        refused(greedy, with(header, 1, header.timestamp(), greedy.computeTxRoot(CHAIN)), "no coinbase");
        assertThat(ledger.tip().height()).isZero();
    }

    private static BlockHeader with(BlockHeader header, long height, long timestamp, Hash256 txRoot) {
        return new BlockHeader(
                1, height, header.previousId(), timestamp, Difficulty.EASIEST, 0, txRoot, header.stateRoot());
    }

    private void refused(Block block, BlockHeader header, String complaint) {
        assertThatThrownBy(() -> ledger.restore(new Block(header, block.transactions())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("block not valid: " + complaint);
    }

    @Test
    void the_first_blocks_walk_the_clock_forward_at_most_seven_days_each() {
        Instant now = Instant.parse("2026-11-21T12:00:00Z");
        Miner miner = new Miner(ledger, BlockLog.inMemory(), MINER, new ManualClock(now));
        miner.mine(50);
        long parent = Genesis.TIMESTAMP;
        for (long height = 1; height <= 50; height++) {
            long time = ledger.blockAt(height).orElseThrow().timestamp();
            assertThat(time - parent).isBetween(0L, 604_800L);
            parent = time;
        }
        assertThat(parent).isBetween(now.getEpochSecond(), now.getEpochSecond() + 10);
    }
}
