package org.chainwalletd.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Everything that an upstream may do to an HTTP client, over a real socket; each caller of the daemon is tested with every case. A case that ends
 * at once ends although the upstream keeps the connection open; the others end with the caller's timeout.
 */
public enum HostileUpstream {
    FIVE_THOUSAND_INTERIM_ANSWERS(says("HTTP/1.1 100 Continue\r\n\r\n".repeat(5_000) + "HTTP/1.1 200 OK\r\n\r\n{}")),
    ENDLESS_INTERIM_ANSWERS(repeats("", "HTTP/1.1 102 Processing\r\n\r\n")),
    INTERIM_ANSWERS_WITH_LONG_HEADS(repeats("", "HTTP/1.1 103 Early Hints\r\nX: " + "x".repeat(16_000) + "\r\n\r\n")),
    AN_INTERIM_ANSWER_WITH_A_BODY(says("HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhello")),
    A_CHANGE_OF_PROTOCOL(says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")),

    AN_ENDLESS_STATUS_LINE(repeats("HTTP/1.1 200 ", "x")),
    AN_ENDLESS_HEADER(repeats("HTTP/1.1 200 OK\r\nX: ", "x")),
    ENDLESS_HEADERS(repeats("HTTP/1.1 200 OK\r\n", "X: y\r\n")),
    AN_ENDLESS_HEADER_OF_BLANKS(repeats("HTTP/1.1 200 OK\r\nX:", " ")),
    A_FOLDED_HEADER(says("HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\n{}")),
    A_HEADER_WITHOUT_A_COLON(says("HTTP/1.1 200 OK\r\nX\r\nContent-Length: 2\r\n\r\n{}")),
    A_BLANK_BEFORE_THE_COLON(says("HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}")),
    BARE_LINE_FEEDS(says("HTTP/1.1 200 OK\nContent-Length: 2\n\n{}")),
    A_BARE_CARRIAGE_RETURN(says("HTTP/1.1 200 OK\r\nX: a\rContent-Length: 9\r\nContent-Length: 2\r\n\r\n{}")),
    A_ZERO_BYTE_IN_A_HEADER(says("HTTP/1.1 200 OK\r\nX: a\0\r\nContent-Length: 2\r\n\r\n{}")),
    ANOTHER_VERSION(says("HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}")),
    NO_STATUS(says("HTTP/1.1 OK\r\nContent-Length: 2\r\n\r\n{}")),
    A_STATUS_OUT_OF_RANGE(says("HTTP/1.1 999 X\r\nContent-Length: 2\r\n\r\n{}")),
    GARBAGE(floods(new byte[0], garbage())),
    ZERO_BYTES(floods(new byte[0], new byte[4_096])),

    A_BODY_OF_A_GIGABYTE(repeats("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", "x")),
    A_BODY_WITHOUT_AN_END(repeats("HTTP/1.1 200 OK\r\n\r\n", "x")),
    A_HUGE_LENGTH(says("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}")),
    A_NEGATIVE_LENGTH(says("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}")),
    A_LENGTH_WITH_A_SIGN(says("HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n{}")),
    A_LENGTH_WITH_LEADING_ZEROS(says("HTTP/1.1 200 OK\r\nContent-Length: 002\r\n\r\n{}")),
    A_LIST_OF_LENGTHS(says("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}")),
    AN_EMPTY_LENGTH(says("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n{}")),
    TWO_EQUAL_LENGTHS(says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}")),
    TWO_DIFFERENT_LENGTHS(says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 200\r\n\r\n{}")),
    A_LENGTH_BESIDE_CHUNKS(says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + chunked("2\r\n{}\r\n0\r\n\r\n"))),
    CHUNKS_BESIDE_A_LENGTH(says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}")),
    A_COMPRESSED_CODING(says("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")),
    A_QUOTED_CODING(says("HTTP/1.1 200 OK\r\nTransfer-Encoding: \"chunked\"\r\n\r\n2\r\n{}\r\n0\r\n\r\n")),
    AN_EMPTY_CODING(says("HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\n2\r\n{}\r\n0\r\n\r\n")),
    A_REPEATED_CODING(says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + chunked("2\r\n{}\r\n0\r\n\r\n"))),
    CHUNKS_OF_AN_OLD_VERSION(says("HTTP/1.0 200 OK\r\n" + chunked("2\r\n{}\r\n0\r\n\r\n"))),

    ENDLESS_SMALL_CHUNKS(repeats("HTTP/1.1 200 OK\r\n" + chunked(""), "1\r\nx\r\n")),
    ENDLESS_EXTENSIONS(repeats("HTTP/1.1 200 OK\r\n" + chunked(""), "1;" + "x".repeat(240) + "\r\n:\r\n")),
    AN_ENDLESS_EXTENSION(repeats("HTTP/1.1 200 OK\r\n" + chunked("1;"), "x")),
    ENDLESS_TRAILERS(repeats("HTTP/1.1 200 OK\r\n" + chunked("0\r\n"), "X: y\r\n")),
    A_CHUNK_OF_FOUR_GIGABYTES(repeats("HTTP/1.1 200 OK\r\n" + chunked("ffffffff\r\n"), "x")),
    A_CHUNK_SIZE_THAT_OVERFLOWS(says("HTTP/1.1 200 OK\r\n" + chunked("10000000000000002\r\n{}\r\n0\r\n\r\n"))),
    A_NEGATIVE_CHUNK_SIZE(says("HTTP/1.1 200 OK\r\n" + chunked("-2\r\n{}\r\n0\r\n\r\n"))),
    A_CHUNK_SIZE_WITH_A_PREFIX(says("HTTP/1.1 200 OK\r\n" + chunked("0x2\r\n{}\r\n0\r\n\r\n"))),
    AN_EMPTY_CHUNK_SIZE(says("HTTP/1.1 200 OK\r\n" + chunked("\r\n{}\r\n0\r\n\r\n"))),
    A_CHUNK_LONGER_THAN_ITS_SIZE(says("HTTP/1.1 200 OK\r\n" + chunked("1\r\n{}\r\n0\r\n\r\n"))),
    CHUNKS_WITH_BARE_LINE_FEEDS(says("HTTP/1.1 200 OK\r\n" + chunked("2\n{}\n0\n\n"))),

    AN_END_BEFORE_THE_REQUEST_IS_READ(Start.AT_ONCE, false, (socket, out) -> {}),
    AN_END_WITHOUT_AN_ANSWER(Start.AFTER_THE_REQUEST, false, (socket, out) -> {}),
    AN_END_WITHIN_THE_HEAD(Start.AFTER_THE_REQUEST, false, bytes("HTTP/1.1 200 OK\r\nContent-Le")),
    AN_END_WITHIN_THE_BODY(Start.AFTER_THE_REQUEST, false, bytes("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}")),
    AN_END_WITHIN_A_CHUNK(Start.AFTER_THE_REQUEST, false, bytes("HTTP/1.1 200 OK\r\n" + chunked("9\r\n{}"))),
    AN_END_BEFORE_THE_LAST_CHUNK(Start.AFTER_THE_REQUEST, false, bytes("HTTP/1.1 200 OK\r\n" + chunked("2\r\n{}\r\n"))),
    A_RESET(Start.AFTER_THE_REQUEST, false, (socket, out) -> socket.setSoLinger(true, 0)),
    A_RESET_WITHIN_THE_BODY(Start.AFTER_THE_REQUEST, false, (socket, out) -> {
        bytes("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}").play(socket, out);
        socket.setSoLinger(true, 0);
    }),

    SILENCE(Start.AFTER_THE_REQUEST, true, (socket, out) -> {}),
    SILENCE_WITHIN_THE_HEAD(Start.AFTER_THE_REQUEST, true, bytes("HTTP/1.1 200 OK\r\n")),
    SILENCE_BEHIND_INTERIM_ANSWERS(Start.AFTER_THE_REQUEST, true, bytes("HTTP/1.1 100 Continue\r\n\r\n")),
    A_HEAD_THAT_DRIPS(Start.AFTER_THE_REQUEST, true, drips("HTTP/1.1 200 OK\r\nX: ")),

    TLS_SILENCE(Start.TLS_HELLO, true, (socket, out) -> {}),
    TLS_THAT_ENDS(Start.TLS_HELLO, false, (socket, out) -> {}),
    TLS_THAT_DRIPS(Start.TLS_HELLO, true, drips("\u0016\u0003\u0003\u0040\u0000")),
    TLS_GARBAGE(Start.TLS_HELLO, false, floods(new byte[0], garbage())),
    TLS_RECORDS_OF_ANOTHER_KIND(Start.TLS_HELLO, false, floods(new byte[0], record(20, new byte[] {1}))),
    TLS_WARNINGS(Start.TLS_HELLO, false, floods(new byte[0], record(21, new byte[] {1, 90}))),
    TLS_EMPTY_RECORDS(Start.TLS_HELLO, false, floods(new byte[0], record(22, new byte[0]))),
    TLS_RECORDS_TOO_LONG(Start.TLS_HELLO, false, floods(new byte[] {22, 3, 3, -1, -1}, new byte[4_096])),
    TLS_HANDSHAKE_MESSAGE_TOO_LONG(
            Start.TLS_HELLO, false, floods(record(22, new byte[] {2, -1, -1, -1}), record(22, new byte[4_096]))),
    /** Parsing it recursively takes thousands of nested calls. */
    TLS_CERTIFICATE_OF_NESTED_PARTS(Start.TLS_HELLO, false, says(nestedCertificate())),
    PLAIN_BYTES_INSTEAD_OF_TLS(Start.TLS_HELLO, false, bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")),
    INTERIM_ANSWERS_IN_TLS(Start.TLS, false, repeats("", "HTTP/1.1 100 Continue\r\n\r\n")),
    A_BODY_WITHOUT_AN_END_IN_TLS(Start.TLS, false, repeats("HTTP/1.1 200 OK\r\n\r\n", "x")),
    SILENCE_IN_TLS(Start.TLS, true, (socket, out) -> {}),
    A_CUT_BODY_IN_TLS(Start.TLS_CUT, false, bytes("HTTP/1.1 200 OK\r\n\r\n{}")),
    ENDLESS_KEY_UPDATES_IN_TLS(Start.TLS, false, (socket, out) -> {
        while (!socket.isClosed()) {
            ((SSLSocket) socket).startHandshake();
        }
    }),
    ANOTHER_HANDSHAKE_IN_TLS(Start.OLD_TLS, false, (socket, out) -> ((SSLSocket) socket).startHandshake());

    /** Bytes sent in the worst case: the rest waits in buffers of the system. */
    private static final long MOST_SENT = 64L << 20;

    private enum Start {
        AT_ONCE,
        AFTER_THE_REQUEST,
        /** Plain text in response to a TLS handshake. */
        TLS_HELLO,
        TLS,
        /** The connection ends without the end of TLS. */
        TLS_CUT,
        /** TLS 1.2, which has renegotiation. */
        OLD_TLS
    }

    @FunctionalInterface
    private interface Script {
        void play(Socket socket, OutputStream out) throws IOException;
    }

    private final Start start;
    private final boolean needsTime;
    private final Script script;

    HostileUpstream(Script script) {
        this(Start.AFTER_THE_REQUEST, false, script);
    }

    HostileUpstream(Start start, boolean needsTime, Script script) {
        this.start = start;
        this.needsTime = needsTime;
        this.script = script;
    }

    private static String chunked(String chunks) {
        return "Transfer-Encoding: chunked\r\n\r\n" + chunks;
    }

    /** Sends a text and keeps the connection open. */
    private static Script says(String text) {
        return (socket, out) -> {
            bytes(text).play(socket, out);
            untilHungUp(socket);
        };
    }

    private static Script bytes(String text) {
        return (socket, out) -> out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static Script repeats(String first, String again) {
        return floods(
                first.getBytes(StandardCharsets.ISO_8859_1),
                again.repeat(Math.max(1, 8_192 / again.length())).getBytes(StandardCharsets.ISO_8859_1));
    }

    private static Script floods(byte[] first, byte[] again) {
        return (socket, out) -> {
            out.write(first);
            for (long sent = 0; sent < 2 * MOST_SENT; sent += again.length) {
                out.write(again);
            }
        };
    }

    private static Script drips(String first) {
        return (socket, out) -> {
            bytes(first).play(socket, out);
            while (!socket.isClosed()) {
                out.write('x');
                Await.pause(5);
            }
        };
    }

    private static byte[] garbage() {
        byte[] bytes = new byte[4_096];
        new Random(25).nextBytes(bytes);
        return bytes;
    }

    /** Returns an unprotected TLS record. */
    private static byte[] record(int type, byte[] content) {
        return joined(new byte[] {(byte) type, 3, 3}, length(2, content.length), content);
    }

    /** Returns the first flight of a TLS 1.2 server, unencrypted, whose certificate has an extension of nested constructed octet strings. */
    private static String nestedCertificate() {
        byte[] nested = {};
        for (int depth = 0; depth < 8_000; depth++) {
            nested = der(0x24, nested);
        }
        byte[] commonName = {0x55, 4, 3};
        byte[] name = der(0x30, der(0x31, der(0x30, der(0x06, commonName), der(0x0c, new byte[] {'x'}))));
        byte[] algorithm = der(0x30, der(0x06, new byte[] {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2}));
        byte[] time = der(0x17, "250101000000Z".getBytes(StandardCharsets.US_ASCII));
        byte[] point = new byte[66];
        point[1] = 4;
        byte[] key = der(
                0x30,
                der(
                        0x30,
                        der(0x06, new byte[] {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1}),
                        der(0x06, new byte[] {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 3, 1, 7})),
                der(0x03, point));
        byte[] extension = der(0x30, der(0x06, new byte[] {0x55, 0x1d, 0x0e}), nested);
        byte[] content = der(
                0x30,
                der(0xa0, der(0x02, new byte[] {2})),
                der(0x02, new byte[] {1}),
                algorithm,
                name,
                der(0x30, time, time),
                name,
                key,
                der(0xa3, der(0x30, extension)));
        byte[] certificate = der(0x30, content, algorithm, der(0x03, new byte[2]));
        byte[] hello = new byte[45];
        hello[0] = 3;
        hello[1] = 3;
        // No session, TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, no compression, secure renegotiation.
        byte[] choices = {0, (byte) 0xc0, 0x2b, 0, 0, 5, (byte) 0xff, 1, 0, 1, 0};
        System.arraycopy(choices, 0, hello, 34, choices.length);
        byte[] one = joined(length(3, certificate.length), certificate);
        byte[] flight = joined(
                joined(new byte[] {2}, length(3, hello.length), hello),
                joined(new byte[] {11}, length(3, one.length + 3), length(3, one.length), one));
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        for (int from = 0; from < flight.length; from += 16_000) {
            records.writeBytes(record(22, Arrays.copyOfRange(flight, from, Math.min(flight.length, from + 16_000))));
        }
        return records.toString(StandardCharsets.ISO_8859_1);
    }

    private static byte[] der(int tag, byte[]... parts) {
        byte[] content = joined(parts);
        byte[] head = content.length < 128
                ? new byte[] {(byte) tag, (byte) content.length}
                : new byte[] {(byte) tag, (byte) 0x82, (byte) (content.length >> 8), (byte) content.length};
        return joined(head, content);
    }

    private static byte[] length(int bytes, int value) {
        byte[] length = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            length[i] = (byte) (value >> 8 * (bytes - 1 - i));
        }
        return length;
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    private static void untilHungUp(Socket socket) throws IOException {
        byte[] dropped = new byte[4_096];
        InputStream in = socket.getInputStream();
        while (in.read(dropped) >= 0) {
            // Further data from the caller is dropped.
            Arrays.fill(dropped, (byte) 0);
        }
    }

    /**
     * Runs a caller against this upstream.
     *
     * @param certificate of the TLS server, which the caller trusts
     * @param call makes one call to the URL
     * @param passTime lets as much time pass for the caller as its timeout takes
     * @return the call's failure
     */
    public Throwable meet(TestCertificate certificate, Function<URI, CompletableFuture<?>> call, Runnable passTime) {
        try (Running running = new Running(certificate)) {
            CompletableFuture<?> outcome = call.apply(running.url());
            if (needsTime) {
                Await.opened(running.reached);
                assertThat(outcome).isNotDone();
                passTime.run();
            }
            Throwable failure = catchThrowable(() -> Await.outcome(outcome));
            assertThat(failure).as("%s ends with a failure", this).isInstanceOf(CompletionException.class);
            Await.until("the caller hangs up", () -> running.open.isEmpty());
            assertThat(running.sent.get()).isLessThan(MOST_SENT);
            return failure.getCause();
        }
    }

    private final class Running implements AutoCloseable {
        final AtomicLong sent = new AtomicLong();
        final CountDownLatch reached = new CountDownLatch(1);
        final Set<Socket> open = ConcurrentHashMap.newKeySet();
        private final ServerSocket server;

        private final SSLContext context;

        Running(TestCertificate certificate) {
            try {
                context = certificate.server();
                server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            daemon(this::accept);
        }

        private Socket shown(Socket raw) throws IOException {
            if (start != Start.TLS && start != Start.TLS_CUT && start != Start.OLD_TLS) {
                return raw;
            }
            SSLSocket secure = (SSLSocket)
                    context.getSocketFactory().createSocket(raw, null, raw.getPort(), start != Start.TLS_CUT);
            secure.setUseClientMode(false);
            if (start == Start.OLD_TLS) {
                secure.setEnabledProtocols(new String[] {"TLSv1.2"});
            }
            return secure;
        }

        URI url() {
            boolean plain = start == Start.AT_ONCE || start == Start.AFTER_THE_REQUEST;
            return URI.create((plain ? "http" : "https") + "://127.0.0.1:" + server.getLocalPort());
        }

        private void accept() {
            while (!server.isClosed()) {
                try {
                    Socket socket = server.accept();
                    open.add(socket);
                    daemon(() -> serve(socket));
                } catch (IOException e) {
                    return;
                }
            }
        }

        private void serve(Socket socket) {
            try (socket) {
                Socket shown = shown(socket);
                if (start == Start.TLS_HELLO) {
                    shown.getInputStream().read();
                } else if (start != Start.AT_ONCE) {
                    readHead(shown.getInputStream());
                }
                reached.countDown();
                script.play(shown, new Counting(shown.getOutputStream()));
                if (needsTime || start == Start.OLD_TLS) {
                    untilHungUp(shown);
                }
                if (start == Start.TLS) {
                    shown.close();
                }
            } catch (IOException e) {
                // The caller closed the connection, as it should.
                reached.countDown();
            } finally {
                open.remove(socket);
            }
        }

        private void readHead(InputStream in) throws IOException {
            int ends = 0;
            while (ends < 4) {
                int next = in.read();
                if (next < 0) {
                    throw new IOException("no request");
                }
                ends = next == "\r\n\r\n".charAt(ends) ? ends + 1 : next == '\r' ? 1 : 0;
            }
        }

        private final class Counting extends OutputStream {
            private final OutputStream out;

            Counting(OutputStream out) {
                this.out = out;
            }

            @Override
            public void write(int value) throws IOException {
                out.write(value);
                sent.incrementAndGet();
            }

            @Override
            public void write(byte[] bytes, int from, int count) throws IOException {
                out.write(bytes, from, count);
                sent.addAndGet(count);
            }
        }

        @Override
        public void close() {
            try {
                server.close();
                for (Socket socket : open) {
                    socket.close();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "hostile-upstream");
        thread.setDaemon(true);
        thread.start();
    }
}
