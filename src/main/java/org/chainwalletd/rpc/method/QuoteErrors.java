package org.chainwalletd.rpc.method;

import java.util.Optional;
import org.chainwalletd.quote.QuoteException;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.RpcException;

/** Terms that no quote can have are wrong parameters. */
public final class QuoteErrors implements ErrorTranslator {
    @Override
    public Optional<RpcException> translate(Throwable failure) {
        return failure instanceof QuoteException
                ? Optional.of(RpcException.invalidParams(failure.getMessage()))
                : Optional.empty();
    }
}
