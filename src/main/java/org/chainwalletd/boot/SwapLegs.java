package org.chainwalletd.boot;

import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.config.Settings;
import org.chainwalletd.htlc.HashLockBooks;
import org.chainwalletd.htlc.HtlcTransactions;
import org.chainwalletd.swap.gates.QuoteBinding;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.legs.BothLegs;
import org.chainwalletd.swap.legs.ChainOwnLeg;
import org.chainwalletd.swap.legs.ChainPoolLeg;
import org.chainwalletd.swap.legs.ChainSide;
import org.chainwalletd.swap.legs.EvmOwnLeg;
import org.chainwalletd.swap.legs.EvmPoolLeg;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.legs.Legs.OwnLeg;
import org.chainwalletd.swap.legs.Legs.PoolLeg;
import org.chainwalletd.swap.legs.SwapClocks;

/** Combination of the legs of both chains: in a sell our lock is on the chain, in a buy in the contract. */
final class SwapLegs {
    private SwapLegs() {}

    /**
     * @param relay sends a claim for which we have no gas; if empty, a swap that needs it is not started
     * @param sendObstacle reason why a claim could not be sent now: a shutdown, or a store that cannot be written
     */
    static Legs make(
            Swaps.Parts parts,
            SwapLimits limits,
            Optional<EvmPoolLeg.Relay> relay,
            QuoteBinding binding,
            SwapClocks clocks,
            Supplier<Optional<String>> sendObstacle) {
        Executor executor = parts.resources().upstream();
        Accounts account = parts.accounts().orElseThrow();
        ChainSide chain = chain(parts, clocks.clock(), executor);
        OwnLeg ownOnChain =
                new ChainOwnLeg(chain, limits, parts.resources().external().pool());
        OwnLeg ownInContract = new EvmOwnLeg(account.chain(), account.sends(), limits, clocks.clock());
        PoolLeg poolInContract = new EvmPoolLeg(account.chain(), account.sends(), limits, relay);
        PoolLeg poolOnChain = new ChainPoolLeg(chain, limits);
        return new BothLegs(
                row -> row.terms().account().isOn(account.chain().chainId())
                        && (!row.status().holdsMoney()
                                || row.terms()
                                        .account()
                                        .contract()
                                        .equals(limits.contract().address())),
                row -> row.terms().direction().isSell() ? ownOnChain : ownInContract,
                row -> row.terms().direction().isSell() ? poolInContract : poolOnChain,
                row -> clocks.against(binding, row),
                sendObstacle,
                clocks.clock(),
                parts.resources().workers().swaps(),
                executor);
    }

    private static ChainSide chain(Swaps.Parts parts, InstantSource clock, Executor executor) {
        Settings settings = parts.resources().settings();
        return new ChainSide(
                settings.chain(),
                parts.resources().nodes().client(),
                parts.resources().nodes().chain(),
                parts.resources().keyring(),
                parts.spending(),
                parts.htlcs().methods().spends(),
                new HashLockBooks(parts.resources().books(), parts.following().follower()::tip),
                new HtlcTransactions(settings.chain(), parts.resources().nodes().client(), executor),
                parts.following().spends(),
                clock,
                () -> parts.following().follower().status().highest(),
                executor);
    }
}
