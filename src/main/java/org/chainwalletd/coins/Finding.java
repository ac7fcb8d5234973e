package org.chainwalletd.coins;

/** Answer to the question what an outpoint is worth. */
public sealed interface Finding {
    /** Proven by bytes. */
    record Proven(VerifiedOutput output) implements Finding {}

    /** The bytes of the transaction are there, and it has no output of that index: no such coin can ever be. */
    record NoSuchOutput() implements Finding {}

    /**
     * No source has shown the bytes. That says nothing about the coin.
     *
     * @param why reason, as text for people
     */
    record OutOfReach(String why) implements Finding {}
}
