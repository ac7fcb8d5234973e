package org.chainwalletd.swap;

/** Nobody looks after a swap at this moment: the daemon stops, or what did has failed and is begun again. */
final class Unattended extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    Unattended() {
        super("nobody looks after the swap at this moment");
    }
}
