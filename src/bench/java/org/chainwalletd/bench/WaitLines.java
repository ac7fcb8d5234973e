package org.chainwalletd.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Many connections of HTTP/1.1 on one thread, each with at most one request at a time. What they hold themselves is next to nothing. */
final class WaitLines implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Whether the answer has come. */
    private static final class Line {
        private boolean answered;
    }

    private final InetSocketAddress target;
    private final String token;
    private final Selector selector = Selector.open();
    private final List<SelectionKey> keys = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
    private int answered;

    WaitLines(InetSocketAddress target, String token) throws IOException {
        this.target = target;
        this.token = token;
    }

    int size() {
        return keys.size();
    }

    /** Opens more connections. */
    void open(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open();
            channel.connect(target);
            channel.configureBlocking(false);
            keys.add(channel.register(selector, SelectionKey.OP_READ, new Line()));
        }
    }

    /** Sends a request on each of the connections {@code from} to {@code to}, the latter excluded. */
    void ask(int from, int to, IntFunction<String> body) throws IOException {
        for (int i = from; i < to; i++) {
            Line line = (Line) keys.get(i).attachment();
            answered -= line.answered ? 1 : 0;
            line.answered = false;
            String text = body.apply(i);
            ByteBuffer request = ByteBuffer.wrap(("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                            + "\r\nContent-Type: application/json\r\nContent-Length: " + text.length()
                            + "\r\n\r\n" + text)
                    .getBytes(StandardCharsets.US_ASCII));
            while (request.hasRemaining()) {
                ((SocketChannel) keys.get(i).channel()).write(request);
            }
        }
    }

    /** Waits until so many connections have their answer. */
    void awaitAnswers(int count) throws IOException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (answered < count) {
            selector.select(this::read, 100);
            if (System.nanoTime() > end) {
                throw new IOException(answered + " of " + count + " answers after a minute");
            }
        }
    }

    private void read(SelectionKey key) {
        try {
            buffer.clear();
            int count = ((SocketChannel) key.channel()).read(buffer);
            if (count < 0) {
                throw new IllegalStateException("the daemon closed a connection");
            }
            Line line = (Line) key.attachment();
            // A short answer comes in one piece, or head and body apart.
            if (!line.answered && count > 0 && buffer.get(count - 1) == '}') {
                line.answered = true;
                answered++;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Closes every connection; none can be opened any more. */
    void hangUp() throws IOException {
        for (SelectionKey key : keys) {
            key.channel().close();
        }
        selector.close();
    }

    @Override
    public void close() throws IOException {
        hangUp();
    }
}
