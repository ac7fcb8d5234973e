package org.chainwalletd.http;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.chainwalletd.rpc.Scope;

/** How many requests of each token are being answered; a token at its bound is told to come back, so that the others go on. */
final class RequestSlots {
    private final AtomicIntegerArray taken = new AtomicIntegerArray(Scope.values().length);
    private final int perToken;

    RequestSlots(int perToken) {
        this.perToken = perToken;
    }

    boolean take(Scope token) {
        if (taken.incrementAndGet(token.ordinal()) <= perToken) {
            return true;
        }
        giveBack(token);
        return false;
    }

    void giveBack(Scope token) {
        taken.decrementAndGet(token.ordinal());
    }
}
