package org.chainwalletd.swap.legs;

import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.stage.Work;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.QuoteBinding;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapRow.RefundDue;
import org.chainwalletd.swap.legs.Legs.OwnLeg;
import org.chainwalletd.swap.legs.Legs.PoolLeg;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Observes the chain of our lock and that of the pool's lock concurrently, and joins the results. A chain that could not be queried is absent from
 * the observation. The permission to lock is evaluated only while there is no lock of ours, the gate only when it could open.
 *
 * <p>The legs block. Each chain has its own threads, so a chain that does not answer takes no threads from the other one; claims and refunds have
 * separate threads, so no observation or lock delays them.
 *
 * @param reach tests whether the row's account chain is the one of these legs
 * @param own returns the leg of our lock, by the row's direction
 * @param pool returns the leg of the pool's lock, by the row's direction
 * @param bounds returns the current objection to a lock by the operator's bounds and by the quote itself ({@link QuoteBinding#stillGood})
 * @param hindrance reason why a claim could not be pushed now: the daemon is stopping, or the store cannot be written
 * @param executor for continuations; never blocks
 */
public record BothLegs(
        Predicate<SwapRow> reach,
        Function<SwapRow, OwnLeg> own,
        Function<SwapRow, PoolLeg> pool,
        Function<SwapRow, CompletionStage<Optional<String>>> bounds,
        Supplier<Optional<String>> hindrance,
        InstantSource clock,
        Threads threads,
        Executor executor)
        implements Legs {
    private static final Logger LOG = LoggerFactory.getLogger(BothLegs.class);

    /**
     * Bounded thread pools, each used for one purpose only.
     *
     * @param chain observations of the chain, and sending and abandoning locks there
     * @param contract the same on the account chain
     * @param chainRedeems claims and refunds on the chain
     * @param contractRedeems the same on the account chain
     */
    public record Threads(Executor chain, Executor contract, Executor chainRedeems, Executor contractRedeems) {}

    private <T> CompletionStage<T> ours(SwapRow row, Function<OwnLeg, T> act) {
        return Work.on(
                row.terms().direction().isSell() ? threads.chain() : threads.contract(),
                () -> act.apply(own.apply(row)));
    }

    private <T> CompletionStage<T> theirs(SwapRow row, Function<PoolLeg, T> act) {
        return Work.on(
                row.terms().direction().isSell() ? threads.contract() : threads.chain(),
                () -> act.apply(pool.apply(row)));
    }

    @Override
    public boolean reach(SwapRow row) {
        return reach.test(row);
    }

    @Override
    public CompletionStage<View> look(SwapRow row) {
        CompletionStage<Optional<OwnLeg.View>> ours =
                seen(row, "the state of our lock", ours(row, leg -> leg.look(row)));
        CompletionStage<Optional<PoolLeg.View>> theirs =
                seen(row, "the state of the pool's lock", theirs(row, leg -> leg.look(row)));
        return ours.thenCombineAsync(theirs, Seen::new, executor).thenComposeAsync(seen -> judged(row, seen), executor);
    }

    private record Seen(Optional<OwnLeg.View> own, Optional<PoolLeg.View> pool) {
        ChainObservation observation() {
            boolean shown = own.filter(OwnLeg.View::secretShown).isPresent()
                    || pool.filter(PoolLeg.View::secretShown).isPresent();
            return new ChainObservation(own.map(OwnLeg.View::lock), pool.map(PoolLeg.View::lock), shown);
        }

        boolean refundDue() {
            return own.filter(OwnLeg.View::refundDue).isPresent();
        }

        boolean isWithoutOwnLock() {
            return own.filter(view -> view.lock() instanceof OwnLock.Absent).isPresent() && pool.isPresent();
        }

        /** Returns the time at which our lock was settled; empty when it was not, or when the gate cannot open for another known reason. */
        OptionalLong settledAt() {
            boolean claimable =
                    pool.filter(view -> view.lock() instanceof PoolLock.Locked).isPresent();
            return claimable && own.isPresent() && own.get().lock() instanceof OwnLock.Locked locked
                    ? locked.settledAt()
                    : OptionalLong.empty();
        }
    }

    private <T> CompletionStage<Optional<T>> seen(SwapRow row, String what, CompletionStage<T> look) {
        return look.handleAsync(
                (view, failure) -> {
                    if (failure != null) {
                        LOG.info("swap {}: cannot determine {}: {}", row.id(), what, failure.toString());
                    }
                    return Optional.ofNullable(view);
                },
                executor);
    }

    private CompletionStage<View> judged(SwapRow row, Seen seen) {
        if (seen.isWithoutOwnLock() && !row.acts().expired() && !row.acts().abandoning()) {
            return obstacle(row).thenApplyAsync(permission -> view(row, seen, permission, Optional.empty()), executor);
        }
        if (seen.settledAt().isPresent() && !row.acts().claimJournalled()) {
            return gate(row, seen).thenApplyAsync(gate -> view(row, seen, LockPermission.NOT_ASKED, gate), executor);
        }
        return CompletableFuture.completedFuture(view(row, seen, LockPermission.NOT_ASKED, Optional.empty()));
    }

    private View view(SwapRow row, Seen seen, LockPermission permission, Optional<GateVerdict> gate) {
        return new View(seen.observation(), permission, seen.refundDue() || isOverdue(row, seen), gate);
    }

    /** Tests by this machine's clock whether a refund is due, so that a silent or stale endpoint cannot block it indefinitely. */
    private boolean isOverdue(SwapRow row, Seen seen) {
        OwnLock lock = seen.own().map(OwnLeg.View::lock).orElse(row.ownLock());
        return !row.terms().direction().isSell()
                && lock instanceof OwnLock.Locked
                && RefundDue.byWallClock(
                        clock.instant().getEpochSecond(), row.terms().timeout());
    }

    /** Evaluates the bounds first, then both chains. When a query fails the permission stays unjudged, and nothing is sent or abandoned. */
    private CompletionStage<LockPermission> obstacle(SwapRow row) {
        return CompletableFuture.completedFuture(row)
                .thenComposeAsync(bounds::apply, executor)
                .thenComposeAsync(
                        against -> against.isPresent()
                                ? CompletableFuture.completedFuture(permission(against, Optional.empty()))
                                : obstacles(row),
                        executor)
                .exceptionallyAsync(failure -> new LockPermission.Unjudged(failure.toString()), executor);
    }

    private CompletionStage<LockPermission> obstacles(SwapRow row) {
        CompletionStage<Optional<String>> ours = ours(row, leg -> leg.obstacle(row));
        CompletionStage<Optional<String>> theirs = theirs(row, leg -> leg.obstacle(row));
        return ours.thenCombineAsync(theirs, BothLegs::permission, executor);
    }

    private static LockPermission permission(Optional<String> ours, Optional<String> theirs) {
        return ours.or(() -> theirs)
                .<LockPermission>map(LockPermission.Refused::new)
                .orElseGet(LockPermission.Granted::new);
    }

    private CompletionStage<Optional<GateVerdict>> gate(SwapRow row, Seen seen) {
        GateInputs now =
                new GateInputs(clock.instant().getEpochSecond(), seen.refundDue(), hindrance.get(), seen.settledAt());
        return seen(row, "whether the secret may be revealed", theirs(row, leg -> leg.gate(row, now)));
    }

    @Override
    public CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin) {
        return ours(row, leg -> leg.sendLock(row, mayBegin));
    }

    @Override
    public CompletionStage<Void> abandonLock(SwapRow row) {
        return ours(row, leg -> {
            leg.abandonLock(row);
            return null;
        });
    }

    @Override
    public CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
        return Work.on(
                row.terms().direction().isSell() ? threads.contractRedeems() : threads.chainRedeems(),
                () -> pool.apply(row).pushClaim(row, secret, mayBegin));
    }

    @Override
    public CompletionStage<String> takeBack(SwapRow row) {
        return Work.on(
                row.terms().direction().isSell() ? threads.chainRedeems() : threads.contractRedeems(),
                () -> own.apply(row).takeBack(row));
    }
}
