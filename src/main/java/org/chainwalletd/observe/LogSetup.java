package org.chainwalletd.observe;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Optional;
import java.util.TimeZone;
import org.slf4j.LoggerFactory;

/**
 * Default configuration of the log: INFO to standard error, one line per event with the request it belongs to; standard output is reserved for the
 * output of commands. Logback finds this class by itself, so the start does not need its XML reader. Does nothing if
 * {@code logback.configurationFile} names a readable file.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
    private static final String OWN_CONFIGURATION = "logback.configurationFile";
    private static final String CONSOLE = "console";
    private static final String PATTERN = "%" + LocalTime.WORD
            + " %-5level %logger{24} %replace([%X{request_id} %X{method}] ){'^\\[ ?\\] $', ''}%msg%n%ex";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        PrintableEvent.install();
        if (ownConfiguration().isPresent()) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setName(CONSOLE);
        console.setTarget("System.err");
        console.setEncoder(started(context, lines()));
        console.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(console);
        context.getLogger("org.apache.pekko.event.slf4j").setLevel(Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /**
     * Checks the operator's configuration, if there is one, and completes its patterns so that log lines cannot be forged.
     *
     * @return why the log cannot be written as configured, with instructions, in one line; without it the fault would go unnoticed until a line is
     *     missing
     */
    public static Optional<String> takeUp() {
        Optional<String> own = Optional.ofNullable(System.getProperty(OWN_CONFIGURATION));
        if (own.isEmpty()) {
            return Optional.empty();
        }
        if (ownConfiguration().isEmpty()) {
            return Optional.of(
                    "the configuration of the log " + own.get() + " cannot be read: correct WALLETD_LOGBACK");
        }
        return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                ? takeUp(context)
                : Optional.of("the log is not written by logback, but WALLETD_LOGBACK is set");
    }

    /** Returns the operator's configuration if it names an existing file. */
    static Optional<Path> ownConfiguration() {
        return Optional.ofNullable(System.getProperty(OWN_CONFIGURATION))
                .map(Path::of)
                .filter(Files::isReadable);
    }

    static Optional<String> takeUp(LoggerContext context) {
        for (Logger logger : context.getLoggerList()) {
            Iterator<Appender<ILoggingEvent>> appenders = logger.iteratorForAppenders();
            while (appenders.hasNext()) {
                if (appenders.next() instanceof OutputStreamAppender<ILoggingEvent> stream
                        && stream.getEncoder() instanceof PatternLayoutEncoder pattern
                        && PrintableEvent.leavesExceptionsToLogback(pattern.getPattern())) {
                    pattern.stop();
                    pattern.setPattern(pattern.getPattern() + "%ex");
                    pattern.start();
                }
            }
        }
        return context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getEffectiveLevel() >= Status.ERROR)
                .findFirst()
                .map(status -> "the log cannot be written as its configuration says: " + words(status)
                        + "; correct the file that WALLETD_LOGBACK names, or the path in it");
    }

    private static String words(Status status) {
        String why = status.getThrowable() == null
                ? ""
                : ": " + status.getThrowable().getMessage();
        return Printable.text(status.getMessage() + why);
    }

    /**
     * Makes console appenders write each event as a JSON object on one line, also those of the operator's configuration; other appenders are
     * unchanged.
     */
    public static void useJson() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            useJson(context);
        }
    }

    /** Limits the log to warnings and errors, unless the operator supplies a configuration. */
    public static void warningsOnly() {
        if (System.getProperty(OWN_CONFIGURATION) == null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
        }
    }

    static void useJson(LoggerContext context) {
        for (Logger logger : context.getLoggerList()) {
            Iterator<Appender<ILoggingEvent>> appenders = logger.iteratorForAppenders();
            while (appenders.hasNext()) {
                if (appenders.next() instanceof ConsoleAppender<ILoggingEvent> console) {
                    console.setEncoder(started(context, new JsonLines()));
                }
            }
        }
    }

    private static PatternLayoutEncoder lines() {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setPattern(PATTERN);
        return encoder;
    }

    private static Encoder<ILoggingEvent> started(LoggerContext context, Encoder<ILoggingEvent> encoder) {
        encoder.setContext(context);
        encoder.start();
        return encoder;
    }

    /**
     * Encoder that writes each event as a JSON object on one line. JSON escaping does not cover all characters that {@link Printable} escapes;
     * these can occur only inside of JSON strings, so the whole line is escaped again.
     */
    public static final class JsonLines extends JsonEncoder {
        private static final TimeZone UTC = TimeZone.getTimeZone("UTC");

        public JsonLines() {
            // Writes the formatted message; otherwise the line has the pattern with {} and its values separately, which
            // cannot be searched.
            setWithFormattedMessage(true);
            // The formatted message contains the arguments, and this copy would not be shortened.
            setWithArguments(false);
        }

        @Override
        protected void appenderMember(StringBuilder to, String key, String value) {
            super.appenderMember(to, key, Printable.shortened(value));
        }

        @Override
        public byte[] encode(ILoggingEvent event) {
            String line = new String(super.encode(event), StandardCharsets.UTF_8);
            line = "{\"time\":\"" + LocalTime.text(event.getTimeStamp(), UTC) + "\"," + line.substring(1);
            String printable = Printable.text(line.stripTrailing()) + System.lineSeparator();
            return printable.getBytes(StandardCharsets.UTF_8);
        }
    }
}
