package org.chainwalletd.observe;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LogbackServiceProvider;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * SLF4J provider for logback configured by {@link LogSetup}, without searching every jar of the class path for providers and configurations. Not
 * used if the operator supplies a configuration; logback's own provider then reads it.
 */
public final class LogProvider implements SLF4JServiceProvider {
    private static final String PROVIDER = "slf4j.provider";
    private static final String PROVIDERS_REMARKS = "slf4j.internal.verbosity";

    private final LoggerContext context = new LoggerContext();
    private final LogbackMDCAdapter mdc = new LogbackMDCAdapter();
    private final IMarkerFactory markers = new BasicMarkerFactory();

    /** Selects this provider, unless the operator supplies a configuration. Must be called before the first logger is created. */
    public static void use() {
        if (LogSetup.ownConfiguration().isEmpty() && System.getProperty(PROVIDER) == null) {
            System.setProperty(PROVIDER, LogProvider.class.getName());
            System.setProperty(PROVIDERS_REMARKS, "WARN");
        }
    }

    @Override
    public void initialize() {
        context.setName("default");
        context.setMDCAdapter(mdc);
        LogSetup setup = new LogSetup();
        setup.setContext(context);
        setup.configure(context);
        context.start();
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return context;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return mdc;
    }

    @Override
    public String getRequestedApiVersion() {
        return LogbackServiceProvider.REQUESTED_API_VERSION;
    }
}
