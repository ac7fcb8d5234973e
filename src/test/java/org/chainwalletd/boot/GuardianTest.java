package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GuardianTest {
    private final ActorTestKit kit = ActorTestKit.create();
    private final AtomicInteger gaveUp = new AtomicInteger();
    private final ActorRef<Guardian.Command> guardian = kit.spawn(Guardian.create(gaveUp::incrementAndGet));

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
    }

    @Test
    void givesUpWhenAChildDiesWhileTheDaemonServes() {
        ActorRef<String> child = spawn("keyring");
        guardian.tell(new Guardian.Serving());
        child.tell("die");
        Await.until("it gave up", () -> gaveUp.get() == 1);
    }

    @Test
    void givesUpAtTheEndOfTheStartForAChildThatWasLostMeanwhile() {
        ActorRef<String> child = spawn("keyring");
        end(child);
        assertThat(gaveUp).hasValue(0);
        guardian.tell(new Guardian.Serving());
        Await.until("it gave up", () -> gaveUp.get() == 1);
    }

    @Test
    void aChildThatEndsBecauseTheDaemonStopsIsNoLoss() {
        ActorRef<String> child = spawn("keyring");
        guardian.tell(new Guardian.Serving());
        guardian.tell(new Guardian.Stopping());
        end(child);
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
        guardian.tell(new Guardian.ThreadEnded("the thread of connections"));
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

    /** Returns when the guardian has been told as well: the death was sent to it before to the probe, and it answers in order. */
    private void end(ActorRef<String> child) {
        TestProbe<Object> probe = kit.createTestProbe();
        child.tell("die");
        probe.expectTerminated(child);
    }
}
