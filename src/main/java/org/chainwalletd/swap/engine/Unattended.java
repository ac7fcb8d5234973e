package org.chainwalletd.swap.engine;

/** Nobody looks after a swap at this moment: the daemon stops, or what did has failed and is begun again. */
public final class Unattended extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    Unattended() {
        super("nobody looks after the swap at this moment");
    }
}
