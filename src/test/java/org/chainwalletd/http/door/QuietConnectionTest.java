package org.chainwalletd.http.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.ServerFixture;
import org.chainwalletd.net.ByteBudget;
import org.junit.jupiter.api.Test;

/** Connections that may be closed in favour of a new client, or after their keep-alive time: those without an answer due. */
class QuietConnectionTest {
    private final AtomicInteger closed = new AtomicInteger();
    private final Connection connection = connection();

    private Connection connection() {
        Connection made = new Connection(
                new InetSocketAddress("127.0.0.1", 1),
                ServerFixture.LIMITS,
                ByteBudget.of(Long.MAX_VALUE),
                new ConnectionClass.Threads(Attributes.none(), Runnable::run));
        made.ending().opened(closed::incrementAndGet, () -> {});
        return made;
    }

    private static long in(int seconds) {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    private boolean isQuiet(long now) {
        return connection.quietSince(now).isPresent();
    }

    @Test
    void one_that_has_said_nothing_or_a_part_of_a_request_is_quiet() {
        long now = in(5);
        assertThat(isQuiet(now)).isTrue();
        connection.bytesArrived();
        assertThat(isQuiet(now)).isTrue();
        assertThat(connection.quietSince(now).getAsLong()).isLessThan(now);

        assertThat(connection.giveWay(now)).isTrue();
        assertThat(closed).hasValue(1);
    }

    @Test
    void one_whose_request_is_in_work_is_not_and_is_once_it_is_answered() {
        connection.bytesArrived();
        connection.headArrived();
        connection.requestArrived();
        assertThat(isQuiet(in(600))).isFalse();
        assertThat(connection.giveWay(in(600))).isFalse();
        assertThat(closed).hasValue(0);

        connection.answered();
        connection.writeStarted();
        assertThat(isQuiet(System.nanoTime())).as("its answer goes out").isFalse();
        connection.writeDone();
        assertThat(isQuiet(in(0))).isTrue();
    }

    @Test
    void one_whose_client_waits_for_the_answer_to_its_last_request_is_not() {
        connection.bytesArrived();
        connection.requestArrived();
        connection.peerClosed();
        assertThat(isQuiet(in(600))).isFalse();
    }

    @Test
    void one_that_streams_is_not() {
        connection.bytesArrived();
        connection.requestArrived();
        connection.streamBegan();
        connection.answered();
        assertThat(isQuiet(in(600))).isFalse();

        connection.streamEnded();
        assertThat(isQuiet(in(0))).isTrue();
    }

    @Test
    void one_whose_client_takes_no_more_of_its_answer_or_does_not_close_is_as_good_as_idle() {
        connection.writeStarted();
        assertThat(isQuiet(System.nanoTime())).isFalse();
        assertThat(isQuiet(in(5))).isTrue();
        connection.writeDone();

        connection.outputEnded();
        assertThat(isQuiet(System.nanoTime())).isFalse();
        assertThat(isQuiet(in(5))).isTrue();
    }

    @Test
    void a_client_that_makes_the_daemon_hold_too_much_is_told_nothing_in_the_middle_of_an_answer() {
        assertThat(connection.isClients()).isTrue();
        connection.bytesArrived();
        connection.requestArrived();
        connection.whenWritten(() -> {});
        connection.answered();
        assertThat(connection.isClients()).as("before its first piece").isFalse();

        connection.answerGoesOut(ByteString.fromString("HTTP/1.1 200 OK"));
        connection.writeStarted();
        connection.writeDone();
        assertThat(connection.isClients()).as("between two pieces").isFalse();
        assertThat(connection.quietSince(System.nanoTime()))
                .as("between two pieces")
                .isEmpty();

        connection.lastPiece();
        connection.answerGoesOut(ByteString.fromString("the end"));
        connection.writeStarted();
        connection.writeDone();
        assertThat(connection.isClients()).isTrue();

        connection.streamBegan();
        assertThat(connection.isClients()).as("between two events").isFalse();
        connection.streamEnded();
        assertThat(connection.isClients()).isTrue();
    }

    @Test
    void one_with_work_that_only_the_layer_above_knows_of_is_not() {
        isBelowStreams(new AtomicBoolean(true));
        assertThat(isQuiet(in(600))).isFalse();
    }

    @Test
    void the_keep_alive_of_one_whose_answer_is_read_piece_by_piece_begins_when_it_is_written() {
        answerBegins();
        assertThat(connection.closeIfLate(in(600))).isEmpty();

        answerEnds();
        assertThat(connection.closeIfLate(in(650))).isEmpty();
        assertThat(connection.closeIfLate(in(661))).contains("idle");
    }

    @Test
    void the_time_of_a_request_sent_early_begins_when_the_answer_before_it_is_written() {
        answerBegins();
        connection.bytesArrived();
        assertThat(connection.closeIfLate(in(600))).isEmpty();

        answerEnds();
        assertThat(connection.closeIfLate(in(619))).isEmpty();
        assertThat(connection.closeIfLate(in(621))).contains("request");
    }

    @Test
    void the_keep_alive_of_one_with_streams_begins_when_the_last_has_ended() {
        AtomicBoolean atWork = new AtomicBoolean(true);
        isBelowStreams(atWork);
        connection.speaksHttp2();
        connection.requestArrived();
        connection.answered();
        assertThat(connection.closeIfLate(in(600))).isEmpty();

        atWork.set(false);
        assertThat(connection.closeIfLate(in(650))).isEmpty();
        assertThat(connection.closeIfLate(in(661))).contains("idle");
    }

    /** Lets the client read the first piece of an answer. */
    private void answerBegins() {
        connection.bytesArrived();
        connection.requestArrived();
        connection.whenWritten(() -> {});
        connection.answered();
        pieceGoesOut();
    }

    private void answerEnds() {
        connection.lastPiece();
        pieceGoesOut();
    }

    private void pieceGoesOut() {
        connection.answerGoesOut(ByteString.fromString("a piece"));
        connection.writeStarted();
        connection.writeDone();
    }

    private void isBelowStreams(AtomicBoolean atWork) {
        connection.isBelow(new Connection.Above() {
            @Override
            public Optional<String> late(long now) {
                return Optional.empty();
            }

            @Override
            public boolean atWork() {
                return atWork.get();
            }
        });
    }
}
