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

/** Makes versions that pay more, and has them in the journal before anybody gets to see them. */
final class Replacer {
    /** Gas that a transfer to an account without code takes. */
    static final long TRANSFER_GAS = 21_000;
    /** Multiple of the market's price at which a fee stops rising where no claim or refund waits: raises that nobody mines must stay cheap. */
    private static final BigInteger MOST_TIMES = BigInteger.TEN;

    private static final Comparator<Version> BY_FEE = Comparator.comparing(Version::maxFee);

    private final SendSetup setup;

    Replacer(SendSetup setup) {
        this.setup = setup;
    }

    /** Use of the nonce. */
    enum Purpose {
        THE_SAME,
        NOTHING
    }

    /**
     * Offers of claims and refunds that wait for a transaction: what holds them up is worth as much to get through.
     *
     * @param worth wei, their ceilings together
     * @param room wei that they may still pay of it
     * @param tip wei per gas, the highest that one of them offers; zero where none waits
     */
    record Behind(BigInteger worth, BigInteger room, BigInteger tip) {}

    /**
     * Part of the balance that is left to others, unless a claim or a refund waits for the transaction. At a gate only the reserve is not.
     *
     * @param committed wei that other open transactions may take
     * @param swaps that may still have to pay gas, none where a gate waits for the transaction; empty while that is not known
     */
    record Kept(BigInteger committed, OptionalInt swaps) {
        /** Wei that may be spent; none where balance or swaps are not known. */
        private BigInteger spendable(Optional<BigInteger> balance, FeeMarket market) {
            if (balance.isEmpty() || swaps.isEmpty()) {
                return BigInteger.ZERO;
            }
            BigInteger reserved = Survey.reservePerSwap(market).multiply(BigInteger.valueOf(swaps.getAsInt()));
            return balance.get().subtract(committed).subtract(reserved);
        }
    }

    /**
     * @param accepted versions that an endpoint has taken: only these stand in the way of a cheaper step
     * @param outbid whether an endpoint has refused the newest one because it does not pay enough more than another
     * @param behind those that wait for it, which raise its ceiling
     * @param deadline Unix seconds, unsigned, after which it is worth nothing
     */
    record Wish(
            AccountSend row,
            Purpose purpose,
            Set<Hash256> accepted,
            boolean outbid,
            Behind behind,
            Kept kept,
            OptionalLong deadline) {
        Wish {
            accepted = Set.copyOf(accepted);
        }

        /** A nonce whose send was abandoned stays spent to ourselves. */
        private boolean isForNothing() {
            return purpose == Purpose.NOTHING || row.newest().cancels();
        }

        private boolean isFirstForNothing() {
            return purpose == Purpose.NOTHING && !row.newest().cancels();
        }

        /** The journal knows it too as long as there is no other. */
        private boolean isNewestTaken() {
            return accepted.contains(row.newest().hash())
                    || row.state() == AccountSend.State.SENT && row.versions().size() == 1;
        }

        /** The dearest version like the newest that may cost so much per gas; the newest where there is none. */
        private Version dearestWithin(BigInteger most) {
            return row.versions().stream()
                    .filter(version -> version.cancels() == row.newest().cancels())
                    .filter(version -> version.maxFee().compareTo(most) <= 0)
                    .max(BY_FEE)
                    .orElse(row.newest());
        }

        private boolean isPressing() {
            return !isForNothing() && SendKind.valueOf(row.order().kind()).isPressing();
        }
    }

    /**
     * Made versions, the dearest last.
     *
     * @param outdated whether the journal has another row than the one that was to be replaced, and so has not taken them all
     * @param lowestBalance that an endpoint names; empty when none answers
     */
    record Made(List<Version> versions, boolean outdated, Optional<BigInteger> lowestBalance) {}

    /**
     * No versions when ceiling or balance leave no room, or when the row has changed meanwhile. A nonce that is only to be spent is offered for
     * what there is when that is less than a replacement has to pay: perhaps nobody holds the version before. Blocks.
     *
     * @param isPressing whether a claim or a refund waits for it
     */
    Made replace(Wish wish, boolean isPressing) {
        EvmAddress from = SendSetup.payer(wish.row());
        Urgency urgency = Urgency.of(setup.chain(isPressing), from);
        return wish.isPressing() ? raise(wish, urgency) : replace(wish, urgency, isPressing);
    }

    private Made replace(Wish wish, Urgency urgency, boolean isPressing) {
        AccountSend row = wish.row();
        boolean same = !wish.isForNothing();
        long gas = same ? row.call().gasLimit() : TRANSFER_GAS;
        long now = setup.clock().millis();
        List<Version> signed = prices(wish, urgency, isPressing, gas).stream()
                .map(price ->
                        same ? setup.version(row.call(), price, now) : setup.cancelling(row.call(), gas, price, now))
                .toList();
        return journal(row, signed, urgency.namedLowest());
    }

    /**
     * Where no claim or refund waits for it only the market raises a version that no endpoint has taken: nobody would know the difference, and
     * it would be paid afterwards. One that wants more for a replacement knows it.
     */
    private List<GasPrice> prices(Wish wish, Urgency urgency, boolean isPressing, long gas) {
        boolean isDue = isPressing
                || wish.isFirstForNothing()
                || wish.isNewestTaken()
                || wish.outbid()
                || urgency.market().comfortable().compareTo(wish.row().newest().maxFee()) > 0;
        return isDue
                ? spendable(wish, urgency, isPressing)
                        .map(wei -> most(wish, wei, dearest(urgency.market()).multiply(BigInteger.valueOf(gas)))
                                .divide(BigInteger.valueOf(gas)))
                        .flatMap(most -> price(wish, urgency.market(), isPressing, most).stream())
                        .distinct()
                        .toList()
                : List.of();
    }

    /** Wei. Where a claim or a refund waits, by the lowest balance that is named and by the highest: either may be the lie. */
    private Stream<BigInteger> spendable(Wish wish, Urgency urgency, boolean isPressing) {
        return isPressing
                ? Stream.of(urgency.lowestBalance(), urgency.highestBalance())
                : Stream.of(wish.kept()
                        .spendable(urgency.reachedBalance(setup.chain().quorum()), urgency.market()));
    }

    /**
     * At least the tip of what waits for it, and at once: raised by an eighth at a time the fee would have gone up with it as often.
     *
     * @param most wei per gas
     */
    private static Optional<GasPrice> price(Wish wish, FeeMarket market, boolean isPressing, BigInteger most) {
        Version before = isPressing ? wish.dearestWithin(most) : wish.row().newest();
        boolean isOutbid = wish.behind().tip().compareTo(before.tip()) > 0;
        BigInteger perGas = isOutbid ? most : most.min(dearest(market));
        return new GasPrice(before.tip(), before.maxFee())
                .raised(
                        new FeeMarket(
                                market.baseFee(), market.tip().max(wish.behind().tip())),
                        perGas)
                .or(() -> wish.isFirstForNothing() ? GasPrice.within(market, perGas) : Optional.empty());
    }

    /** Wei per gas. */
    private static BigInteger dearest(FeeMarket market) {
        return market.comfortable().multiply(MOST_TIMES);
    }

    /**
     * Wei for gas. What was given up may cost more than it was wanted for, since later nonces wait for its own: like what has no ceiling, it
     * costs no more than {@code usual} and the worth of the claims and refunds that wait for it.
     */
    private static BigInteger most(Wish wish, BigInteger spendable, BigInteger usual) {
        AccountSend row = wish.row();
        BigInteger worth = usual.add(wish.behind().worth());
        if (wish.isForNothing()) {
            return spendable.min(worth);
        }
        BigInteger ceiling = row.order()
                .feeCeiling()
                .map(own -> own.add(wish.behind().room()))
                .orElse(worth);
        return spendable.subtract(row.call().value()).min(ceiling);
    }

    /** While nobody hears us nothing is raised: nobody would know the difference, and it would be paid afterwards. */
    private Made raise(Wish wish, Urgency urgency) {
        List<Version> signed = new ArrayList<>();
        if (urgency.isHeard()) {
            long now = setup.clock().millis();
            for (GasPrice price :
                    new Raise(wish, urgency, FeeRise.of(wish.row(), wish.deadline(), setup.pace(), now)).prices()) {
                signed.add(setup.version(wish.row().call(), price, now));
            }
        }
        return journal(wish.row(), signed, urgency.namedLowest());
    }

    /** Writes one after the other; a version that is not written is not used, nor are those after it. */
    private Made journal(AccountSend row, List<Version> versions, Optional<BigInteger> lowestBalance) {
        for (int written = 0; written < versions.size(); written++) {
            if (!await(setup.store().addVersion(row.id(), row.versions().size() + written, versions.get(written)))) {
                return new Made(List.copyOf(versions.subList(0, written)), true, lowestBalance);
            }
        }
        return new Made(List.copyOf(versions), false, lowestBalance);
    }

    /**
     * Step of a claim or a refund on the way to its ceiling. Its first price may have been a lie; from there on only time raises it, and the
     * base fee where the quorum agrees on it. The part that time adds goes to the tip.
     */
    private record Raise(Wish wish, Urgency urgency, FeeRise rise) {
        private AccountSend row() {
            return wish.row();
        }

        private BigInteger perGas(BigInteger balance) {
            BigInteger left = balance.subtract(row().call().value()).max(BigInteger.ZERO);
            return row().order()
                    .feeCeiling()
                    .map(ceiling -> left.min(ceiling.add(wish.behind().room())))
                    .orElse(left)
                    .divide(BigInteger.valueOf(row().call().gasLimit()));
        }

        /** Beside one above the lowest balance that is named there is always one that can be paid from it: either may be the lie. */
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
                    .filter(version -> wish.accepted().contains(version.hash()))
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

        /** The version at this price, which no endpoint has taken: where it was refused for its price, it would be again. */
        private Optional<Version> made(GasPrice price) {
            return row().versions().stream()
                    .filter(version -> version.maxFee().equals(price.maxFee())
                            && version.tip().equals(price.tip()))
                    .findFirst();
        }

        /** @param mayBeLess whether a version that pays more by less than an eighth is of use, since no endpoint has the one before it */
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

        /** Fee that follows from the elapsed time alone. Without a ceiling it rises by steps only. */
        private BigInteger risen(BigInteger origin, BigInteger most, Optional<Version> before) {
            return row().order().feeCeiling().isEmpty()
                    ? origin.min(most)
                    : rise.risen(origin, most, before.map(Version::maxFee));
        }
    }

    /**
     * The fee of a claim or a refund by time alone (swap.md, section 5): it rises by the same factor in the same time, so that it stands at its
     * ceiling {@link SendPace#rise}, which is half of the margin, after it was made, and half of the margin before its deadline, whichever comes
     * first. A refund has no deadline: nobody can take its money meanwhile, unless we have shown the secret, and then it races with a claim that is
     * as good for us. Only the money's time is lost, so its fee rises 24 times as slowly.
     *
     * @param part of the time until it stands at the ceiling, that is gone; at most 1
     * @param stepsLeft times that it can still be raised until half of the time to the deadline is gone, at least 1; empty without a deadline
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
         * Fee per gas at this time. After a pause, such as a time without endpoints, it does not jump to the ceiling but is at most doubled at each
         * step, or raised by as much as is needed to reach the ceiling before the deadline.
         *
         * @param origin wei per gas of the first version
         * @param most wei per gas at the ceiling
         * @param before wei per gas of the version before
         */
        BigInteger risen(BigInteger origin, BigInteger most, Optional<BigInteger> before) {
            if (most.compareTo(origin) <= 0) {
                return most;
            }
            BigInteger risen = part >= 1 ? most : times(origin, Math.pow(quotient(most, origin), part));
            BigInteger fee = before.map(last -> step(last, most)).orElse(most).min(risen);
            // Nothing between this and the ceiling would be taken in its place.
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
