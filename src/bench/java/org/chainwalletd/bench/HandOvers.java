package org.chainwalletd.bench;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.dispatch.DispatcherPrerequisites;
import org.apache.pekko.dispatch.ExecutorServiceConfigurator;
import org.apache.pekko.dispatch.ExecutorServiceFactory;

/**
 * Counts how often work goes from one thread to another: each task that a pool is given, each run of an actor's mailbox, each call of an
 * interface behind which a thread of its own works.
 */
public final class HandOvers {
    private static final Map<String, AtomicLong> COUNTS = new ConcurrentHashMap<>();

    private HandOvers() {}

    private static void count(String where) {
        COUNTS.computeIfAbsent(where, name -> new AtomicLong()).incrementAndGet();
    }

    public static Executor counted(String name, Executor threads) {
        return work -> {
            count(name);
            threads.execute(work);
        };
    }

    /** Each call of {@code service} is a hand-over. */
    public static <T> T counted(String name, Class<T> type, T service) {
        return type.cast(Proxy.newProxyInstance(
                HandOvers.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    count(name);
                    try {
                        return method.invoke(service, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** Pekko's settings with dispatchers that count. */
    public static Config counting() {
        return ConfigFactory.parseString("pekko.actor.default-dispatcher.executor = \"" + Actors.class.getName() + "\"")
                .withFallback(ConfigFactory.load());
    }

    public static Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        COUNTS.forEach((name, count) -> counts.put(name, count.get()));
        return counts;
    }

    /** What was counted between two {@link #counts}, for each of {@code number} things. */
    public static String each(Map<String, Long> before, Map<String, Long> after, long number) {
        StringBuilder line = new StringBuilder();
        double sum = 0;
        for (Map.Entry<String, Long> count : after.entrySet()) {
            double each = (double) (count.getValue() - before.getOrDefault(count.getKey(), 0L)) / number;
            sum += each;
            line.append(String.format(Locale.ROOT, ", %s %.1f", count.getKey(), each));
        }
        return String.format(Locale.ROOT, "%.1f hand-overs between threads each", sum) + line;
    }

    /** Made by Pekko by its name. */
    public static final class Actors extends ExecutorServiceConfigurator {
        public Actors(Config config, DispatcherPrerequisites prerequisites) {
            super(config, prerequisites);
        }

        @Override
        public ExecutorServiceFactory createExecutorServiceFactory(String id, ThreadFactory threads) {
            return () -> new Counted("actors", new ForkJoinPool(2));
        }
    }

    private static final class Counted extends AbstractExecutorService {
        private final String name;
        private final ExecutorService threads;

        private Counted(String name, ExecutorService threads) {
            this.name = name;
            this.threads = threads;
        }

        @Override
        public void execute(Runnable work) {
            count(name);
            threads.execute(work);
        }

        @Override
        public void shutdown() {
            threads.shutdown();
        }

        @Override
        public List<Runnable> shutdownNow() {
            return threads.shutdownNow();
        }

        @Override
        public boolean isShutdown() {
            return threads.isShutdown();
        }

        @Override
        public boolean isTerminated() {
            return threads.isTerminated();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
            return threads.awaitTermination(timeout, unit);
        }
    }
}
