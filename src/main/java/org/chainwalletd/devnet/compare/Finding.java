package org.chainwalletd.devnet.compare;

/**
 * What two nodes answered to one question, with ids, heights and values of one chain taken out.
 *
 * @param question what was asked, in a few words
 * @param ours of the development node
 * @param theirs of the other one
 */
public record Finding(String question, String ours, String theirs) {
    public boolean differs() {
        return !ours.equals(theirs);
    }
}
