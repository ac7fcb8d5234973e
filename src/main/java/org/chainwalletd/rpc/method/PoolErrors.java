package org.chainwalletd.rpc.method;

import java.util.Optional;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.swap.pool.PoolException;

/** What the pool fails with: always -32020, with its words where it had any (swap.md, section 4). */
public final class PoolErrors implements ErrorTranslator {
    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        return failure instanceof PoolException
                ? Optional.of(new RefusedException(ErrorCode.UPSTREAM, failure.getMessage()))
                : Optional.empty();
    }
}
