package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

class RecentChainTest {
    private final RecentChain chain = new RecentChain();
    private final Map<Hash256, Integer> heights = new HashMap<>();
    private final Map<Hash256, Hash256> parents = new HashMap<>();
    private final List<Hash256> best = new ArrayList<>();
    private int made;
    private int asked;

    private void grow() {
        Hash256 id = Hash256.sha256(new byte[] {(byte) (made >> 8), (byte) made++});
        heights.put(id, best.size());
        parents.put(id, best.isEmpty() ? Hash256.ZERO : best.get(best.size() - 1));
        best.add(id);
    }

    private void learn(int floor) {
        for (Optional<BlockPlace> block = missing(floor); block.isPresent(); block = missing(floor)) {
            assertThat(heights.get(block.get().blockId()))
                    .isEqualTo((int) block.get().height());
            chain.add(block.get(), parents.get(block.get().blockId()));
            asked++;
        }
    }

    private Optional<BlockPlace> missing(int floor) {
        return chain.missing(new BlockPlace(best.size() - 1, best.get(best.size() - 1)), floor);
    }

    @Test
    void a_new_block_costs_one_question_and_a_reorganisation_one_for_each_block_of_the_new_branch() {
        for (int i = 0; i < 20; i++) {
            grow();
        }
        learn(10);
        assertThat(asked).isEqualTo(10);
        grow();
        learn(10);
        assertThat(asked).isEqualTo(11);

        best.subList(18, best.size()).clear();
        for (int i = 0; i < 4; i++) {
            grow();
        }
        learn(10);

        assertThat(asked).isEqualTo(15);
        learn(10);
        learn(12);
        assertThat(asked).isEqualTo(15);
        learn(8);
        assertThat(asked).as("two deeper").isEqualTo(17);
    }

    @Test
    void whatever_happens_to_the_chain_it_is_known_from_the_floor_to_the_tip_and_nowhere_else() {
        Random random = Seeded.random("recent chains");
        for (int i = 0; i < 30; i++) {
            grow();
        }
        for (int step = 0; step < 300; step++) {
            int undone = random.nextInt(6);
            best.subList(best.size() - undone, best.size()).clear();
            for (int i = 0; i <= undone; i++) {
                grow();
            }
            int floor = best.size() - 1 - random.nextInt(20);
            learn(floor);
            assertThat(chain.takeChange().orElseThrow())
                    .as("from here on there may be other blocks than before")
                    .isLessThanOrEqualTo(best.size() - 1 - undone);
            assertThat(chain.takeChange()).as("nothing since").isEmpty();

            for (int height = floor; height < best.size(); height++) {
                assertThat(chain.at(height)).contains(best.get(height));
            }
            assertThat(chain.at(best.size())).isEmpty();
        }
    }

    @Test
    void a_change_is_told_from_the_first_block_that_differs_and_of_everything_when_nothing_is_known() {
        for (int i = 0; i < 20; i++) {
            grow();
        }
        learn(10);
        assertThat(chain.takeChange()).hasValue(Long.MIN_VALUE);
        grow();
        learn(10);
        assertThat(chain.takeChange()).hasValue(20);
        learn(8);
        assertThat(chain.takeChange()).as("known deeper, and the same").hasValue(21);

        best.subList(17, best.size()).clear();
        for (int i = 0; i < 6; i++) {
            grow();
        }
        learn(10);
        assertThat(chain.takeChange()).hasValue(17);

        best.subList(17, best.size()).clear();
        for (int i = 0; i < 40; i++) {
            grow();
        }
        learn(40);
        assertThat(chain.takeChange()).as("not connected with what was known").hasValue(Long.MIN_VALUE);
    }

    @Test
    void a_node_that_makes_up_parents_for_ever_is_not_followed_below_the_floor() {
        BlockPlace madeUp = new BlockPlace(1_000, Hash256.sha256(new byte[] {1, 2, 3}));
        BlockPlace next = madeUp;
        for (int asked = 0; asked < 11; asked++) {
            assertThat(chain.missing(madeUp, 990)).contains(next);
            Hash256 parent = Hash256.sha256(next.blockId().toArray());
            chain.add(next, parent);
            next = new BlockPlace(next.height() - 1, parent);
        }
        assertThat(chain.missing(madeUp, 990)).isEmpty();

        BlockPlace higher = new BlockPlace(1_001, madeUp.blockId());
        assertThat(chain.missing(higher, 1_001))
                .as("the same tip at another height is asked for again")
                .contains(higher);
    }
}
