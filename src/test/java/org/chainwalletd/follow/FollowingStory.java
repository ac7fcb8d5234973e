package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Transaction;

/** Deterministic sequence of tips of one node, the same in every process for the same seed: a chain that grows and is reorganised. */
final class FollowingStory {
    private static final int FIRST_BLOCKS = 20;
    private static final int OWNED = 3;
    private static final int DEEPEST = 15;

    private final ModelChain chain;
    private final List<ModelBlock> tips = new ArrayList<>();
    private final Set<Address> owned = ConcurrentHashMap.newKeySet();

    FollowingStory(long seed, int steps) {
        Random random = new Random(seed);
        chain = new ModelChain(random);
        for (int i = 0; i < OWNED; i++) {
            owned.add(chain.address(i));
        }
        ModelBlock tip = grown(chain.genesis(), FIRST_BLOCKS, List.of());
        tips.add(tip);
        for (int i = 1; i < steps; i++) {
            tip = random.nextInt(3) == 0
                    ? reorganised(tip, 1 + random.nextInt(DEEPEST))
                    : grown(tip, 1 + random.nextInt(5), List.of());
            tips.add(tip);
        }
    }

    private ModelBlock grown(ModelBlock tip, int blocks, List<Transaction> again) {
        ModelBlock top = tip;
        for (int i = 0; i < blocks; i++) {
            top = chain.grow(top, again);
        }
        return top;
    }

    private ModelBlock reorganised(ModelBlock tip, int depth) {
        List<Transaction> old = new ArrayList<>();
        ModelBlock fork = tip;
        for (int i = 0; i < depth; i++) {
            fork.block()
                    .transactions()
                    .forEach(mined -> old.add(0, mined.decoded().orElseThrow()));
            fork = fork.parent();
        }
        return grown(fork, depth + 1, old);
    }

    ModelChain chain() {
        return chain;
    }

    Set<Address> owned() {
        return owned;
    }

    /** Returns the tips; each has more work than the ones before. */
    List<ModelBlock> tips() {
        return tips;
    }
}
