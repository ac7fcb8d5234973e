package org.chainwalletd.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Audited;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.EvmAccount;
import org.chainwalletd.api.Payouts;
import org.chainwalletd.api.Scope;
import org.chainwalletd.api.Spending.Output;
import org.chainwalletd.api.Spending.Payment;
import org.chainwalletd.api.Spending.Sweep;
import org.chainwalletd.api.Spending.SweepStop;
import org.chainwalletd.api.Spending.Transfer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.ClientPresence;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.testkit.LogCapture;
import org.chainwalletd.wire.AmountOrMax;
import org.junit.jupiter.api.Test;

class ObserveTest {
    private static final CallContext CALLER =
            new CallContext("ab-1", Grant.of(Scope.SPEND), "192.0.2.1", new ClientPresence());

    private static CallObserver.CallOutcome outcome(String method, Scope required, ErrorCode error, Hash256 txId) {
        return new CallObserver.CallOutcome(
                method, required, Optional.ofNullable(error), 7_000_000, Optional.ofNullable(txId));
    }

    @Test
    void the_audit_trail_has_one_line_for_each_manage_and_spend_call_and_none_for_reads() {
        LogCapture log = LogCapture.of(AuditTrail.LOGGER);
        try (log) {
            AuditTrail audit =
                    new AuditTrail(Clock.fixed(Instant.parse("2026-11-21T10:00:00.123456Z"), ZoneOffset.UTC));
            Hash256 id = Hash256.of(new byte[32]);
            audit.ended(CALLER, outcome("transfer", Scope.SPEND, null, id));
            audit.ended(CALLER, outcome("transfer", Scope.SPEND, ErrorCode.INSUFFICIENT_BALANCE, null));
            audit.ended(CALLER, outcome("generate_address", Scope.MANAGE, null, null));
            audit.ended(CALLER, outcome("ping", Scope.READ, null, null));
            audit.refused(
                    new CallContext("ab-2", Grant.of(Scope.READ), "192.0.2.9", new ClientPresence()),
                    outcome("transfer", Scope.SPEND, ErrorCode.UNAUTHORIZED, null));
            audit.refused(CALLER, outcome("unknown", Scope.READ, ErrorCode.METHOD_NOT_FOUND, null));
        }

        assertThat(log.messages())
                .containsExactly(
                        "time=2026-11-21T10:00:00.123Z method=transfer scope=spend token=spend client=192.0.2.1 request_id=ab-1 tx_id="
                                + "00".repeat(32) + " outcome=ok millis=7",
                        "time=2026-11-21T10:00:00.123Z method=transfer scope=spend token=spend client=192.0.2.1 request_id=ab-1 tx_id=- outcome=-32031 millis=7",
                        "time=2026-11-21T10:00:00.123Z method=generate_address scope=manage token=spend client=192.0.2.1 request_id=ab-1 tx_id=- outcome=ok millis=7",
                        "time=2026-11-21T10:00:00.123Z method=transfer scope=spend token=read client=192.0.2.9 request_id=ab-2 tx_id=- outcome=-32001 millis=7");
    }

    @Test
    void the_line_of_a_spend_tells_who_pays_whom_and_its_client_token_and_never_its_memo() {
        List<String> lines = new ArrayList<>();
        AuditTrail audit = new AuditTrail(Clock.systemUTC(), lines::add);
        Address payer = Address.parse("a1".repeat(32));
        List<Output> outputs = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            outputs.add(new Output("b2".repeat(32), AmountOrMax.of(Amount.of(1_000 + i))));
        }
        Transfer transfer = new Transfer(Payment.of(payer, outputs), "payout 7=x").withMemo("for the secret agent");
        audit.ended(
                CALLER,
                new CallObserver.CallOutcome(
                        "transfer", Scope.SPEND, Optional.empty(), 1, Optional.empty(), Optional.of(transfer)));
        assertThat(lines.get(0))
                .contains(" from=" + payer + " to=" + "b2".repeat(32) + ":1000," + "b2".repeat(32) + ":1001,")
                .contains(":1003,+12 client_token=payout")
                .doesNotContain("secret agent")
                .doesNotContain(" 7=x");
    }

    @Test
    void the_lines_of_payouts_and_sweeps_tell_sources_recipients_and_ids_within_bounds() {
        List<String> lines = new ArrayList<>();
        AuditTrail audit = new AuditTrail(Clock.systemUTC(), lines::add);
        Address to = Address.parse("b2".repeat(32));
        List<Payouts.Order> orders = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            orders.add(Payouts.Order.of("salary-" + i, to, Amount.of(1_000 + i)));
        }
        for (Audited call : List.of(
                new Payouts.PayoutSubmit(orders, Optional.of(Payouts.Source.ofLabel("the till"))),
                new Payouts.PayoutCancel(List.of("salary-1")),
                new Sweep(Payouts.Source.of(List.of(to, to)), to, "sweep-0001"),
                new SweepStop("sweep-0001"),
                new EvmAccount.EvmSendNative("0x" + "9".repeat(300), "max", "gas-0001"))) {
            audit.ended(
                    CALLER,
                    new CallObserver.CallOutcome(
                            "m", Scope.SPEND, Optional.empty(), 1, Optional.empty(), Optional.of(call)));
        }
        assertThat(lines.get(0))
                .contains(" to=" + to + ":1000,", ":1003,+996 payout_ids=salary-0,salary-1,salary-2,salary-3,+996 ")
                .containsPattern(" from=label:the\\S+till ")
                .hasSizeLessThan(1_000);
        assertThat(lines.get(1)).contains(" tx_id=- payout_ids=salary-1 ");
        assertThat(lines.get(2)).contains(" from=" + to + "," + to + " to=" + to + ":max client_token=sweep-0001 ");
        assertThat(lines.get(3)).contains(" tx_id=- client_token=sweep-0001 ");
        assertThat(lines.get(4))
                .contains(" from=- to=0x", ":max client_token=gas-0001 ")
                .hasSizeLessThan(400);
    }

    @Test
    void calls_are_counted_by_method_and_outcome() {
        try (Metrics metrics = new Metrics()) {
            CallMetrics calls = new CallMetrics(metrics.registry(), MethodRegistry.of(List.of()));
            calls.started(CALLER, "ping", Scope.READ);
            calls.started(CALLER, "ping", Scope.READ);
            calls.ended(CALLER, outcome("ping", Scope.READ, null, null));
            calls.started(CALLER, "transfer", Scope.SPEND);
            calls.ended(CALLER, outcome("transfer", Scope.SPEND, ErrorCode.DUST_OUTPUT, null));
            calls.refused(CALLER, outcome("unknown", Scope.READ, ErrorCode.METHOD_NOT_FOUND, null));

            assertThat(metrics.scrape())
                    .contains("walletd_rpc_calls_seconds_count{method=\"ping\",outcome=\"ok\"} 1")
                    .contains("walletd_rpc_calls_seconds_bucket{method=\"ping\",outcome=\"ok\",le=\"0.025\"} 1")
                    .contains("walletd_rpc_calls_seconds_count{method=\"transfer\",outcome=\"error\"} 1")
                    .contains("walletd_rpc_errors_total{code=\"-32033\",method=\"transfer\"} 1.0")
                    .contains("walletd_rpc_errors_total{code=\"-32601\",method=\"unknown\"} 1.0")
                    .contains("walletd_rpc_in_flight 1.0");
        }
    }

    @Test
    void refusals_connections_and_the_process_are_in_the_metrics() {
        try (Metrics metrics = new Metrics().withProcess()) {
            HttpMetrics http = new HttpMetrics(metrics.registry());
            http.connections(() -> 3);
            http.refused("overload");
            http.refused("overload");

            assertThat(metrics.scrape())
                    .contains("walletd_http_refused_total{reason=\"overload\"} 2.0")
                    .contains("walletd_http_connections 3.0")
                    .contains("jvm_memory_used_bytes{")
                    .contains("process_uptime_seconds");
        }
    }

    @Test
    void without_a_configuration_the_log_goes_to_standard_error_and_can_be_switched_to_json() {
        LoggerContext context = new LoggerContext();
        LogSetup setup = new LogSetup();
        setup.setContext(context);
        setup.configure(context);

        ConsoleAppender<ILoggingEvent> console = (ConsoleAppender<ILoggingEvent>)
                context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender("console");
        assertThat(console.getTarget()).isEqualTo("System.err");
        assertThat(console.isStarted()).isTrue();

        LogSetup.useJson(context);
        assertThat(console.getEncoder()).isInstanceOf(JsonEncoder.class);
        context.setMDCAdapter(new LogbackMDCAdapter());
        LoggingEvent event = new LoggingEvent(
                "test", context.getLogger("audit"), Level.INFO, "method={} outcome={}", null, new Object[] {
                    "transfer", "ok"
                });
        assertThat(new String(console.getEncoder().encode(event), StandardCharsets.UTF_8))
                .contains("\"formattedMessage\":\"method=transfer outcome=ok\"");
    }

    @Test
    void the_provider_of_the_program_logs_as_without_a_configuration() {
        LogProvider provider = new LogProvider();
        provider.initialize();

        LoggerContext context = (LoggerContext) provider.getLoggerFactory();
        assertThat(context.isStarted()).isTrue();
        assertThat(context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender("console"))
                .isInstanceOf(ConsoleAppender.class);
        assertThat(context.getLogger("org.apache.pekko.event.slf4j").getLevel()).isEqualTo(Level.WARN);
        assertThat(context.getMDCAdapter()).isSameAs(provider.getMDCAdapter());
    }
}
