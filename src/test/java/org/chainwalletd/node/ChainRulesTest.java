package org.chainwalletd.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.junit.jupiter.api.Test;

/** Rules of a chain, derived from its genesis block, the operator and a node (following.md, section 2). */
class ChainRulesTest {
    private static final Hash256 WORK = Hash256.parse("10" + "00".repeat(31));
    private static final Optional<Network> UNSAID = Optional.empty();

    private static BlockHeader genesis(Hash256 target) {
        return new BlockHeader(
                BlockHeader.VERSION, 0, Hash256.ZERO, 1_700_000_000L, target, 0, Hash256.ZERO, Hash256.ZERO);
    }

    private static ChainRules rules(Hash256 target, boolean named, Optional<Network> said, Optional<Network> nodes) {
        return ChainRules.of(
                genesis(target).id(), genesis(target), new ChainRules.OperatorSettings(named, said), nodes);
    }

    private static void refused(
            String words, Hash256 target, boolean named, Optional<Network> said, Optional<Network> nodes) {
        assertThatThrownBy(() -> rules(target, named, said, nodes))
                .isInstanceOf(ChainRules.Refused.class)
                .hasMessageContaining(words);
    }

    @Test
    void a_chain_that_demands_no_work_is_a_development_chain_that_the_operator_has_named() {
        ChainRules free = new ChainRules(Network.DEVNET, Difficulty.EASIEST);
        for (Optional<Network> nodes : Networks.ALL) {
            assertThat(rules(Difficulty.EASIEST, false, Optional.of(Network.DEVNET), nodes))
                    .isEqualTo(free);
            assertThat(rules(Difficulty.EASIEST, true, UNSAID, nodes)).isEqualTo(free);
            refused("only as a development chain", Difficulty.EASIEST, false, UNSAID, nodes);
            for (Network strict : new Network[] {Network.MAINNET, Network.TESTNET}) {
                refused("this is no " + strict.word(), Difficulty.EASIEST, true, Optional.of(strict), nodes);
            }
        }
    }

    @Test
    void no_word_of_a_node_frees_a_chain_with_work_from_it() {
        assertThat(rules(WORK, false, UNSAID, UNSAID)).isEqualTo(new ChainRules(Network.MAINNET, WORK));
        assertThat(rules(WORK, false, UNSAID, Optional.of(Network.TESTNET)))
                .isEqualTo(new ChainRules(Network.TESTNET, WORK));
        refused("--network says what it is", WORK, true, UNSAID, Optional.of(Network.DEVNET));
        assertThat(rules(WORK, false, Optional.of(Network.MAINNET), Optional.of(Network.DEVNET)))
                .isEqualTo(new ChainRules(Network.MAINNET, WORK));
    }

    @Test
    void another_block_than_the_genesis_says_nothing() {
        assertThatThrownBy(() -> ChainRules.of(
                        genesis(Difficulty.EASIEST).id(),
                        genesis(WORK),
                        new ChainRules.OperatorSettings(true, UNSAID),
                        UNSAID))
                .isInstanceOf(ChainRules.Refused.class)
                .hasMessageContaining("shows another block at height 0");
    }

    private static final class Networks {
        static final List<Optional<Network>> ALL = List.of(
                Optional.empty(),
                Optional.of(Network.MAINNET),
                Optional.of(Network.TESTNET),
                Optional.of(Network.DEVNET));
    }
}
