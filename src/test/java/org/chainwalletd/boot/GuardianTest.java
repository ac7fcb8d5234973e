package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.BehaviorInterceptor;
import org.apache.pekko.actor.typed.Signal;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class GuardianTest {
    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create();

    private final AtomicInteger gaveUp = new AtomicInteger();
    private final Set<Object> dealtWith = ConcurrentHashMap.newKeySet();
    private final ActorRef<Guardian.Command> guardian =
            kit.spawn(Behaviors.intercept(Listening::new, Guardian.create(gaveUp::incrementAndGet)));

    /** Reports the messages and child terminations that the guardian has processed. */
    private final class Listening extends BehaviorInterceptor<Guardian.Command, Guardian.Command> {
        private Listening() {
            super(Guardian.Command.class);
        }

        @Override
        public Behavior<Guardian.Command> aroundReceive(
                TypedActorContext<Guardian.Command> context,
                Guardian.Command message,
                ReceiveTarget<Guardian.Command> target) {
            Behavior<Guardian.Command> next = target.apply(context, message);
            dealtWith.add(message);
            return next;
        }

        @Override
        public Behavior<Guardian.Command> aroundSignal(
                TypedActorContext<Guardian.Command> context, Signal signal, SignalTarget<Guardian.Command> target) {
            Behavior<Guardian.Command> next = target.apply(context, signal);
            if (signal instanceof Terminated terminated) {
                dealtWith.add(terminated.getRef());
            }
            return next;
        }
    }

    @Test
    void gives_up_when_a_child_dies_while_the_daemon_serves() {
        ActorRef<String> child = spawn("keyring");
        guardian.tell(new Guardian.Serving());
        child.tell("die");
        Await.until("it gave up", () -> gaveUp.get() == 1);
    }

    @Test
    void gives_up_at_the_end_of_the_start_for_a_child_that_was_lost_meanwhile() {
        ActorRef<String> child = spawn("keyring");
        end(child);
        assertThat(gaveUp).hasValue(0);
        guardian.tell(new Guardian.Serving());
        Await.until("it gave up", () -> gaveUp.get() == 1);
    }

    @Test
    void a_child_that_ends_because_the_daemon_stops_is_no_loss() {
        ActorRef<String> child = spawn("keyring");
        guardian.tell(new Guardian.Serving());
        guardian.tell(new Guardian.Stopping());
        end(child);
        Guardian.ThreadEnded ended = new Guardian.ThreadEnded("the thread of connections");
        guardian.tell(ended);
        untilDealtWith(ended);
        assertThat(gaveUp).hasValue(0);
    }

    @Test
    void gives_up_when_a_thread_that_others_rely_on_ends_while_the_daemon_serves() {
        guardian.tell(new Guardian.Serving());
        guardian.tell(new Guardian.ThreadEnded("the thread of connections"));
        Await.until("it gave up", () -> gaveUp.get() == 1);
    }

    @Test
    void gives_up_at_the_end_of_the_start_for_a_thread_that_was_lost_meanwhile() {
        Guardian.ThreadEnded ended = new Guardian.ThreadEnded("the thread of connections");
        guardian.tell(ended);
        untilDealtWith(ended);
        assertThat(gaveUp).hasValue(0);
        guardian.tell(new Guardian.Serving());
        Await.until("it gave up", () -> gaveUp.get() == 1);
    }

    private ActorRef<String> spawn(String name) {
        CompletableFuture<ActorRef<String>> spawned = new CompletableFuture<>();
        Behavior<String> mortal = Behaviors.receive((context, message) -> Behaviors.stopped());
        guardian.tell(new Guardian.Spawn<>(mortal, name, spawned));
        return Await.result(spawned);
    }

    /** Stops a child; returns when the guardian has processed its termination. */
    private void end(ActorRef<String> child) {
        child.tell("die");
        untilDealtWith(child);
    }

    private void untilDealtWith(Object told) {
        Await.until("the guardian has dealt with " + told, () -> dealtWith.contains(told));
    }
}
