package org.chainwalletd.http;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.access.Grant;

/** How many requests of each token are being answered; a token at its bound is told to come back, so that the others go on. */
final class RequestSlots {
    /** By name, as many as there were ever tokens: the values of one token share its slots. */
    private final Map<String, AtomicInteger> taken = new ConcurrentHashMap<>();

    private final int perToken;

    RequestSlots(int perToken) {
        this.perToken = perToken;
    }

    /** A slot of the token, which is given back by running it; empty when all are taken. */
    Optional<Slot> take(Grant grant) {
        AtomicInteger ofToken = taken.computeIfAbsent(grant.name(), name -> new AtomicInteger());
        if (ofToken.incrementAndGet() <= perToken) {
            return Optional.of(new Slot(ofToken));
        }
        ofToken.decrementAndGet();
        return Optional.empty();
    }

    /** Is given back once, however often and by whomever it is run. */
    static final class Slot implements Runnable {
        private final AtomicInteger ofToken;
        private final AtomicBoolean givenBack = new AtomicBoolean();

        private Slot(AtomicInteger ofToken) {
            this.ofToken = ofToken;
        }

        @Override
        public void run() {
            if (givenBack.compareAndSet(false, true)) {
                ofToken.decrementAndGet();
            }
        }
    }
}
