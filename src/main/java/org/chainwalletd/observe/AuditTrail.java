package org.chainwalletd.observe;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import org.chainwalletd.api.Scope;
import org.chainwalletd.api.Spend;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.CallObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line on the logger {@code audit} for each call of a manage or spend method, also for one that was refused for its token
 * (decisions.md, requirement 23). Holds names, addresses of callers, transaction ids, and of a spend who pays whom and its client token: never a
 * secret, and never a memo.
 */
public final class AuditTrail implements CallObserver {
    /** Name of the logger, for a configuration that sends these lines to a place of their own. */
    public static final String LOGGER = "audit";

    private static final int MOST_RECIPIENTS = 4;
    private static final int ADDRESS_DIGITS = 64;
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

    private static String words(Spend<?> spend) {
        return spend.payees().map(AuditTrail::words).orElse("") + " client_token="
                + spend.clientToken().map(Printable::word).orElse("-");
    }

    /** The first recipients, and how many more there are. */
    private static String words(Spend.Payees payees) {
        List<Spend.Recipient> to = payees.to();
        StringBuilder words = new StringBuilder(" from=").append(payees.from()).append(" to=");
        for (Spend.Recipient output : to.subList(0, Math.min(MOST_RECIPIENTS, to.size()))) {
            String recipient = output.to();
            words.append(Printable.word(recipient.substring(0, Math.min(ADDRESS_DIGITS, recipient.length()))))
                    .append(':')
                    .append(output.amount())
                    .append(',');
        }
        if (to.size() > MOST_RECIPIENTS) {
            words.append('+').append(to.size() - MOST_RECIPIENTS).append(',');
        }
        if (to.isEmpty()) {
            words.append("-,");
        }
        return words.substring(0, words.length() - 1);
    }

    private void write(CallContext context, CallObserver.CallOutcome outcome) {
        lines.accept("time=" + clock.instant().truncatedTo(ChronoUnit.MILLIS)
                + " method=" + Printable.word(outcome.method())
                + " scope=" + outcome.required().word()
                + " token=" + context.grant().name()
                + " client=" + Printable.word(context.client())
                + " request_id=" + Printable.word(context.requestId())
                + " tx_id=" + outcome.txId().map(Hash256::toString).orElse("-")
                + outcome.spend().map(AuditTrail::words).orElse("")
                + " outcome="
                + outcome.error().map(code -> Integer.toString(code.code())).orElse("ok")
                + " millis=" + outcome.nanos() / 1_000_000);
    }
}
