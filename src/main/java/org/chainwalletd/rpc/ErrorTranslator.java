package org.chainwalletd.rpc;

import java.util.Optional;
import org.chainwalletd.api.RefusedException;

/** Translator of the exceptions of one service into errors of the catalogue. Each method family has its own. */
@FunctionalInterface
public interface ErrorTranslator {
    /**
     * Translates a failure; empty if it does not belong to this family. {@code failure} is unwrapped, see
     * {@link org.chainwalletd.stage.Causes}.
     */
    Optional<RefusedException> translate(Throwable failure);
}
