package org.chainwalletd.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Events that a logger and those below it write from now on, until this is closed; they can be read afterwards. */
public final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private static final int MOST_EVENTS = 20_000;

    private final Logger logger;
    private final Level before;
    private final List<ILoggingEvent> events = new ArrayList<>();
    private boolean overflowed;

    private LogCapture(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        before = logger.getLevel();
        start();
        logger.addAppender(this);
    }

    public static LogCapture of(String logger) {
        return new LogCapture(logger);
    }

    public static LogCapture of(Class<?> logger) {
        return new LogCapture(logger.getName());
    }

    public static LogCapture ofPackage(Class<?> type) {
        return new LogCapture(type.getPackageName());
    }

    public static LogCapture ofAll() {
        return new LogCapture(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    /** Has the logger write events of this level too, until this is closed. */
    public LogCapture at(Level level) {
        logger.setLevel(level);
        return this;
    }

    /** Called with the lock of this appender. */
    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        if (events.size() < MOST_EVENTS) {
            events.add(event);
        } else {
            overflowed = true;
        }
    }

    /** Returns a copy of the events up to now; fails if some were too many to be stored. */
    public synchronized List<ILoggingEvent> events() {
        if (overflowed) {
            throw new AssertionError("more than " + MOST_EVENTS + " events were logged");
        }
        return List.copyOf(events);
    }

    public List<String> messages() {
        return events().stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    public synchronized void clear() {
        events.clear();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(before);
    }
}
