package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.spend.SpendHarness.get;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Call;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Payouts.PayoutCancel;
import org.chainwalletd.api.Payouts.PayoutPause;
import org.chainwalletd.api.Payouts.PayoutRelease;
import org.chainwalletd.api.Payouts.PayoutResume;
import org.chainwalletd.api.Payouts.Source;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Scope;
import org.chainwalletd.api.Spending.Sweep;
import org.chainwalletd.api.Spending.SweepStop;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.ClientPresence;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.rpc.method.PayoutMethods;
import org.chainwalletd.rpc.method.SweepMethods;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.PayoutStore.State;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A write whose commit gets no answer: the caller is told so, and the repeated call performs it exactly once. */
@Timeout(120)
class WritesInDoubtTest {
    @TempDir
    Path folder;

    private final AtomicInteger toLose = new AtomicInteger();

    /** Loses the answers of writes. */
    private <S> S losing(Class<S> type, S store, boolean written) {
        return Stub.of(type, call -> {
            boolean writes = List.of("cancel", "release", "pause", "begin", "move", "stop")
                    .contains(call.name());
            if (!writes || toLose.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
                return call.on(store);
            }
            CompletionStage<?> done =
                    written ? (CompletionStage<?>) call.on(store) : CompletableFuture.completedFuture(null);
            return done.thenComposeAsync(
                    any -> CompletableFuture.failedFuture(new StoreException(
                            StoreException.Reason.UNKNOWN, "it may or may not have been written", null)),
                    Runnable::run);
        });
    }

    @SuppressWarnings("unchecked")
    private static <R, C extends Record & Call<R>> R call(List<RpcMethod<?, ?>> methods, String name, C call) {
        RpcMethod<C, R> method = (RpcMethod<C, R>) methods.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return get(method.call(call, new CallContext("a-1", Grant.of(Scope.SPEND), "192.0.2.1", new ClientPresence())));
    }

    private <R, C extends Record & Call<R>> R lostAndRepeated(List<RpcMethod<?, ?>> methods, String name, C call) {
        toLose.set(1);
        assertThatThrownBy(() -> call(methods, name, call))
                .as(name)
                .isInstanceOfSatisfying(RefusedException.class, refused -> {
                    assertThat(refused.code()).isEqualTo(ErrorCode.UPSTREAM);
                    assertThat(refused).hasMessageContaining("is unknown: make the same call again");
                });
        return call(methods, name, call);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_queue_of_payouts(boolean written) {
        PayoutRig rig = new PayoutRig(folder);
        rig.before = store -> losing(PayoutStore.class, store, written);
        rig.start();
        try {
            Address payer = rig.spends.funded(1, 500_000);
            rig.bury();
            List<RpcMethod<?, ?>> methods = new PayoutMethods(rig.payouts, List::of, List.of(), Runnable::run).all();
            lostAndRepeated(methods, "payout_pause", new PayoutPause());
            rig.submit(payer, PayoutRig.order("payout-1", PayoutRig.recipient(1), 1_000));
            rig.submit(payer, PayoutRig.order("payout-2", PayoutRig.recipient(2), 2_000));

            lostAndRepeated(methods, "payout_cancel", new PayoutCancel(List.of("payout-1")));
            lostAndRepeated(methods, "payout_release", new PayoutRelease(List.of("payout-2")));
            assertThat(rig.state("payout-1")).isEqualTo(State.CANCELLED);
            assertThat(rig.state("payout-2")).isEqualTo(State.QUEUED);
            lostAndRepeated(methods, "payout_resume", new PayoutResume());

            rig.confirm("payout-2");
            assertThat(rig.paid(rig.recipients(1, 2))).isEqualTo(Map.of(2_000L, 1));
        } finally {
            rig.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_sweep(boolean written) {
        SweepRig rig = new SweepRig(folder);
        rig.before = store -> losing(SweepStore.class, store, written);
        rig.start();
        try {
            Address from = rig.spends.funded(11, 10_000, 20_000);
            KeyEntry key = new KeyEntry(from, Optional.empty(), OptionalLong.empty(), Optional.empty(), true);
            List<RpcMethod<?, ?>> methods = new SweepMethods(rig.sweeps, () -> List.of(key), Runnable::run).all();
            Sweep sweep = new Sweep(Source.of(List.of(from)), rig.to, "sweep-token-1");

            Sweep.Result begun = lostAndRepeated(methods, "sweep", sweep);

            assertThat(begun.spends()).hasSize(1);
            rig.spends.confirmAll();
            lostAndRepeated(methods, "sweep_stop", new SweepStop("sweep-token-1"));
            assertThat(call(methods, "sweep", sweep).spends()).hasSize(1);
            assertThat(rig.arrived()).isEqualTo(30_000 - SweepRig.fees(rig.stored("sweep-token-1")));
        } finally {
            rig.close();
        }
    }
}
