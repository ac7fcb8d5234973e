package org.chainwalletd.swap.legs;

import java.net.URI;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.chainwalletd.account.AccountRig;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SendSetup;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.keyring.evm.EvmKeys;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Copies;
import org.chainwalletd.testkit.Spawners;
import org.chainwalletd.testkit.evm.EvmDevnet;

/** The daemon's account-chain parts in one run: its endpoints over real sockets, and the owner of its nonces. */
public record AccountSide(AccountChain endpoints, AccountSends sends) {
    private static final SendPace PACE = Copies.with(AccountRig.PACE, "look", Duration.ofMillis(50));

    public static AccountSide start(
            ActorTestKit kit,
            EvmDevnet chain,
            EvmKeys keys,
            AccountSendStore store,
            Executor executor,
            URI... endpoints) {
        AccountChain asked = AccountRig.client(kit, executor, 2, Duration.ofSeconds(30), endpoints);
        AccountSends sends = Await.result(AccountSends.start(
                new SendSetup(
                        asked,
                        keys,
                        AccountRig.sealed(store, executor),
                        OptionalLong.empty(),
                        PACE,
                        chain.clock(),
                        AccountRig.sendThreads(executor),
                        () -> CompletableFuture.completedFuture(null)),
                Spawners.background(kit)));
        return new AccountSide(asked, sends);
    }
}
