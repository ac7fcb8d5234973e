package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.http.h1.RequestGate;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that always have work do not delay new input of others. */
@Timeout(120)
class ConnectionClassTest {
    private static final int FLOODING = 16;
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.load());
    private final ExecutorService elsewhere = Executors.newSingleThreadExecutor();
    private volatile boolean over;

    @AfterEach
    void stop() {
        over = true;
        kit.shutdownTestKit();
        elsewhere.shutdown();
    }

    /** Work that submits further work as long as the test lasts. */
    private final class Endless implements Runnable {
        private final Executor executor;

        Endless(Executor executor) {
            this.executor = executor;
        }

        @Override
        public void run() {
            if (!over) {
                // Takes longer than its submission, so that the queue is never empty.
                work();
                executor.execute(this);
            }
        }
    }

    private static void work() {
        Hash256 digest = Hash256.ZERO;
        for (int i = 0; i < 20; i++) {
            digest = Hash256.sha256(digest.toArray());
        }
    }

    @ParameterizedTest
    @EnumSource
    void work_without_end_in_the_queue_leaves_others_their_turns(ConnectionClass kind) {
        ConnectionClass.Threads threads = kind.threads(kit.system()).behind(elsewhere);
        for (int i = 0; i < FLOODING; i++) {
            threads.executor().execute(new Endless(threads.inQueue()));
        }

        for (int i = 0; i < 20; i++) {
            CountDownLatch done = new CountDownLatch(1);
            threads.executor().execute(done::countDown);
            Await.opened(done);
        }
    }

    private static Connection connection(Queue<Runnable> row) {
        return new Connection(
                new InetSocketAddress("127.0.0.1", 1),
                ServerFixture.LIMITS,
                ByteBudget.of(Long.MAX_VALUE),
                new ConnectionClass.Threads(Attributes.none(), Runnable::run, row::add));
    }

    @Test
    void a_request_that_was_sent_ahead_goes_to_the_end_of_the_queue() {
        LinkedBlockingDeque<Runnable> row = new LinkedBlockingDeque<>();
        Connection connection = connection(row);
        List<String> let = new CopyOnWriteArrayList<>();
        Flow<ByteString, ByteString, ?> http = Flow.<ByteString>create().map(request -> {
            let.add(request.utf8String());
            return request;
        });
        Source.single(ByteString.fromString(REQUEST.repeat(3)))
                .concat(Source.maybe())
                .via(BidiFlow.fromGraph(new RequestGate(connection)).join(http))
                .runWith(Sink.ignore(), SystemMaterializer.get(kit.system()).materializer());

        for (int request = 1; request <= 2; request++) {
            Runnable turn = next(row);
            assertThat(let).hasSize(request).containsOnly(REQUEST);
            assertThat(row).isEmpty();
            turn.run();
        }
        Await.until("the last one is let through", () -> let.size() == 3);
        assertThat(row).isEmpty();
    }

    @Test
    void a_piece_that_came_before_it_was_asked_for_goes_to_the_end_of_the_queue() {
        LinkedBlockingDeque<Runnable> row = new LinkedBlockingDeque<>();
        Connection connection = connection(row);
        List<String> handedOver = new CopyOnWriteArrayList<>();
        Flow<ByteString, ByteString, ?> slow = Flow.<ByteString>create().map(piece -> {
            handedOver.add(piece.utf8String());
            return piece;
        });
        Source.from(List.of("a", "b", "c"))
                .map(ByteString::fromString)
                .concat(Source.maybe())
                .via(BidiFlow.fromGraph(new ConnectionGuard(connection)).join(slow))
                .runWith(Sink.ignore(), SystemMaterializer.get(kit.system()).materializer());

        Await.until("all have come", () -> {
            Optional.ofNullable(row.poll()).ifPresent(Runnable::run);
            return handedOver.size() == 3;
        });
        assertThat(handedOver).containsExactly("a", "b", "c");
    }

    private static Runnable next(LinkedBlockingDeque<Runnable> row) {
        try {
            Runnable turn = row.poll(60, TimeUnit.SECONDS);
            assertThat(turn).as("somebody waits for a turn").isNotNull();
            return turn;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
