package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.HeaderChain.WorkPolicy;
import org.chainwalletd.follow.HeaderCheck.Leniency;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeaderRulesTest {
    private static final long BEGIN = 1_800_000_000L;
    private static final Hash256 TARGET = Hash256.parse("00000f" + "ff".repeat(29));

    private final HeaderRules rules = new HeaderRules(Network.MAINNET);

    private static BlockHeader header(long height, Hash256 parent, long time, Hash256 target) {
        return new BlockHeader(BlockHeader.VERSION, height, parent, time, target, 0, Hash256.ZERO, Hash256.ZERO);
    }

    /** Creates blocks ten seconds apart, from {@code first} to {@code last}, with checked or unchecked work. */
    private static HeaderChain chain(long first, long last, boolean checked) {
        return chain(first, last, checked, 10);
    }

    private static HeaderChain chain(long first, long last, boolean checked, long pace) {
        List<BlockRow> rows = new ArrayList<>();
        Hash256 parent = Hash256.ZERO;
        for (long height = first; height <= last; height++) {
            BlockHeader header = header(height, parent, BEGIN + pace * height, TARGET);
            rows.add(HeaderCheck.row(header, checked));
            parent = header.id();
        }
        return HeaderChain.of(rows);
    }

    private Optional<Fault.Rule> broken(HeaderChain chain, long time, Hash256 target) {
        BlockHeader header = header(chain.height() + 1, chain.top().blockId(), time, target);
        return rules.judge(chain, header, header.id()).map(Fault::rule);
    }

    @Test
    void a_child_in_time_with_its_parents_target_follows() {
        HeaderChain chain = chain(0, 50, true);
        assertThat(broken(chain, BEGIN + 510, TARGET)).isEmpty();
    }

    @Test
    void a_block_is_younger_than_the_median_and_at_most_a_week_younger_than_its_parent() {
        HeaderChain chain = chain(0, 50, true);
        long median = BEGIN + 450;

        assertThat(chain.medianTime()).isEqualTo(median);
        assertThat(broken(chain, median, TARGET)).contains(Fault.Rule.TIME);
        assertThat(broken(chain, median + 1, TARGET)).isEmpty();
        assertThat(broken(chain, BEGIN + 500 + 604_800, TARGET)).isEmpty();
        assertThat(broken(chain, BEGIN + 501 + 604_800, TARGET)).contains(Fault.Rule.TIME);
    }

    @Test
    void another_parent_or_height_does_not_follow() {
        HeaderChain chain = chain(0, 50, true);
        BlockHeader stranger = header(51, Hash256.ZERO, BEGIN + 510, TARGET);
        BlockHeader above = header(52, chain.top().blockId(), BEGIN + 510, TARGET);

        assertThat(rules.judge(chain, stranger, stranger.id()).map(Fault::rule)).contains(Fault.Rule.PARENT);
        assertThat(rules.judge(chain, above, above.id()).map(Fault::rule)).contains(Fault.Rule.HEIGHT);
    }

    @Test
    void the_target_is_inherited_but_at_every_4320th_block_where_it_is_computed() {
        HeaderChain chain = chain(4_320, 8_639, true, 11);
        Hash256 next = Difficulty.adjust(
                Network.MAINNET,
                TARGET,
                chain.at(4_320).orElseThrow().timestamp(),
                chain.top().timestamp());

        assertThat(next).isNotEqualTo(TARGET);
        assertThat(broken(chain, BEGIN + 11 * 8_640, next)).isEmpty();
        assertThat(broken(chain, BEGIN + 11 * 8_640, TARGET)).contains(Fault.Rule.TARGET);
        assertThat(broken(chain(4_320, 8_000, true), BEGIN + 10 * 8_001, next)).contains(Fault.Rule.TARGET);
    }

    @Test
    void unchecked_blocks_are_reported_when_a_hundred_have_passed_above_them() {
        HeaderChain chain = chain(0, 300, false);
        assertThat(chain.publishableUpTo(300)).isZero();

        append(chain, 99, true);
        assertThat(chain.publishableUpTo(399)).isZero();
        append(chain, 1, true);
        assertThat(chain.publishableUpTo(400)).isEqualTo(400);
    }

    @Test
    void blocks_that_were_not_checked_themselves_do_not_make_those_below_them_told() {
        HeaderChain chain = chain(0, 300, true);
        append(chain, 1, false);
        append(chain, 60, true);
        append(chain, 200, false);
        append(chain, 39, true);
        assertThat(chain.publishableUpTo(600)).isEqualTo(300);

        append(chain, 1, true);
        assertThat(chain.publishableUpTo(601)).isEqualTo(361);
        append(chain, 60, true);
        assertThat(chain.publishableUpTo(661)).isEqualTo(661);
    }

    @Test
    void the_stored_blocks_are_told_up_to_the_same_height_as_those_in_memory(@TempDir Path folder) {
        Random random = Seeded.random("told blocks");
        try (Books books = Books.open(folder, List.of())) {
            for (int round = 0; round < 20; round++) {
                HeaderChain chain = chain(0, random.nextInt(5), random.nextBoolean());
                int parts = random.nextInt(8);
                for (int i = 0; i < parts; i++) {
                    append(chain, random.nextInt(120), random.nextBoolean());
                }
                long stored = Await.result(books.write(session -> {
                    BlockRows.undo(session.head(), -1);
                    for (int i = 0; i < chain.size(); i++) {
                        BlockRows.put(session.head(), chain.get(i));
                    }
                    return BlockRows.told(session.head()).orElseThrow().height();
                }));
                assertThat(stored).isEqualTo(chain.publishableUpTo(chain.height()));
            }
        }
    }

    private static void append(HeaderChain chain, int count, boolean checked) {
        for (int i = 0; i < count; i++) {
            long height = chain.height() + 1;
            chain.append(HeaderCheck.row(header(height, chain.top().blockId(), BEGIN + 10 * height, TARGET), checked));
        }
    }

    @Test
    void a_claimed_height_switches_no_check_off_while_the_blocks_are_young() {
        Clock clock = Clock.fixed(Instant.ofEpochSecond(BEGIN + 5_000), ZoneOffset.UTC);
        WorkPolicy policy = new WorkPolicy(true, Long.MAX_VALUE, clock);
        BlockHeader young = header(400, Hash256.ZERO, BEGIN + 4_500, TARGET);
        BlockHeader old = header(400, Hash256.ZERO, BEGIN, TARGET);

        for (int i = 0; i < 1_000; i++) {
            assertThat(policy.demands(young)).isTrue();
        }
        long demanded =
                IntStream.range(0, 10_000).filter(i -> policy.demands(old)).count();
        assertThat(demanded).isBetween(50L, 500L);
    }

    @Test
    void a_block_that_nobody_worked_for_is_none_but_on_a_development_chain() {
        BlockHeader unworked = header(51, Hash256.ZERO, BEGIN, Hash256.parse("00".repeat(31) + "01"));

        assertThat(judgeWork(unworked, Network.TESTNET).fault().map(Fault::rule))
                .contains(Fault.Rule.WORK);
        assertThat(judgeWork(unworked, Network.DEVNET).fault()).isEmpty();
    }

    private HeaderCheck.Judged judgeWork(BlockHeader header, Network network) {
        return Await.result(new HeaderCheck(
                        new HeaderRules(network),
                        new Leniency(network),
                        new WorkCheck(ChainProfile.of("chain"), Runnable::run),
                        true,
                        Clock.fixed(Instant.ofEpochSecond(BEGIN), ZoneOffset.UTC))
                .judgeWork(header, header.id(), 51));
    }
}
