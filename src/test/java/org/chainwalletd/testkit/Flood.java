package org.chainwalletd.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many connections from one address of this machine that send as much as they may and read nothing. Connections that are closed by the target are
 * opened again. Runs on a single thread, in a test or in a separate process ({@link #main}).
 */
public final class Flood implements AutoCloseable {
    /** Length of a body that is sent except for its last byte: the longest accepted by default. */
    private static final int BODY = 2 << 20;

    private static final int CHUNK = 1 << 20;
    /** Length of a head, below the longest accepted by default. */
    private static final int HEAD = 31 << 10;

    private static final int OPENED_AT_ONCE = 64;
    private static final int PIECE = 64 << 10;
    private static final int STREAMS = 100;
    private static final long DRIP_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Data that each connection sends. */
    public enum Kind {
        /** Head of many short fields that does not end. */
        HEADS,
        /** Head of consecutive fields, each as long as the whole head may be. */
        LONG_FIELDS,
        /** Body without its last byte. */
        BODIES,
        /** Chunk without its last byte. */
        CHUNKS,
        /** Body in chunks of one byte that does not end. */
        TINY_CHUNKS,
        /** Consecutive small calls whose answers are not read. */
        PIPELINED,
        /** Batches whose answers have the maximum length and are not read. */
        ANSWERS,
        /** Consecutive bodies of JSON that consists only of brackets. */
        TREES,
        /** A hundred HTTP/2 streams with calls whose answers have no flow-control window. */
        HTTP2,
        /** Beginning of a TLS handshake, one byte per second. */
        TLS_SLOW,
        /** Connections that are closed after one byte and replaced by new ones. */
        CHURN;

        public static Kind of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * Data to send.
     *
     * @param once bytes that are sent first
     * @param again bytes that are sent repeatedly afterwards; empty: the connection is only kept open
     */
    private record Script(byte[] once, byte[] again, boolean dripping, boolean closing) {
        static Script held(byte[] once) {
            return new Script(once, new byte[0], false, false);
        }

        /** Many at once, because small packets would keep the operating system busy instead of the target. */
        static Script endless(String again) {
            String some = again.repeat(Math.max(1, PIECE / again.length()));
            return new Script(new byte[0], ascii(some), false, false);
        }
    }

    /** State of one connection. */
    private final class Line {
        private ByteBuffer left = ByteBuffer.wrap(script.once());
        private long nextByte = System.nanoTime();

        /** Sends the next bytes; returns false if there is nothing to send now. */
        boolean send(SocketChannel channel) throws IOException {
            int room = PIECE;
            while (room > 0) {
                if (!left.hasRemaining()) {
                    if (script.again().length == 0) {
                        return false;
                    }
                    left = ByteBuffer.wrap(script.again());
                }
                ByteBuffer piece = left.slice();
                piece.limit(Math.min(room, piece.remaining()));
                int written = channel.write(piece);
                left.position(left.position() + written);
                sent.addAndGet(written);
                room -= written;
                if (written == 0) {
                    return true;
                }
            }
            return true;
        }

        void drip(SocketChannel channel, long now) throws IOException {
            if (now >= nextByte && left.hasRemaining()) {
                ByteBuffer one = left.slice();
                one.limit(1);
                left.position(left.position() + channel.write(one));
                nextByte = now + DRIP_NANOS;
            }
        }
    }

    private final InetSocketAddress target;
    private final InetSocketAddress source;
    private final int connections;
    private final Script script;
    private final Selector selector = Selector.open();
    private final Thread thread = new Thread(this::run, "flood");
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicLong sent = new AtomicLong();
    private volatile boolean ended;

    /**
     * Starts a flood.
     *
     * @param from an address of this machine; on Linux any of 127.0.0.0/8
     * @param connections number of concurrent connections
     * @param token of any scope; for kinds whose requests are read to their end
     */
    public Flood(InetSocketAddress target, String from, int connections, Kind kind, String token) throws IOException {
        this.target = target;
        this.source = new InetSocketAddress(from, 0);
        this.connections = connections;
        this.script = script(kind, token);
        thread.setDaemon(true);
        thread.start();
    }

    /** Arguments: host, port, own address, connections, kind, token, seconds. */
    public static void main(String[] words) throws IOException, InterruptedException {
        InetSocketAddress target = new InetSocketAddress(words[0], Integer.parseInt(words[1]));
        try (Flood flood = new Flood(target, words[2], Integer.parseInt(words[3]), Kind.of(words[4]), words[5])) {
            flood.thread.join(TimeUnit.SECONDS.toMillis(Long.parseLong(words[6])));
            System.out.println(flood);
        }
    }

    /** Returns the number of established connections. */
    public int open() {
        return open.get();
    }

    /** Returns the number of connections established so far; those above the number of lines were closed by the target and opened again. */
    public int opened() {
        return opened.get();
    }

    /** Returns the number of bytes sent so far. */
    public long sent() {
        return sent.get();
    }

    @Override
    public String toString() {
        return "open " + open() + ", opened " + opened() + ", sent " + sent() / 1_000_000 + " MB";
    }

    private void run() {
        try {
            while (!ended) {
                openMore();
                selector.select(this::ready, 20);
                if (script.dripping()) {
                    selector.keys().forEach(this::drip);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void openMore() {
        int missing = Math.min(OPENED_AT_ONCE, connections - selector.keys().size());
        for (int i = 0; i < missing; i++) {
            try {
                SocketChannel channel = SocketChannel.open();
                // The kernel accepts little data while nothing is read.
                channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
                // Socket memory is shared by the whole machine, including the target: over the loopback interface each
                // connection would get more than 1 MiB for unread data, and when socket memory is short the kernel
                // drops anybody's data.
                channel.setOption(StandardSocketOptions.SO_SNDBUF, 64 << 10);
                channel.configureBlocking(false);
                channel.bind(source);
                channel.connect(target);
                channel.register(selector, SelectionKey.OP_CONNECT, new Line());
            } catch (IOException e) {
                // No port or file descriptor is left; try again later.
                return;
            }
        }
    }

    private void ready(SelectionKey key) {
        SocketChannel channel = (SocketChannel) key.channel();
        try {
            if (key.isConnectable()) {
                channel.finishConnect();
                open.incrementAndGet();
                opened.incrementAndGet();
                key.interestOps(script.dripping() ? SelectionKey.OP_READ : SelectionKey.OP_WRITE);
            } else if (key.isReadable()) {
                // Reads only if there is nothing more to send, to detect the end of the connection.
                if (channel.read(ByteBuffer.allocate(4096)) < 0) {
                    drop(key);
                }
            } else if (!((Line) key.attachment()).send(channel)) {
                if (script.closing()) {
                    drop(key);
                } else {
                    key.interestOps(SelectionKey.OP_READ);
                }
            }
        } catch (IOException e) {
            drop(key);
        }
    }

    private void drip(SelectionKey key) {
        if (key.isValid() && (key.interestOps() & SelectionKey.OP_READ) != 0) {
            try {
                ((Line) key.attachment()).drip((SocketChannel) key.channel(), System.nanoTime());
            } catch (IOException e) {
                drop(key);
            }
        }
    }

    private void drop(SelectionKey key) {
        if (key.isValid() && key.interestOps() != SelectionKey.OP_CONNECT) {
            open.decrementAndGet();
        }
        key.cancel();
        try {
            key.channel().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        ended = true;
        selector.wakeup();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Script script(Kind kind, String token) {
        return switch (kind) {
            case HEADS -> Script.held(ascii(startOfHead() + "a:b\r\n".repeat((HEAD - 60) / 5)));
            case LONG_FIELDS -> Script.held(ascii(startOfHead() + ("x: " + "y".repeat(8 << 10) + "\r\n").repeat(62)));
            case BODIES -> Script.held(ascii(head(token, "Content-Length: " + BODY) + " ".repeat(BODY - 1)));
            case CHUNKS ->
                Script.held(ascii(head(token, "Transfer-Encoding: chunked")
                        + Integer.toHexString(CHUNK)
                        + "\r\n"
                        + " ".repeat(CHUNK - 1)));
            case TINY_CHUNKS -> {
                String some = "1\r\nx\r\n".repeat(PIECE / 6);
                yield new Script(ascii(head(token, "Transfer-Encoding: chunked")), ascii(some), false, false);
            }
            case PIPELINED -> Script.endless(post(token, call("ping")));
            case ANSWERS ->
                Script.endless(post(token, "[" + (call("rpc.discover") + ",").repeat(99) + call("rpc.discover") + "]"));
            case TREES -> Script.endless(post(token, "[" + "[],".repeat(200_000) + "[]]"));
            case HTTP2 -> Script.held(streams(token));
            case TLS_SLOW -> new Script(hello(), new byte[0], true, false);
            case CHURN -> new Script(ascii("P"), new byte[0], false, true);
        };
    }

    private static String startOfHead() {
        return "POST / HTTP/1.1\r\nHost: localhost\r\n";
    }

    private static String head(String token, String framing) {
        return startOfHead() + "Authorization: Bearer " + token + "\r\nContent-Type: application/json\r\n" + framing
                + "\r\n\r\n";
    }

    private static String post(String token, String body) {
        return head(token, "Content-Length: " + body.length()) + body;
    }

    private static String call(String method) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"id\":1}";
    }

    /** Returns the first bytes of a handshake message that announces 512 (RFC 8446, section 5.1). */
    private static byte[] hello() {
        byte[] bytes = new byte[517];
        byte[] start = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3};
        System.arraycopy(start, 0, bytes, 0, start.length);
        return bytes;
    }

    /** Returns a preface, no window for answers, and calls on as many streams as a client may open (RFC 9113). */
    private static byte[] streams(String token) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
        frame(out, 4, 0, 0, new byte[] {0, 4, 0, 0, 0, 0});
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        field(block, ":method", "POST");
        field(block, ":scheme", "http");
        field(block, ":path", "/");
        field(block, ":authority", "localhost");
        field(block, "authorization", "Bearer " + token);
        field(block, "content-type", "application/json");
        for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
            frame(out, 1, 4, stream, block.toByteArray());
            frame(out, 0, 1, stream, ascii(call("rpc.discover")));
        }
        return out.toByteArray();
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        out.writeBytes(ByteBuffer.allocate(9)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
        out.writeBytes(payload);
    }

    /** Writes a literal field without indexing, with a new name (RFC 7541, section 6.2.2); both are shorter than 127. */
    private static void field(ByteArrayOutputStream out, String name, String value) {
        out.write(0);
        out.write(name.length());
        out.writeBytes(ascii(name));
        out.write(value.length());
        out.writeBytes(ascii(value));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
