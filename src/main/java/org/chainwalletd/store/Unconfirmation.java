package org.chainwalletd.store;

import java.util.Optional;

/** What became of a spend that a reorganisation has removed. */
public sealed interface Unconfirmation {
    /** It is in flight again, durably. */
    record BackInFlight(Intent intent) implements Unconfirmation {}

    /**
     * It was not confirmed, and nothing was written.
     *
     * @param found the state it is in; empty when there is no such spend
     */
    record NotConfirmed(Optional<IntentState> found) implements Unconfirmation {}
}
