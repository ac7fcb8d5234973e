package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.EndpointAnswer;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.account.endpoints.GasPrice.FeeMarket;
import org.chainwalletd.evm.EvmAddress;

/**
 * Prices and balances for claims and refunds, which never wait for agreement: a wrong price costs time, but a transaction that is too late costs
 * the whole amount. Any value may come from an endpoint that returns false data. The maximum fee is only a bound, so it may follow the highest
 * value; the tip is paid in full, so it follows the lower median.
 *
 * @param agreed header of the newest block that the quorum has; empty without agreement
 * @param agreedCount transaction count of the address at the settled block; empty without agreement
 * @param latest each endpoint's own report of its newest block
 * @param balances balance reported by each endpoint at its newest block, in wei
 * @param tips tip reported by each endpoint, in wei per gas
 */
record Urgency(
        Optional<AccountBlock> agreed,
        OptionalLong agreedCount,
        List<EndpointAnswer<Survey.Latest>> latest,
        List<BigInteger> balances,
        List<BigInteger> tips) {
    /** Substitute for an unknown balance: more wei than exist. */
    static final BigInteger BOUNDLESS = BigInteger.ONE.shiftLeft(255);

    private static final BigInteger TWO = BigInteger.TWO;
    /** Divisor: a price without agreement uses at most this fraction (1/4) of the maximum, so that it can still be raised. */
    private static final BigInteger FIRST_SHARE = BigInteger.valueOf(4);

    /**
     * Reads the data from the endpoints. Blocks until a quorum has answered, and briefly for the remaining endpoints; no endpoint's failure makes
     * it fail.
     */
    static Urgency of(AccountChain chain, EvmAddress from) {
        CompletionStage<AccountBlock> agreed = chain.newestBlock();
        CompletionStage<Optional<AccountBlock>> settled = chain.finalBlock();
        CompletionStage<List<EndpointAnswer<Survey.Latest>>> latest =
                chain.eachInTime(reads -> Survey.Latest.of(reads, from), any -> true);
        CompletionStage<List<EndpointAnswer<BigInteger>>> balances =
                chain.eachInTime(reads -> reads.balance(from, BlockRef.Tag.LATEST), any -> true);
        CompletionStage<List<EndpointAnswer<BigInteger>>> tips = chain.eachInTime(AccountReads::tip, any -> true);
        return new Urgency(
                unlessDisagreed(() -> await(agreed)),
                unlessDisagreed(() -> {
                            BlockRef at =
                                    BlockRef.hash(await(settled).orElseThrow().hash());
                            return await(chain.agreed(reads -> reads.transactionCount(from, at)));
                        })
                        .map(OptionalLong::of)
                        .orElse(OptionalLong.empty()),
                await(latest),
                answers(await(balances)),
                answers(await(tips)));
    }

    private static <T> Optional<T> unlessDisagreed(Supplier<T> question) {
        try {
            return Optional.of(question.get());
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    private static List<BigInteger> answers(List<EndpointAnswer<BigInteger>> told) {
        return told.stream().map(EndpointAnswer::answer).toList();
    }

    /** Whether at least one endpoint has reported its newest block. */
    boolean isAnswered() {
        return agreed.isPresent() || !latest.isEmpty();
    }

    /** Returns the first nonce of an address that the journal does not contain: the agreed transaction count, otherwise the lowest reported one. */
    long count() {
        return agreedCount.orElseGet(() ->
                latest.stream().mapToLong(told -> told.answer().count()).min().orElse(0));
    }

    Optional<BigInteger> lowestReportedBalance() {
        return balances.stream().min(BigInteger::compareTo);
    }

    BigInteger lowestBalance() {
        return lowestReportedBalance().orElse(BOUNDLESS);
    }

    BigInteger highestBalance() {
        return balances.stream().max(BigInteger::compareTo).orElse(BOUNDLESS);
    }

    /**
     * Returns the highest balance that at least {@code quorum} endpoints reach or exceed. If fewer answer, the highest reported balance; empty if
     * none answers.
     */
    Optional<BigInteger> reachedBalance(int quorum) {
        return balances.stream()
                .sorted(Comparator.reverseOrder())
                .skip(balances.size() < quorum ? 0 : quorum - 1L)
                .findFirst();
    }

    private Stream<BigInteger> namedBaseFees() {
        return latest.stream().flatMap(told -> told.answer().block().baseFee().stream());
    }

    Optional<BigInteger> agreedBaseFee() {
        return agreed.flatMap(AccountBlock::baseFee);
    }

    /** Returns the lowest base fee that any endpoint reports; 0 if none does. */
    BigInteger lowestBaseFee() {
        return Stream.concat(namedBaseFees(), agreedBaseFee().stream())
                .min(BigInteger::compareTo)
                .orElse(BigInteger.ZERO);
    }

    /** Returns the market at the base fee of the agreed header, otherwise at the lowest base fee that an endpoint reports. */
    FeeMarket market() {
        BigInteger baseFee = agreedBaseFee().orElseGet(this::lowestBaseFee);
        return new FeeMarket(baseFee, GasPrice.firstTip(tips, baseFee));
    }

    /** @param most wei per gas that may be paid, positive */
    GasPrice plain(BigInteger most) {
        FeeMarket market = market();
        return GasPrice.bounded(market.tip(), market.comfortable(), most);
    }

    /**
     * As {@link #plain}, lifted to the highest base fee that an endpoint names, as long as that leaves room for later raises.
     *
     * @param most wei per gas that may be paid, positive
     */
    GasPrice highest(BigInteger most) {
        FeeMarket market = market();
        BigInteger lifted = namedBaseFees()
                .max(BigInteger::compareTo)
                .orElse(BigInteger.ZERO)
                .multiply(TWO)
                .add(market.tip())
                .min(most.divide(FIRST_SHARE));
        return GasPrice.bounded(market.tip(), market.comfortable().max(lifted), most);
    }
}
