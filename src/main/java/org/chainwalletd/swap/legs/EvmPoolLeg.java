package org.chainwalletd.swap.legs;

import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.AccountException;
import org.chainwalletd.account.AccountFunds;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SendKind;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.PoolLock;
import org.chainwalletd.swap.gates.SellGate;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * The pool's lock in the contract, in a sell, and our claim of it. The claim's call data is the secret: no endpoint sees it in an estimate or a
 * trial call, its gas is fixed, and it leaves first when the {@link SellGate} is open.
 */
public final class EvmPoolLeg implements PoolLeg {
    private final AccountChain chain;
    private final AccountSends sends;
    private final SwapSends ours;
    private final ContractLook contract;
    private final ClaimSearch claims;
    private final EvmObstacles obstacles;
    private final SellGate gate;
    private final Optional<Relay> relay;
    private final Executor executor;

    /** @param limits whose pinned code the contract must have before a lock and before the secret leaves */
    public EvmPoolLeg(AccountChain chain, AccountSends sends, SwapLimits limits, Executor executor) {
        this(chain, sends, limits, Optional.empty(), executor);
    }

    /** @param relay used for claims that our own gas does not pay; empty: such a swap is not begun */
    public EvmPoolLeg(
            AccountChain chain, AccountSends sends, SwapLimits limits, Optional<Relay> relay, Executor executor) {
        this.chain = chain;
        this.sends = sends;
        this.ours = new SwapSends(sends, executor);
        this.contract = new ContractLook(chain, executor);
        this.claims = new ClaimSearch(chain, executor);
        this.obstacles = new EvmObstacles(chain, sends, limits.contract().codeHash(), executor);
        this.gate = new SellGate(limits);
        this.relay = relay;
        this.executor = executor;
    }

    private record Seen(ContractSight sight, SwapSends.Made made) {}

    @Override
    public CompletionStage<View> look(SwapRow row) {
        return contract.look(row.terms().account().contract(), row.terms().hashLock())
                .thenCombineAsync(ours.of(row), Seen::new, executor)
                .thenComposeAsync(
                        seen -> claimedBy(row, seen).thenApplyAsync(tx -> view(row, seen, tx), executor), executor);
    }

    /** A claim that was ever journalled may have been seen by anybody. */
    private static View view(SwapRow row, Seen seen, String claimedBy) {
        boolean isClaimed = seen.sight().latest().state() == SwapContract.State.CLAIMED;
        return new View(
                seen.sight().poolLock(row.terms(), row.ownLock(), claimedBy),
                isClaimed || seen.made().newest(SendKind.CLAIM).isPresent());
    }

    /** Whoever sent it: anybody may, once the secret is out, and ours fails then. Looked for once, when the lock is first seen claimed. */
    private CompletionStage<String> claimedBy(SwapRow row, Seen seen) {
        if (row.poolLock() instanceof PoolLock.Claimed claimed) {
            return CompletableFuture.completedFuture(claimed.tx());
        }
        return seen.sight().latest().state() == SwapContract.State.CLAIMED
                ? claims.transaction(row.terms())
                        .thenApplyAsync(tx -> tx.isEmpty() ? seen.made().id(SendKind.CLAIM) : tx, executor)
                : CompletableFuture.completedFuture("");
    }

    /**
     * Nothing may stand under our hash lock before our own lock has left: the pool could not have known it from us. From then on a quick pool
     * may answer what no block has yet.
     */
    @Override
    public CompletionStage<Optional<String>> obstacle(SwapRow row) {
        Predicate<SwapContract.Swap> answer = slot -> row.acts().locking() && ContractSight.paysUs(row.terms(), slot);
        return relay.isPresent()
                ? obstacles.findBesideGas(row, answer)
                : obstacles.find(row, answer, funds -> BigInteger.ZERO);
    }

    private record Standing(AccountFunds funds, boolean somethingWaits) {}

    @Override
    public CompletionStage<GateVerdict> gate(SwapRow row, GateInputs now) {
        return obstacles
                .contract(row.terms())
                .thenComposeAsync(
                        against -> against.isPresent()
                                ? CompletableFuture.completedFuture(
                                        GateVerdict.closed(new GateVerdict.NoLock(against.get())))
                                : judge(row, now),
                        executor)
                .exceptionallyComposeAsync(EvmPoolLeg::closedBy, executor);
    }

    /** Endpoints that are silent or differ are a reason to wait, and are named. */
    private static CompletionStage<GateVerdict> closedBy(Throwable failure) {
        return Causes.of(failure) instanceof AccountException why
                ? CompletableFuture.completedFuture(GateVerdict.closed(new GateVerdict.NotNow(why.getMessage())))
                : CompletableFuture.failedFuture(Causes.of(failure));
    }

    private CompletionStage<GateVerdict> judge(SwapRow row, GateInputs now) {
        SwapTerms terms = row.terms();
        return sends.funds(terms.ours().evm(), row.id())
                .thenCombineAsync(sends.makeWay(terms.ours().evm()), Standing::new, executor)
                .thenCombineAsync(
                        new ContractEvidence(chain, terms.account().contract(), executor).look(terms.hashLock()),
                        (standing, views) -> stopped(standing.funds())
                                .or(() -> unpayable(standing.funds()).filter(closed -> relay.isEmpty()))
                                .orElseGet(() -> way(
                                        standing.funds(),
                                        gate.judge(
                                                terms, new SellGate.Evidence(views, standing.somethingWaits(), now)))),
                        executor);
    }

    private static GateVerdict way(AccountFunds funds, GateVerdict verdict) {
        return verdict.isOpen() ? new GateVerdict.Open(unpayable(funds).isPresent()) : verdict;
    }

    /** With or without gas: nothing is sent from the account until the operator has looked. */
    private static Optional<GateVerdict> stopped(AccountFunds funds) {
        return funds.obstacle().map(why -> GateVerdict.closed(new GateVerdict.NotNow(why.message())));
    }

    /** A secret that counts as shown while its claim cannot leave would leave later, whatever the clocks say by then. */
    private static Optional<GateVerdict> unpayable(AccountFunds funds) {
        BigInteger left = funds.leftForClaim();
        return left.compareTo(funds.perTransaction()) < 0
                ? Optional.of(GateVerdict.closed(new GateVerdict.NotNow("the account has " + left.max(BigInteger.ZERO)
                        + " wei for gas; a claim needs " + funds.perTransaction())))
                : Optional.empty();
    }

    @Override
    public CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
        Bytes call = secret.use(SwapContract::claim);
        // A request to the pool is journalled by the row: before that only a claim of our own may leave.
        return relay.isEmpty() || !row.acts().claimJournalled()
                ? push(row, call, mayBegin)
                : isUnpayable(row)
                        .thenComposeAsync(
                                unpayable -> unpayable ? relay.get().claim(row, call) : push(row, call, mayBegin),
                                executor);
    }

    private CompletionStage<String> push(SwapRow row, Bytes call, BooleanSupplier mayBegin) {
        OptionalLong end = row.poolLock() instanceof PoolLock.Locked locked ? locked.end() : OptionalLong.empty();
        return ours.send(row, SendKind.CLAIM, end, attempt -> claim(row, call, attempt, mayBegin));
    }

    /** What was ever journalled as a claim of our own is paid for. */
    private CompletionStage<Boolean> isUnpayable(SwapRow row) {
        return ours.of(row)
                .thenCombineAsync(
                        sends.funds(row.terms().ours().evm()),
                        (made, funds) -> made.newest(SendKind.CLAIM)
                                        .filter(claim -> !SwapSends.hasFailed(claim))
                                        .isEmpty()
                                && unpayable(funds).isPresent(),
                        executor)
                // Where the quorum is away ours goes out all the same.
                .exceptionallyAsync(failure -> false, executor);
    }

    private static SendRequest claim(SwapRow row, Bytes call, int attempt, BooleanSupplier mayBegin) {
        SwapTerms terms = row.terms();
        return new SendRequest(
                SwapSends.reference(row, SendKind.CLAIM, attempt),
                SendKind.CLAIM,
                terms.ours().evm(),
                terms.account().contract(),
                SendValue.exactly(BigInteger.ZERO),
                call,
                new Gas.Fixed(SwapSends.gas(attempt)),
                Optional.of(terms.received().units()),
                Pushing.URGENTLY,
                Optional.of(row.id()),
                mayBegin);
    }
}
