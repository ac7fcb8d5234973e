package org.chainwalletd.boot;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.Version;
import org.chainwalletd.event.EventStreams;
import org.chainwalletd.http.ReadinessCheck;
import org.chainwalletd.indexer.AddressHistory;
import org.chainwalletd.keyring.CombinedGuard;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.EvmKeyGuard;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.observe.AuditTrail;
import org.chainwalletd.observe.CallMetrics;
import org.chainwalletd.observe.CallObservers;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.method.AccountErrors;
import org.chainwalletd.rpc.method.IndexerMethods;
import org.chainwalletd.rpc.method.KeyringErrors;
import org.chainwalletd.rpc.method.MethodFamilies;
import org.chainwalletd.rpc.method.NodeErrors;
import org.chainwalletd.rpc.method.NodesGuard;
import org.chainwalletd.rpc.method.OpenHtlcsGuard;
import org.chainwalletd.rpc.method.OpenSwapsGuard;
import org.chainwalletd.rpc.method.OwnSpendsGuard;
import org.chainwalletd.rpc.method.PoolErrors;
import org.chainwalletd.rpc.method.ReadMethods;
import org.chainwalletd.rpc.method.SpendErrors;
import org.chainwalletd.rpc.method.SwapErrors;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.swap.SwapService;
import org.chainwalletd.wait.Waits;

/** The running services, wired to the methods that talk to them. */
record Services(
        Ground ground,
        Outside outside,
        Keyring keyring,
        SpendService spending,
        Following following,
        Htlcs htlcs,
        Waits waits,
        EventStreams events,
        Optional<Accounts> accounts,
        Optional<SwapService> swaps,
        OpenSwapsGuard openSwaps) {

    private Settings settings() {
        return ground.settings();
    }

    private Executor answers() {
        return ground.workers().answers();
    }

    RpcDispatcher dispatcher() {
        List<ErrorTranslator> known = List.of(
                new KeyringErrors(settings().wallets()),
                new SpendErrors(),
                new NodeErrors(),
                new PoolErrors(),
                new AccountErrors());
        List<ErrorTranslator> errors =
                Stream.concat(known.stream(), Stream.of(new SwapErrors(known))).toList();
        return new RpcDispatcher(
                methods(),
                errors,
                new CallObservers(new CallMetrics(ground.meters()), new AuditTrail(Clock.systemUTC())),
                new RpcDispatcher.Limits(
                        settings().http().batches().maxItems(),
                        settings().http().batches().parallelism(),
                        settings().http().requests().maxWaits(),
                        settings().http().batches().maxAnswerBytes()),
                new RpcDispatcher.Threads(answers(), ground.workers()::full));
    }

    private MethodRegistry methods() {
        return new MethodFamilies(
                        settings().chain(),
                        Version.number(),
                        new MethodFamilies.Keys(keyring, deletionGuard(), evmKeyGuard()),
                        new MethodFamilies.Chain(
                                outside.nodes(),
                                following.follower(),
                                following.ledger(),
                                waits,
                                following.credits(),
                                new IndexerMethods.Sources(outside.indexer(), ownHistory())),
                        new MethodFamilies.Money(spending, inFlight(), htlcs.methods()),
                        new MethodFamilies.Swapping(
                                outside.pool(),
                                accounts.map(Accounts::methods),
                                swaps,
                                settings().account().words()),
                        answers())
                .registry();
    }

    private EvmKeyGuard evmKeyGuard() {
        return EvmKeyGuard.all(
                List.of(openSwaps, accounts.map(Accounts::guard).orElse(EvmKeyGuard.BALANCE_UNKNOWN)), answers());
    }

    private AddressHistory ownHistory() {
        return new OwnHistory(
                following.ledger(),
                address -> keyring.list().stream()
                        .anyMatch(entry -> entry.address().equals(address)),
                answers());
    }

    private DeletionGuard deletionGuard() {
        return new CombinedGuard(
                List.of(
                        new NodesGuard(outside.nodes(), following.follower()::height, answers()),
                        // The daemon's own books, after the nodes, whose objection tells the balance: for coins that
                        // they do
                        // not list. That the books have none permits nothing.
                        entry -> following.ledger().objection(entry.address()),
                        new OwnSpendsGuard(spending::openSpendOf, answers()),
                        new OpenHtlcsGuard(htlcs.records(), answers()),
                        openSwaps),
                answers());
    }

    private ReadMethods.InFlight inFlight() {
        return new ReadMethods.InFlight() {
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
                () -> outside.nodes().seen().get().isAnswering()
                        ? Optional.empty()
                        : Optional.of("no node of the chain has answered"),
                () -> outside.nodes().chain().complaint(),
                spending::stopped,
                new FollowerReadiness(following.follower(), settings().follow().maxLag(), Clock.systemUTC())));
        accounts.map(Accounts::readiness).ifPresent(checks::add);
        swaps.ifPresent(service -> checks.add(service::standstill));
        return List.copyOf(checks);
    }
}
