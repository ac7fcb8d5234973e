package org.chainwalletd.swap.legs;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.AccountEndpoint;
import org.chainwalletd.account.AccountException;
import org.chainwalletd.account.AccountFunds;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.BlockRef;
import org.chainwalletd.account.SendRefusal;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * What speaks, on the account chain, against a lock of ours on either chain (swap.md, section 6): another contract than the pinned one, a slot
 * that is taken, an account that is not ours alone, a chain that cannot carry our transactions, too little to pay for them.
 */
public final class EvmObstacles {
    private final AccountChain chain;
    private final AccountSends sends;
    private final Hash256 codeHash;
    private final Executor executor;

    EvmObstacles(AccountChain chain, AccountSends sends, Hash256 codeHash, Executor executor) {
        this.chain = chain;
        this.sends = sends;
        this.codeHash = codeHash;
        this.executor = executor;
    }

    /**
     * @param isExpected whether what stands in the slot is no surprise
     * @param cost wei that the lock itself still takes from the balance, beside the reserve of this swap
     */
    CompletionStage<Optional<String>> find(
            SwapRow row, Predicate<SwapContract.Swap> isExpected, Function<AccountFunds, BigInteger> cost) {
        return contract(row.terms())
                .thenComposeAsync(against -> orElse(against, () -> slot(row.terms(), isExpected)), executor)
                .thenComposeAsync(
                        against ->
                                orElse(against, () -> account(row, funds -> tooLittle(row, funds, cost.apply(funds)))),
                        executor);
    }

    /** The same where somebody else may pay for gas. */
    CompletionStage<Optional<String>> findBesideGas(SwapRow row, Predicate<SwapContract.Swap> isExpected) {
        return contract(row.terms())
                .thenComposeAsync(against -> orElse(against, () -> slot(row.terms(), isExpected)), executor)
                .thenComposeAsync(against -> orElse(against, () -> account(row, funds -> Optional.empty())), executor);
    }

    private static CompletionStage<Optional<String>> orElse(
            Optional<String> against, Supplier<CompletionStage<Optional<String>>> next) {
        return against.isPresent() ? CompletableFuture.completedFuture(against) : next.get();
    }

    CompletionStage<Optional<String>> contract(SwapTerms terms) {
        return new ContractCheck(chain, terms.account().contract(), codeHash, executor).objection();
    }

    /** Every endpoint that answers is believed when it says that the slot is taken: nothing is lost by not locking. */
    private CompletionStage<Optional<String>> slot(SwapTerms terms, Predicate<SwapContract.Swap> isExpected) {
        CompletionStage<List<SwapContract.Swap>> heard = CompletableFuture.completedFuture(List.of());
        for (AccountEndpoint endpoint : chain.endpoints()) {
            CompletionStage<Optional<SwapContract.Swap>> answer = endpoint.swap(
                            terms.account().contract(), terms.hashLock(), BlockRef.Tag.LATEST)
                    .handleAsync((slot, failure) -> Optional.ofNullable(slot), executor);
            heard = heard.thenCombineAsync(answer, EvmObstacles::plus, executor);
        }
        return heard.thenApplyAsync(slots -> taken(slots, isExpected), executor);
    }

    private static List<SwapContract.Swap> plus(List<SwapContract.Swap> slots, Optional<SwapContract.Swap> one) {
        List<SwapContract.Swap> more = new ArrayList<>(slots);
        one.ifPresent(more::add);
        return List.copyOf(more);
    }

    private Optional<String> taken(List<SwapContract.Swap> slots, Predicate<SwapContract.Swap> isExpected) {
        boolean isTaken =
                slots.stream().anyMatch(slot -> slot.state() != SwapContract.State.NONE && !isExpected.test(slot));
        if (isTaken) {
            return Optional.of("slot taken: the contract has a lock under our hash lock already");
        }
        if (slots.size() < chain.quorum()) {
            throw new AccountException.Disagreement(
                    chain.quorum(), false, List.of(slots.size() + " say what the contract holds"));
        }
        return Optional.empty();
    }

    private CompletionStage<Optional<String>> account(SwapRow row, Function<AccountFunds, Optional<String>> tooLittle) {
        return sends.funds(row.terms().ours().evm(), row.id())
                .thenApplyAsync(
                        funds -> funds.obstacle().map(SendRefusal::message).or(() -> tooLittle.apply(funds)), executor);
    }

    /** A swap that holds money is counted in the reserve already. */
    private static Optional<String> tooLittle(SwapRow row, AccountFunds funds, BigInteger cost) {
        BigInteger reserve = row.status().holdsMoney() ? BigInteger.ZERO : funds.reservePerSwap();
        BigInteger needed = cost.add(reserve);
        BigInteger left = funds.balance().subtract(funds.committed()).subtract(funds.reserved());
        return left.compareTo(needed) < 0
                ? Optional.of("the account " + row.terms().ours().evm() + " has " + left.max(BigInteger.ZERO)
                        + " settled wei to spare; the swap needs " + needed + ", of them " + reserve + " for gas")
                : Optional.empty();
    }
}
