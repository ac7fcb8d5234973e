package org.chainwalletd.swap.gates;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.chainwalletd.api.RefusedException;
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
 * Binds a quote to its request (swap.md, section 6): the resulting terms contain nothing that the pool could still choose. {@link #stillGood}
 * repeats the time-dependent checks immediately before our lock is signed.
 *
 * @param limits the operator's
 * @param ownKey tests whether a public key is in this daemon's keyring
 */
public record QuoteBinding(SwapLimits limits, Predicate<PublicKey> ownKey) {
    private static final BigDecimal BPS = BigDecimal.valueOf(10_000);
    /** Sufficient for the rounding of a price never to decide. */
    private static final int SCALE = 40;

    /** @param minimumOut in units; a quote below it is refused */
    public record Asked(
            Direction direction,
            String amountIn,
            BigInteger amountInUnits,
            Hash256 hashLock,
            SwapTerms.Ours ours,
            Optional<BigInteger> minimumOut) {}

    /**
     * Clocks of both chains and of this machine.
     *
     * @param wallSeconds Unix seconds
     * @param chainHeight of the followed tip, unsigned
     * @param evmSeconds time of the newest block of the account chain, Unix seconds
     */
    public record Now(long wallSeconds, long chainHeight, long evmSeconds, Amount reward) {}

    /** Returns the objection to locking now, by all checks of a quote whose result may change over time; empty when there is none. */
    public Optional<String> stillGood(SwapTerms terms, Optional<BigInteger> minimumOut, Now now) {
        try {
            requireContract(terms.account().contract().toString());
            requireMinimum(terms, minimumOut);
            requireExpiry(terms.offer().expiresAt(), now);
            long depth = depth(
                    terms.direction(), terms.given().units(), terms.received().units(), now);
            requireLockTime(terms.direction(), terms.timeout(), Math.max(depth, terms.depth()), now);
            return Optional.empty();
        } catch (RefusedException refusal) {
            return Optional.of(refusal.getMessage());
        }
    }

    /**
     * Returns the terms of a quote that matches its request. Throws {@link RefusedException} when the quote is rejected.
     *
     * @param price the pool's own, native coins per coin of the chain
     */
    public SwapTerms bind(Asked asked, PoolQuote quote, Optional<BigDecimal> price, Now now) {
        Direction direction = asked.direction();
        BigInteger out = amounts(asked, quote);
        if (quote.htlcContract().isPresent()) {
            requireContract(quote.htlcContract().get());
        }
        SwapTerms.Theirs theirs;
        long timeout;
        if (direction.isSell()) {
            PoolQuote.ChainLock lock =
                    quote.chain().orElseThrow(() -> unbound("instructions", "without instructions for the chain"));
            theirs = SwapTerms.Theirs.onTheChain(poolKey(lock.receiverPubkey(), asked.ours()));
            timeout = lock.timeoutHeight();
        } else {
            PoolQuote.EvmLock lock = quote.evm()
                    .orElseThrow(() -> unbound("instructions", "without instructions for the account chain"));
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

    /** Returns the rejection of a quote that could lose money or only wait for a refund; the reason says why. */
    private static RefusedException refused(String reason) {
        return RefusedException.invalidParams(reason);
    }

    /** Returns the output in units, after checking that the quote's amounts match the request. */
    private static BigInteger amounts(Asked asked, PoolQuote quote) {
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

    private static RefusedException unbound(String field, String said) {
        return refused("the pool's quote does not say what was asked: " + field + " is " + said);
    }

    private static void requireLockable(String what, BigInteger units, boolean onTheChain) {
        BigInteger least = onTheChain ? ChainProfile.DUST_THRESHOLD.toBigInteger() : BigInteger.ONE;
        int bits = onTheChain ? Long.SIZE : 256;
        if (units.compareTo(least) < 0 || units.bitLength() > bits) {
            throw refused(what + " of " + units + " units cannot be locked");
        }
    }

    private void requireContract(String said) {
        if (!isContract(said)) {
            throw refused("the pool's quote names the contract " + said + ", not the one that is configured");
        }
    }

    private boolean isContract(String said) {
        try {
            return EvmAddress.parse(said).equals(limits.contract().address());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Parses the pool's key. A key of small or mixed order could make a claim valid at one node and not at another. */
    private PublicKey poolKey(String hex, SwapTerms.Ours ours) {
        PublicKey key;
        try {
            key = PublicKey.parse(hex);
        } catch (IllegalArgumentException e) {
            throw refused("the pool's public key is not 64 hexadecimal digits");
        }
        if (!Ed25519.isOfPrimeOrder(key.toArray())) {
            throw refused("the pool's public key is not the canonical key of a point of prime order");
        }
        if (key.equals(ours.key()) || ownKey.test(key)) {
            throw refused("the pool's public key is one of our own");
        }
        return key;
    }

    private EvmAddress poolAddress(String text, SwapTerms.Ours ours) {
        EvmAddress address;
        try {
            address = EvmAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw refused("the pool's account-chain address is none: " + e.getMessage());
        }
        if (address.isZero() || address.equals(limits.contract().address()) || address.equals(ours.evm())) {
            throw refused(
                    "the pool's account-chain address is zero, the contract or our own: nobody but us could claim");
        }
        return address;
    }

    private static void requireMinimum(SwapTerms terms, Optional<BigInteger> minimumOut) {
        if (minimumOut
                .filter(minimum -> terms.received().units().compareTo(minimum) < 0)
                .isPresent()) {
            int decimals = Units.decimalsOut(terms.direction());
            throw refused("the quote pays " + terms.received().decimal() + ", less than min_amount_out "
                    + Units.whole(minimumOut.get(), decimals).toPlainString());
        }
    }

    /** Checks price and fees by the pool's own figures, so this stops a careless pool; {@code min_amount_out} stops a dishonest one. */
    private void requirePrice(SwapTerms terms, Optional<BigDecimal> price) {
        BigDecimal mid = price.filter(value -> value.signum() > 0)
                .orElseThrow(() -> refused("the pool tells no price to judge its quote by"));
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
            throw refused("the quote's fees are " + fees + " hundredths of a percent, above the limit of "
                    + limits.price().maxFeeBps());
        }
        BigDecimal fair = sell ? mid.multiply(in) : in;
        BigDecimal offered = sell ? out : out.multiply(mid);
        BigInteger impact = bps(fair.subtract(offered), fair);
        if (impact.compareTo(BigInteger.valueOf(limits.price().maxImpactBps())) > 0) {
            throw refused("the quote pays " + impact
                    + " hundredths of a percent less than the pool's own price, above the limit of "
                    + limits.price().maxImpactBps());
        }
    }

    /** Returns the ratio in hundredths of a percent, rounded up. */
    private static BigInteger bps(BigDecimal part, BigDecimal whole) {
        return part.multiply(BPS)
                .divide(whole, SCALE, RoundingMode.CEILING)
                .setScale(0, RoundingMode.CEILING)
                .toBigInteger();
    }

    private static void requireExpiry(long expiresAt, Now now) {
        BigInteger left = BigInteger.valueOf(expiresAt).subtract(BigInteger.valueOf(now.wallSeconds()));
        if (left.compareTo(BigInteger.valueOf(SwapLimits.MIN_QUOTE_SECONDS)) < 0
                || left.compareTo(BigInteger.valueOf(SwapLimits.MAX_QUOTE_SECONDS)) > 0) {
            throw refused("the quote expires in " + clamped(left) + " s; " + SwapLimits.MIN_QUOTE_SECONDS + " to "
                    + SwapLimits.MAX_QUOTE_SECONDS + " s are accepted");
        }
    }

    private static long clamped(BigInteger seconds) {
        return seconds.bitLength() < Long.SIZE ? seconds.longValue() : seconds.signum() * Long.MAX_VALUE;
    }

    private long depth(Direction direction, BigInteger in, BigInteger out, Now now) {
        BigInteger units = direction.isSell() ? in : out;
        OptionalLong depth = LockBounds.depth(limits, units, now.reward());
        if (depth.isEmpty()) {
            throw refused("a lock of " + units + " base units would need a depth above " + LockBounds.GREATEST_DEPTH
                    + " blocks: swap a smaller amount");
        }
        return depth.getAsLong();
    }

    /**
     * Checks the timeout of our lock. In a buy it must satisfy both clocks: that of the account chain decides, but it may lag behind ours or run
     * ahead.
     */
    private void requireLockTime(Direction direction, long timeout, long depth, Now now) {
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

    private static void requireWithin(Direction direction, LockBounds bounds, BigInteger left) {
        if (!bounds.admits(left)) {
            String unit = direction.isSell() ? " blocks" : " s";
            throw refused("our lock would last " + left + unit + "; " + bounds.shortest() + " to " + bounds.longest()
                    + unit + " are accepted: a shorter one can only end in a refund");
        }
    }
}
