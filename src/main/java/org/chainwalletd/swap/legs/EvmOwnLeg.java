package org.chainwalletd.swap.legs;

import java.math.BigInteger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.AccountFunds;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SendException;
import org.chainwalletd.account.SendKind;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.account.SendRefusal;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.swap.gates.OwnLock;
import org.chainwalletd.swap.gates.RefundDue;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * Our lock in the contract, in a buy. There is one lock for a swap, whatever happens: its transaction is repeated or its nonce is spent, and
 * never made anew. What became of it is read from the contract.
 */
public final class EvmOwnLeg implements OwnLeg {
    /** A refund that comes too early by the chain's clock reverts, and costs its gas. */
    private static final Duration PAUSE = Duration.ofMinutes(10);

    private final AccountSends sends;
    private final SwapSends ours;
    private final ContractLook contract;
    private final ClaimSearch claims;
    private final EvmObstacles obstacles;
    private final LockDate dates;
    private final InstantSource clock;
    private final Executor executor;

    /** @param limits whose pinned code the contract must have before a lock */
    public EvmOwnLeg(
            AccountChain chain, AccountSends sends, SwapLimits limits, InstantSource clock, Executor executor) {
        this.sends = sends;
        this.ours = new SwapSends(sends, executor);
        this.contract = new ContractLook(chain, executor);
        this.claims = new ClaimSearch(chain, executor);
        this.obstacles = new EvmObstacles(chain, sends, limits.contract().codeHash(), executor);
        this.dates = new LockDate(chain, limits, executor);
        this.clock = clock;
        this.executor = executor;
    }

    private record Seen(ContractSight sight, SwapSends.Made made) {}

    @Override
    public CompletionStage<View> look(SwapRow row) {
        return contract.look(row.terms().account().contract(), row.terms().hashLock())
                .thenCombineAsync(ours.of(row), Seen::new, executor)
                .thenComposeAsync(
                        seen -> endedBy(row, seen)
                                .thenComposeAsync(tx -> dated(row, seen, view(row, seen, tx)), executor),
                        executor);
    }

    /** When it became settled is found out once. */
    private CompletionStage<View> dated(SwapRow row, Seen seen, View view) {
        boolean isDated = row.ownLock() instanceof OwnLock.Locked before
                && before.settledAt().isPresent();
        return !isDated
                        && view.lock() instanceof OwnLock.Locked lock
                        && lock.settledAt().isPresent()
                ? dates.of(seen.made().newest(SendKind.LOCK), lock.settledAt().getAsLong())
                        .thenApplyAsync(
                                settledAt -> new View(
                                        new OwnLock.Locked(lock.reference(), OptionalLong.of(settledAt)),
                                        view.refundDue(),
                                        view.secretShown()),
                                executor)
                : CompletableFuture.completedFuture(view);
    }

    private View view(SwapRow row, Seen seen, String endedBy) {
        OwnLock lock = seen.sight().ownLock(row.terms(), row.ownLock(), endedBy);
        boolean isMissing = lock instanceof OwnLock.Absent || lock instanceof OwnLock.Foreign;
        return new View(
                isMissing && cannotCome(row, seen.made()) ? new OwnLock.Lost() : lock,
                RefundDue.inTheContract(seen.sight().latestTime(), row.terms().timeout()),
                seen.sight().latest().state() == SwapContract.State.CLAIMED);
    }

    /** It failed in a final block, or its nonce went elsewhere in one, or it was given up before it had one and so is never made. */
    private static boolean cannotCome(SwapRow row, SwapSends.Made made) {
        return made.newest(SendKind.LOCK)
                .map(SwapSends::hasFailed)
                .orElse(row.acts().abandoning());
    }

    /** The transaction that ended our lock. The claim is the pool's, and is looked for once: when the lock is first seen claimed. */
    private CompletionStage<String> endedBy(SwapRow row, Seen seen) {
        if (seen.sight().latest().state() != SwapContract.State.CLAIMED) {
            return CompletableFuture.completedFuture(seen.made().id(SendKind.REFUND));
        }
        return row.ownLock() instanceof OwnLock.Claimed claimed
                ? CompletableFuture.completedFuture(claimed.tx())
                : claims.transaction(row.terms());
    }

    @Override
    public CompletionStage<Optional<String>> obstacle(SwapRow row) {
        return ours.of(row)
                .thenComposeAsync(
                        made -> {
                            boolean isMade = made.newest(SendKind.LOCK).isPresent();
                            return obstacles.find(
                                    row,
                                    slot -> isMade && ContractSight.isOurs(row.terms(), slot),
                                    // What is journalled counts as spent already.
                                    funds -> isMade ? BigInteger.ZERO : costOf(row, funds));
                        },
                        executor);
    }

    private static BigInteger costOf(SwapRow row, AccountFunds funds) {
        return row.terms().given().units().add(funds.perTransaction());
    }

    @Override
    public CompletionStage<String> sendLock(SwapRow row) {
        return ours.of(row)
                .thenComposeAsync(
                        made -> {
                            Optional<SendRecord> lock = made.newest(SendKind.LOCK);
                            return lock.isPresent() ? repeat(lock.get()) : make(row);
                        },
                        executor)
                .thenApplyAsync(SwapSends::id, executor);
    }

    private CompletionStage<SendRecord> repeat(SendRecord lock) {
        return lock.state().isOver()
                ? CompletableFuture.completedFuture(lock)
                : sends.push(lock.reference())
                        .exceptionallyComposeAsync(failure -> overBy(lock.reference(), failure), executor);
    }

    /** It may have become final since it was read. */
    private CompletionStage<SendRecord> overBy(String reference, Throwable failure) {
        boolean isOver =
                Causes.of(failure) instanceof SendException refused && refused.refusal() instanceof SendRefusal.NotOpen;
        return isOver
                ? sends.find(reference).thenApplyAsync(Optional::orElseThrow, executor)
                : CompletableFuture.failedFuture(failure);
    }

    /** Its gas is estimated: the endpoint that is asked learns nothing that the lock does not tell, and a contract that refuses costs nothing. */
    private CompletionStage<SendRecord> make(SwapRow row) {
        if (row.acts().abandoning()) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("the lock of swap " + row.id() + " was given up"));
        }
        return sends.funds(row.terms().ours().evm())
                .thenComposeAsync(funds -> sends.send(lock(row, funds.reservePerSwap())), executor);
    }

    private static SendRequest lock(SwapRow row, BigInteger mostForGas) {
        SwapTerms terms = row.terms();
        return new SendRequest(
                SwapSends.reference(row, SendKind.LOCK, 1),
                SendKind.LOCK,
                terms.ours().evm(),
                terms.account().contract(),
                SendValue.exactly(terms.given().units()),
                SwapContract.lock(terms.hashLock(), terms.theirs().evm().orElseThrow(), terms.timeout()),
                new Gas.Estimated(),
                Optional.of(mostForGas),
                Pushing.BY_OWNER,
                Optional.of(row.id()));
    }

    /** A lock that was never journalled has not left, and is not made any more once the swap says that it is given up. */
    @Override
    public CompletionStage<Void> abandonLock(SwapRow row) {
        return ours.of(row)
                .thenComposeAsync(
                        made -> {
                            Optional<SendRecord> lock = made.newest(SendKind.LOCK);
                            return lock.isEmpty() || lock.get().state().isOver()
                                    ? CompletableFuture.<Void>completedFuture(null)
                                    : cancel(lock.get().reference());
                        },
                        executor);
    }

    private CompletionStage<Void> cancel(String reference) {
        return sends.cancel(reference)
                .exceptionallyComposeAsync(failure -> overBy(reference, failure), executor)
                .thenApplyAsync(done -> null, executor);
    }

    @Override
    public CompletionStage<String> takeBack(SwapRow row) {
        return ours.of(row)
                .thenComposeAsync(
                        made -> made.hasReverted(SendKind.REFUND, clock.millis() - PAUSE.toMillis())
                                ? CompletableFuture.failedFuture(new IllegalStateException(
                                        "the refund has failed; it is tried once in " + PAUSE.toMinutes() + " minutes"))
                                : ours.send(
                                        row, SendKind.REFUND, OptionalLong.empty(), attempt -> refund(row, attempt)),
                        executor);
    }

    private static SendRequest refund(SwapRow row, int attempt) {
        SwapTerms terms = row.terms();
        return new SendRequest(
                SwapSends.reference(row, SendKind.REFUND, attempt),
                SendKind.REFUND,
                terms.ours().evm(),
                terms.account().contract(),
                SendValue.exactly(BigInteger.ZERO),
                SwapContract.refund(terms.hashLock()),
                new Gas.Fixed(SwapSends.gas(attempt)),
                Optional.of(terms.given().units()),
                Pushing.BY_ITSELF,
                Optional.of(row.id()));
    }
}
