package org.chainwalletd.crypto;

/** A sealed blob that does not open (chain protocol, appendix C). Never carries content, keys or a cause. */
public final class UnsealException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why not, in the order in which the reasons are checked. */
    public enum Reason {
        /** Fewer than 49 bytes. */
        TOO_SHORT("it is too short to be a sealed file"),
        /** The first four bytes are not {@code WDV1}. */
        BAD_MAGIC("it is not a sealed file"),
        /** The version byte is not 1. */
        BAD_VERSION("it is a sealed file of an unknown version"),
        /** Wrong passphrase, another role, or damaged: cannot be told apart. */
        DECRYPTION_FAILED("wrong passphrase, another kind of sealed file, or damaged");

        private final String text;

        Reason(String text) {
            this.text = text;
        }
    }

    private final Reason reason;

    UnsealException(Reason reason) {
        super(reason.text);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
