package org.chainwalletd.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLEngine;
import org.apache.pekko.actor.Cancellable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Single HTTP request and its answer on one connection. Runs entirely on the loop's thread.
 *
 * <p>The output is kept open until the answer has arrived, because a peer may treat a half-closed connection as a lost client.
 */
final class Exchange implements SocketLoop.Connection {
    /** Runs {@code work} after a delay, unless cancelled before; never on the caller's thread. */
    @FunctionalInterface
    interface TimeOuts {
        Cancellable after(Duration time, Runnable work);
    }

    /**
     * Resources shared by all exchanges.
     *
     * @param executor runs the long steps of TLS handshakes
     */
    record Resources(SocketLoop loop, TimeOuts timeOuts, Executor executor) {}

    /** Receives the answer, on the loop's thread. */
    interface Receiver extends HttpAnswerReader.Body {
        /** Returns whether more may be read now; if not, reading pauses until {@link Exchange#resume}. Called after each piece. */
        boolean wantsMore();

        /** Called when the body is complete. May throw {@link HttpAnswerReader.MalformedException}. */
        void complete();

        /** Called if there will be no complete answer. */
        void failed(NoAnswerException failure);

        /** Called once, after one of the other two, when the connection is closed. */
        void closed();

        /** Returns whether the deadline applies only to the head of the answer. */
        default boolean isStream() {
            return false;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    /** Maximum number of pieces read from one connection before other connections are served. */
    private static final int PIECES_AT_ONCE = 4;

    private static final int PIECE_BYTES = 64 * 1024;
    /** Piece size of streams, whose pieces are buffered until they are taken: the part of an answer that does not count against the budget. */
    private static final int STREAM_PIECE_BYTES = WholeBody.FREE_BYTES;

    private final Resources resources;
    private final SocketLoop loop;
    private final int port;
    private final ByteBuffer request;
    private final Receiver receiver;
    private final HttpAnswerReader reader;
    private final Duration deadline;
    private final Duration linger;

    private SSLEngine engine;
    private InetAddress[] addresses = {};
    private int nextAddress;
    private SocketChannel channel;
    private Wire wire;
    private int awaited;
    private Cancellable timer = Cancellable.alreadyCancelled();
    private Cancellable connecting = Cancellable.alreadyCancelled();
    private boolean sent;
    private boolean paused;
    private boolean answered;
    private boolean ended;

    /**
     * @param request head and body
     * @param deadline from the first step, connecting included, to the last byte of the answer, or of its head for a stream
     * @param linger time for the peer to close first after its answer
     */
    Exchange(Resources resources, int port, ByteBuffer request, Duration deadline, Duration linger, Receiver receiver) {
        this.resources = resources;
        this.loop = resources.loop();
        this.port = port;
        this.request = request;
        this.receiver = receiver;
        this.reader = new HttpAnswerReader(receiver);
        this.deadline = deadline;
        this.linger = linger;
    }

    /** Starts the deadline. */
    void begin() {
        timer = after(deadline, this::timedOut);
    }

    private Cancellable after(Duration time, Runnable work) {
        return resources.timeOuts().after(time, () -> {
            try {
                loop.execute(work);
            } catch (RejectedExecutionException e) {
                // The loop has ended, so nothing else uses this exchange.
                work.run();
            }
        });
    }

    /** Uses TLS. */
    void useTls(SSLEngine with) {
        engine = with;
    }

    /** Connects to the first address of {@code found} that accepts. */
    void connect(InetAddress[] found) {
        addresses = found;
        connectNext("no address");
    }

    void connectionFailed(String why) {
        fail(NoAnswerException.Kind.LOST, "cannot connect: " + why);
    }

    private void connectNext(String lastFailure) {
        if (ended) {
            return;
        }
        if (nextAddress == addresses.length) {
            connectionFailed(lastFailure);
            return;
        }
        int attempt = ++nextAddress;
        InetSocketAddress peer = new InetSocketAddress(addresses[attempt - 1], port);
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            // A connection to the same machine is established at once, although connect() does not report it yet.
            if (channel.connect(peer) || channel.finishConnect()) {
                connected();
                return;
            }
            await(SelectionKey.OP_CONNECT);
            if (attempt < addresses.length) {
                connecting = after(deadline.dividedBy(addresses.length), () -> tryNext(attempt));
            }
        } catch (IOException e) {
            connectFailed(e);
        }
    }

    /** Gives up on an unreachable address early enough to try the others. */
    private void tryNext(int attempt) {
        if (attempt == nextAddress && wire == null) {
            connectFailed(new IOException("no connection in time"));
        }
    }

    private void connectFailed(IOException failure) {
        connecting.cancel();
        closeChannel();
        connectNext(describe(failure));
    }

    @Override
    public void ready(SelectionKey key) {
        if (ended || !key.isValid()) {
            return;
        }
        if (!key.isConnectable()) {
            proceed(key.isReadable());
            return;
        }
        try {
            if (channel.finishConnect()) {
                connected();
            }
        } catch (IOException e) {
            connectFailed(e);
        }
    }

    private void connected() {
        connecting.cancel();
        wire = engine == null
                ? new Wire.Plain(loop, channel)
                : new TlsWire(loop, channel, engine, resources.executor(), () -> proceed(true));
        proceed(false);
    }

    /** Does all work that is possible now, and registers for the rest. */
    private void proceed(boolean mayRead) {
        if (ended) {
            return;
        }
        try {
            if (wire.open()) {
                sent = true;
                send();
                if (mayRead || wire.mayHoldMore()) {
                    receive();
                }
            }
            if (!ended) {
                await(wire.awaited(!paused, request.hasRemaining()));
            }
        } catch (HttpAnswerReader.MalformedException e) {
            fail(NoAnswerException.Kind.CUT, e.getMessage());
        } catch (IOException e) {
            lost(e);
        } catch (RuntimeException e) {
            // A bug must cost the caller only this call, and must not leave it without an outcome.
            fail(NoAnswerException.Kind.LOST, "the connection failed: " + e);
            throw e;
        }
    }

    private void await(int operations) throws IOException {
        if (awaited != operations) {
            awaited = operations;
            loop.register(channel, operations, this);
        }
    }

    private void send() {
        if (request.hasRemaining()) {
            try {
                wire.write(request);
            } catch (IOException e) {
                // The peer reads no more, but may still send its answer.
                request.position(request.limit());
            }
        }
    }

    private void receive() throws IOException {
        for (int pieces = 0; !paused && !ended; pieces++) {
            if (pieces == PIECES_AT_ONCE) {
                if (wire.mayHoldMore()) {
                    runOnLoop(() -> proceed(true));
                }
                return;
            }
            int count = wire.read(receiver.isStream() ? STREAM_PIECE_BYTES : PIECE_BYTES, this::take);
            if (count < 0) {
                peerClosed();
            }
            if (count <= 0) {
                return;
            }
        }
    }

    private void take(byte[] bytes, int length) {
        if (answered) {
            return;
        }
        boolean complete = reader.accept(bytes, length);
        if (receiver.isStream() && reader.hasHead()) {
            timer.cancel();
        }
        paused = !receiver.wantsMore();
        if (complete) {
            complete();
        }
    }

    /** Continues reading after a pause. Called by the receiver on any thread. */
    void resume() {
        runOnLoop(() -> {
            if (paused) {
                paused = false;
                proceed(true);
            }
        });
    }

    private void runOnLoop(Runnable work) {
        try {
            loop.execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("a connection was dropped together with all others: {}", e.getMessage());
        }
    }

    private void complete() {
        receiver.complete();
        answered = true;
        timer.cancel();
        if (linger.isZero()) {
            end();
        } else {
            timer = after(linger, this::end);
        }
    }

    private void peerClosed() {
        if (!answered && wire.isEndProven() && reader.end()) {
            complete();
        }
        if (answered) {
            end();
        } else {
            fail(
                    NoAnswerException.Kind.LOST,
                    reader.isEmpty()
                            ? "the connection was closed without an answer"
                            : "the connection was closed within the answer");
        }
    }

    private void lost(IOException failure) {
        fail(NoAnswerException.Kind.LOST, "the connection failed: " + describe(failure));
    }

    private void timedOut() {
        if (!(receiver.isStream() && reader.hasHead())) {
            fail(NoAnswerException.Kind.LATE, "no answer within " + deadline.toMillis() + " ms");
        }
    }

    @Override
    public void loopEnded() {
        fail(NoAnswerException.Kind.ENDED, "the connection was given up");
    }

    private void fail(NoAnswerException.Kind kind, String why) {
        if (!answered && !ended) {
            answered = true;
            receiver.failed(new NoAnswerException(kind, why, sent));
        }
        end();
    }

    /** Ends the exchange because the receiver wants no more. May be called on any thread; idempotent. */
    void abandon() {
        runOnLoop(() -> {
            answered = true;
            end();
        });
    }

    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        timer.cancel();
        connecting.cancel();
        if (wire != null) {
            wire.end();
        }
        closeChannel();
        receiver.closed();
    }

    private void closeChannel() {
        awaited = 0;
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // The channel is closed either way.
                channel = null;
            }
        }
    }

    private static String describe(IOException failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}
