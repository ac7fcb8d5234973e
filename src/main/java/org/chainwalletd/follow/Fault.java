package org.chainwalletd.follow;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;

/**
 * A check that a block has failed.
 *
 * @param blockId under which the node names it
 */
record Fault(Rule rule, long height, Hash256 blockId) {
    /** Rule that every block is checked for (chain protocol, section 9). */
    enum Rule {
        ID("its id is not that of its header"),
        HEIGHT("it has another height than asked for"),
        PARENT("it is not the child of the block below"),
        TIME("its time is not allowed"),
        TARGET("its target is not the one that its height demands"),
        TRANSACTIONS("its transactions are not those of its list"),
        ROOT("its transactions are not those of its root"),
        FUTURE("its time has not come yet"),
        WORK("nobody worked for it");

        private final String text;

        Rule(String text) {
            this.text = text;
        }

        /** Whether it proves a lie when it is seen twice: a chain may have changed between two questions, and clocks differ. */
        boolean isLie() {
            return this != PARENT && this != FUTURE;
        }
    }

    @Override
    public String toString() {
        return "block " + U64.toString(height) + " (" + blockId + "): " + rule.text;
    }
}
