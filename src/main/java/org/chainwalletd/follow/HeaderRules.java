package org.chainwalletd.follow;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.U64;
import org.chainwalletd.store.books.BlockRow;

/**
 * Rules for the next header of a chain (chain protocol, sections 9.5 and 9.6): link, time and target. The block id and the work are checked
 * elsewhere.
 *
 * @param network whose cap on the target applies
 */
record HeaderRules(Network network) {
    /** Maximum time between a block and its parent: a week, in seconds. */
    private static final long LONGEST_PAUSE = 604_800;
    /** Number of blocks that the median time needs; a chain that starts higher cannot be judged with fewer. */
    private static final int MEDIAN_OF = 11;

    /** Returns the fault of {@code header} as the next block of {@code chain}. */
    Optional<Fault> judge(HeaderChain chain, BlockHeader header, Hash256 id) {
        return broken(chain, header).map(rule -> new Fault(rule, header.height(), id));
    }

    private Optional<Fault.Rule> broken(HeaderChain chain, BlockHeader header) {
        BlockRow parent = chain.top();
        if (header.height() != parent.height() + 1) {
            return Optional.of(Fault.Rule.HEIGHT);
        }
        if (!header.previousId().equals(parent.blockId())) {
            return Optional.of(Fault.Rule.PARENT);
        }
        if (!isInTime(chain, parent, header)) {
            return Optional.of(Fault.Rule.TIME);
        }
        return hasItsTarget(chain, parent, header) ? Optional.empty() : Optional.of(Fault.Rule.TARGET);
    }

    private static boolean isInTime(HeaderChain chain, BlockRow parent, BlockHeader header) {
        boolean medianKnown = chain.size() >= MEDIAN_OF || chain.get(0).height() == 0;
        if (medianKnown && U64.compare(header.timestamp(), chain.medianTime()) <= 0) {
            return false;
        }
        return U64.compare(header.timestamp(), parent.timestamp()) <= 0
                || U64.compare(header.timestamp() - parent.timestamp(), LONGEST_PAUSE) <= 0;
    }

    /**
     * Checks the target. If the chain starts above the first block of the difficulty window, any new target within the bounds of the rule is
     * accepted.
     */
    private boolean hasItsTarget(HeaderChain chain, BlockRow parent, BlockHeader header) {
        if (!Difficulty.adjustsAt(header.height())) {
            return header.target().equals(parent.target());
        }
        Optional<BlockRow> first = chain.at(header.height() - Difficulty.WINDOW);
        if (first.isPresent()) {
            return header.target()
                    .equals(Difficulty.adjust(
                            network, parent.target(), first.get().timestamp(), parent.timestamp()));
        }
        Hash256 hardest = hardest(parent.target());
        Hash256 easiest = Difficulty.adjust(network, parent.target(), 0, LONGEST_PAUSE);
        return header.target().compareTo(hardest) >= 0 && header.target().compareTo(easiest) <= 0;
    }

    private Hash256 hardest(Hash256 old) {
        return Difficulty.adjust(network, old, 0, 0);
    }

    /** Returns the most work that headers above a block, up to {@code height}, can have; empty if their target may change more than once. */
    Optional<BigInteger> mostWork(BlockRow below, long height) {
        long count = height - below.height();
        BigInteger most = HeaderChain.work(below.target()).max(HeaderChain.work(hardest(below.target())));
        return count > Difficulty.WINDOW ? Optional.empty() : Optional.of(most.multiply(BigInteger.valueOf(count)));
    }
}
