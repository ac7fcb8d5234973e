package org.chainwalletd.event;

import java.util.Locale;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.HeardIntents.IntentListener;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.TokenBinding;

/** Publishes {@code spend}: each change of a spend's state. */
public final class SpendEvents implements IntentListener {
    private static final String KIND = "spend";
    /** A node's words may be long. */
    private static final int REASON = 500;

    /**
     * @param method that asked for the spend
     * @param state {@code prepared}, {@code accepted}, {@code confirmed}, {@code refused}, {@code conflicted}, {@code
     *     abandoned} or {@code contested}
     * @param reason only for the last four
     */
    private record View(
            Hash256 txId,
            Optional<String> clientToken,
            String method,
            Address from,
            String state,
            Optional<String> reason) {}

    private final EventHub hub;

    public SpendEvents(EventHub hub) {
        this.hub = hub;
    }

    @Override
    public boolean isListening() {
        return hub.isHeard();
    }

    @Override
    public void changed(Intent intent, IntentState state, String reason) {
        hub.publish(
                KIND,
                new View(
                        intent.txId(),
                        intent.token().map(TokenBinding::token),
                        intent.kind(),
                        intent.from(),
                        state.name().toLowerCase(Locale.ROOT),
                        Optional.of(reason.substring(0, Math.min(REASON, reason.length())))
                                .filter(text -> !text.isEmpty())));
    }
}
