package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.AccountSends.AccountFunds;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.api.RefusedException.Refusal;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * Obstacles on the account chain to a lock of ours on either chain (swap.md, section 6): a contract other than the pinned one, a taken slot, an
 * account that others use too, a chain that cannot carry our transactions, or too little for their gas.
 */
public record EvmObstacles(AccountChain chain, AccountSends sends, Hash256 codeHash) {
    /**
     * Returns the first obstacle; empty when there is none.
     *
     * @param isExpected tests whether the lock in a taken slot is expected
     * @param cost wei that the lock itself still takes from the balance, in addition to the gas reserve of this swap; empty when another party may
     * pay the gas, so that the balance is not checked
     */
    Optional<String> find(
            SwapRow row, Predicate<SwapContract.Swap> isExpected, Optional<Function<AccountFunds, BigInteger>> cost) {
        return contract(row.terms()).or(() -> slot(row.terms(), isExpected)).or(() -> account(row, cost));
    }

    Optional<String> contract(SwapTerms terms) {
        return new ContractCheck(chain, terms.account().contract(), codeHash).objection();
    }

    /** Reports a taken slot if any single endpoint does, because not locking costs nothing. */
    private Optional<String> slot(SwapTerms terms, Predicate<SwapContract.Swap> isExpected) {
        List<SwapContract.Swap> slots = await(chain.each(
                        reads -> reads.swap(terms.account().contract(), terms.hashLock(), BlockRef.Tag.LATEST)))
                .stream()
                .map(AccountChain.EndpointAnswer::answer)
                .toList();
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

    private Optional<String> account(SwapRow row, Optional<Function<AccountFunds, BigInteger>> cost) {
        AccountFunds funds = sends.funds(row.terms().ours().evm(), row.id());
        return funds.obstacle()
                .map(Refusal::message)
                .or(() -> cost.flatMap(of -> tooLittle(row, funds, of.apply(funds))));
    }

    /** Returns the objection for lack of funds. The reserve already includes a swap that holds money. */
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
