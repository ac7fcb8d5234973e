package org.chainwalletd.rpc.method.keyring;

/** What the guards say of coins that nobody could tell them about. */
final class Unchecked {
    static final String OBJECTION = "its balance could not be checked with the nodes";

    private Unchecked() {}

    static String because(String why) {
        return OBJECTION + ": " + why;
    }
}
