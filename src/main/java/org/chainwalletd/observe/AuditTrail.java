package org.chainwalletd.observe;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.CallObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line on the logger {@code audit} for each call of a manage or spend method, also for one that was refused for its token
 * (decisions.md, requirement 23). Holds names, addresses of callers and transaction ids: never parameters, so never a secret.
 */
public final class AuditTrail implements CallObserver {
    /** Name of the logger, for a configuration that sends these lines to a place of their own. */
    public static final String LOGGER = "audit";

    private static final Logger AUDIT = LoggerFactory.getLogger(LOGGER);

    private final Clock clock;
    private final Consumer<String> lines;

    public AuditTrail(Clock clock) {
        this(clock, AUDIT::info);
    }

    /** @param lines takes each line */
    AuditTrail(Clock clock, Consumer<String> lines) {
        this.clock = clock;
        this.lines = lines;
    }

    @Override
    public void ended(CallContext context, CallObserver.CallOutcome outcome) {
        if (outcome.required() != Scope.READ) {
            write(context, outcome);
        }
    }

    @Override
    public void refused(CallContext context, CallObserver.CallOutcome outcome) {
        if (outcome.required() != Scope.READ) {
            write(context, outcome);
        }
    }

    private void write(CallContext context, CallObserver.CallOutcome outcome) {
        lines.accept("time=" + clock.instant().truncatedTo(ChronoUnit.MILLIS)
                + " method=" + Printable.word(outcome.method())
                + " scope=" + outcome.required().word()
                + " token=" + context.grant().name()
                + " client=" + Printable.word(context.client())
                + " request_id=" + Printable.word(context.requestId())
                + " tx_id=" + outcome.txId().map(Hash256::toString).orElse("-")
                + " outcome="
                + outcome.error().map(code -> Integer.toString(code.code())).orElse("ok")
                + " millis=" + outcome.nanos() / 1_000_000);
    }
}
