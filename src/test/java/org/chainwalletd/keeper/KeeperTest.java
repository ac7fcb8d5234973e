package org.chainwalletd.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Background work stops after all its earlier messages, and starts again under the same actor reference. */
@Timeout(120)
class KeeperTest {
    @AutoClose("shutdownTestKit")
    private final ActorTestKit kit = ActorTestKit.create();

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger lives = new AtomicInteger();
    private ActorRef<?> root;
    private final Spawner spawner = new Spawner() {
        @Override
        public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
            ActorRef<T> actor = kit.spawn(behavior, name);
            root = actor;
            return actor;
        }
    };
    private final Keeper keeper = Keeper.under(spawner);

    private Behavior<String> work(String name) {
        return Behaviors.setup(context -> {
            int life = lives.incrementAndGet();
            events.add(name + " begins");
            return Behaviors.receive(String.class)
                    .onMessageEquals("end", Behaviors::stopped)
                    .onAnyMessage(message -> {
                        events.add(name + " " + life + " " + message);
                        return Behaviors.same();
                    })
                    .onSignal(PostStop.class, signal -> {
                        events.add(name + " ends");
                        return Behaviors.same();
                    })
                    .build();
        });
    }

    private ActorRef<String> begin(String name) {
        return keeper.begin(name, work(name), message -> events.add(name + " refuses " + message));
    }

    @Test
    void another_actor_answers_while_the_work_is_stopped_and_neither_runs_beside_the_other() {
        ActorRef<String> address = keeper.begin("work", work("work"), work("stand-in"));
        address.tell("early");
        keeper.start();
        address.tell("one");
        keeper.stop();
        address.tell("two");
        keeper.start();
        address.tell("three");
        Await.until("it is done", () -> events.contains("work 4 three"));

        assertThat(events)
                .containsExactly(
                        "stand-in begins",
                        "stand-in 1 early",
                        "stand-in ends",
                        "work begins",
                        "work 2 one",
                        "work ends",
                        "stand-in begins",
                        "stand-in 3 two",
                        "stand-in ends",
                        "work begins",
                        "work 4 three");
    }

    @Test
    void work_has_one_address_in_all_its_runs_and_somebody_answers_between_them() {
        ActorRef<String> work = begin("work");
        work.tell("early");
        Await.until("it is refused", () -> events.contains("work refuses early"));
        keeper.start();
        work.tell("one");
        keeper.stop();
        work.tell("two");
        Await.until("it is refused", () -> events.contains("work refuses two"));
        keeper.start();
        work.tell("three");
        Await.until("it is done", () -> events.contains("work 2 three"));

        assertThat(events)
                .containsExactly(
                        "work refuses early",
                        "work begins",
                        "work 1 one",
                        "work ends",
                        "work refuses two",
                        "work begins",
                        "work 2 three");
    }

    @Test
    void it_ends_after_all_that_it_was_told_before() {
        CountDownLatch gate = new CountDownLatch(1);
        ActorRef<String> slow = keeper.begin(
                "slow",
                Behaviors.receiveMessage(message -> {
                    Await.opened(gate);
                    events.add(message);
                    return Behaviors.same();
                }),
                message -> events.add("refused " + message));
        keeper.start();
        for (int i = 0; i < 100; i++) {
            slow.tell("told " + i);
        }
        gate.countDown();
        keeper.stop();

        assertThat(events).hasSize(100).doesNotHaveDuplicates().allMatch(event -> event.startsWith("told"));
    }

    @Test
    void work_starts_in_its_order_and_stops_in_the_opposite_one() {
        add("first");
        begin("actor");
        add("second");
        keeper.start();
        keeper.start();
        assertThat(keeper.isRunning()).isTrue();
        assertThat(keeper.answers(Duration.ofMinutes(1))).isTrue();
        keeper.stop();
        keeper.stop();

        assertThat(keeper.isRunning()).isFalse();
        assertThat(events)
                .containsSubsequence("first begins", "actor begins", "first ends")
                .containsSubsequence("first begins", "second begins", "second ends", "actor ends", "first ends")
                .hasSize(6);
    }

    /** It may have started, so it is stopped with the work started before it. */
    @Test
    void work_that_cannot_begin_now_is_stopped_with_what_runs_already_and_can_begin_later() {
        AtomicBoolean isAway = new AtomicBoolean(true);
        add("first");
        keeper.add("second", () -> reached("second begins", isAway.get()), () -> noted("second ends"));
        add("third");

        assertThatThrownBy(keeper::start).isInstanceOf(StoreException.class).hasMessageContaining("second");
        assertThat(keeper.isRunning()).isFalse();
        keeper.stop();
        assertThat(events).containsExactly("first begins", "second ends", "first ends");
        isAway.set(false);
        keeper.start();
        assertThat(keeper.isRunning()).isTrue();
        assertThat(events).endsWith("first begins", "second begins", "third begins");
    }

    /** A connection to the database may be half open, and waiting for it is no reason to end. */
    @Test
    void work_that_does_not_begin_in_time_is_the_failure_of_a_store_and_is_stopped() {
        Keeper impatient = Keeper.under(spawner, Duration.ofMillis(1));
        impatient.add("books", CompletableFuture::new, () -> noted("books end"));

        assertThatThrownBy(impatient::start)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.reason()).isEqualTo(StoreException.Reason.BUSY))
                .hasMessageContaining("books does not switch within");
        impatient.stop();
        assertThat(events).containsExactly("books end");
    }

    @Test
    void work_that_cannot_be_stopped_now_is_stopped_later_and_what_was_stopped_is_not_stopped_again() {
        AtomicBoolean isAway = new AtomicBoolean(true);
        add("first");
        keeper.add("second", () -> noted("second begins"), () -> reached("second ends", isAway.get()));
        add("third");
        keeper.start();
        events.clear();

        assertThatThrownBy(keeper::stop).isInstanceOf(StoreException.class).hasMessageContaining("second");
        assertThat(keeper.isRunning()).isFalse();
        assertThat(events).containsExactly("third ends");
        isAway.set(false);
        keeper.stop();
        assertThat(events).containsExactly("third ends", "second ends", "first ends");
    }

    private CompletionStage<Void> reached(String event, boolean isAway) {
        return isAway
                ? CompletableFuture.failedFuture(
                        new StoreException(StoreException.Reason.UNAVAILABLE, "the database is away", null))
                : noted(event);
    }

    /** Adds work that is not an actor. */
    private void add(String name) {
        keeper.add(name, () -> noted(name + " begins"), () -> noted(name + " ends"));
    }

    private CompletionStage<Void> noted(String event) {
        events.add(event);
        return CompletableFuture.completedFuture(null);
    }

    @Test
    void work_that_ends_by_itself_takes_the_keeper_with_it() {
        ActorRef<String> work = begin("work");
        TestProbe<Object> probe = kit.createTestProbe();
        keeper.start();

        work.tell("end");

        probe.expectTerminated(root);
    }

    @Test
    void work_that_hangs_does_not_answer() {
        CompletableFuture<Void> hanging = new CompletableFuture<>();
        ActorRef<String> work = keeper.begin(
                "hanging",
                Behaviors.receiveMessage(message -> {
                    Await.result(hanging);
                    return Behaviors.same();
                }),
                message -> {});
        begin("other");
        assertThat(keeper.answers(Duration.ofMinutes(1))).as("nothing runs").isTrue();
        keeper.start();
        assertThat(keeper.answers(Duration.ofMinutes(1))).isTrue();
        work.tell("hang");
        assertThat(keeper.answers(Duration.ofMillis(100))).isFalse();
        hanging.complete(null);
        assertThat(keeper.answers(Duration.ofMinutes(1))).isTrue();
    }
}
