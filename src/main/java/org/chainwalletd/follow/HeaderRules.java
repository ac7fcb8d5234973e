package org.chainwalletd.follow;

import java.util.Optional;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.U64;
import org.chainwalletd.store.books.BlockRow;

/**
 * Whether a header may follow on a chain (chain protocol, sections 9.5 and 9.6): link, time and target. Its id and its work are other checks.
 *
 * @param network whose cap on the target counts
 */
record HeaderRules(Network network) {
    /** A block is at most a week younger than its parent. */
    private static final long LONGEST_PAUSE = 604_800;
    /** How many blocks the median of the times needs; a chain that begins higher cannot judge with fewer. */
    private static final int MEDIAN_OF = 11;

    /** Fault of {@code header} as the next one on {@code chain}. */
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

    /** A chain that begins above the block that a new target is measured from takes that target as it comes, within the rule's bounds. */
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
        Hash256 hardest = Difficulty.adjust(network, parent.target(), 0, 0);
        Hash256 easiest = Difficulty.adjust(network, parent.target(), 0, LONGEST_PAUSE);
        return header.target().compareTo(hardest) >= 0 && header.target().compareTo(easiest) <= 0;
    }
}
