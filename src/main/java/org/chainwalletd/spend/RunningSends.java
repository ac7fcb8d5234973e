package org.chainwalletd.spend;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spends whose bytes this daemon may be sending. With a store shared by several daemons, each spend is signed off in the store when the
 * last of its sends has been answered, so that a daemon that frees its coins need not wait for this one; before the next send it is adopted
 * again. Concurrent sign-offs share one write, which no caller waits for; a failed write is repeated.
 */
final class RunningSends {
    private static final Logger LOG = LoggerFactory.getLogger(RunningSends.class);

    private final SpendEnvironment env;
    private final Map<Hash256, Integer> running = new HashMap<>();
    /** Ended spends that are not signed off yet, except those in the write in progress. */
    private final Set<Hash256> ended = new HashSet<>();

    private boolean writing;

    RunningSends(SpendEnvironment env) {
        this.env = env;
    }

    /** Registers a send before the spend is opened or adopted in the store: no sign-off is written after that. */
    synchronized void begin(Hash256 txId) {
        running.merge(txId, 1, Integer::sum);
        ended.remove(txId);
    }

    /** Ends a send; when it was the spend's last one, the spend is signed off. */
    synchronized void end(Hash256 txId) {
        if (count(txId) == 0 && env.isShared()) {
            ended.add(txId);
            write();
        }
    }

    /**
     * Ends a send like {@link #end}, with the write of an outcome that signs off as well.
     *
     * @param write starts the write; its argument says whether to sign off
     */
    synchronized <T> CompletionStage<T> end(Hash256 txId, Function<Boolean, CompletionStage<T>> write) {
        boolean signsOff = count(txId) == 0 && env.isShared();
        CompletionStage<T> written;
        try {
            written = write.apply(signsOff);
        } catch (RuntimeException | Error e) {
            if (signsOff) {
                signedOff(txId, e);
            }
            throw e;
        }
        if (signsOff) {
            written.whenCompleteAsync((done, failure) -> signedOff(txId, failure), env.executor());
        }
        return written;
    }

    /** Signs off with a separate write after one that failed; a spend that has started again meanwhile is signed off at its end. */
    private synchronized void signedOff(Hash256 txId, Throwable failure) {
        if (failure != null && !running.containsKey(txId)) {
            ended.add(txId);
            write();
        }
    }

    /** Ends a registration without a send, because the store has not opened the spend. */
    synchronized void endUnopened(Hash256 txId) {
        count(txId);
    }

    synchronized boolean isRunning(Hash256 txId) {
        return running.containsKey(txId);
    }

    private int count(Hash256 txId) {
        Integer left = running.computeIfPresent(txId, (id, count) -> count == 1 ? null : count - 1);
        return left == null ? 0 : left;
    }

    private void write() {
        if (writing || ended.isEmpty()) {
            return;
        }
        writing = true;
        Set<Hash256> signed = Set.copyOf(ended);
        ended.clear();
        env.intents().signOff(signed).whenCompleteAsync((done, failure) -> written(signed, failure), env.executor());
    }

    private synchronized void written(Set<Hash256> signed, Throwable failure) {
        if (failure == null) {
            writing = false;
            write();
            return;
        }
        LOG.info(
                "{} spends are not signed off yet: {}",
                signed.size(),
                Causes.of(failure).getMessage());
        signed.stream().filter(txId -> !running.containsKey(txId)).forEach(ended::add);
        CompletableFuture.runAsync(
                this::again,
                CompletableFuture.delayedExecutor(
                        env.pace().firstLook().toMillis(), TimeUnit.MILLISECONDS, env.executor()));
    }

    private synchronized void again() {
        writing = false;
        if (env.stopped().isEmpty()) {
            write();
        }
    }
}
