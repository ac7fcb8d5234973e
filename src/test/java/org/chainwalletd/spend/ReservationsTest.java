package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;

import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.testkit.Stub;
import org.junit.jupiter.api.Test;

/** Changes that the reservations of a daemon with a shared store learn while they read it are newer than what they read. */
class ReservationsTest extends SpendCase {
    private final CompletableFuture<Void> slow = new CompletableFuture<>();
    private final AtomicInteger inFlight = new AtomicInteger();

    ReservationsTest() {
        super(10_000);
    }

    @Test
    void coins_that_lapse_during_a_read_are_not_held_again_by_it() {
        Receipt receipt = pay(1_000);
        assertThat(get(spends.store.reservations().all())).hasSize(1);

        readMeanwhile(new Reservations.Lapsed(spends.intent(receipt.txId())));

        assertThat(inFlight).hasValue(0);
    }

    @Test
    void coins_that_are_reserved_again_during_a_read_are_not_marked_as_spent_by_it() {
        Receipt receipt = pay(1_000);
        spends.confirmAll();
        assertThat(get(spends.store.intents().unburied())).hasSize(1);

        readMeanwhile(new Reservations.ReservedAgain(spends.intent(receipt.txId())));

        assertThat(inFlight).hasValue(1);
    }

    /** Lets a spend monitor start, whose reservations receive the command while they read the store. */
    private void readMeanwhile(Reservations.Command command) {
        spends.before = intents -> Stub.of(
                IntentStore.class,
                call -> call.name().equals("unburied")
                        ? slow.thenComposeAsync(ready -> call.stage(intents), spends.executor)
                        : call.on(intents));
        SpendEnvironment env = shared(spends.environment());
        TestProbe<SpendMonitor.Command> monitor = spends.kit.createTestProbe();
        ActorRef<Reservations.Command> reservations = spends.kit.spawn(Reservations.create(
                env,
                new Reservations.Durable(List.of(), List.of(), List.of(), List.of()),
                Broadcast.of(env),
                monitor.ref(),
                inFlight));
        reservations.tell(new Reservations.MonitorStarts());
        reservations.tell(command);
        CompletableFuture<BigInteger> answer = new CompletableFuture<>();
        reservations.tell(new Reservations.LeavingInDoubt(answer));
        get(answer);

        slow.complete(null);

        monitor.expectMessageClass(SpendMonitor.Begin.class);
    }

    private static SpendEnvironment shared(SpendEnvironment env) {
        Store store = env.stores().store();
        Store shared = Stub.of(Store.class, call -> call.name().equals("isShared") ? true : call.on(store));
        return new SpendEnvironment(
                env.profile(),
                env.node(),
                env.outputs(),
                env.chainView(),
                env.signer(),
                new SpendEnvironment.Stores(shared, env.intents(), env.stores().historyKept()),
                env.limits(),
                env.pace(),
                env.drawing(),
                env.metrics(),
                env.clock(),
                env.executor());
    }
}
