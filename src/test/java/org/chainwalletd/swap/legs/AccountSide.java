package org.chainwalletd.swap.legs;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SealedSends;
import org.chainwalletd.account.SendSetup;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.evm.EvmKeys;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Peers;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.TestPools;
import org.chainwalletd.testkit.evm.EvmDevnet;

/** The daemon's account-chain parts in one run: its endpoints over real sockets, and the owner of its nonces. */
public record AccountSide(AccountChain endpoints, AccountSends sends) {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final SendPace PACE = new SendPace(
            Duration.ofMillis(50),
            Duration.ofSeconds(15),
            Duration.ofSeconds(60),
            3,
            Duration.ofSeconds(30),
            Duration.ofMinutes(30),
            Duration.ofMinutes(10),
            2_000,
            64,
            64);

    public static AccountSide start(
            ActorTestKit kit,
            EvmDevnet chain,
            EvmKeys keys,
            AccountSendStore store,
            Executor executor,
            URI... endpoints) {
        AccountChain asked = AccountChain.start(
                Peers.of(kit.system()),
                new AccountChain.Setup(
                        List.of(endpoints),
                        2,
                        BigInteger.valueOf(EvmDevnet.CHAIN_ID),
                        Finality.FINALIZED,
                        PATIENCE,
                        ByteBudget.ofHeap(AccountChain.HEAP_SHARE),
                        new SimpleMeterRegistry()),
                new AccountChain.Threads(executor, TestPools::of));
        SealedSends journal = Await.result(SealedSends.open(
                store, like -> CompletableFuture.completedFuture(TestSeals.ofAccountSends(like)), executor));
        AccountSends sends = Await.result(AccountSends.start(
                new SendSetup(
                        asked,
                        keys,
                        journal,
                        OptionalLong.empty(),
                        PACE,
                        chain.clock(),
                        AccountRig.sendThreads(executor),
                        () -> CompletableFuture.completedFuture(null)),
                Spawners.background(kit)));
        return new AccountSide(asked, sends);
    }
}
