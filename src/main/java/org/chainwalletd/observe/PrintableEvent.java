package org.chainwalletd.observe;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.ExtendedThrowableProxyConverter;
import ch.qos.logback.classic.pattern.MDCConverter;
import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.pattern.RootCauseFirstThrowableProxyConverter;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.pattern.DynamicConverter;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Replacements of those conversion words of logback's patterns whose output may contain text of peers and callers: the message, the request's
 * context, and exceptions. The text is escaped so that it cannot start a new line; stack frames still have lines of their own.
 */
final class PrintableEvent {
    private static final Pattern WORD_FOR_EXCEPTIONS =
            Pattern.compile("%[-.0-9]*(nop|[xr])?(ex|Ex|root|throwable|Throwable|Exception|exception)");

    private PrintableEvent() {}

    /**
     * Installs the replacements in every pattern parsed from now on, also in the operator's configuration. A {@code conversionRule} of the
     * configuration for one of these words takes precedence.
     */
    static void install() {
        put(Message::new, "m", "msg", "message");
        put(Context::new, "X", "mdc");
        put(Thrown::new, "ex", "exception", "throwable");
        put(ThrownExtended::new, "xEx", "xException", "xThrowable");
        put(ThrownRootFirst::new, "rEx", "rootException");
        put(LocalTime::new, LocalTime.WORD);
    }

    /** Whether the pattern has no conversion word for exceptions; logback then appends them with its own converter. */
    static boolean leavesExceptionsToLogback(String pattern) {
        return !WORD_FOR_EXCEPTIONS.matcher(pattern).find();
    }

    @SuppressWarnings("rawtypes") // as logback declares its table
    private static void put(Supplier<DynamicConverter> converter, String... words) {
        List.of(words).forEach(word -> PatternLayout.DEFAULT_CONVERTER_SUPPLIER_MAP.put(word, converter));
    }

    /** Converter for the formatted message. */
    static final class Message extends MessageConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return Printable.logged(super.convert(event));
        }
    }

    /** Converter for values of the context (MDC). */
    static final class Context extends MDCConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return Printable.logged(super.convert(event));
        }
    }

    /** Converter for an exception with its frames. */
    static final class Thrown extends ThrowableProxyConverter {
        @Override
        protected String throwableProxyToString(IThrowableProxy thrown) {
            return super.throwableProxyToString(new OneLine(thrown));
        }
    }

    /** Converter that adds the jar of each stack frame. */
    static final class ThrownExtended extends ExtendedThrowableProxyConverter {
        @Override
        protected String throwableProxyToString(IThrowableProxy thrown) {
            return super.throwableProxyToString(new OneLine(thrown));
        }
    }

    /** Converter that prints the root cause first. */
    static final class ThrownRootFirst extends RootCauseFirstThrowableProxyConverter {
        @Override
        protected String throwableProxyToString(IThrowableProxy thrown) {
            return super.throwableProxyToString(new OneLine(thrown));
        }
    }

    /** Exception with its causes and suppressed exceptions, each with a message of one line. */
    private record OneLine(IThrowableProxy thrown) implements IThrowableProxy {
        @Override
        public String getMessage() {
            return Printable.logged(thrown.getMessage());
        }

        @Override
        public String getOverridingMessage() {
            return Printable.logged(thrown.getOverridingMessage());
        }

        @Override
        public String getClassName() {
            return thrown.getClassName();
        }

        @Override
        public StackTraceElementProxy[] getStackTraceElementProxyArray() {
            return thrown.getStackTraceElementProxyArray();
        }

        @Override
        public int getCommonFrames() {
            return thrown.getCommonFrames();
        }

        @Override
        public IThrowableProxy getCause() {
            return thrown.getCause() == null ? null : new OneLine(thrown.getCause());
        }

        @Override
        public IThrowableProxy[] getSuppressed() {
            IThrowableProxy[] suppressed = thrown.getSuppressed();
            if (suppressed == null) {
                return null;
            }
            IThrowableProxy[] all = new IThrowableProxy[suppressed.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = new OneLine(suppressed[i]);
            }
            return all;
        }

        @Override
        public boolean isCyclic() {
            return thrown.isCyclic();
        }
    }
}
