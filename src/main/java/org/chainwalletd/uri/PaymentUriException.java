package org.chainwalletd.uri;

/** A text that is no payment URI, or fields that cannot stand in one. The message says which rule is broken and never repeats the text. */
public final class PaymentUriException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PaymentUriException(String message) {
        super(message);
    }
}
