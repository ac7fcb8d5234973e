package org.chainwalletd.cli;

/** Signals parameters that cannot be sent; the message is for the user and shows no value. */
final class Mistake extends Exception {
    private static final long serialVersionUID = 1L;

    Mistake(String message) {
        super(message);
    }
}
