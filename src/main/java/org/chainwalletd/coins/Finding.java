package org.chainwalletd.coins;

/** What became of the question what an outpoint is worth. */
public sealed interface Finding {
    /** Proven by bytes. */
    record Proven(VerifiedOutput output) implements Finding {}

    /** The bytes of the transaction are there, and it has no output of that index: no such coin can ever be. */
    record NoSuchOutput() implements Finding {}

    /**
     * Nobody has shown the bytes. That says nothing about the coin.
     *
     * @param why for people
     */
    record OutOfReach(String why) implements Finding {}
}
