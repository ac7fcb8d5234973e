package org.chainwalletd.rpc;

import java.util.Optional;
import org.chainwalletd.api.RefusedException;

/** Turns the exceptions of one service into errors of the catalogue. Each method family brings its own. */
@FunctionalInterface
public interface ErrorTranslator {
    /** Translates a failure; empty when it is not of this family. {@code failure} is unwrapped, see {@link org.chainwalletd.stage.Causes}. */
    Optional<RefusedException> translate(Throwable failure);
}
