package org.chainwalletd.rpc.method;

import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.swap.pool.Pool.PoolException;

/** Translates failures of the pool: always -32020, with the pool's text where there is one (swap.md, section 4). */
public final class PoolErrors implements ErrorTranslator {
    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        return failure instanceof PoolException
                ? Optional.of(new RefusedException(ErrorCode.UPSTREAM, failure.getMessage()))
                : Optional.empty();
    }
}
