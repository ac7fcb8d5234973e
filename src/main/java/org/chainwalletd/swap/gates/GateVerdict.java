package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.Optional;

/**
 * Verdict whether the secret may be revealed for the first time. One reason against it suffices and is reported to callers that query the swap.
 *
 * @param closed reason why it may not be revealed now; empty when all requirements are met
 * @param hopeless whether no later observation can open the gate, so that the swap can only end in a refund
 * @param byRelay whether the pool would send the claim because our own gas cannot pay for it; that request itself reveals the secret
 */
public record GateVerdict(Optional<String> closed, boolean hopeless, boolean byRelay) {
    public static final GateVerdict OPEN = new GateVerdict(Optional.empty(), false, false);
    public static final GateVerdict OPEN_BY_RELAY = new GateVerdict(Optional.empty(), false, true);

    public boolean isOpen() {
        return closed.isEmpty();
    }

    /** Closed for now; a later observation may open the gate. */
    public static GateVerdict closed(String reason) {
        return new GateVerdict(Optional.of(reason), false, false);
    }

    static GateVerdict closedForGood(String reason) {
        return new GateVerdict(Optional.of(reason), true, false);
    }

    public static GateVerdict noLock(String cause) {
        return closed("no lock of the pool that can be claimed: " + cause);
    }

    /** @param left time until the pool can refund its lock, in seconds or blocks */
    static GateVerdict marginTooSmall(BigInteger left, long demanded, String unit) {
        return closedForGood("the pool can take its lock back in " + left + " " + unit + "; " + demanded
                + " must be left when the secret leaves");
    }

    static GateVerdict stale(String chain, long seconds, long limit) {
        return closed(
                "the newest block of " + chain + " is " + seconds + " s old; at most " + limit + " s are allowed");
    }
}
