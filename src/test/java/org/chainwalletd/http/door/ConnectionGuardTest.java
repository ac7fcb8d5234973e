package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

class ConnectionGuardTest {
    private final ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "guard-test");
    private final Connection connection = new Connection(
            new InetSocketAddress("127.0.0.1", 1),
            ServerFixture.LIMITS,
            ByteBudget.of(Long.MAX_VALUE),
            new ConnectionClass.Threads(Attributes.none(), Runnable::run));
    private final Socket socket = new Socket();

    @AfterEach
    void stop() {
        system.terminate();
        Await.result(system.getWhenTerminated());
    }

    @Test
    void a_client_is_late_with_closing_only_after_the_last_piece_is_written() {
        connection.bytesArrived();
        connection.requestArrived();
        connection.answered();
        Subscription written = serve(ByteString.fromString("the last piece"));

        assertThat(connection.closeIfLate(in(6))).isEmpty();
        assertThat(connection.closeIfLate(in(21))).contains("reading");
        assertThat(socket.ended).isNotDone();

        written.request(1);
        Await.result(socket.ended);
        assertThat(connection.closeIfLate(in(4))).isEmpty();
        assertThat(connection.closeIfLate(in(6))).contains("closing");
    }

    /** Writes {@code answer} and ends the output; returns when the socket has received it, and requests no more. */
    private Subscription serve(ByteString answer) {
        AtomicReference<CompletionStage<Done>> ended = new AtomicReference<>();
        Source<ByteString, NotUsed> app = Source.single(answer).watchTermination((none, done) -> {
            ended.set(done);
            return none;
        });
        Source.<ByteString>maybe()
                .via(BidiFlow.fromGraph(new ConnectionGuard(connection))
                        .join(Flow.fromSinkAndSource(Sink.ignore(), app)))
                .to(Sink.fromSubscriber(socket))
                .run(system);
        Subscription subscription = Await.result(socket.subscribed);
        subscription.request(1);
        Await.result(socket.received);
        Await.result(ended.get());
        return subscription;
    }

    private static long in(int seconds) {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Socket that accepts a piece on request. */
    private static final class Socket implements Subscriber<ByteString> {
        private final CompletableFuture<Subscription> subscribed = new CompletableFuture<>();
        private final CompletableFuture<ByteString> received = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        @Override
        public void onSubscribe(Subscription subscription) {
            subscribed.complete(subscription);
        }

        @Override
        public void onNext(ByteString bytes) {
            received.complete(bytes);
        }

        @Override
        public void onError(Throwable failure) {
            ended.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            ended.complete(null);
        }
    }
}
