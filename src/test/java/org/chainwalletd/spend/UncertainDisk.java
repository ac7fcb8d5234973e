package org.chainwalletd.spend;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.AllowanceStore.Limits;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Stub;

/**
 * Failing disk in front of a store: some commits are refused, others have an unknown outcome. A commit left in the log takes effect if the
 * process dies before another one is written over it.
 */
final class UncertainDisk {
    /** Methods that commit nothing, or nothing that a spend waits for. */
    private static final Set<String> NO_COMMITS = Set.of(
            "accept",
            "find",
            "inFlight",
            "unburied",
            "lost",
            "abandonedSince",
            "openSpendOf",
            "all",
            "forget",
            "bound",
            "settled",
            "fingerprints",
            "forgetKept");

    /**
     * Commit that is left in the log, and the part of the store that it is for.
     *
     * @param limits caps by which it was judged before it was left
     * @param at time when it was left
     */
    private record Left(Class<?> part, Stub.Call commit, Limits limits, long at) {}

    private final Random random;
    private final Supplier<Limits> limits;
    private final Clock clock;
    private final AtomicReference<Left> left = new AtomicReference<>();
    private final Set<Hash256> closed = ConcurrentHashMap.newKeySet();
    private volatile int percent;
    private volatile Consumer<Intent> onOpen = intent -> {};

    /**
     * @param limits caps of the daemon
     * @param clock clock by which the daemon counts its spending
     */
    UncertainDisk(Random random, Supplier<Limits> limits, Clock clock) {
        this.random = random;
        this.limits = limits;
        this.clock = clock;
    }

    /** Reports each intent that is to be made durable, or reopened, regardless of the outcome. */
    void onOpen(Consumer<Intent> listener) {
        onOpen = listener;
    }

    /** Sets the percentage of commits that fail from now on. */
    void fails(int percentOfCommits) {
        percent = percentOfCommits;
    }

    /** Whether this spend was to be closed without success, or abandoned, at any time; it may have been reopened since. */
    boolean wasClosed(Hash256 txId) {
        return closed.contains(txId);
    }

    IntentStore before(IntentStore store) {
        return front(IntentStore.class, store);
    }

    ReservationStore before(ReservationStore store) {
        return front(ReservationStore.class, store);
    }

    ReceiptStore before(ReceiptStore store) {
        return front(ReceiptStore.class, store);
    }

    /** Drops the log, with the commits left in it. */
    void forget() {
        left.set(null);
    }

    /** Applies the commits left in the log after a death. Nothing was written since, so the caps judge them now as they did then. */
    void recover(Store store) {
        Optional.ofNullable(left.getAndSet(null)).ifPresent(commit -> {
            Clock then = Clock.fixed(Instant.ofEpochMilli(commit.at()), ZoneOffset.UTC);
            Await.result(store.allowance().govern(commit.limits(), then, () -> OptionalLong.of(commit.at())));
            Await.result(commit.commit().stage(partOf(store, commit)));
        });
    }

    private static Object partOf(Store store, Left commit) {
        if (commit.part() == ReceiptStore.class) {
            return store.receipts();
        }
        return commit.part() == IntentStore.class ? store.intents() : store.reservations();
    }

    private <T> T front(Class<T> part, T store) {
        return Stub.of(part, call -> answer(part, store, call));
    }

    private Object answer(Class<?> part, Object store, Stub.Call call) throws Throwable {
        if (call.name().equals("findForCertain")) {
            return fails() ? failed(StoreException.Reason.UNAVAILABLE) : written(store, call);
        }
        if (call.name().equals("open") || call.name().equals("reopen")) {
            onOpen.accept((Intent) call.arguments()[0]);
        }
        if (call.name().startsWith("fail")
                || part == IntentStore.class && call.name().equals("abandon")) {
            closed.add((Hash256) call.arguments()[0]);
        }
        if (!call.answersWithStage() || NO_COMMITS.contains(call.name())) {
            return call.on(store);
        }
        if (!fails()) {
            return written(store, call);
        }
        switch (dice(4)) {
            case 0:
                return failed(StoreException.Reason.UNAVAILABLE);
            case 1:
                return failed(StoreException.Reason.UNKNOWN);
            case 2:
                left.set(leftNow(part, call));
                return failed(StoreException.Reason.UNKNOWN);
            default:
                return written(store, call).thenCompose(done -> failed(StoreException.Reason.UNKNOWN));
        }
    }

    private Left leftNow(Class<?> part, Stub.Call call) {
        long now = clock.millis();
        LongSupplier then = () -> now;
        Object[] asTheyAre = Arrays.stream(call.arguments())
                .map(argument -> argument instanceof LongSupplier ? then : argument)
                .toArray();
        return new Left(part, new Stub.Call(call.self(), call.method(), asTheyAre), limits.get(), now);
    }

    private boolean fails() {
        return dice(100) < percent;
    }

    private int dice(int sides) {
        synchronized (random) {
            return random.nextInt(sides);
        }
    }

    private CompletionStage<?> written(Object store, Stub.Call call) {
        left.set(null);
        return call.stage(store);
    }

    private static CompletionStage<Object> failed(StoreException.Reason reason) {
        return CompletableFuture.failedFuture(new StoreException(reason, "the disk fails", null));
    }
}
