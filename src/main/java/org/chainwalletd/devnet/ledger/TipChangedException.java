package org.chainwalletd.devnet.ledger;

/** A block arrived while a transaction was checked; sent again, it is checked against the new tip (chain protocol, section 10.4). */
public final class TipChangedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TipChangedException() {
        super("Tip changed during validation, try again", null, false, false);
    }
}
