package org.chainwalletd.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.ActorSystem;
import org.chainwalletd.account.AccountKeyGuard;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SealedSends;
import org.chainwalletd.account.SendSetup;
import org.chainwalletd.account.SendSetup.SendPace;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.config.Settings;
import org.chainwalletd.devnet.pool.Trial;
import org.chainwalletd.http.pages.Pages.ReadinessCheck;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.method.AccountMethods;
import org.chainwalletd.store.Store;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Account chain: its endpoints, the service that sends on it, its methods, and the guard of its key. */
record Accounts(AccountChain chain, AccountSends sends, AccountMethods.Services methods, EvmKeyGuard guard) {
    private static final Logger LOG = LoggerFactory.getLogger(Accounts.class);
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(30);
    private static final Duration OPENING_TIMEOUT = Duration.ofMinutes(2);

    /**
     * Starts the account chain, whose sends are background work; empty if no endpoints are configured. Blocks until each endpoint has
     * reported its chain id or timed out.
     */
    static Optional<Accounts> start(Resources resources) {
        DaemonContext context = resources.context();
        Keyring keyring = resources.keyring();
        Store store = resources.store();
        Settings settings = context.settings();
        ActorSystem<?> system = context.system();
        Workers workers = context.workers();
        Optional<Settings.Swapping> rules = settings.swaps().partner().flatMap(Settings.Swap::swapping);
        return settings.account().chain().map(evm -> {
            AccountChain chain = AccountChain.start(
                    resources.external().peers(),
                    setup(evm, context.heldForPeers(), context.meters()),
                    new AccountChain.Threads(workers.upstream(), workers::blocking));
            Executor reads = workers.blocking("account-read");
            store.stopped().ifPresent(chain::stopSending);
            List<String> complaints = Futures.await(
                    chain.complaints(rules.map(Settings.Swapping::contract)),
                    OPENING_TIMEOUT,
                    "asking the account chain's endpoints");
            if (!complaints.isEmpty()) {
                throw new StartupException(
                        String.join("; ", complaints) + ": correct --evm-rpc, --evm-chain-id or --swap-evm-finality");
            }
            if (rules.isPresent() && evm.quorum() == 1) {
                warnOfOneEndpoint(evm.chainId());
            }
            system.scheduler()
                    .scheduleWithFixedDelay(CHECK_INTERVAL, CHECK_INTERVAL, chain::look, system.executionContext());
            SealedSends journal = Futures.await(
                    SealedSends.open(store.accountSends(), keyring::accountSends, workers.journals()),
                    OPENING_TIMEOUT,
                    "opening the journal of the account chain");
            SendSetup sending = new SendSetup(
                    chain,
                    keyring.evm(),
                    journal,
                    evm.knownNonce(),
                    rules.map(swapping -> SendPace.USUAL.rising(
                                    Duration.ofSeconds(swapping.evmMarginSecs()).dividedBy(2)))
                            .orElse(SendPace.USUAL),
                    context.clock(),
                    new SendSetup.Threads(
                            workers.blocking("account"), workers.blocking("account-redeem"), workers.upstream()),
                    store::maySend);
            AccountSends sends = Futures.await(
                    AccountSends.start(sending, context.keeper()), OPENING_TIMEOUT, "taking up the account chain");
            return new Accounts(
                    chain,
                    sends,
                    new AccountMethods.Services(chain, sends, keyring.evm(), evm.tokens(), reads),
                    new AccountKeyGuard(chain, sends, evm.tokens(), reads));
        });
    }

    /** Warns that a single endpoint is trusted. Logs at INFO on a development chain, whose coins are worthless. */
    private static void warnOfOneEndpoint(long chainId) {
        LOG.atLevel(chainId == Trial.CHAIN_ID ? Level.INFO : Level.WARN)
                .log("--evm-quorum 1: a single account-chain endpoint is trusted with the whole amount of every swap");
    }

    /**
     * Readiness check that fails until a quorum has answered for the first time. Later failures of endpoints are not checked, because they
     * delay only swaps and do not affect payments on the chain.
     */
    ReadinessCheck readiness() {
        return () -> chain.wasReached()
                ? Optional.empty()
                : Optional.of("fewer than " + chain.quorum() + " endpoints of the account chain have answered yet");
    }

    private static AccountChain.Setup setup(Settings.Evm evm, ByteBudget heldForPeers, MeterRegistry metrics) {
        return new AccountChain.Setup(
                evm.urls(),
                evm.quorum(),
                BigInteger.valueOf(evm.chainId()),
                finality(evm.finality()),
                evm.callTimeout(),
                heldForPeers.within(ByteBudget.ofHeap(AccountChain.HEAP_SHARE).limit()),
                metrics);
    }

    private static Finality finality(Settings.EvmFinality configured) {
        if (configured instanceof Settings.EvmFinality.Blocks blocks) {
            return new Finality.Depth(blocks.count());
        }
        return new Finality.Tagged(
                ((Settings.EvmFinality.Tag) configured).word().equals(BlockRef.Tag.SAFE.word())
                        ? BlockRef.Tag.SAFE
                        : BlockRef.Tag.FINALIZED);
    }
}
