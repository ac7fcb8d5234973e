package org.chainwalletd.swap.engine;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.testkit.Stub;

/**
 * Parts of a store that spends and sends write to, in one run of the daemon. Writes are named by part and method, as in {@code IntentStore.open}.
 */
public record MortalStore(Store store, Life life, SwapTruth truth) {
    private static final Pattern CLAIM = Pattern.compile("swap\u00b7(.+)\u00b7claim\u00b7.+");

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
        return Stub.of(part, call -> {
            String name = part.getSimpleName() + "." + call.name();
            return WRITES.contains(name)
                    ? life.write(List.of(name), () -> {
                        claims(name, call.arguments()).forEach(truth::journalsClaim);
                        return stage(call, real);
                    })
                    : call.on(real);
        });
    }

    /** Starts a write without throwing: a failure fails its stage. */
    @SuppressWarnings("unchecked") // whoever asked knows the type
    static CompletionStage<Object> stage(Stub.Call call, Object real) {
        try {
            return (CompletionStage<Object>) call.on(real);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the ids of the swaps whose claims are about to be durable. */
    private static List<String> claims(String write, Object[] args) {
        if (write.equals("AccountSendStore.open") && args[0] instanceof List<?> sends) {
            return sends.stream()
                    .map(AccountSend.class::cast)
                    .filter(send -> send.order().kind().equals(SendKind.CLAIM.name()))
                    .flatMap(send -> send.order().owner().stream())
                    .toList();
        }
        if (write.equals("IntentStore.open")) {
            Matcher token = ((Intent) args[0])
                    .token()
                    .map(binding -> CLAIM.matcher(binding.token()))
                    .orElseThrow();
            return token.matches() ? List.of(token.group(1)) : List.of();
        }
        return List.of();
    }
}
