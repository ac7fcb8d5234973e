package org.chainwalletd.observe;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import org.chainwalletd.api.Audited;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.CallObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line to the logger {@code audit} for each call of a manage or spend method, including calls refused because of their token
 * (decisions.md, requirement 23). A line contains names, addresses of callers and transaction ids, and for a spend the payer, the recipients and
 * the client token; never a secret or a memo.
 */
public final class AuditTrail implements CallObserver {
    /** Logger name, for configurations that send these lines to a separate appender. */
    public static final String LOGGER = "audit";

    private static final int MOST_WORDS = 4;
    /** Length of an address in hex digits. */
    private static final int LONGEST_WORD = 64;

    private static final Logger AUDIT = LoggerFactory.getLogger(LOGGER);

    private final Clock clock;
    private final Consumer<String> lines;

    public AuditTrail(Clock clock) {
        this(clock, AUDIT::info);
    }

    /** @param lines receives each line */
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

    private static String words(Audited call) {
        String names = call.payoutIds().isEmpty()
                ? " client_token="
                        + call.idempotencyToken().map(Printable::word).orElse("-")
                : " payout_ids=" + first(call.payoutIds());
        return call.payees().map(AuditTrail::words).orElse("") + names;
    }

    private static String words(Audited.Payees payees) {
        return " from=" + first(payees.from()) + " to="
                + first(
                        payees.to().stream()
                                .limit(MOST_WORDS)
                                .map(recipient -> cut(recipient.to()) + ':' + cut(recipient.amount()))
                                .toList(),
                        payees.to().size());
    }

    private static String first(List<String> words) {
        return first(words.stream().limit(MOST_WORDS).map(AuditTrail::cut).toList(), words.size());
    }

    /** Joins the first words, and adds how many more there are. */
    private static String first(List<String> words, int all) {
        String told = words.isEmpty() ? "-" : String.join(",", words);
        return all > words.size() ? told + ",+" + (all - words.size()) : told;
    }

    private static String cut(String word) {
        return Printable.word(word.substring(0, Math.min(LONGEST_WORD, word.length())));
    }

    private void write(CallContext context, CallObserver.CallOutcome outcome) {
        lines.accept("time=" + clock.instant().truncatedTo(ChronoUnit.MILLIS)
                + " method=" + Printable.word(outcome.method())
                + " scope=" + outcome.required().word()
                + " token=" + context.grant().name()
                + " client=" + Printable.word(context.client())
                + " request_id=" + Printable.word(context.requestId())
                + " tx_id=" + outcome.txId().map(Hash256::toString).orElse("-")
                + outcome.audited().map(AuditTrail::words).orElse("")
                + " outcome="
                + outcome.error().map(code -> Integer.toString(code.code())).orElse("ok")
                + " millis=" + outcome.nanos() / 1_000_000);
    }
}
