package org.chainwalletd.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.apache.pekko.actor.Cancellable;

/**
 * One request and its answer over one socket. All of it happens on the loop's thread.
 *
 * <p>The request side is kept open until the answer is there, because a peer may take a half-closed connection for a lost caller.
 */
final class PlainExchange implements SocketLoop.Connection {
    private final SocketLoop loop;
    private final TimeOuts timeOuts;
    private final int port;
    private final ByteBuffer request;
    private final HttpAnswerReader reader;
    private final ExchangeListener listener;
    private final Duration deadline;

    private InetAddress[] addresses = {};
    private int nextAddress;
    private SocketChannel channel;
    private Cancellable timer;
    private boolean sent;
    private boolean answered;
    private boolean lingering;
    private boolean ended;

    /**
     * @param request head and body
     */
    PlainExchange(
            SocketLoop loop,
            TimeOuts timeOuts,
            int port,
            byte[] request,
            ExchangeLimits limits,
            ExchangeListener listener) {
        this.loop = loop;
        this.timeOuts = timeOuts;
        this.port = port;
        this.request = ByteBuffer.wrap(request);
        this.reader = new HttpAnswerReader(limits);
        this.deadline = limits.deadline();
        this.listener = listener;
    }

    /** From now on the time runs. */
    void begin() {
        timer = timeOuts.after(deadline, () -> loop.execute(this::timedOut));
    }

    /** Connects to the first of {@code found} that lets us. */
    void connect(InetAddress[] found) {
        addresses = found;
        connectNext("no address");
    }

    void noConnection(String why) {
        fail("cannot connect: " + why);
    }

    private void connectNext(String lastFailure) {
        if (ended) {
            return;
        }
        if (nextAddress == addresses.length) {
            noConnection(lastFailure);
            return;
        }
        InetSocketAddress peer = new InetSocketAddress(addresses[nextAddress++], port);
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            // On the same machine the connection is there as soon as it has been asked for, though connect does not say
            // so yet.
            if (channel.connect(peer) || channel.finishConnect()) {
                connected();
            } else {
                loop.register(channel, SelectionKey.OP_CONNECT, this);
            }
        } catch (IOException e) {
            connectFailed(e);
        }
    }

    private void connectFailed(IOException failure) {
        closeChannel();
        connectNext(words(failure));
    }

    @Override
    public void ready(SelectionKey key) {
        if (ended || !key.isValid()) {
            return;
        }
        if (key.isConnectable()) {
            finishConnect();
            return;
        }
        if (key.isWritable()) {
            send();
        }
        if (!ended && key.isValid() && key.isReadable()) {
            receive();
        }
    }

    private void finishConnect() {
        try {
            if (channel.finishConnect()) {
                connected();
            }
        } catch (IOException e) {
            connectFailed(e);
        }
    }

    private void connected() {
        sent = true;
        send();
    }

    private void send() {
        boolean complete;
        try {
            channel.write(request);
            complete = !request.hasRemaining();
        } catch (IOException e) {
            // The peer reads no more, but its answer may still come.
            complete = true;
        }
        try {
            loop.register(
                    channel, complete ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE, this);
        } catch (IOException e) {
            lost(e);
        }
    }

    private void receive() {
        try {
            int count;
            do {
                count = loop.read(channel, this::take);
            } while (count > 0 && !ended);
            if (count < 0) {
                peerClosed();
            } else if (answered && !lingering) {
                linger();
            }
        } catch (HttpAnswerReader.MalformedException e) {
            fail(e.getMessage(), true);
        } catch (IOException e) {
            lost(e);
        }
    }

    private void take(byte[] bytes, int length) {
        if (!answered && reader.accept(bytes, length)) {
            complete();
        }
    }

    private void complete() {
        HttpAnswer whole = reader.answer();
        answered = true;
        timer.cancel();
        listener.answered(whole);
    }

    private void linger() {
        lingering = true;
        timer = timeOuts.after(HttpPeer.LINGER, () -> loop.execute(this::end));
    }

    private void peerClosed() {
        if (!answered && reader.end()) {
            complete();
        }
        if (answered) {
            end();
        } else {
            fail(
                    reader.isEmpty()
                            ? "the connection was closed without an answer"
                            : "the connection was closed within the answer");
        }
    }

    private void lost(IOException failure) {
        fail("the connection failed: " + words(failure));
    }

    private void timedOut() {
        fail("no answer within " + deadline.toMillis() + " ms");
    }

    @Override
    public void loopEnded() {
        fail("the connection was given up");
    }

    private void fail(String why) {
        fail(why, false);
    }

    private void fail(String why, boolean cut) {
        if (!answered && !ended) {
            reader.drop();
            listener.failed(new NoAnswerException(why, sent, cut));
        }
        end();
    }

    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        timer.cancel();
        closeChannel();
        listener.closed();
    }

    private void closeChannel() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // It is gone either way.
                channel = null;
            }
        }
    }

    private static String words(IOException failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}
