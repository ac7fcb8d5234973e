package org.chainwalletd.rpc.method;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.chainwalletd.account.SendRefusal;
import org.chainwalletd.account.SendRefusal.SendException;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.store.AccountSendStore;

/** Translates refusals and failures of the account chain's client into errors of the catalogue. */
public final class AccountErrors implements ErrorTranslator {
    private static final long BUSY_RETRY_SECONDS = 15;

    record Shortfall(String neededWei, String availableWei, String gasReserveWei) {}

    record TokenData(String clientToken) {}

    /** Rows of the table, one for each kind of refusal; a test compares them with the refusals. */
    private static final Map<Class<? extends SendRefusal>, Function<SendRefusal, RefusedException>> ROWS =
            Map.ofEntries(
                    row(
                            SendRefusal.InsufficientBalance.class,
                            poor -> new RefusedException(
                                    ErrorCode.INSUFFICIENT_BALANCE,
                                    poor.message(),
                                    new Shortfall(
                                            poor.needed().toString(),
                                            poor.available().toString(),
                                            poor.reserved().toString()))),
                    row(
                            SendRefusal.ReferenceTaken.class,
                            taken -> new RefusedException(
                                    ErrorCode.IDEMPOTENCY_CONFLICT,
                                    taken.message(),
                                    new TokenData(token(taken.reference())))),
                    row(
                            SendRefusal.TooMany.class,
                            many -> RefusedException.tooManyRequests(many.message(), BUSY_RETRY_SECONDS)),
                    row(SendRefusal.FeeTooHigh.class, AccountErrors::cannotBeBuilt),
                    row(SendRefusal.NonceGap.class, AccountErrors::cannotBeBuilt),
                    row(SendRefusal.NonceAhead.class, AccountErrors::cannotBeBuilt),
                    row(SendRefusal.NonceBehind.class, AccountErrors::cannotBeBuilt),
                    row(SendRefusal.HasCode.class, AccountErrors::cannotBeBuilt),
                    row(SendRefusal.OldChain.class, AccountErrors::cannotBeBuilt),
                    row(SendRefusal.WouldRevert.class, AccountErrors::cannotBeBuilt),
                    row(SendRefusal.NotWantedAnyMore.class, AccountErrors::cannotBeBuilt),
                    row(SendRefusal.NotOpen.class, closed -> RefusedException.invalidParams(closed.message())),
                    row(
                            SendRefusal.ShuttingDown.class,
                            stopping -> new RefusedException(ErrorCode.INTERNAL_ERROR, stopping.message())));

    private static <R extends SendRefusal>
            Map.Entry<Class<? extends SendRefusal>, Function<SendRefusal, RefusedException>> row(
                    Class<R> type, Function<R, RefusedException> error) {
        return Map.entry(type, refusal -> error.apply(type.cast(refusal)));
    }

    private static RefusedException cannotBeBuilt(SendRefusal refusal) {
        return new RefusedException(ErrorCode.TX_BUILD, refusal.message());
    }

    /** The refusals that have an error. */
    static Set<Class<? extends SendRefusal>> known() {
        return ROWS.keySet();
    }

    /** Under which a transaction with a client token is known to the nonce owner. */
    static String reference(String clientToken) {
        return AccountSendStore.reference(clientToken);
    }

    private static String token(String reference) {
        return reference.startsWith(AccountSendStore.TOKEN)
                ? reference.substring(AccountSendStore.TOKEN.length())
                : reference;
    }

    @Override
    public Optional<RefusedException> translate(Throwable failure) {
        if (failure instanceof SendException refused) {
            return Optional.of(ROWS.get(refused.refusal().getClass()).apply(refused.refusal()));
        }
        if (failure instanceof AccountException endpoints) {
            return Optional.of(new RefusedException(ErrorCode.UPSTREAM, endpoints.getMessage()));
        }
        return Optional.empty();
    }
}
