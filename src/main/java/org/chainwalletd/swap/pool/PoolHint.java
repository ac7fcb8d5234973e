package org.chainwalletd.swap.pool;

import java.util.Optional;

/** What the pool says of a swap: where one might look, never what is true. */
public record PoolHint(Optional<String> status, Optional<String> poolLockTx, Optional<String> userClaimTx) {}
