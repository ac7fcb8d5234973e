package org.chainwalletd.follow;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;

/**
 * A check that a block failed.
 *
 * @param blockId the id under which the node lists the block
 */
record Fault(Rule rule, long height, Hash256 blockId) {
    /** Rule that each block is checked against (chain protocol, section 9). */
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

        /**
         * Returns whether a fault seen twice proves false data. Not so for the two faults that a chain change between two calls, or a clock
         * difference, causes.
         */
        boolean isLie() {
            return this != PARENT && this != FUTURE;
        }
    }

    @Override
    public String toString() {
        return "block " + U64.toString(height) + " (" + blockId + "): " + rule.text;
    }
}
