package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.http.RawHttp2;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.TestCertificate;
import org.chainwalletd.testkit.Traces;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Secrets pass through every method that has them, over each protocol; then all reachable objects on the daemon's heap are searched for them, while
 * the connections are open: no data of a request or answer may be retained. Each request has different secrets, whose names identify the one that
 * was found.
 */
@Tag("long")
class SecretsOnHeapIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Number of consecutive words that count as a trace of a phrase. */
    private static final int RUN = 4;

    private static final String APART = " \n\t ";
    private static final String APART_AS_SENT = " \\n\\t ";
    /** Longer than the data read at once, and than one frame of HTTP/2. */
    private static final int LONG = 40_000;

    @TempDir
    Path folder;

    private final Traces traces = new Traces();
    private final List<Closeable> open = new ArrayList<>();
    private Random random;
    private DaemonProcess daemon;
    private boolean tls;
    private boolean http2;

    @ParameterizedTest(name = "TLS {0}, HTTP/2 {1}")
    @Timeout(300)
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void no_secret_of_a_request_or_an_answer_can_be_reached_when_it_is_over(boolean overTls, boolean overHttp2)
            throws Exception {
        tls = overTls;
        http2 = overHttp2;
        random = Seeded.random("no_secret_of_a_request_or_an_answer_can_be_reached_when_it_is_over");
        LauncherCall call = LauncherCall.daemonWithDevnet(folder.resolve("datadir"))
                .and("--evm-rpc", "http://127.0.0.1:1", "--evm-chain-id", "31337", "--evm-quorum", "1")
                .manyKeys();
        if (tls) {
            call.and("--tls");
        }
        if (http2) {
            call.and("--http2");
        }
        Path heap = folder.resolve("heap.hprof");
        try (DaemonProcess started = call.start()) {
            daemon = started;
            if (!http2) {
                // Both ends of an HTTP/2 connection keep header fields as long as it is open, so that they need not be
                // sent again.
                traces.text("token", daemon.token("spend"));
            }
            granted("import_mnemonic", Map.of("mnemonic", phrase("text", 32)));
            // Runs while there are few keys: a vault costs twice as much per key as an import.
            takeAway();
            bring();
            bringWrongly();
            String label = "seen on the heap by whoever looks for it";
            traces.text("label", label);
            granted("generate_standard_address", Map.of("label", label));
            daemon.dumpHeap(heap);
            assertThat(traces.in(heap)).as("on the heap").isNotEmpty().isSubsetOf("label", "label in UTF-16");
        } finally {
            for (Closeable connection : open) {
                connection.close();
            }
        }
    }

    private void bring() throws IOException {
        granted(
                "import_standard_mnemonic",
                Map.of("mnemonic", phrase("words", 32).split(" ")));
        granted("import_mnemonic", Map.of("mnemonic", phrase("apart", 32).replace(" ", APART)));
        granted("import_standard_mnemonic", Map.of("mnemonic", phrase("long", 32) + " ".repeat(LONG)));
        granted("import_private_key", Map.of("private_key", hex("private_key", 32)));
        granted("import_private_key", Map.of("secret_hex", hex("secret_hex", 32)));
        JsonNode batch = ask(List.of(
                call("import_mnemonic", Map.of("mnemonic", phrase("first of a batch", 32))),
                call("ping", Map.of()),
                call("import_mnemonic", Map.of("mnemonic", phrase("last of a batch", 32)))));
        assertThat(batch).hasSize(3).allMatch(answer -> answer.has("result"));
    }

    private void takeAway() throws IOException {
        String address =
                granted("generate_standard_address", Map.of()).path("address").asText();
        Map<String, Object> params = Map.of("address", address, "passphrase", DaemonProcess.PASSPHRASE);
        trace(
                "reveal_address_mnemonic",
                words(granted("reveal_address_mnemonic", params).path("mnemonic")));
        trace(
                "reveal_private_key",
                granted("reveal_private_key", params).path("secret_hex").asText());
        // The traces of the imported phrase also cover the revealed one.
        granted("evm_import_mnemonic", Map.of("mnemonic", phrase("evm_import_mnemonic", 16)));
        granted("evm_reveal_mnemonic", Map.of("passphrase", DaemonProcess.PASSPHRASE));
        String passphrase = hex("passphrase of a vault", 16);
        String vault = granted("export_vault", Map.of("passphrase", passphrase))
                .path("vault_hex")
                .asText();
        granted("import_vault", Map.of("vault_hex", vault, "passphrase", passphrase));
    }

    /** Sends refused requests, which contain secrets too. */
    private void bringWrongly() throws IOException {
        refused("import_mnemonic", Map.of("mnemonic", phrase("with a word that is none", 32) + " nonsense"));
        refused("import_mnemonic", Map.of("mnemonic", phrase("beside an unknown member", 32), "x", 1));
        refused("import_mnemonic", Map.of("mnemonics", phrase("under another name", 32)));
        refused("import_mnemonic", Map.of("mnemonic", Map.of("words", phrase("in an object", 32))));
        refused("import_mnemonic", List.of(phrase("by position", 32)));
        refused("import_words", Map.of("mnemonic", phrase("of an unknown method", 32)));
        refused("evm_reveal_mnemonic", Map.of("passphrase", hex("wrong passphrase", 16)));
        String cut = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"import_mnemonic\",\"params\":{\"mnemonic\":\""
                + phrase("in a text without an end", 32);
        assertThat(answer(cut).has("error")).isTrue();
    }

    private JsonNode granted(String method, Object params) throws IOException {
        JsonNode answer = ask(call(method, params));
        assertThat(answer.has("result")).as(method + " " + answer).isTrue();
        return answer.get("result");
    }

    private void refused(String method, Object params) throws IOException {
        JsonNode answer = ask(call(method, params));
        assertThat(answer.has("error")).as(method + " " + answer).isTrue();
    }

    private static Map<String, Object> call(String method, Object params) {
        return Map.of("jsonrpc", "2.0", "id", 1, "method", method, "params", params);
    }

    private String phrase(String name, int entropy) {
        byte[] bytes = Seeded.bytes(random, entropy);
        try (Mnemonic made = Mnemonic.ofEntropy(bytes)) {
            String phrase = new String(made.phrase().copy(), StandardCharsets.US_ASCII);
            trace(name, phrase);
            return phrase;
        }
    }

    private String hex(String name, int length) {
        String hex = HexFormat.of().formatHex(Seeded.bytes(random, length));
        trace(name, hex);
        return hex;
    }

    /** Adds the traces of a secret: its halves if it is one word, otherwise sequences of its words. */
    private void trace(String name, String secret) {
        String[] words = secret.split(" ");
        if (words.length == 1) {
            traces.text(name + ", first half", secret.substring(0, secret.length() / 2));
            traces.text(name + ", second half", secret.substring(secret.length() / 2));
        }
        for (int from = 0; from + RUN <= words.length; from += RUN) {
            List<String> run = Arrays.asList(words).subList(from, from + RUN);
            traces.text(name, String.join(" ", run));
            traces.text(name + ", in an array", String.join("\",\"", run));
            traces.text(name + ", apart", String.join(APART, run));
            traces.text(name + ", apart as sent", String.join(APART_AS_SENT, run));
        }
    }

    private static String words(JsonNode array) {
        List<String> words = new ArrayList<>();
        array.forEach(word -> words.add(word.asText()));
        return String.join(" ", words);
    }

    private JsonNode ask(Object body) throws IOException {
        return answer(JSON.writeValueAsString(body));
    }

    /** Sends a request over a new connection, which stays open. */
    private JsonNode answer(String body) throws IOException {
        Socket socket = tls ? secure() : Dial.socket(daemon.awaitReady());
        open.add(socket);
        return JSON.readTree(http2 ? overHttp2(socket, body) : overHttp1(socket, body));
    }

    private String overHttp1(Socket socket, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        OutputStream out = socket.getOutputStream();
        out.write(("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + daemon.token("spend")
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.UTF_8));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int length = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    private String overHttp2(Socket socket, String body) throws IOException {
        RawHttp2 client = new RawHttp2(socket);
        client.post(1, daemon.token("spend"), body);
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        for (RawHttp2.Frame frame = client.read(); ; frame = client.read()) {
            if (frame.stream() == 1 && frame.type() == RawHttp2.DATA) {
                answer.write(frame.payload());
            }
            if (frame.stream() == 1 && (frame.flags() & RawHttp2.END_STREAM) != 0) {
                return answer.toString(StandardCharsets.UTF_8);
            }
        }
    }

    private Socket secure() throws IOException {
        URI uri = daemon.awaitReady();
        try (InputStream own = Files.newInputStream(folder.resolve("datadir/cert.pem"))) {
            Certificate certificate = CertificateFactory.getInstance("X.509").generateCertificate(own);
            SSLSocket socket = (SSLSocket) TestCertificate.trusting(certificate)
                    .getSocketFactory()
                    .createSocket(Dial.socket(uri), uri.getHost(), uri.getPort(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {http2 ? "h2" : "http/1.1"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }
}
