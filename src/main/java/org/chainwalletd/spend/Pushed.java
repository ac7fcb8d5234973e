package org.chainwalletd.spend;

import java.util.List;

/**
 * What the nodes say of a spend after those that lacked it were shown its bytes.
 *
 * @param somewhere whether some node has it, in its mempool or, as it says, in a block
 * @param refusals the words of those that would not have it, for what the transaction is
 */
public record Pushed(boolean somewhere, List<String> refusals) {
    public Pushed {
        refusals = List.copyOf(refusals);
    }

    /** Whether no node has it and one at least has said that it does not want it. */
    public boolean isRefused() {
        return !somewhere && !refusals.isEmpty();
    }
}
