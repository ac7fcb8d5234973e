package org.chainwalletd.boot;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.Version;
import org.chainwalletd.event.EventStreams;
import org.chainwalletd.http.ReadinessCheck;
import org.chainwalletd.indexer.AddressHistory;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.keyring.CombinedGuard;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.EvmKeyGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.node.Nodes;
import org.chainwalletd.observe.AuditTrail;
import org.chainwalletd.observe.CallMetrics;
import org.chainwalletd.observe.CallObservers;
import org.chainwalletd.observe.Metrics;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.method.MethodFamilies;
import org.chainwalletd.rpc.method.htlc.HtlcErrors;
import org.chainwalletd.rpc.method.htlc.OpenHtlcsGuard;
import org.chainwalletd.rpc.method.indexer.IndexerMethods;
import org.chainwalletd.rpc.method.keyring.KeyringErrors;
import org.chainwalletd.rpc.method.keyring.LedgerCoinsGuard;
import org.chainwalletd.rpc.method.keyring.NodesGuard;
import org.chainwalletd.rpc.method.keyring.OwnSpendsGuard;
import org.chainwalletd.rpc.method.quote.QuoteErrors;
import org.chainwalletd.rpc.method.read.InFlight;
import org.chainwalletd.rpc.method.read.NodeErrors;
import org.chainwalletd.rpc.method.spend.SpendErrors;
import org.chainwalletd.rpc.method.swap.AccountErrors;
import org.chainwalletd.rpc.method.swap.OpenSwapsGuard;
import org.chainwalletd.rpc.method.swap.PoolErrors;
import org.chainwalletd.rpc.method.swap.SwapErrors;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.swap.SwapService;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.wait.Waits;

/** The running services, wired to the methods that talk to them. */
record Services(
        Settings settings,
        Nodes nodes,
        Keyring keyring,
        SpendService spending,
        Following following,
        Htlcs htlcs,
        Optional<IndexerClient> indexer,
        Waits waits,
        Optional<Pool> pool,
        Metrics metrics,
        EventStreams events,
        Optional<Accounts> accounts,
        Optional<SwapService> swaps,
        OpenSwapsGuard openSwaps,
        Workers workers) {

    RpcDispatcher dispatcher() {
        List<ErrorTranslator> known = List.of(
                new KeyringErrors(settings.wallets()),
                new SpendErrors(),
                new HtlcErrors(),
                new QuoteErrors(),
                new NodeErrors(),
                new PoolErrors(),
                new AccountErrors());
        List<ErrorTranslator> errors =
                Stream.concat(known.stream(), Stream.of(new SwapErrors(known))).toList();
        return new RpcDispatcher(
                methods(),
                errors,
                new CallObservers(new CallMetrics(metrics.registry()), new AuditTrail(Clock.systemUTC())),
                new RpcDispatcher.Limits(
                        settings.http().maxBatch(),
                        settings.http().batchParallelism(),
                        settings.http().maxWaits(),
                        settings.http().maxBatchAnswerBytes()),
                new RpcDispatcher.Threads(workers.answers(), workers::full));
    }

    private MethodRegistry methods() {
        return new MethodFamilies(
                        settings.chain(),
                        Version.number(),
                        nodes,
                        inFlight(),
                        keyring,
                        deletionGuard(),
                        EvmKeyGuard.all(
                                List.of(openSwaps, accounts.map(Accounts::guard).orElse(EvmKeyGuard.BALANCE_UNKNOWN)),
                                workers.answers()),
                        spending,
                        htlcs.methods(),
                        following.follower(),
                        following.ledger(),
                        new IndexerMethods.Sources(indexer, ownHistory()),
                        waits,
                        following.credits(),
                        pool,
                        accounts.map(Accounts::methods),
                        swaps,
                        settings.evmWords(),
                        workers.answers())
                .registry();
    }

    private AddressHistory ownHistory() {
        return new OwnHistory(
                following.ledger(),
                address -> keyring.list().stream()
                        .anyMatch(entry -> entry.address().equals(address)),
                workers.answers());
    }

    private DeletionGuard deletionGuard() {
        return new CombinedGuard(
                List.of(
                        new NodesGuard(nodes, following.follower()::height, workers.answers()),
                        // After the nodes, whose objection tells the balance: it is for what they do not list.
                        new LedgerCoinsGuard(following.ledger()),
                        new OwnSpendsGuard(spending::openSpendOf, workers.answers()),
                        new OpenHtlcsGuard(htlcs.records(), workers.answers()),
                        openSwaps),
                workers.answers());
    }

    private InFlight inFlight() {
        return new InFlight() {
            @Override
            public int utxos() {
                return spending.inFlightUtxos();
            }

            @Override
            public int transfers() {
                return spending.inFlightTransfers();
            }
        };
    }

    /** What must hold before the daemon is of use to its callers. The keyring is open before anything is served. */
    List<ReadinessCheck> readiness() {
        List<ReadinessCheck> checks = new ArrayList<>(List.<ReadinessCheck>of(
                () -> nodes.seen().get().isAnswering()
                        ? Optional.empty()
                        : Optional.of("no node of the chain has answered"),
                () -> nodes.chain().complaint(),
                new FollowerReadiness(following.follower(), settings.follow().maxLag(), Clock.systemUTC())));
        accounts.map(Accounts::readiness).ifPresent(checks::add);
        swaps.ifPresent(service -> checks.add(service::standstill));
        return List.copyOf(checks);
    }
}
