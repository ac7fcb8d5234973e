package org.chainwalletd.account;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.account.endpoints.GasPrice;
import org.chainwalletd.account.endpoints.GasPrice.FeeMarket;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.store.AccountSend;
import org.chainwalletd.store.AccountSend.Version;

/** Makes versions with higher fees, and journals each of them before it is sent. */
final class Replacer {
    /** Gas used by a transfer to an account without code. */
    static final long TRANSFER_GAS = 21_000;
    /** Multiple of the market price that limits a fee if no claim or refund waits for the transaction: repeated raises must stay cheap. */
    private static final BigInteger MOST_TIMES = BigInteger.TEN;

    private static final Comparator<Version> BY_FEE = Comparator.comparing(Version::maxFee);

    private final SendSetup setup;

    Replacer(SendSetup setup) {
        this.setup = setup;
    }

    /** Purpose of the replacement: the same call, or a transaction to ourselves that only uses up the nonce. */
    enum Purpose {
        RAISE,
        CANCEL
    }

    /**
     * Offers of the claims and refunds that wait for a transaction, which may cost as much as they do because it delays them.
     *
     * @param worth sum of their ceilings, wei
     * @param room sum of the amounts by which their fees may still rise, wei
     * @param tip highest tip that any of them offers, wei per gas; zero if none waits
     */
    record Behind(BigInteger worth, BigInteger room, BigInteger tip) {}

    /**
     * Part of the balance that a replacement must leave, unless a claim or a refund waits for the transaction. If a gate waits for it, it may use
     * the reserve of swaps too, and leaves only the amount that other open transactions may take.
     *
     * @param committed wei that other open transactions may take
     * @param swaps number of swaps that may still have to pay gas, 0 if a gate waits for the transaction; empty while unknown
     */
    record Kept(BigInteger committed, OptionalInt swaps) {
        /** Returns the wei that may be spent; zero if balance or swaps are unknown. */
        private BigInteger spendable(Optional<BigInteger> balance, FeeMarket market) {
            if (balance.isEmpty() || swaps.isEmpty()) {
                return BigInteger.ZERO;
            }
            BigInteger reserved = Survey.reservePerSwap(market).multiply(BigInteger.valueOf(swaps.getAsInt()));
            return balance.get().subtract(committed).subtract(reserved);
        }
    }

    /**
     * @param accepted versions that an endpoint has accepted; a raise by less than an eighth is possible only if there are none
     * @param outbid whether an endpoint has refused the newest version because it does not pay enough more than another one
     * @param behind claims and refunds that wait for the transaction and raise its ceiling
     * @param deadline Unix seconds, unsigned, after which the transaction is worthless
     */
    record Request(
            AccountSend row,
            Purpose purpose,
            Set<Hash256> accepted,
            boolean outbid,
            Behind behind,
            Kept kept,
            OptionalLong deadline) {
        Request {
            accepted = Set.copyOf(accepted);
        }

        /** Whether the nonce is to be used by a transaction to ourselves. Once a send has one, later versions are of that kind too. */
        private boolean isCancelling() {
            return purpose == Purpose.CANCEL || row.newest().cancels();
        }

        private boolean isFirstCancelling() {
            return purpose == Purpose.CANCEL && !row.newest().cancels();
        }

        /** Whether an endpoint has accepted the newest version. The journal shows this too, as long as there is only one version. */
        private boolean isNewestTaken() {
            return accepted.contains(row.newest().hash())
                    || row.state() == AccountSend.State.SENT && row.versions().size() == 1;
        }

        /**
         * Returns the most expensive version of the newest one's kind with a fee of at most {@code most} wei per gas; the newest version if there
         * is none.
         */
        private Version dearestWithin(BigInteger most) {
            return row.versions().stream()
                    .filter(version -> version.cancels() == row.newest().cancels())
                    .filter(version -> version.maxFee().compareTo(most) <= 0)
                    .max(BY_FEE)
                    .orElse(row.newest());
        }

        private boolean isPressing() {
            return !isCancelling() && SendKind.valueOf(row.order().kind()).isPressing();
        }
    }

    /**
     * Result of a replacement: the new versions, the most expensive one last.
     *
     * @param outdated whether the row in the journal has changed, so that not all versions were written
     * @param lowestBalance lowest balance that an endpoint reports, in wei; empty if none answers
     */
    record Made(List<Version> versions, boolean outdated, Optional<BigInteger> lowestBalance) {}

    /**
     * Makes and journals the versions; none if ceiling or balance do not permit a raise, or if the row has changed meanwhile. The first transaction
     * to ourselves is made for the available amount even if a replacement would have to pay more, because perhaps no node has the previous version.
     * Blocks.
     *
     * @param isPressing whether a claim or a refund waits for it
     */
    Made replace(Request request, boolean isPressing) {
        EvmAddress from = SendSetup.payer(request.row());
        Urgency urgency = Urgency.of(setup.chain(isPressing), from);
        return request.isPressing() ? raise(request, urgency) : replace(request, urgency, isPressing);
    }

    private Made replace(Request request, Urgency urgency, boolean isPressing) {
        AccountSend row = request.row();
        boolean same = !request.isCancelling();
        long gas = same ? row.call().gasLimit() : TRANSFER_GAS;
        long now = setup.clock().millis();
        List<Version> signed = prices(request, urgency, isPressing, gas).stream()
                .map(price ->
                        same ? setup.version(row.call(), price, now) : setup.cancelling(row.call(), gas, price, now))
                .toList();
        return journal(row, signed, urgency.lowestReportedBalance());
    }

    /**
     * Returns the prices of the new versions, in wei per gas. If no claim or refund waits for the transaction, a version that no endpoint has
     * accepted is raised only when the market price exceeds its fee: otherwise a raise would have no effect now, but would be paid later. It does
     * have an effect if an endpoint has refused the version because a replacement must pay more.
     */
    private List<GasPrice> prices(Request request, Urgency urgency, boolean isPressing, long gas) {
        boolean isDue = isPressing
                || request.isFirstCancelling()
                || request.isNewestTaken()
                || request.outbid()
                || urgency.market()
                                .comfortable()
                                .compareTo(request.row().newest().maxFee())
                        > 0;
        return isDue
                ? spendable(request, urgency, isPressing)
                        .map(wei -> most(request, wei, dearest(urgency.market()).multiply(BigInteger.valueOf(gas)))
                                .divide(BigInteger.valueOf(gas)))
                        .flatMap(most -> price(request, urgency.market(), isPressing, most).stream())
                        .distinct()
                        .toList()
                : List.of();
    }

    /**
     * Returns the wei that may be spent. If a claim or a refund waits: both the lowest and the highest reported balance, because either may be
     * false.
     */
    private Stream<BigInteger> spendable(Request request, Urgency urgency, boolean isPressing) {
        return isPressing
                ? Stream.of(urgency.lowestBalance(), urgency.highestBalance())
                : Stream.of(request.kept()
                        .spendable(urgency.reachedBalance(setup.chain().quorum()), urgency.market()));
    }

    /**
     * Returns a price with at least the highest tip of the transactions that wait for this one, reached in one step: in steps of an eighth, the
     * maximum fee would rise at each step too.
     *
     * @param most wei per gas
     */
    private static Optional<GasPrice> price(Request request, FeeMarket market, boolean isPressing, BigInteger most) {
        Version before =
                isPressing ? request.dearestWithin(most) : request.row().newest();
        boolean isOutbid = request.behind().tip().compareTo(before.tip()) > 0;
        BigInteger perGas = isOutbid ? most : most.min(dearest(market));
        return new GasPrice(before.tip(), before.maxFee())
                .raised(
                        new FeeMarket(
                                market.baseFee(),
                                market.tip().max(request.behind().tip())),
                        perGas)
                .or(() -> request.isFirstCancelling() ? GasPrice.within(market, perGas) : Optional.empty());
    }

    /** Returns the limit of the price, in wei per gas, if no transaction with a higher tip waits. */
    private static BigInteger dearest(FeeMarket market) {
        return market.comfortable().multiply(MOST_TIMES);
    }

    /**
     * Returns the maximum wei for gas. An abandoned send may cost more than its own ceiling, because later nonces wait for its nonce: like a send
     * without a ceiling, it costs at most {@code usual} plus the ceilings of the claims and refunds that wait for it.
     */
    private static BigInteger most(Request request, BigInteger spendable, BigInteger usual) {
        AccountSend row = request.row();
        BigInteger worth = usual.add(request.behind().worth());
        if (request.isCancelling()) {
            return spendable.min(worth);
        }
        BigInteger ceiling = row.order()
                .feeCeiling()
                .map(own -> own.add(request.behind().room()))
                .orElse(worth);
        return spendable.subtract(row.call().value()).min(ceiling);
    }

    /** Raises a claim or a refund. Does nothing while no endpoint answers: the raise would have no effect now, but would be paid later. */
    private Made raise(Request request, Urgency urgency) {
        List<Version> signed = new ArrayList<>();
        if (urgency.isAnswered()) {
            long now = setup.clock().millis();
            for (GasPrice price : new Raise(
                            request, urgency, FeeRise.of(request.row(), request.deadline(), setup.pace(), now))
                    .prices()) {
                signed.add(setup.version(request.row().call(), price, now));
            }
        }
        return journal(request.row(), signed, urgency.lowestReportedBalance());
    }

    /** Writes the versions one after the other. If the journal does not accept a version, neither that one nor those after it are used. */
    private Made journal(AccountSend row, List<Version> versions, Optional<BigInteger> lowestBalance) {
        for (int written = 0; written < versions.size(); written++) {
            if (!await(setup.store().addVersion(row.id(), row.versions().size() + written, versions.get(written)))) {
                return new Made(List.copyOf(versions.subList(0, written)), true, lowestBalance);
            }
        }
        return new Made(List.copyOf(versions), false, lowestBalance);
    }

    /**
     * Raise of a claim or a refund towards its ceiling. The first price may have been based on false data; afterwards only the elapsed time raises
     * the price, and the base fee if the quorum agrees on it. The increase due to time is added to the tip.
     */
    private record Raise(Request request, Urgency urgency, FeeRise rise) {
        private AccountSend row() {
            return request.row();
        }

        private BigInteger perGas(BigInteger balance) {
            BigInteger left = balance.subtract(row().call().value()).max(BigInteger.ZERO);
            return row().order()
                    .feeCeiling()
                    .map(ceiling -> left.min(ceiling.add(request.behind().room())))
                    .orElse(left)
                    .divide(BigInteger.valueOf(row().call().gasLimit()));
        }

        /**
         * Returns the prices. If one exceeds the lowest reported balance, there is another one that this balance can pay, because any reported
         * balance may be false.
         */
        List<GasPrice> prices() {
            List<Version> first = row().versions().stream()
                    .filter(version ->
                            version.createdAt() == row().versions().get(0).createdAt())
                    .toList();
            BigInteger low = perGas(urgency.lowestBalance());
            Optional<GasPrice> dear =
                    step(first.stream().max(BY_FEE).orElseThrow(), perGas(urgency.highestBalance()), any -> true);
            BigInteger dearest = dear.map(GasPrice::maxFee)
                    .orElse(BigInteger.ZERO)
                    .max(row().versions().stream().max(BY_FEE).orElseThrow().maxFee());
            List<GasPrice> prices = new ArrayList<>();
            if (dearest.compareTo(low) > 0) {
                step(
                                first.stream().min(BY_FEE).orElseThrow(),
                                low,
                                version -> version.maxFee().compareTo(low) <= 0)
                        .ifPresent(prices::add);
            }
            dear.filter(price -> !prices.contains(price)).ifPresent(prices::add);
            return prices;
        }

        private Optional<GasPrice> step(Version origin, BigInteger most, Predicate<Version> isPayable) {
            if (most.signum() <= 0) {
                return Optional.empty();
            }
            List<Version> payable = row().versions().stream().filter(isPayable).toList();
            Optional<Version> accepted = payable.stream()
                    .filter(version -> request.accepted().contains(version.hash()))
                    .max(BY_FEE);
            Optional<Version> before = accepted.or(() -> payable.stream().max(BY_FEE));
            Optional<GasPrice> price = step(origin, most, before, accepted.isEmpty());
            Optional<Version> made = price.flatMap(this::made);
            while (made.isPresent()) {
                price = step(origin, most, made, false);
                made = price.flatMap(this::made);
            }
            return price;
        }

        /**
         * Returns the existing version at this price, which no endpoint has accepted: if it was refused because of its price, it would be refused
         * again.
         */
        private Optional<Version> made(GasPrice price) {
            return row().versions().stream()
                    .filter(version -> version.maxFee().equals(price.maxFee())
                            && version.tip().equals(price.tip()))
                    .findFirst();
        }

        /** @param mayBeLess whether a raise by less than an eighth is useful, because no endpoint has the previous version */
        private Optional<GasPrice> step(Version origin, BigInteger most, Optional<Version> before, boolean mayBeLess) {
            BigInteger risen = risen(origin.maxFee(), most, before);
            BigInteger tip = origin.tip().add(risen.subtract(origin.maxFee()).max(BigInteger.ZERO));
            BigInteger fee = urgency.agreedBaseFee()
                    .map(baseFee -> new FeeMarket(baseFee, tip).comfortable())
                    .orElse(BigInteger.ZERO)
                    .max(risen);
            if (before.isEmpty()) {
                return Optional.of(GasPrice.bounded(tip, fee, most));
            }
            GasPrice least = new GasPrice(before.get().tip(), before.get().maxFee()).atLeastAfter();
            GasPrice price = GasPrice.bounded(tip.max(least.tip()), fee.max(least.maxFee()), most);
            boolean isReplacement =
                    price.maxFee().compareTo(least.maxFee()) >= 0 && price.tip().compareTo(least.tip()) >= 0;
            boolean isLastStep =
                    mayBeLess && price.maxFee().compareTo(before.get().maxFee()) > 0;
            return isReplacement || isLastStep ? Optional.of(price) : Optional.empty();
        }

        /** Returns the fee that follows from the elapsed time alone, in wei per gas. Without a ceiling, time does not raise it. */
        private BigInteger risen(BigInteger origin, BigInteger most, Optional<Version> before) {
            return row().order().feeCeiling().isEmpty()
                    ? origin.min(most)
                    : rise.risen(origin, most, before.map(Version::maxFee));
        }
    }

    /**
     * Fee of a claim or a refund as a function of time (swap.md, section 5): it rises by equal factors in equal times, so that it reaches its
     * ceiling at the earlier of {@link SendPace#rise} (half of the margin) after it was made, and half of the margin before its deadline. A refund
     * has no deadline: the money cannot be taken meanwhile unless we have revealed the secret, and then the refund races with a claim whose success
     * is as good for us. A delay only postpones the use of the money, so its fee rises 24 times as slowly.
     *
     * @param part elapsed fraction of the time until the ceiling is reached; at most 1
     * @param stepsLeft number of raises that are still possible until half of the time to the deadline has passed, at least 1; empty without a
     *     deadline
     */
    record FeeRise(double part, OptionalLong stepsLeft) {
        private static final int CALMER = 24;
        private static final BigInteger SECOND = BigInteger.valueOf(1_000);

        /** @param deadline Unix seconds, unsigned */
        static FeeRise of(AccountSend row, OptionalLong deadline, SendPace pace, long now) {
            boolean isClaim = SendKind.valueOf(row.order().kind()) == SendKind.CLAIM;
            double rise = isClaim ? pace.rise().toMillis() : pace.rise().toMillis() * (double) CALMER;
            double elapsed = Math.max(0, now - row.progress().createdAt());
            if (deadline.isEmpty()) {
                return new FeeRise(Math.min(1, elapsed / rise), OptionalLong.empty());
            }
            double left = U64.toBigInteger(deadline.getAsLong())
                    .multiply(SECOND)
                    .subtract(BigInteger.valueOf(now))
                    .doubleValue();
            double time = Math.min(rise, left + elapsed - rise);
            return new FeeRise(time <= elapsed ? 1 : elapsed / time, OptionalLong.of((long)
                    Math.max(1, left / 2 / pace.urgent().toMillis())));
        }

        /**
         * Returns the fee per gas at this time. After a pause, such as a time without endpoints, it does not jump to the ceiling: a step at most
         * doubles it, or raises it by as much as is needed to reach the ceiling before the deadline.
         *
         * @param origin wei per gas of the first version
         * @param most wei per gas at the ceiling
         * @param before wei per gas of the previous version
         */
        BigInteger risen(BigInteger origin, BigInteger most, Optional<BigInteger> before) {
            if (most.compareTo(origin) <= 0) {
                return most;
            }
            BigInteger risen = part >= 1 ? most : times(origin, Math.pow(quotient(most, origin), part));
            BigInteger fee = before.map(last -> step(last, most)).orElse(most).min(risen);
            // No price between this one and the ceiling would be accepted as a replacement.
            return GasPrice.eighthMore(fee).compareTo(most) > 0 ? most : fee;
        }

        private BigInteger step(BigInteger before, BigInteger most) {
            double whole = Math.max(1, quotient(most, before));
            boolean isLast = stepsLeft.isPresent() && stepsLeft.getAsLong() == 1;
            return isLast
                    ? most
                    : times(
                            before,
                            Math.max(2, stepsLeft.isEmpty() ? 2 : Math.pow(whole, 1.0 / stepsLeft.getAsLong())));
        }

        private static double quotient(BigInteger most, BigInteger origin) {
            return most.doubleValue() / Math.max(1, origin.doubleValue());
        }

        private static BigInteger times(BigInteger fee, double factor) {
            return new BigDecimal(fee).multiply(BigDecimal.valueOf(factor)).toBigInteger();
        }
    }
}
