package org.chainwalletd.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.receptionist.Receptionist;
import org.chainwalletd.cluster.Node;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Forwarded calls, and daemons or attackers on the network that reply that they have not begun them. */
@Tag("long")
@Timeout(60)
class AskingTest {
    private static final Node.Call CALL = new Node.Call("shop", true, "10.0.0.1", 7, new byte[] {1, 2, 3});

    private ActorTestKit kit;
    private ManualTime time;
    private Keeper keeper;
    private ActorRef<Handed.ToAsking> asking;

    /** Records the calls that it receives and does not answer by itself. */
    private static final class Keeper {
        final LinkedBlockingQueue<Handed.Ask> asked = new LinkedBlockingQueue<>();
        final ActorRef<Handed.Ask> ref;

        Keeper(ActorTestKit kit) {
            ref = kit.spawn(Behaviors.receiveMessage(ask -> {
                asked.add(ask);
                return Behaviors.same();
            }));
        }
    }

    @BeforeEach
    void begin() {
        kit = ActorTestKit.create(ManualTime.config());
        time = ManualTime.get(kit.system());
        keeper = new Keeper(kit);
        asking = kit.spawn(Asking.create());
        known(keeper, true);
    }

    @AfterEach
    void end() {
        kit.shutdownTestKit();
    }

    private void known(Keeper daemon, boolean known) {
        ActorRef<Receptionist.Command> receptionist = kit.system().receptionist();
        receptionist.tell(
                known
                        ? Receptionist.register(Handed.KEY, daemon.ref)
                        : Receptionist.deregister(Handed.KEY, daemon.ref));
    }

    /** Forwards the call as soon as the answering daemon is known. */
    private CompletableFuture<Node.Answer> hand() {
        while (true) {
            CompletableFuture<Node.Answer> answer = new CompletableFuture<>();
            asking.tell(new Asking.Hand(CALL, answer));
            Await.until("it is handed over or not", () -> answer.isDone() || !keeper.asked.isEmpty());
            if (!keeper.asked.isEmpty()) {
                return answer;
            }
        }
    }

    private void refuse(Handed.Ask ask) {
        ask.from().tell(Handed.Answered.notHere(ask.id()));
    }

    @Test
    void the_same_call_goes_to_the_daemon_that_does_the_work_by_then() {
        CompletableFuture<Node.Answer> answer = hand();
        Handed.Ask first = keeper.asked.remove();
        refuse(first);
        Keeper next = new Keeper(kit);
        known(keeper, false);
        known(next, true);
        Await.until("the next one is asked", () -> {
            keeper.asked.forEach(this::refuse);
            keeper.asked.clear();
            time.timePasses(Duration.ofMillis(200));
            return !next.asked.isEmpty();
        });
        Handed.Ask again = next.asked.remove();
        assertThat(again).usingRecursiveComparison().isEqualTo(first);
        again.from().tell(Handed.Answered.of(again.id(), new Node.Answer.Given(200, new byte[] {4})));
        assertThat(Await.result(answer)).usingRecursiveComparison().isEqualTo(new Node.Answer.Given(200, new byte[] {4
        }));
    }

    @Test
    void a_daemon_that_does_not_do_the_work_any_more_but_is_still_known_is_not_asked_again_before_another() {
        Keeper next = new Keeper(kit);
        known(next, true);
        hand();
        Set<Keeper> asked = new HashSet<>();
        Await.until("both are asked", () -> {
            for (Keeper daemon : List.of(keeper, next)) {
                for (Handed.Ask ask = daemon.asked.poll(); ask != null; ask = daemon.asked.poll()) {
                    asked.add(daemon);
                    refuse(ask);
                }
            }
            time.timePasses(Duration.ofMillis(200));
            return asked.size() == 2;
        });
    }

    @Test
    void requests_that_wait_take_a_bounded_number_of_bytes() {
        hand();
        Node.Call longest = new Node.Call("shop", true, "", 7, new byte[Node.MAX_REQUEST_BYTES]);
        List<CompletableFuture<Node.Answer>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            answers.add(new CompletableFuture<>());
            asking.tell(new Asking.Hand(longest, answers.get(i)));
        }
        assertThat(Await.result(answers.get(7))).isEqualTo(new Node.Answer.NotBegun());
        assertThat(answers.subList(0, 7)).noneMatch(CompletableFuture::isDone);
        Await.until("they are asked", () -> keeper.asked.size() == 8);
        keeper.asked.forEach(ask -> ask.from().tell(Handed.Answered.of(ask.id(), new Node.Answer.Lost())));
        assertThat(Await.result(answers.get(6))).isEqualTo(new Node.Answer.Lost());
        CompletableFuture<Node.Answer> next = new CompletableFuture<>();
        asking.tell(new Asking.Hand(longest, next));
        Await.until("there is room again", () -> keeper.asked.size() == 9);
    }

    @Test
    void nothing_that_comes_over_the_network_means_that_a_call_was_not_begun() {
        CompletableFuture<Node.Answer> answer = hand();
        int asked = 0;
        while (!answer.isDone()) {
            if (!keeper.asked.isEmpty()) {
                asked++;
                refuse(keeper.asked.remove());
            }
            time.timePasses(Duration.ofMillis(200));
        }
        assertThat(Await.result(answer)).isEqualTo(new Node.Answer.Lost());
        assertThat(asked).isBetween(2, 45);
    }
}
