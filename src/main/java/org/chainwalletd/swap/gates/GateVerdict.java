package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.Optional;

/**
 * Whether the secret may leave for the first time. One reason against it is enough; which one is told to whoever asks for the swap.
 *
 * @param closed reason why it may not leave now; empty when everything that was demanded was seen
 * @param hopeless whether no later look can be better: the swap can only end in a refund
 * @param byRelay whether the pool would send the claim, since our own gas does not pay for it: the request itself shows the secret
 */
public record GateVerdict(Optional<String> closed, boolean hopeless, boolean byRelay) {
    public static final GateVerdict OPEN = new GateVerdict(Optional.empty(), false, false);
    public static final GateVerdict OPEN_BY_RELAY = new GateVerdict(Optional.empty(), false, true);

    public boolean isOpen() {
        return closed.isEmpty();
    }

    /** Closed for now; a later look may open it. */
    public static GateVerdict closed(String reason) {
        return new GateVerdict(Optional.of(reason), false, false);
    }

    static GateVerdict closedForGood(String reason) {
        return new GateVerdict(Optional.of(reason), true, false);
    }

    public static GateVerdict noLock(String cause) {
        return closed("no lock of the pool that can be claimed: " + cause);
    }

    /** @param left until the pool can take its lock back, in seconds or blocks */
    static GateVerdict marginTooSmall(BigInteger left, long demanded, String unit) {
        return closedForGood("the pool can take its lock back in " + left + " " + unit + "; " + demanded
                + " must be left when the secret leaves");
    }

    static GateVerdict stale(String chain, long seconds, long limit) {
        return closed(
                "the newest block of " + chain + " is " + seconds + " s old; at most " + limit + " s are allowed");
    }
}
