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
 * The words of a pattern of logback that show what peers and callers may have written, each in a form that keeps it on its line: the message,
 * the request's context, and the texts of exceptions, whose frames have lines of their own.
 */
final class PrintableEvent {
    private static final Pattern WORD_FOR_EXCEPTIONS =
            Pattern.compile("%[-.0-9]*(nop|[xr])?(ex|Ex|root|throwable|Throwable|Exception|exception)");

    private PrintableEvent() {}

    /**
     * Every pattern that is read from now on shows events like this, one of the operator's own too: nobody has to think of it. A rule of the
     * configuration for one of these words still goes before.
     */
    static void install() {
        put(Message::new, "m", "msg", "message");
        put(Context::new, "X", "mdc");
        put(Thrown::new, "ex", "exception", "throwable");
        put(ThrownExtended::new, "xEx", "xException", "xThrowable");
        put(ThrownRootFirst::new, "rEx", "rootException");
        put(LocalTime::new, LocalTime.WORD);
    }

    /** Behind a pattern that has no word for exceptions logback writes them all the same, in a way of its own. */
    static boolean leavesExceptionsToLogback(String pattern) {
        return !WORD_FOR_EXCEPTIONS.matcher(pattern).find();
    }

    @SuppressWarnings("rawtypes") // as logback declares its table
    private static void put(Supplier<DynamicConverter> converter, String... words) {
        List.of(words).forEach(word -> PatternLayout.DEFAULT_CONVERTER_SUPPLIER_MAP.put(word, converter));
    }

    /** The formatted message. */
    static final class Message extends MessageConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return Printable.logged(super.convert(event));
        }
    }

    /** Values of the context. */
    static final class Context extends MDCConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return Printable.logged(super.convert(event));
        }
    }

    /** An exception with its frames. */
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

    /** An exception, its causes and what it suppressed, with messages of one line each. */
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
