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
        ID("its id is not the hash of its header"),
        HEIGHT("its height is not the requested one"),
        PARENT("its parent is not the block below"),
        TIME("its timestamp is not allowed"),
        TARGET("its target is not the one required at its height"),
        LENGTH("its transactions are longer than a block may be"),
        TRANSACTIONS("its transactions do not match its list of ids"),
        ROOT("its transactions do not match its root"),
        FUTURE("its timestamp is too far in the future"),
        WORK("its proof of work is invalid");

        private final String text;

        Rule(String text) {
            this.text = text;
        }

        /**
         * Returns whether a fault seen twice proves false data. Not so for the two faults that a chain change between two calls, or a clock
         * difference, causes.
         */
        boolean provesFalseData() {
            return this != PARENT && this != FUTURE;
        }
    }

    @Override
    public String toString() {
        return "block " + U64.toString(height) + " (" + blockId + "): " + rule.text;
    }
}
