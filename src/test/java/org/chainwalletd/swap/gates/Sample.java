package org.chainwalletd.swap.gates;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.swap.gates.BuyGate.PoolHtlc;
import org.chainwalletd.swap.gates.SellGate.EndpointView;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.swap.pool.Pool.PoolQuote;
import org.chainwalletd.testkit.Copies;

/** Honest swap of 12 coins for 3 native ones, and the reverse, with the default configuration. */
public final class Sample {
    public static final long NOW = 1_800_000_000L;
    public static final long TIP = 100_000;
    public static final BigInteger COINS = new BigInteger("1200000000");
    public static final BigInteger WEI = new BigInteger("3000000000000000000");
    public static final BigDecimal PRICE = new BigDecimal("0.25");
    public static final SwapLimits.Span LONGEST = new SwapLimits.Span(4_320, 43_200);
    public static final SwapLimits.Span MARGINS = new SwapLimits.Span(360, 3_600);
    public static final SwapLimits.Price MOST_PRICE = new SwapLimits.Price(100, 500);
    public static final EvmAddress CONTRACT = EvmAddress.parse("0x" + "c0".repeat(20));
    public static final EvmAddress OUR_EVM = EvmAddress.parse("0x" + "0a".repeat(20));
    public static final EvmAddress POOL_EVM = EvmAddress.parse("0x" + "0b".repeat(20));
    public static final PublicKey OUR_KEY = key(1);
    public static final PublicKey POOL_KEY = key(2);
    public static final Hash256 CODE = Hash256.sha256(new byte[] {7});
    public static final byte[] SECRET = Hash256.sha256(new byte[] {9}).toArray();
    public static final Hash256 HASH_LOCK = Hash256.sha256(SECRET);
    public static final Amount REWARD = Amount.of(10_000_000_000L);
    public static final BigInteger CHAIN_ID = BigInteger.valueOf(31_337);
    public static final SwapTerms.Ours OURS =
            new SwapTerms.Ours(ChainProfile.of("chain").addressOf(OUR_KEY), OUR_KEY, OUR_EVM);
    /** Shortest lock of a sell: 30 blocks, and (1,800 + 1,200 + 3,600) s. */
    public static final long SHORTEST_SELL = 690;
    /** Shortest lock of a buy: 1,800 + 1,200 s, and 30 + 360 blocks of 10 s, which is less than the floor. */
    public static final long SHORTEST_BUY = 7_200;

    private Sample() {}

    public static PublicKey key(int n) {
        byte[] seed = new byte[Ed25519.SEED_LENGTH];
        seed[0] = (byte) n;
        return PublicKey.of(Ed25519.publicKey(seed));
    }

    public static SwapLimits limits() {
        return limits(false);
    }

    public static SwapLimits limits(boolean development) {
        return limits(new SwapLimits.Contract(CHAIN_ID, CONTRACT, CODE), development);
    }

    public static SwapLimits limits(SwapLimits.Contract contract, boolean development) {
        return new SwapLimits(
                contract, 2, Finality.FINALIZED, OptionalLong.empty(), LONGEST, MARGINS, MOST_PRICE, development);
    }

    public static QuoteBinding.Now now() {
        return new QuoteBinding.Now(NOW, TIP, NOW, REWARD);
    }

    public static QuoteBinding.Asked asked(Direction direction) {
        return direction.isSell()
                ? new QuoteBinding.Asked(direction, "12", COINS, HASH_LOCK, OURS, Optional.empty())
                : new QuoteBinding.Asked(direction, "3", WEI, HASH_LOCK, OURS, Optional.empty());
    }

    public static PoolQuote quote(Direction direction) {
        return direction.isSell() ? sell(TIP + 1_000) : buy(NOW + 10_000);
    }

    public static PoolQuote sell(long timeoutHeight) {
        return new PoolQuote(
                "pool-1",
                "12.0",
                "3",
                COINS.toString(),
                WEI.toString(),
                NOW + 300,
                30,
                Optional.of("0.001"),
                Optional.of(CONTRACT.toString()),
                Optional.empty(),
                Optional.of(new PoolQuote.ChainLock(POOL_KEY.hex(), timeoutHeight)));
    }

    public static PoolQuote buy(long timeoutSec) {
        return new PoolQuote(
                "pool-2",
                "3",
                "12.00000000",
                WEI.toString(),
                COINS.toString(),
                NOW + 300,
                30,
                Optional.empty(),
                Optional.empty(),
                Optional.of(new PoolQuote.EvmLock(CONTRACT.toString(), POOL_EVM.toString(), timeoutSec)),
                Optional.empty());
    }

    public static SwapTerms terms(Direction direction) {
        QuoteBinding binding = new QuoteBinding(limits(), key -> false);
        return binding.bind(asked(direction), quote(direction), Optional.of(PRICE), now());
    }

    public static SwapRow row(Direction direction) {
        return SwapRow.quoted("swap-1", "pool-1", "run-1", terms(direction), Optional.empty(), NOW);
    }

    /** Returns the n-th of many rows, with distinct id, pool id, hash lock and time. */
    public static SwapRow row(int n, Direction direction) {
        SwapTerms other = Copies.with(terms(direction), "hashLock", Hash256.sha256(new byte[] {(byte) n}));
        return SwapRow.quoted("swap-" + n, "pool-" + n, "run-1", other, Optional.of(WEI), NOW + n);
    }

    public static GateInputs inputs() {
        return new GateInputs(NOW, false, Optional.empty(), OptionalLong.of(NOW - 2_000));
    }

    public static SwapContract.Swap slot(BigInteger amount, long deadline) {
        return new SwapContract.Swap(POOL_EVM, OUR_EVM, amount, deadline, SwapContract.State.LOCKED);
    }

    public static EndpointView view(SwapContract.Swap slot) {
        return view(slot, slot, NOW);
    }

    public static EndpointView view(SwapContract.Swap settled, SwapContract.Swap latest, long latestTime) {
        return new EndpointView(
                new EndpointView.CommonView(CHAIN_ID, HASH_LOCK, 500, CODE, settled, NOW - 1_500), latest, latestTime);
    }

    /** Returns an HTLC 29 blocks below the tip: 30 deep. */
    public static PoolHtlc htlc(long timeout) {
        return htlc(timeout, Amount.of(COINS), TIP - 29, NOW - 300);
    }

    public static PoolHtlc htlc(long timeout, Amount amount, long height, long minedAt) {
        return new PoolHtlc(
                new Outpoint(Hash256.sha256(new byte[] {3}), 2),
                new HtlcParams(POOL_KEY, OUR_KEY, HASH_LOCK, timeout),
                amount,
                false,
                false,
                new BlockPlace(height, Hash256.ZERO),
                minedAt);
    }

    public static BuyGate.Evidence evidence(PoolHtlc... htlcs) {
        return new BuyGate.Evidence(
                List.of(htlcs).stream()
                        .map(htlc -> new BuyGate.Candidate(htlc, true, true, true))
                        .toList(),
                TIP,
                NOW,
                TIP,
                inputs());
    }
}
