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
 * Spends whose bytes this daemon may be sending. Where several daemons share the store each spend is signed off there when the last of its sends has
 * been answered, so that whoever frees its coins need not wait for this daemon; before the next send it is adopted again. Sign-offs that come together
 * share a write, for which nobody waits, and one that fails is repeated.
 */
final class RunningSends {
    private static final Logger LOG = LoggerFactory.getLogger(RunningSends.class);

    private final SpendEnvironment env;
    private final Map<Hash256, Integer> running = new HashMap<>();
    /** Ended and not signed off yet; those that a write under way signs off are not among them. */
    private final Set<Hash256> ended = new HashSet<>();

    private boolean writing;

    RunningSends(SpendEnvironment env) {
        this.env = env;
    }

    /** Begins before the spend is opened or adopted in the store: no sign-off is written after that. */
    synchronized void begin(Hash256 txId) {
        running.merge(txId, 1, Integer::sum);
        ended.remove(txId);
    }

    /** Ends when nothing is sent any more of what began. */
    synchronized void end(Hash256 txId) {
        if (count(txId) == 0 && env.stores().shared()) {
            ended.add(txId);
            write();
        }
    }

    /**
     * Ends as {@link #end} does, with the write of an outcome that signs off as well.
     *
     * @param write begins the write; given whether it is to sign off
     */
    synchronized <T> CompletionStage<T> end(Hash256 txId, Function<Boolean, CompletionStage<T>> write) {
        boolean signsOff = count(txId) == 0 && env.stores().shared();
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

    /** Signs off by a write of its own after one that has failed; what began meanwhile is signed off at its end. */
    private synchronized void signedOff(Hash256 txId, Throwable failure) {
        if (failure != null && !running.containsKey(txId)) {
            ended.add(txId);
            write();
        }
    }

    /** Ends what has begun no send, because the store has not opened the spend. */
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
