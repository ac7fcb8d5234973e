package org.chainwalletd.http.pages;

import java.util.Optional;

/** Condition of {@code GET /readyz}. */
@FunctionalInterface
public interface ReadinessCheck {
    /** Why the daemon cannot work yet, in a few words of plain ASCII; empty when it can. Must not block. */
    Optional<String> missing();
}
