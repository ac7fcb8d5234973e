package org.chainwalletd.devnet.ledger;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Block;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Reward;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.U64;
import org.chainwalletd.chain.Witness;

/** Rules for every block of a development chain apart from its transactions (chain protocol, sections 9.1, 9.6 and 9.7). */
final class BlockRules {
    private BlockRules() {}

    /** @throws IllegalStateException when {@code block} is not a valid successor of {@code parent} */
    static void checkHeader(ChainProfile profile, Block block, ConnectedBlock parent, Hash256 target, long medianTime) {
        BlockHeader header = block.header();
        require(header.version() == BlockHeader.VERSION, "version " + header.version());
        require(header.height() == parent.height() + 1, "height " + U64.toString(header.height()));
        require(header.previousId().equals(parent.id()), "parent " + header.previousId());
        require(U64.compare(header.timestamp(), medianTime) > 0, "timestamp not above the median");
        require(
                header.timestamp() - parent.timestamp() <= ChainState.MAX_STEP_SECONDS,
                "timestamp too far above the parent's");
        require(header.target().equals(target), "target " + header.target());
        require(block.length() <= ChainProfile.MAX_BLOCK_BYTES, "length " + block.length());
        require(header.txRoot().equals(block.computeTxRoot(profile)), "transaction root " + header.txRoot());
        require(
                !block.transactions().isEmpty()
                        && isCoinbase(block.transactions().get(0), header),
                "no coinbase");
        require(block.transactions().stream().skip(1).noneMatch(Transaction::isCoinbase), "second coinbase");
    }

    /**
     * @throws IllegalStateException unless the coinbase takes exactly reward and fees
     */
    static void checkReward(Block block, Amount fees) {
        Amount due = Reward.at(block.header().height()).plus(fees);
        Amount taken = block.transactions().get(0).outputs().stream()
                .map(output -> output.value())
                .reduce(Amount.ZERO, Amount::plus);
        require(taken.equals(due), "coinbase of " + taken + " instead of " + due);
    }

    private static boolean isCoinbase(Transaction tx, BlockHeader header) {
        return tx.isCoinbase()
                && tx.inputs().get(0).index() == (header.height() & Outpoint.MAX_INDEX)
                && tx.witnesses().get(0).equals(Witness.EMPTY);
    }

    private static void require(boolean holds, String complaint) {
        if (!holds) {
            throw new IllegalStateException("block not valid: " + complaint);
        }
    }
}
