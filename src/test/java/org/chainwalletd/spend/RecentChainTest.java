package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.chainwalletd.chain.Hash256;
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
        Hash256 tip = best.get(best.size() - 1);
        for (Optional<Hash256> id = chain.missing(tip, floor); id.isPresent(); id = chain.missing(tip, floor)) {
            chain.add(id.get(), heights.get(id.get()), parents.get(id.get()));
            asked++;
        }
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

            for (int height = floor; height < best.size(); height++) {
                assertThat(chain.at(height)).contains(best.get(height));
            }
            assertThat(chain.at(best.size())).isEmpty();
        }
    }
}
