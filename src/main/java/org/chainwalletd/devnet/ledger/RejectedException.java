package org.chainwalletd.devnet.ledger;

/** A transaction or a request that is refused; the message is the text of a node (chain protocol, section 10.4). */
public final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RejectedException(String message) {
        super(message, null, false, false);
    }
}
