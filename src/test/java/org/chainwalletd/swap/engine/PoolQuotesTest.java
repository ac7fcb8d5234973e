package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.chainwalletd.account.AccountRig.done;

import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Reward;
import org.chainwalletd.devnet.pool.PoolConduct;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.gates.QuoteBinding;
import org.chainwalletd.swap.gates.Sample;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.gates.Units;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.swap.pool.Pool.PoolInfo;
import org.chainwalletd.swap.pool.Pool.PoolQuote;
import org.chainwalletd.testkit.HostilePool;
import org.chainwalletd.testkit.TwoChains;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Quotes of a running pool, over its socket, bound or refused. */
public class PoolQuotesTest {
    @AutoClose("shutdownTestKit")
    private static ActorTestKit kit;

    @BeforeAll
    static void start() {
        kit = ActorTestKit.create();
    }

    private static SwapTerms quoted(TwoChains chains, Direction direction) {
        Pool pool = EngineCalls.pool(kit, chains, ForkJoinPool.commonPool());
        String amount = direction.isSell() ? "12" : "0.5";
        Hash256 hashLock = Hash256.sha256(new byte[] {(byte) direction.ordinal(), 42});
        PoolInfo info = done(pool.info());
        PoolQuote quote =
                done(pool.quote(new Pool.QuoteRequest(direction, amount, hashLock, Sample.OUR_EVM, Sample.OUR_KEY)));
        long now = chains.clock().instant().getEpochSecond();
        long height = chains.chain().tip().height();
        BigInteger units = Units.parse(amount, Units.decimalsIn(direction)).orElseThrow();
        return new QuoteBinding(limits(chains.evm().contract()), key -> false)
                .bind(
                        new QuoteBinding.Asked(direction, amount, units, hashLock, Sample.OURS, Optional.empty()),
                        quote,
                        info.midPrice(),
                        new QuoteBinding.Now(now, height, now, Reward.at(height)));
    }

    private static SwapLimits limits(EvmAddress contract) {
        return Sample.limits(new SwapLimits.Contract(BigInteger.valueOf(31_337), contract, Sample.CODE), true);
    }

    private static String refused(PoolConduct conduct, Direction direction) {
        try (TwoChains chains = TwoChains.start(conduct)) {
            return catchThrowableOfType(RefusedException.class, () -> quoted(chains, direction))
                    .getMessage();
        }
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void an_honest_pools_quote_is_bound_in_both_directions(Direction direction) {
        try (TwoChains chains = TwoChains.start()) {
            assertThat(quoted(chains, direction).direction()).isEqualTo(direction);
        }
    }

    @Test
    void a_pool_with_a_contract_of_its_own_is_refused() {
        HostilePool pool = new HostilePool().misquotes(quote -> quote.put("htlcContract", "0x" + "ee".repeat(20)));
        assertThat(refused(pool, Direction.CHAIN_TO_NATIVE)).contains("the pool's quote names the contract");
    }

    @Test
    void a_pool_that_wants_our_lock_indefinitely_is_refused() {
        HostilePool pool = new HostilePool()
                .misquotes(quote -> quote.withObject("/instructions/chain").put("timeoutHeight", 1_000_000));
        assertThat(refused(pool, Direction.CHAIN_TO_NATIVE)).contains("our lock would last");
        HostilePool brief = new HostilePool()
                .misquotes(quote -> quote.withObject("/instructions/evm").put("timeoutSec", 5));
        assertThat(refused(brief, Direction.NATIVE_TO_CHAIN)).contains("our lock would last");
    }
}
