package org.chainwalletd.http;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.chainwalletd.api.Scope;

/** How many requests of each token are being answered; a token at its bound is told to come back, so that the others go on. */
final class RequestSlots {
    private final AtomicIntegerArray taken = new AtomicIntegerArray(Scope.values().length);
    private final int perToken;

    RequestSlots(int perToken) {
        this.perToken = perToken;
    }

    /** A slot of the token, which is given back by running it; empty when all are taken. */
    Optional<Slot> take(Scope token) {
        if (taken.incrementAndGet(token.ordinal()) <= perToken) {
            return Optional.of(new Slot(token));
        }
        taken.decrementAndGet(token.ordinal());
        return Optional.empty();
    }

    /** Is given back once, however often and by whomever it is run. */
    final class Slot implements Runnable {
        private final Scope token;
        private final AtomicBoolean givenBack = new AtomicBoolean();

        private Slot(Scope token) {
            this.token = token;
        }

        @Override
        public void run() {
            if (givenBack.compareAndSet(false, true)) {
                taken.decrementAndGet(token.ordinal());
            }
        }
    }
}
