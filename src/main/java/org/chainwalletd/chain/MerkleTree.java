package org.chainwalletd.chain;

import java.util.ArrayList;
import java.util.List;

/** Transaction tree of a block (chain protocol, section 9.2). */
public final class MerkleTree {
    private MerkleTree() {}

    /**
     * @param leaves witness transaction ids in block order
     * @return 32 zero bytes for no leaves; an odd level duplicates its last node
     */
    public static Hash256 root(ChainProfile profile, List<Hash256> leaves) {
        if (leaves.isEmpty()) {
            return Hash256.ZERO;
        }
        List<Hash256> level = leaves;
        while (level.size() > 1) {
            List<Hash256> above = new ArrayList<>((level.size() + 1) / 2);
            for (int i = 0; i < level.size(); i += 2) {
                Hash256 left = level.get(i);
                Hash256 right = i + 1 < level.size() ? level.get(i + 1) : left;
                above.add(profile.hash(DomainTag.TXROOT, left.unsafe(), right.unsafe()));
            }
            level = above;
        }
        return level.get(0);
    }
}
