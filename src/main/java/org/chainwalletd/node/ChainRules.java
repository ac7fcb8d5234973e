package org.chainwalletd.node;

import java.util.Optional;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;

/**
 * Demands of a chain on its blocks, by the bytes of its genesis block and by the operator's word (following.md, section 2). What a
 * node says of its network decides between networks that demand work, and never that none is demanded.
 *
 * @param easiest target of the genesis block; following does not begin at a block with an easier one
 */
public record ChainRules(Network network, Hash256 easiest) {
    /** Why a chain is not followed, in words for the operator. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Settings of the operator.
     *
     * @param genesis whether he named the genesis id, and not the first node that answered
     * @param network which one it is; empty: the nodes say it
     */
    public record Word(boolean genesis, Optional<Network> network) {}

    /**
     * The rules of the chain that begins with a block.
     *
     * @param expected id of that block
     * @param shown the header of the block at height 0, as a node shows it
     * @param nodesWord network that the node names, if any
     * @throws Refused when it is another block, or a chain that the operator has to name first
     */
    public static ChainRules of(Hash256 expected, BlockHeader shown, Word said, Optional<Network> nodesWord) {
        if (shown.height() != 0 || !shown.id().equals(expected)) {
            throw new Refused("a node names genesis " + expected + " and shows another block at height 0");
        }
        boolean workless = shown.target().equals(Difficulty.EASIEST);
        Optional<Network> named = said.network();
        if (workless && named.isPresent() && named.get() != Network.DEVNET) {
            throw new Refused("the genesis block " + expected + " demands no work: this is no "
                    + named.get().word());
        }
        if (workless && named.isEmpty() && !said.genesis()) {
            throw new Refused("the genesis block " + expected
                    + " demands no work: such a chain is followed only as a development chain, with --network devnet or"
                    + " --expect-genesis");
        }
        if (workless) {
            return new ChainRules(Network.DEVNET, Difficulty.EASIEST);
        }
        Network network = named.or(() -> nodesWord).orElse(Network.MAINNET);
        if (network == Network.DEVNET && named.isEmpty()) {
            throw new Refused("a node calls its network a development chain, and its genesis block " + expected
                    + " demands work: --network says what it is");
        }
        return new ChainRules(network, network == Network.DEVNET ? Difficulty.EASIEST : shown.target());
    }
}
