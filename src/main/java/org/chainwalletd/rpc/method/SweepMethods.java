package org.chainwalletd.rpc.method;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Spending.GetSweep;
import org.chainwalletd.api.Spending.Sweep;
import org.chainwalletd.api.Spending.SweepStop;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.spend.plan.ParameterDigest;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.SweepStore.Ending;
import org.chainwalletd.store.SweepStore.OwnedCoin;
import org.chainwalletd.store.SweepStore.PartSpend;
import org.chainwalletd.store.SweepStore.PartState;
import org.chainwalletd.store.SweepStore.State;
import org.chainwalletd.sweep.Sweeps;

/**
 * Handlers of {@code sweep}, {@code get_sweep} and {@code sweep_stop}.
 *
 * @param keys keys of this daemon
 */
public record SweepMethods(Sweeps sweeps, Supplier<List<KeyEntry>> keys, Executor executor) {
    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(Sweep.class, this::sweep),
                RpcMethod.of(GetSweep.class, this::get),
                RpcMethod.of(SweepStop.class, this::stop));
    }

    private CompletionStage<Sweep.Result> sweep(Sweep call, CallContext context) {
        String token = SpendOptions.token(call.idempotencyToken()).orElseThrow();
        Amount minValue = call.minValue().orElse(Sweeps.MIN_VALUE);
        if (minValue.isLessThan(Sweeps.MIN_VALUE)) {
            throw RefusedException.invalidParams(
                    "`min_value` must be at least " + Sweeps.MIN_VALUE + ": a smaller coin costs more than it brings");
        }
        Sweeps.Request request = new Sweeps.Request(
                token,
                context.grant().owner(),
                digest(call),
                () -> from(call),
                call.to(),
                call.maxFee(),
                minValue,
                SpendOptions.memo(call.memo()));
        return SpendErrors.certain(
                        sweeps.sweep(request, context.callerLeft()), "the sweep is begun or goes on", executor)
                .thenApplyAsync(SweepMethods::result, executor);
    }

    private CompletionStage<GetSweep.Result> get(GetSweep call) {
        String token = SpendOptions.token(Optional.of(call.clientToken())).orElseThrow();
        return sweeps.find(token)
                .thenApplyAsync(found -> new GetSweep.Result(found.map(SweepMethods::result)), executor);
    }

    private CompletionStage<SweepStop.Result> stop(SweepStop call) {
        String token = SpendOptions.token(call.idempotencyToken()).orElseThrow();
        return SpendErrors.certain(sweeps.stop(token), "the sweep is stopped", executor)
                .thenApplyAsync(
                        found -> new SweepStop.Result(found.map(SweepMethods::result)
                                .orElseThrow(
                                        () -> RefusedException.invalidParams("`client_token` is that of no sweep"))),
                        executor);
    }

    /**
     * Digest of the parameters as given, without the memo: a label is not resolved, because it may match other addresses when the call is
     * repeated.
     */
    private static Hash256 digest(Sweep call) {
        ParameterDigest digest = new ParameterDigest("sweep");
        List<Address> addresses = call.from().addresses().orElse(List.of());
        digest.putNumber(addresses.size());
        addresses.forEach(address -> digest.put(address.toArray()));
        digest.put(call.from().label().orElse("").getBytes(StandardCharsets.UTF_8));
        digest.put(call.to().toArray());
        putAmount(digest, call.maxFee());
        putAmount(digest, call.minValue().filter(value -> !value.equals(Sweeps.MIN_VALUE)));
        return digest.finish();
    }

    private static void putAmount(ParameterDigest digest, Optional<Amount> amount) {
        digest.putNumber(amount.isPresent() ? 1 : 0)
                .putNumber(amount.map(Amount::bits).orElse(0L));
    }

    private List<Address> from(Sweep call) {
        List<KeyEntry> own = keys.get();
        List<Address> named =
                PayoutMethods.named(call.from(), own).stream().distinct().toList();
        if (named.isEmpty() || named.size() > Sweeps.MAX_ADDRESSES) {
            throw RefusedException.invalidParams("`from` must name 1 to " + Sweeps.MAX_ADDRESSES + " addresses");
        }
        PayoutMethods.requireOwn(named, own);
        if (named.equals(List.of(call.to()))) {
            throw RefusedException.invalidParams("`from` must name another address than `to`");
        }
        return named;
    }

    private static Sweep.Result result(Sweeps.Report report) {
        Optional<String> stopped = report.sweep().isEnded()
                ? Optional.of("sweep_stop has ended it")
                : report.sweep().state() == State.STOPPED
                        ? Optional.of(report.sweep().reason())
                        : Optional.empty();
        return new Sweep.Result(
                report.sweep().parts().stream().map(part -> part(part, report)).toList(),
                stopped,
                report.leftOver()
                        .map(left -> left.entrySet().stream()
                                .map(entry -> new Sweep.LeftOver(
                                        word(entry.getKey()),
                                        entry.getValue().count(),
                                        entry.getValue().amount()))
                                .toList()));
    }

    private static Sweep.Part part(PartState state, Sweeps.Report report) {
        int number = state.part().number();
        Optional<PastSpend> other = Optional.ofNullable(report.others().get(number));
        Amount sum = Amount.ZERO;
        for (OwnedCoin each : state.part().coins()) {
            sum = sum.plus(each.coin().value());
        }
        return new Sweep.Part(
                number,
                other.isPresent() ? "same_transaction" : stateOf(state),
                state.spend().map(PartSpend::txId).or(() -> other.map(PastSpend::txId)),
                other.map(spend -> OptionalLong.of(spend.number())).orElse(OptionalLong.empty()),
                state.part().coins().size(),
                sum.minus(state.part().fee()),
                state.part().fee(),
                state.spend().map(PartSpend::height).orElse(OptionalLong.empty()),
                other.map(SweepMethods::reason)
                        .or(() -> reason(state, report.waiting().get(number))));
    }

    private static String stateOf(PartState state) {
        if (state.spend().isEmpty()) {
            return state.ending()
                    .map(ending -> ending == Ending.STOPPED ? "stopped" : "conflicted")
                    .orElse("waiting");
        }
        Optional<IntentState> spend = state.spend().get().state();
        return spend.isEmpty() ? "closed" : spend.get().inFlight() ? "in_flight" : word(spend.get());
    }

    private static String reason(PastSpend other) {
        return "its transaction is that of spend " + other.number() + ", which is " + word(other.state())
                + (other.state().failed() ? ": repeat the call that asked for that one, or sweep its coins anew" : "");
    }

    private static Optional<String> reason(PartState state, String waits) {
        if (state.isWaiting()) {
            return Optional.ofNullable(waits);
        }
        return state.ended()
                ? Optional.of("another transaction has taken a coin of it")
                        .filter(words -> state.ending().equals(Optional.of(Ending.LOST)))
                : state.spend().map(PartSpend::reason).filter(words -> !words.isEmpty());
    }

    private static String word(Enum<?> each) {
        return each.name().toLowerCase(Locale.ROOT);
    }
}
