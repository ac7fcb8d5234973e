package org.chainwalletd.swap;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.Store;

/**
 * The parts of a store that spends and sends write to, in one life of the daemon. A write is called by its part and its method, as in {@code
 * IntentStore.open}.
 */
record MortalStore(Store store, Life life) {
    private static final Set<String> WRITES = Set.of(
            "IntentStore.open",
            "IntentStore.reopen",
            "IntentStore.accept",
            "IntentStore.failSent",
            "IntentStore.fail",
            "IntentStore.contest",
            "IntentStore.abandon",
            "IntentStore.confirm",
            "IntentStore.unconfirm",
            "IntentStore.bury",
            "IntentStore.forget",
            "ReservationStore.end",
            "ReservationStore.reserveAgain",
            "ReservationStore.abandon",
            "AllowanceStore.forgetUses",
            "AccountSendStore.open",
            "AccountSendStore.addVersion",
            "AccountSendStore.enter",
            "AccountSendStore.seal");

    IntentStore intents() {
        return mortal(IntentStore.class, store.intents());
    }

    ReservationStore reservations() {
        return mortal(ReservationStore.class, store.reservations());
    }

    AllowanceStore allowance() {
        return mortal(AllowanceStore.class, store.allowance());
    }

    AccountSendStore accountSends() {
        return mortal(AccountSendStore.class, store.accountSends());
    }

    private <S> S mortal(Class<S> part, S real) {
        return part.cast(Proxy.newProxyInstance(part.getClassLoader(), new Class<?>[] {part}, (self, method, args) -> {
            String name = part.getSimpleName() + "." + method.getName();
            return WRITES.contains(name)
                    ? life.write(
                            List.of(name),
                            () -> ((CompletionStage<?>) call(real, method, args)).thenApply(done -> (Object) done))
                    : call(real, method, args);
        }));
    }

    private static Object call(Object real, Method method, Object[] args) {
        try {
            return method.invoke(real, args);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
