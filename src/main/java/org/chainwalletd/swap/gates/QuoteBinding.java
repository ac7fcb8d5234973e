package org.chainwalletd.swap.gates;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.U64;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.swap.pool.Pool.PoolQuote;

/**
 * Ties a quote to what was asked (swap.md, section 6): what comes out says nothing that the pool could still choose. The same checks are
 * made again just before our lock is signed, by {@link #stillGood}.
 *
 * @param limits the operator's
 * @param ownKey whether a public key is of this daemon's keyring
 */
public record QuoteBinding(SwapLimits limits, Predicate<PublicKey> ownKey) {
    private static final BigDecimal BPS = BigDecimal.valueOf(10_000);
    /** Enough that the rounding of a price never decides. */
    private static final int SCALE = 40;

    /**
     * Request to the pool.
     *
     * @param minimumOut in units; a quote below it is refused
     */
    public record Asked(
            Direction direction,
            String amountIn,
            BigInteger amountInUnits,
            Hash256 hashLock,
            SwapTerms.Ours ours,
            Optional<BigInteger> minimumOut) {}

    /**
     * The clocks of both chains and of this machine.
     *
     * @param wallSeconds Unix seconds
     * @param chainHeight of the followed tip, unsigned
     * @param evmSeconds time of the newest block of the account chain
     */
    public record Now(long wallSeconds, long chainHeight, long evmSeconds, Amount reward) {}

    /** Outcome of checking a quote. */
    public sealed interface Outcome {
        record Bound(SwapTerms terms) implements Outcome {}

        record Refused(QuoteRefusal refusal) implements Outcome {}
    }

    /** Ends a check early. Never leaves this class. */
    private static final class Refusal extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient QuoteRefusal reason;

        private Refusal(QuoteRefusal reason) {
            super(reason.message(), null, false, false);
            this.reason = reason;
        }
    }

    /** @param price the pool's own, native coins per coin of the chain */
    public Outcome bind(Asked asked, PoolQuote quote, Optional<BigDecimal> price, Now now) {
        try {
            return new Outcome.Bound(bound(asked, quote, price, now));
        } catch (Refusal refusal) {
            return new Outcome.Refused(refusal.reason);
        }
    }

    /** Objection to locking now, of all that a quote is judged by and that time changes; empty when there is none. */
    public Optional<QuoteRefusal> stillGood(SwapTerms terms, Optional<BigInteger> minimumOut, Now now) {
        try {
            requireContract(terms.account().contract().toString());
            requireMinimum(terms, minimumOut);
            requireExpiry(terms.offer().expiresAt(), now);
            long depth = depth(
                    terms.direction(), terms.given().units(), terms.received().units(), now);
            requireLockTime(terms.direction(), terms.timeout(), Math.max(depth, terms.depth()), now);
            return Optional.empty();
        } catch (Refusal refusal) {
            return Optional.of(refusal.reason);
        }
    }

    private SwapTerms bound(Asked asked, PoolQuote quote, Optional<BigDecimal> price, Now now) throws Refusal {
        Direction direction = asked.direction();
        BigInteger out = amounts(asked, quote);
        if (quote.htlcContract().isPresent()) {
            requireContract(quote.htlcContract().get());
        }
        SwapTerms.Theirs theirs;
        long timeout;
        if (direction.isSell()) {
            PoolQuote.ChainLock lock = quote.chain().orElseThrow(() -> missing("instructions for the chain"));
            theirs = SwapTerms.Theirs.onTheChain(poolKey(lock.receiverPubkey(), asked.ours()));
            timeout = lock.timeoutHeight();
        } else {
            PoolQuote.EvmLock lock = quote.evm().orElseThrow(() -> missing("instructions for the account chain"));
            requireContract(lock.htlcContract());
            theirs = SwapTerms.Theirs.inTheContract(poolAddress(lock.recipient(), asked.ours()));
            timeout = lock.timeoutSec();
        }
        long depth = depth(direction, asked.amountInUnits(), out, now);
        SwapTerms terms = new SwapTerms(
                direction,
                asked.hashLock(),
                new SwapTerms.Sum(asked.amountIn(), asked.amountInUnits()),
                new SwapTerms.Sum(quote.amountOut(), out),
                new SwapTerms.AccountLeg(
                        limits.contract().chainId(), limits.contract().address()),
                asked.ours(),
                theirs,
                timeout,
                depth,
                new SwapTerms.Offer(quote.expiresAt(), quote.feeBps(), quote.networkFeeNative()));
        requireMinimum(terms, asked.minimumOut());
        requirePrice(terms, price);
        requireExpiry(terms.offer().expiresAt(), now);
        requireLockTime(direction, timeout, depth, now);
        return terms;
    }

    private static Refusal missing(String what) {
        return new Refusal(new QuoteRefusal.Unbound("instructions", "without " + what));
    }

    /** The output in units, of a quote whose amounts say what was asked. */
    private static BigInteger amounts(Asked asked, PoolQuote quote) throws Refusal {
        Direction direction = asked.direction();
        if (!Units.integer(quote.amountInUnits()).equals(Optional.of(asked.amountInUnits()))) {
            throw unbound("amountInUnits", quote.amountInUnits());
        }
        if (!Units.parse(quote.amountIn(), Units.decimalsIn(direction)).equals(Optional.of(asked.amountInUnits()))) {
            throw unbound("amountIn", quote.amountIn());
        }
        BigInteger out = Units.integer(quote.amountOutUnits())
                .orElseThrow(() -> unbound("amountOutUnits", quote.amountOutUnits()));
        if (!Units.parse(quote.amountOut(), Units.decimalsOut(direction)).equals(Optional.of(out))) {
            throw unbound("amountOut", quote.amountOut());
        }
        requireLockable("the amount given", asked.amountInUnits(), direction.isSell());
        requireLockable("the amount received", out, !direction.isSell());
        return out;
    }

    private static Refusal unbound(String field, String said) {
        return new Refusal(new QuoteRefusal.Unbound(field, said));
    }

    private static void requireLockable(String what, BigInteger units, boolean onTheChain) throws Refusal {
        BigInteger least = onTheChain ? ChainProfile.DUST_THRESHOLD.toBigInteger() : BigInteger.ONE;
        int bits = onTheChain ? Long.SIZE : 256;
        if (units.compareTo(least) < 0 || units.bitLength() > bits) {
            throw new Refusal(new QuoteRefusal.AmountOutOfRange(what, units));
        }
    }

    private void requireContract(String said) throws Refusal {
        try {
            if (EvmAddress.parse(said).equals(limits.contract().address())) {
                return;
            }
        } catch (IllegalArgumentException e) {
            throw new Refusal(new QuoteRefusal.ForeignContract(said));
        }
        throw new Refusal(new QuoteRefusal.ForeignContract(said));
    }

    /** A key of small or mixed order could make a claim valid at one node and not at another. */
    private PublicKey poolKey(String hex, SwapTerms.Ours ours) throws Refusal {
        PublicKey key;
        try {
            key = PublicKey.parse(hex);
        } catch (IllegalArgumentException e) {
            throw new Refusal(new QuoteRefusal.UnusableParty("public key", "is not 64 hexadecimal digits"));
        }
        if (!Ed25519.isOfPrimeOrder(key.toArray())) {
            throw new Refusal(
                    new QuoteRefusal.UnusableParty("public key", "is not the canonical key of a point of prime order"));
        }
        if (key.equals(ours.key()) || ownKey.test(key)) {
            throw new Refusal(new QuoteRefusal.UnusableParty("public key", "is one of our own"));
        }
        return key;
    }

    private EvmAddress poolAddress(String text, SwapTerms.Ours ours) throws Refusal {
        EvmAddress address;
        try {
            address = EvmAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new Refusal(new QuoteRefusal.UnusableParty("account-chain address", "is none: " + e.getMessage()));
        }
        if (address.isZero() || address.equals(limits.contract().address()) || address.equals(ours.evm())) {
            throw new Refusal(new QuoteRefusal.UnusableParty(
                    "account-chain address", "is zero, the contract or our own: nobody but us could claim"));
        }
        return address;
    }

    private static void requireMinimum(SwapTerms terms, Optional<BigInteger> minimumOut) throws Refusal {
        if (minimumOut
                .filter(minimum -> terms.received().units().compareTo(minimum) < 0)
                .isPresent()) {
            int decimals = Units.decimalsOut(terms.direction());
            throw new Refusal(new QuoteRefusal.BelowMinimum(
                    terms.received().decimal(),
                    Units.whole(minimumOut.get(), decimals).toPlainString()));
        }
    }

    /** Judged by the pool's own figures, so this stops a careless pool; {@code min_amount_out} stops a dishonest one. */
    private void requirePrice(SwapTerms terms, Optional<BigDecimal> price) throws Refusal {
        BigDecimal mid =
                price.filter(value -> value.signum() > 0).orElseThrow(() -> new Refusal(new QuoteRefusal.NoPrice()));
        boolean sell = terms.direction().isSell();
        BigDecimal in = Units.whole(terms.given().units(), Units.decimalsIn(terms.direction()));
        BigDecimal out = Units.whole(terms.received().units(), Units.decimalsOut(terms.direction()));
        if (terms.offer().feeBps() < 0) {
            throw unbound("feeBps", Long.toString(terms.offer().feeBps()));
        }
        BigInteger fees = BigInteger.valueOf(terms.offer().feeBps());
        if (terms.offer().networkFeeNative().isPresent()) {
            String said = terms.offer().networkFeeNative().get();
            BigDecimal networkFee = Units.decimal(said).orElseThrow(() -> unbound("networkFeeNative", said));
            BigDecimal outNative = sell ? out : out.multiply(mid);
            fees = fees.add(bps(networkFee, outNative));
        }
        if (fees.compareTo(BigInteger.valueOf(limits.price().maxFeeBps())) > 0) {
            throw new Refusal(new QuoteRefusal.FeeTooHigh(fees, limits.price().maxFeeBps()));
        }
        BigDecimal fair = sell ? mid.multiply(in) : in;
        BigDecimal offered = sell ? out : out.multiply(mid);
        BigInteger impact = bps(fair.subtract(offered), fair);
        if (impact.compareTo(BigInteger.valueOf(limits.price().maxImpactBps())) > 0) {
            throw new Refusal(
                    new QuoteRefusal.ImpactTooHigh(impact, limits.price().maxImpactBps()));
        }
    }

    /** Hundredths of a percent, rounded up. */
    private static BigInteger bps(BigDecimal part, BigDecimal whole) {
        return part.multiply(BPS)
                .divide(whole, SCALE, RoundingMode.CEILING)
                .setScale(0, RoundingMode.CEILING)
                .toBigInteger();
    }

    private static void requireExpiry(long expiresAt, Now now) throws Refusal {
        BigInteger left = BigInteger.valueOf(expiresAt).subtract(BigInteger.valueOf(now.wallSeconds()));
        if (left.compareTo(BigInteger.valueOf(SwapLimits.MIN_QUOTE_SECONDS)) < 0
                || left.compareTo(BigInteger.valueOf(SwapLimits.MAX_QUOTE_SECONDS)) > 0) {
            throw new Refusal(new QuoteRefusal.Expiry(clamped(left)));
        }
    }

    private static long clamped(BigInteger seconds) {
        return seconds.bitLength() < Long.SIZE ? seconds.longValue() : seconds.signum() * Long.MAX_VALUE;
    }

    private long depth(Direction direction, BigInteger in, BigInteger out, Now now) throws Refusal {
        BigInteger units = direction.isSell() ? in : out;
        OptionalLong depth = LockBounds.depth(limits, units, now.reward());
        if (depth.isEmpty()) {
            throw new Refusal(new QuoteRefusal.TooDeep(units));
        }
        return depth.getAsLong();
    }

    /** In a buy both clocks must agree with it: the chain's own decides, and it may lag or run ahead. */
    private void requireLockTime(Direction direction, long timeout, long depth, Now now) throws Refusal {
        LockBounds bounds = LockBounds.of(limits, direction, depth);
        BigInteger until = U64.toBigInteger(timeout);
        if (direction.isSell()) {
            requireWithin(direction, bounds, until.subtract(U64.toBigInteger(now.chainHeight())));
            return;
        }
        requireWithin(direction, bounds, until.subtract(BigInteger.valueOf(now.wallSeconds())));
        if (!limits.development()) {
            requireWithin(direction, bounds, until.subtract(BigInteger.valueOf(now.evmSeconds())));
        }
    }

    private static void requireWithin(Direction direction, LockBounds bounds, BigInteger left) throws Refusal {
        if (!bounds.admits(left)) {
            throw new Refusal(new QuoteRefusal.LockTime(direction, left, bounds));
        }
    }
}
