package org.chainwalletd.spend.plan;

/** Carries a {@link SpendRefusal} through a stage. */
public final class SpendException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient SpendRefusal refusal;

    public SpendException(SpendRefusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    public SpendRefusal refusal() {
        return refusal;
    }
}
