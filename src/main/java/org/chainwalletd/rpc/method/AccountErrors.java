package org.chainwalletd.rpc.method;

import java.util.Optional;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.rpc.ErrorTranslator;

/** Translates failures of the account chain's client into errors of the catalogue. */
public final class AccountErrors implements ErrorTranslator {
    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        return failure instanceof AccountException endpoints
                ? Optional.of(new RefusedException(ErrorCode.UPSTREAM, endpoints.getMessage()))
                : Optional.empty();
    }
}
