package org.chainwalletd.account;

/** Carries a {@link SendRefusal} through a stage. */
public final class SendException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient SendRefusal refusal;

    public SendException(SendRefusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    public SendRefusal refusal() {
        return refusal;
    }
}
