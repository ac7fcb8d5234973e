package org.chainwalletd.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.chainwalletd.testkit.Flood;

/**
 * Two thousand connections that send all they may and read nothing, from an address and a process of their own, against the packaged daemon
 * with the launcher's defaults; and what a client at another address gets of it: {@code ping} over a connection that it keeps, and over a new
 * one each time. Prints {@code name ours floor ratio} for each kind of attack: the worst against the second that is promised, the median and
 * the 99th percentile against those before the attack, and the memory that the process has had. Then what idle TLS connections weigh in live
 * heap, against what they are counted as. One daemon has all kinds after each other, and one with TLS those that need it, so what
 * an attack leaves behind is there in the next.
 *
 * <p>Arguments: seconds per attack (default 6), connections (default 2000), then the kinds (default all, see {@link Flood.Kind}, and {@code
 * tls-idle}).
 */
public final class DoorBench {
    private static final String OURS = "127.0.0.1";
    private static final String THEIRS = "127.0.0.2";
    private static final double PROMISED_MILLIS = 1_000;
    private static final long PAUSE_MILLIS = 25;
    private static final int SECONDS_BEFORE = 1;
    private static final String TLS_IDLE = "tls-idle";
    /** What the daemon counts each of them as. */
    private static final double COUNTED_KB = 128;

    private final Path work = Files.createTempDirectory("door-bench");
    private final Installation installation = new Installation(
            Path.of(System.getProperty("chainwalletd.home", "target/chain-walletd")), Map.of("WALLETD_ARCHIVE", "off"));
    private final int seconds;
    private final int connections;

    private DoorBench(int seconds, int connections) throws IOException {
        this.seconds = seconds;
        this.connections = connections;
    }

    public static void main(String[] words) throws Exception {
        int seconds = words.length > 0 ? Integer.parseInt(words[0]) : 6;
        int connections = words.length > 1 ? Integer.parseInt(words[1]) : 2_000;
        // First, for what is live is compared with a daemon that nobody has met.
        List<String> kinds = new ArrayList<>(List.of(TLS_IDLE));
        for (Flood.Kind kind : Flood.Kind.values()) {
            kinds.add(kind.word());
        }
        if (words.length > 2) {
            kinds = List.of(words).subList(2, words.length);
        }
        DoorBench bench = new DoorBench(seconds, connections);
        System.out.println("name ours floor ratio");
        bench.attack(kinds.stream().filter(kind -> !kind.startsWith("tls")).toList(), "--http2");
        bench.attack(kinds.stream().filter(kind -> kind.startsWith("tls")).toList(), "--tls");
    }

    private void attack(List<String> kinds, String flag) throws Exception {
        if (kinds.isEmpty()) {
            return;
        }
        Path datadir = work.resolve(flag);
        List<String> words = List.of(
                "--datadir", datadir.toString(), "--bind", "127.0.0.1:0", "--node-rpc", "http://127.0.0.1:1", flag);
        try (Installation.Running running = installation.start(words)) {
            URI uri = URI.create(running.lineWith("ready on").replaceFirst(".*(https?://\\S+).*", "$1"));
            String token = Files.readString(datadir.resolve("token-read")).strip();
            Target target = new Target(running.process(), uri, token, new Caller(uri, token, flag.equals("--tls")));
            measure(target.caller(), 2);
            for (String kind : kinds) {
                attack(target, kind);
            }
        }
    }

    /** The daemon under attack, and its client at another address. */
    private record Target(Process process, URI uri, String token, Caller caller) {}

    private void attack(Target target, String kind) throws Exception {
        Pings before = measure(target.caller(), SECONDS_BEFORE);
        forgetPeak(target.process());
        double empty = residentKilobytes(target.process(), "VmRSS");
        Pings during = kind.equals(TLS_IDLE) ? besideIdle(target) : besideFlood(target, kind);
        row(kind + "-ping-kept", before.kept, during.kept);
        row(kind + "-ping-anew", before.anew, during.anew);
        print(kind + "-unanswered-of-" + during.count(), during.unanswered, 1);
        print(kind + "-peak-memory-mb", residentKilobytes(target.process(), "VmHWM") / 1024.0, empty / 1024.0);
        if (!target.process().isAlive()) {
            throw new IllegalStateException(kind + ": the process ended");
        }
    }

    private Pings besideFlood(Target target, String kind) throws Exception {
        Process attacker = attacker(target.uri(), kind, target.token());
        Pings during = measure(target.caller(), seconds);
        String told = new String(attacker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        System.out.println("# " + kind + ": " + told.strip());
        return during;
    }

    private Pings besideIdle(Target target) throws Exception {
        long live = liveBytes(target.process());
        List<SSLSocket> idle = open(target);
        double each = (liveBytes(target.process()) - live) / 1024.0 / idle.size();
        print(TLS_IDLE + "-kb-each-of-" + idle.size(), each, COUNTED_KB);
        Pings during = measure(target.caller(), seconds);
        for (SSLSocket socket : idle) {
            socket.close();
        }
        return during;
    }

    private Process attacker(URI uri, String kind, String token) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Flood.class.getName(),
                        uri.getHost(),
                        Integer.toString(uri.getPort()),
                        THEIRS,
                        Integer.toString(connections),
                        kind,
                        token,
                        Integer.toString(seconds - 1))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Each has had an answer: one that says nothing after its handshake is cut off soon. */
    private List<SSLSocket> open(Target target) throws Exception {
        URI uri = target.uri();
        SSLContext any = trustingAnybody();
        List<SSLSocket> sockets = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Socket plain = new Socket();
            plain.bind(new InetSocketAddress(THEIRS, 0));
            plain.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
            SSLSocket socket =
                    (SSLSocket) any.getSocketFactory().createSocket(plain, uri.getHost(), uri.getPort(), true);
            try {
                socket.startHandshake();
                if (!target.caller().answered(socket)) {
                    throw new IOException("no answer");
                }
            } catch (IOException refused) {
                // Beyond the number that fits.
                break;
            }
            sockets.add(socket);
        }
        return sockets;
    }

    /** What the client at the other address has had. */
    private static final class Pings {
        private final List<Double> kept = new ArrayList<>();
        private final List<Double> anew = new ArrayList<>();
        private int unanswered;

        int count() {
            return kept.size() + anew.size();
        }

        static double quantile(List<Double> millis, double share) {
            double[] sorted =
                    millis.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            return sorted.length == 0 ? Double.NaN : sorted[(int) Math.min(sorted.length - 1, sorted.length * share)];
        }
    }

    private static Pings measure(Caller caller, int seconds) throws Exception {
        Pings pings = new Pings();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (int i = 0; System.nanoTime() < end; i++) {
            long began = System.nanoTime();
            boolean anew = i % 2 == 0;
            if (!caller.ping(anew)) {
                pings.unanswered++;
            }
            (anew ? pings.anew : pings.kept).add((System.nanoTime() - began) / 1e6);
            Thread.sleep(PAUSE_MILLIS);
        }
        return pings;
    }

    /** Asks over one connection that it keeps, or over a new one. */
    private static final class Caller {
        private final URI uri;
        private final byte[] request;
        private final SSLContext tls;
        private Socket kept;

        Caller(URI uri, String token, boolean tls) throws GeneralSecurityException {
            this.uri = uri;
            this.tls = tls ? trustingAnybody() : null;
            String body = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}";
            this.request = ("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                            + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                            + body)
                    .getBytes(StandardCharsets.US_ASCII);
        }

        /** Returns whether the answer was the right one. */
        boolean ping(boolean anew) {
            try {
                if (!anew) {
                    kept = kept == null ? connect() : kept;
                    return answered(kept);
                }
                try (Socket fresh = connect()) {
                    return answered(fresh);
                }
            } catch (IOException e) {
                if (!anew) {
                    kept = null;
                }
                return false;
            }
        }

        private Socket connect() throws IOException {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(OURS, 0));
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(20_000);
            socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), 20_000);
            return tls == null
                    ? socket
                    : tls.getSocketFactory().createSocket(socket, uri.getHost(), uri.getPort(), true);
        }

        private boolean answered(Socket socket) throws IOException {
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            byte[] answer = new byte[4096];
            int length = 0;
            while (length < answer.length) {
                int count = in.read(answer, length, answer.length - length);
                if (count < 0) {
                    throw new IOException("closed");
                }
                length += count;
                String text = new String(answer, 0, length, StandardCharsets.US_ASCII);
                if (text.contains("\r\n\r\n") && text.endsWith("}")) {
                    return text.startsWith("HTTP/1.1 200") && text.contains("\"ok\":true");
                }
            }
            return false;
        }
    }

    static SSLContext trustingAnybody() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                null,
                new TrustManager[] {
                    new X509TrustManager() {
                        @Override
                        public void checkClientTrusted(X509Certificate[] chain, String type) {
                            // Nobody is asked who they are.
                        }

                        @Override
                        public void checkServerTrusted(X509Certificate[] chain, String type) {
                            // It is our own daemon.
                        }

                        @Override
                        public X509Certificate[] getAcceptedIssuers() {
                            return new X509Certificate[0];
                        }
                    }
                },
                new SecureRandom());
        return context;
    }

    /** A connection to our own daemon, by TLS when its URI says so. */
    static Socket connected(URI uri) throws IOException, GeneralSecurityException {
        return uri.getScheme().equals("https")
                ? trustingAnybody().getSocketFactory().createSocket(uri.getHost(), uri.getPort())
                : new Socket(uri.getHost(), uri.getPort());
    }

    /** After a collection; the JDK of the daemon and that of the benchmark understand each other. */
    static long liveBytes(Process process) throws IOException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(process.pid()),
                        "GC.class_histogram")
                .start();
        return new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("Total"))
                .mapToLong(line -> Long.parseLong(line.split("\\s+")[2]))
                .findFirst()
                .orElseThrow(() -> new IOException("jcmd tells no heap"));
    }

    /** What the process has had at most is counted anew from now on (proc(5), clear_refs). */
    private static void forgetPeak(Process process) throws IOException {
        Files.writeString(Path.of("/proc", Long.toString(process.pid()), "clear_refs"), "5");
    }

    private static long residentKilobytes(Process process, String what) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith(what + ":"))
                .mapToLong(line -> Long.parseLong(
                        Arrays.stream(line.split("\\s+")).skip(1).findFirst().orElseThrow()))
                .findFirst()
                .orElse(0);
    }

    private static void row(String name, List<Double> before, List<Double> during) {
        print(name + "-worst-ms", Pings.quantile(during, 1), PROMISED_MILLIS);
        print(name + "-p99-ms", Pings.quantile(during, 0.99), Pings.quantile(before, 0.99));
        print(name + "-median-ms", Pings.quantile(during, 0.5), Pings.quantile(before, 0.5));
    }

    private static void print(String name, double ours, double floor) {
        System.out.println(String.format(Locale.ROOT, "%s %.1f %.1f %.2f", name, ours, floor, ours / floor));
    }
}
