package org.chainwalletd.node;

import java.util.Optional;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;

/**
 * Rules of a chain for its blocks, derived from the bytes of its genesis block and the operator's settings (following.md, section 2). The network
 * that a node reports only decides between networks that demand work; it can never lead to a chain without work.
 *
 * @param easiest target of the genesis block; following does not start at a block with an easier one
 */
public record ChainRules(Network network, Hash256 easiest) {
    /** Reason why a chain is not followed, as text for the operator. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Settings of the operator.
     *
     * @param genesis whether the operator configured the genesis id; otherwise it is the first one seen
     * @param network configured network; empty: the one that the nodes report
     */
    public record OperatorSettings(boolean genesis, Optional<Network> network) {}

    /**
     * Returns the rules of a chain.
     *
     * @param expected id of the genesis block
     * @param shown header of the block at height 0, as a node shows it
     * @param reported network that the node reports, if any
     * @throws Refused if the block is another one, or the operator has to confirm the chain first
     */
    public static ChainRules of(
            Hash256 expected, BlockHeader shown, OperatorSettings settings, Optional<Network> reported) {
        if (shown.height() != 0 || !shown.id().equals(expected)) {
            throw new Refused("a node names genesis " + expected + " and shows another block at height 0");
        }
        boolean workless = shown.target().equals(Difficulty.EASIEST);
        Optional<Network> named = settings.network();
        if (workless && named.isPresent() && named.get() != Network.DEVNET) {
            throw new Refused("the genesis block " + expected + " demands no work: this is no "
                    + named.get().word());
        }
        if (workless && named.isEmpty() && !settings.genesis()) {
            throw new Refused("the genesis block " + expected
                    + " demands no work: such a chain is followed only as a development chain, with --network devnet or"
                    + " --expect-genesis");
        }
        if (workless) {
            return new ChainRules(Network.DEVNET, Difficulty.EASIEST);
        }
        Network network = named.or(() -> reported).orElse(Network.MAINNET);
        if (network == Network.DEVNET && named.isEmpty()) {
            throw new Refused("a node calls its network a development chain, and its genesis block " + expected
                    + " demands work: --network says what it is");
        }
        return new ChainRules(network, network == Network.DEVNET ? Difficulty.EASIEST : shown.target());
    }
}
