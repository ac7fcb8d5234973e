package org.chainwalletd.htlc;

/** Carries a {@link HtlcRefusal} through a stage. */
public final class HtlcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient HtlcRefusal refusal;

    public HtlcException(HtlcRefusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    public HtlcRefusal refusal() {
        return refusal;
    }
}
