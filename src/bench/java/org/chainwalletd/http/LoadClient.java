package org.chainwalletd.http;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A closed loop over keep-alive connections on one thread: each connection sends the same request again as soon as its answer is complete.
 * No pipelining.
 */
public final class LoadClient implements AutoCloseable {
    private static final byte[] LENGTH = "content-length: ".getBytes(StandardCharsets.US_ASCII);

    private static final class Line {
        final ByteBuffer request;
        final ByteBuffer answer = ByteBuffer.allocate(1 << 20);
        long sent;

        Line(byte[] request) {
            this.request = ByteBuffer.wrap(request);
        }
    }

    private final Selector selector = Selector.open();
    private final List<SocketChannel> channels = new ArrayList<>();
    private long[] latencies = new long[1 << 20];
    private int answers;
    private double serverMicros;

    public LoadClient(InetSocketAddress address, int connections, byte[] request) throws IOException {
        for (int i = 0; i < connections; i++) {
            SocketChannel channel = SocketChannel.open(address);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, new Line(request));
            channels.add(channel);
        }
    }

    /** Runs for {@code nanos} and returns answers per second. */
    public double run(long nanos) throws IOException {
        answers = 0;
        long cpu = serverCpu();
        long start = System.nanoTime();
        for (SelectionKey key : selector.keys()) {
            send(key);
        }
        while (System.nanoTime() - start < nanos) {
            selector.select(this::readable, 100);
        }
        long end = System.nanoTime();
        double rate = answers * 1e9 / (end - start);
        serverMicros = (serverCpu() - cpu) / 1e3 / answers;
        drain();
        return rate;
    }

    /** Microseconds of processor time per answer of the last run that this thread did not use itself. */
    double serverMicros() {
        return serverMicros;
    }

    private static long serverCpu() {
        long process = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        return process - ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Microseconds that {@code share} of the answers of the last run took at most. */
    double quantile(double share) {
        long[] sorted = Arrays.copyOf(latencies, Math.min(answers, latencies.length));
        Arrays.sort(sorted);
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.min(sorted.length - 1, sorted.length * share)] / 1e3;
    }

    private void drain() throws IOException {
        boolean[] open = {true};
        while (open[0]) {
            open[0] = false;
            for (SelectionKey key : selector.keys()) {
                open[0] |= ((Line) key.attachment()).sent != 0;
            }
            if (open[0]) {
                selector.select(
                        key -> {
                            if (receive(key)) {
                                ((Line) key.attachment()).sent = 0;
                            }
                        },
                        100);
            }
        }
    }

    private void readable(SelectionKey key) {
        if (receive(key)) {
            Line line = (Line) key.attachment();
            long now = System.nanoTime();
            if (answers < latencies.length) {
                latencies[answers] = now - line.sent;
            }
            answers++;
            send(key);
        }
    }

    private void send(SelectionKey key) {
        Line line = (Line) key.attachment();
        line.sent = System.nanoTime();
        line.request.rewind();
        try {
            while (line.request.hasRemaining()) {
                ((SocketChannel) key.channel()).write(line.request);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether an answer is complete. */
    private boolean receive(SelectionKey key) {
        ByteBuffer answer = ((Line) key.attachment()).answer;
        try {
            if (((SocketChannel) key.channel()).read(answer) < 0) {
                throw new IllegalStateException("the server closed a connection");
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        int whole = length(answer.array(), answer.position());
        if (whole < 0 || answer.position() < whole) {
            return false;
        }
        if (answer.get(9) != '2') {
            throw new IllegalStateException(new String(answer.array(), 0, whole, StandardCharsets.US_ASCII));
        }
        answer.clear();
        return true;
    }

    private static int length(byte[] bytes, int filled) {
        int body = -1;
        for (int i = 0; i + 3 < filled; i++) {
            if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
                if (bytes[i + 2] == '\r') {
                    return i + 4 + Math.max(0, body);
                }
                if (matches(bytes, i + 2, filled)) {
                    body = number(bytes, i + 2 + LENGTH.length);
                }
            }
        }
        return -1;
    }

    private static boolean matches(byte[] bytes, int from, int filled) {
        if (from + LENGTH.length >= filled) {
            return false;
        }
        for (int i = 0; i < LENGTH.length; i++) {
            if ((bytes[from + i] | 0x20) != (LENGTH[i] | 0x20)) {
                return false;
            }
        }
        return true;
    }

    private static int number(byte[] bytes, int from) {
        int number = 0;
        for (int i = from; bytes[i] >= '0' && bytes[i] <= '9'; i++) {
            number = number * 10 + bytes[i] - '0';
        }
        return number;
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
        selector.close();
    }
}
