package org.chainwalletd.quote;

/** Terms that no quote can have. The message says which. */
public final class QuoteException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    QuoteException(String message) {
        super(message);
    }
}
