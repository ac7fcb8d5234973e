package org.chainwalletd.boot;

import io.micrometer.core.instrument.Gauge;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.Version;
import org.chainwalletd.event.EventStreams;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.http.pages.Pages.ReadinessCheck;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.observe.AuditTrail;
import org.chainwalletd.observe.CallMetrics;
import org.chainwalletd.payout.Payouts;
import org.chainwalletd.rpc.CallObserver;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.Handover;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcDispatcher;
import org.chainwalletd.rpc.method.IndexerMethods;
import org.chainwalletd.rpc.method.KeyUseGuards;
import org.chainwalletd.rpc.method.KeyringErrors;
import org.chainwalletd.rpc.method.MethodFamilies;
import org.chainwalletd.rpc.method.NodesGuard;
import org.chainwalletd.rpc.method.OwnHistory;
import org.chainwalletd.rpc.method.PayoutMethods;
import org.chainwalletd.rpc.method.SpendErrors;
import org.chainwalletd.rpc.method.SwapErrors;
import org.chainwalletd.rpc.method.SweepMethods;
import org.chainwalletd.rpc.method.UpstreamErrors;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.swap.engine.SwapService;
import org.chainwalletd.sweep.Sweeps;
import org.chainwalletd.wait.Waits;

/** Running services, and the methods that use them. */
record Services(
        Resources resources,
        SpendService spending,
        Payouts payouts,
        Sweeps sweeps,
        Following following,
        Htlcs htlcs,
        Waits waits,
        EventStreams events,
        Optional<Accounts> accounts,
        Optional<SwapService> swaps,
        KeyUseGuards.OpenSwaps openSwaps) {

    private Settings settings() {
        return resources.settings();
    }

    private Executor answers() {
        return resources.workers().answers();
    }

    /** @param handover asked for each call that needs background work */
    RpcDispatcher dispatcher(Handover handover) {
        List<ErrorTranslator> known = List.of(
                new KeyringErrors(settings().wallets()),
                new SpendErrors(following.watchOnly()::has),
                new UpstreamErrors());
        List<ErrorTranslator> errors =
                Stream.concat(known.stream(), Stream.of(new SwapErrors(known))).toList();
        MethodRegistry methods = methods();
        return new RpcDispatcher(
                methods,
                errors,
                new CallObserver.Both(
                        new CallMetrics(resources.context().meters(), methods),
                        new AuditTrail(resources.context().clock())),
                new RpcDispatcher.Limits(
                        settings().http().batches().maxItems(),
                        settings().http().batches().parallelism(),
                        settings().http().requests().maxWaits(),
                        settings().http().batches().maxAnswerBytes()),
                new RpcDispatcher.Threads(answers(), resources.workers()::full),
                handover);
    }

    private MethodRegistry methods() {
        return new MethodFamilies(
                        settings().chain(),
                        Version.number(),
                        new MethodFamilies.Keys(resources.keyring(), deletionGuard(), evmKeyGuard()),
                        new MethodFamilies.Chain(
                                resources.nodes(),
                                following.follower(),
                                following.ledger(),
                                waits,
                                following.credits(),
                                following.watchOnly(),
                                new IndexerMethods(
                                        settings().chain(),
                                        resources.external().indexer(),
                                        new OwnHistory(
                                                following.ledger(),
                                                address -> resources.keyring().owns(address)
                                                        || following.watchOnly().has(address),
                                                answers()),
                                        htlcs.records()::known,
                                        resources.nodes().client(),
                                        answers())),
                        new MethodFamilies.Money(
                                spending,
                                htlcs.methods(),
                                new PayoutMethods(
                                        payouts,
                                        resources.keyring()::list,
                                        settings().spend().payouts().from(),
                                        answers()),
                                new SweepMethods(sweeps, resources.keyring()::list, answers())),
                        new MethodFamilies.Swapping(
                                resources.external().pool(),
                                accounts.map(Accounts::methods),
                                swaps,
                                settings().account().words()),
                        resources.context().clock(),
                        answers())
                .registry()
                .withBackground(this::backgroundObjection);
    }

    /** Refusal of a call that needs background work; empty while that runs here. */
    Optional<RefusedException> backgroundObjection() {
        Keeper keeper = resources.context().keeper();
        if (keeper.isRunning()) {
            return Optional.empty();
        }
        Optional<String> url = keeper.elsewhere();
        return Optional.of(RefusedException.notKeeper(
                "nothing was begun: this is done by the daemon that does the background work"
                        + url.map(at -> ", at " + at).orElse(""),
                url));
    }

    private EvmKeyGuard evmKeyGuard() {
        return EvmKeyGuard.all(
                List.of(openSwaps, accounts.map(Accounts::guard).orElse(EvmKeyGuard.BALANCE_UNKNOWN)), answers());
    }

    private DeletionGuard deletionGuard() {
        return DeletionGuard.all(
                List.of(
                        new NodesGuard(resources.nodes(), following.follower()::height, answers()),
                        // The daemon's own books come after the nodes, whose objection contains the balance. They catch
                        // coins that the nodes do not list. No coins in the books does not permit a deletion.
                        entry -> following.ledger().objection(entry.address()),
                        KeyUseGuards.openSpends(spending::openSpendOf, answers()),
                        entry -> payouts.waitingFrom(entry.address())
                                .thenApplyAsync(
                                        waiting -> waiting.map(id -> "the payout " + id + " waits to be paid from it"),
                                        answers()),
                        entry -> sweeps.unfinishedFrom(entry.address())
                                .thenApplyAsync(
                                        sweep -> sweep.map(token -> "the sweep " + token + " still moves its coins"),
                                        answers()),
                        KeyUseGuards.openHtlcs(htlcs.records(), answers()),
                        openSwaps),
                answers());
    }

    /** Conditions under which the daemon can serve its callers. The keyring is always open before anything is served. */
    List<ReadinessCheck> readiness() {
        return List.copyOf(checks().values());
    }

    /** Readiness checks by the names used for their meters. */
    private Map<String, ReadinessCheck> checks() {
        Map<String, ReadinessCheck> checks = new LinkedHashMap<>();
        checks.put(
                "nodes",
                () -> resources.nodes().seen().get().isAnswering()
                        ? Optional.empty()
                        : Optional.of("no node of the chain has answered"));
        checks.put("chain", () -> resources.nodes().chain().complaint());
        checks.put("spending", spending::stopped);
        checks.put("store", resources.store()::complaint);
        checks.put("payouts", payouts::complaint);
        checks.put("background", resources.context().keeper()::complaint);
        checks.put("follower", this::followerComplaint);
        accounts.map(Accounts::readiness).ifPresent(check -> checks.put("account_chain", check));
        swaps.ifPresent(service -> checks.put("swaps", service::stalled));
        return checks;
    }

    /** Registers gauges for the checks of {@code /readyz} and for the lag of the books. */
    void measure() {
        payouts.measure(resources.context().meters());
        checks().forEach((name, check) -> {
            Supplier<Number> ready = () -> check.missing().isEmpty() ? 1 : 0;
            Gauge.builder("walletd.ready", ready)
                    .description("1 when /readyz has nothing to say against this part")
                    .tag("check", name)
                    .register(resources.context().meters());
        });
        Supplier<Number> lag = () -> following.follower().reportedLag();
        Gauge.builder("walletd.follower.lag.blocks", lag)
                .description("Blocks that a node has and the books do not")
                .register(resources.context().meters());
        Supplier<Number> age = () -> following
                .follower()
                .status()
                .tip()
                .map(tip -> (double)
                        Math.max(0, resources.context().clock().instant().getEpochSecond() - tip.timestamp()))
                .orElse(Double.NaN);
        Gauge.builder("walletd.follower.tip.age.seconds", age)
                .description("Age of the newest followed block by its own timestamp")
                .register(resources.context().meters());
    }

    /**
     * Readiness check of the books. Fails when they may be outdated: no block yet, a lag above the limit, nodes that disagree, an old tip. A
     * rescan does not make it fail.
     */
    private Optional<String> followerComplaint() {
        Instant now = resources.context().clock().instant();
        FollowStatus status = following.follower().status();
        List<String> complaints = new ArrayList<>(status.complaints());
        if (status.tip().isEmpty()) {
            complaints.add("no block is followed yet");
        }
        if (status.lag() > settings().follow().maxLag()) {
            complaints.add("the follower is " + status.lag() + " blocks behind the node");
        }
        status.tip()
                .filter(tip -> status.isAged(now))
                .ifPresent(tip ->
                        complaints.add("the newest block is " + (now.getEpochSecond() - tip.timestamp()) + " s old"));
        return complaints.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", complaints));
    }
}
