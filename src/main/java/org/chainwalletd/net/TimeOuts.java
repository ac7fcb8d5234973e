package org.chainwalletd.net;

import java.time.Duration;
import org.apache.pekko.actor.Cancellable;

/** Runs something after a time, unless it is cancelled before; never on the caller's thread. */
@FunctionalInterface
interface TimeOuts {
    Cancellable after(Duration time, Runnable work);
}
