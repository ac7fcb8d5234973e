package org.chainwalletd.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.ClientPresence;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text of peers and callers is logged, but never becomes a separate line, a field or a command to the terminal. */
class ForgedLinesTest {
    private static final String FALSE_LINE =
            "time=2026-11-21T10:00:00.123Z method=transfer scope=spend token=spend client=192.0.2.1";
    private static final String ATTACK =
            "00\n" + FALSE_LINE + "\r\n" + FALSE_LINE + "\u2028" + FALSE_LINE + "\u2029\u0085" + FALSE_LINE
                    + "\u000b\f\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u2066\ufeff\u0000\u007f";
    private static final String HARMFUL = "(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}].*";

    @TempDir
    Path folder;

    private final LoggerContext context = new LoggerContext();

    @BeforeEach
    void prepare() {
        context.setMDCAdapter(new LogbackMDCAdapter());
        LogSetup setup = new LogSetup();
        setup.setContext(context);
        setup.configure(context);
    }

    @Test
    void a_message_stays_on_its_line_in_the_built_in_form() {
        String line = written(builtIn(), event("a node says: {}", null, ATTACK));

        assertThat(line).contains("a node says: 00\\n" + FALSE_LINE).contains("\\u2028", "\\u001b[2J", "\\u202e");
        assertOneLine(line);
    }

    @Test
    void the_context_of_a_request_stays_on_the_line_too() {
        LoggingEvent event = event("all is well", null);
        event.setMDCPropertyMap(Map.of("method", ATTACK, "request_id", "1\n2"));

        assertOneLine(written(builtIn(), event));
    }

    @Test
    void the_text_of_an_exception_adds_no_line_but_its_frames_do() {
        Exception cause = new IllegalStateException(ATTACK);
        cause.addSuppressed(new IllegalArgumentException(ATTACK));
        String text = written(builtIn(), event("failed", new IllegalStateException("outer\n" + ATTACK, cause)));

        assertThat(text.lines().skip(1))
                .isNotEmpty()
                .allMatch(line -> line.matches("\\s+(at |\\.\\.\\. |Suppressed: ).*")
                        || line.matches("(Caused by: |Wrapped by: )?java\\.lang\\.Illegal\\w+: .*"))
                .noneMatch(line -> line.replace("\t", "").matches(HARMFUL));
    }

    @Test
    void a_json_object_stays_on_its_line_and_can_still_be_read() throws Exception {
        LogSetup.useJson(context);
        String line = written(builtIn(), event("a node says: {}", new IllegalStateException(ATTACK), ATTACK));

        assertOneLine(line);
        assertThat(new ObjectMapper().readTree(line).get("formattedMessage").asText())
                .isEqualTo("a node says: " + ATTACK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"%msg%n", "%m%n", "%message%n", "%-5level %replace(%msg){'x', 'y'} [%X{who}] [%mdc]%n"})
    void a_pattern_of_the_operators_own_needs_not_think_of_it(String pattern) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(pattern);
        encoder.start();
        LoggingEvent event = event("{}", null, ATTACK);
        event.setMDCPropertyMap(Map.of("who", ATTACK));

        assertOneLine(written(encoder, event));
    }

    @Test
    void the_sample_configuration_writes_one_line_of_audit_for_one_call() throws Exception {
        Path file = folder.resolve("audit.log");
        configure(file);
        Logger audit = context.getLogger(AuditTrail.LOGGER);

        assertThat(LogSetup.takeUp(context)).isEmpty();

        audit.info("client={}", ATTACK);
        assertOneLine(Files.readString(file));

        audit.info("failed", new IllegalStateException(ATTACK));
        assertThat(Files.readAllLines(file))
                .filteredOn(line -> line.startsWith("time="))
                .isEmpty();
    }

    @Test
    void a_value_of_the_audit_trail_forges_no_field() {
        CallContext caller = new CallContext(
                "1 outcome=ok", Grant.of(Scope.SPEND), "192.0.2.1 outcome=ok\n" + FALSE_LINE, new ClientPresence());
        StringBuilder heard = new StringBuilder();
        AuditTrail trail = new AuditTrail(Clock.systemUTC(), heard::append);

        trail.ended(caller, new CallObserver.CallOutcome("x y=z", Scope.SPEND, Optional.empty(), 1, Optional.empty()));

        assertThat(heard.toString().split(" ")).hasSize(9);
        assertThat(heard).containsOnlyOnce("outcome=ok");
        assertOneLine(heard + "\n");
    }

    @Test
    void one_text_cannot_fill_the_disk() {
        String endless = "x".repeat(3_000_000);
        String line = written(builtIn(), event("{}", new IllegalStateException(endless), endless));
        assertThat(line.length()).isLessThan(30_000);
        assertThat(line).contains("characters more)");

        LogSetup.useJson(context);
        assertThat(written(builtIn(), event("{}", new IllegalStateException(endless), endless))
                        .length())
                .isLessThan(60_000);
    }

    @Test
    void an_audit_file_that_cannot_be_opened_is_reported() throws Exception {
        configure(Files.createDirectory(folder.resolve("taken")));

        assertThat(LogSetup.takeUp(context)).get().asString().contains("WALLETD_LOGBACK", "taken");
    }

    private void configure(Path auditFile) throws Exception {
        context.reset();
        context.putProperty("WALLETD_AUDIT_FILE", auditFile.toString());
        JoranConfigurator joran = new JoranConfigurator();
        joran.setContext(context);
        joran.doConfigure(Path.of("conf/logback.xml").toFile());
    }

    private Encoder<ILoggingEvent> builtIn() {
        ConsoleAppender<ILoggingEvent> console = (ConsoleAppender<ILoggingEvent>)
                context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender("console");
        return console.getEncoder();
    }

    private LoggingEvent event(String text, Throwable thrown, Object... values) {
        return new LoggingEvent("test", context.getLogger("peer"), Level.INFO, text, thrown, values);
    }

    private static String written(Encoder<ILoggingEvent> encoder, LoggingEvent event) {
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }

    private static void assertOneLine(String text) {
        assertThat(text).endsWith(System.lineSeparator());
        assertThat(text.stripTrailing()).doesNotMatch(HARMFUL);
    }
}
