package org.chainwalletd.swap.legs;

import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.coins.OutputSource;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.htlc.HashLockBooks;
import org.chainwalletd.htlc.HtlcBook;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.htlc.HtlcSpends.HtlcOwners;
import org.chainwalletd.htlc.HtlcTransactions;
import org.chainwalletd.htlc.Sightings;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.spend.SpendChain;
import org.chainwalletd.spend.SpendEnvironment;
import org.chainwalletd.spend.SpendMetrics;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.spend.plan.Drawing;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.PlainKeys;

/** The chain parts that swaps use in one run of a daemon: spends and HTLCs, over a follower that a test has started. */
public record ChainParts(SpendService spending, Sightings sightings, HtlcSpends htlcs, ChainSide side) {
    public static ChainParts start(
            FollowRig follow,
            HtlcBook book,
            Devnet chain,
            PlainKeys keys,
            SpendEnvironment.Stores stores,
            AllowanceStore.Limits allowance,
            SpendEnvironment.Pace pace,
            HtlcOwners owners,
            ManualClock clock) {
        ChainProfile profile = book.profile();
        ChainIdentity identity = known(chain.genesisId());
        SpendChain followed =
                new SpendChain.Followed(follow.follower(), new SpendingBooks(follow.books()), follow.executor());
        SpendEnvironment env = new SpendEnvironment(
                profile,
                follow.client(),
                new VerifiedOutputs(
                        profile,
                        List.of(OutputSource.ofIntents(profile, stores.intents(), follow.executor())),
                        follow.client(),
                        follow.executor(),
                        follow.meters()),
                new SpendEnvironment.ChainView(identity, () -> Optional.of(Network.DEVNET), followed, Optional::empty),
                keys,
                stores,
                allowance,
                pace,
                Drawing.RANDOM,
                new SpendMetrics(follow.meters()),
                clock.withZone(ZoneOffset.UTC),
                follow.executor());
        CompletableFuture<SpendService> started = new CompletableFuture<>();
        follow.kit().spawn(SpendService.create(env, follow.background(), started), "spending");
        SpendService spending = Await.result(started);
        Sightings sightings = new Sightings(follow.books(), stores.intents(), book, follow.executor());
        HtlcSpends htlcs = new HtlcSpends(profile, identity, keys, spending, sightings, owners, follow.executor());
        ChainSide side = new ChainSide(
                profile,
                follow.client(),
                identity,
                keys,
                spending,
                htlcs,
                new HashLockBooks(follow.books(), follow.follower()::tip),
                new HtlcTransactions(profile, follow.client(), follow.executor()),
                followed,
                clock,
                () -> follow.follower().status().highest(),
                follow.executor());
        return new ChainParts(spending, sightings, htlcs, side);
    }

    private static ChainIdentity known(Hash256 genesis) {
        return new ChainIdentity() {
            @Override
            public CompletionStage<Hash256> genesisForSigning() {
                return CompletableFuture.completedFuture(genesis);
            }

            @Override
            public Optional<Hash256> expected() {
                return Optional.of(genesis);
            }

            @Override
            public Optional<String> complaint() {
                return Optional.empty();
            }
        };
    }
}
