package org.chainwalletd.http.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverwritingEngineTest {
    private static final int ROOM = 40_000;

    @TempDir
    Path datadir;

    private SSLEngine client;
    private SSLEngine server;
    private final ByteBuffer toServer = ByteBuffer.allocate(ROOM);
    private final ByteBuffer toClient = ByteBuffer.allocate(ROOM);
    private final ByteBuffer heard = ByteBuffer.allocate(ROOM);

    @BeforeEach
    void shakeHands() throws Exception {
        TlsIdentity identity = TlsIdentity.open(
                datadir, "chain-walletd", TlsIdentity.names(InetAddress.getLoopbackAddress(), List.of()), line -> {});
        server = identity.engine(false);
        client = TlsServerTest.trusting(datadir).createSSLEngine();
        client.setUseClientMode(true);
        client.beginHandshake();
        server.beginHandshake();
        while (shaking(client) || shaking(server)) {
            step(client, toServer, toClient);
            step(server, toClient, toServer);
        }
        // Session tickets of TLS 1.3 arrive after the handshake.
        read(client, toClient, ByteBuffer.allocate(ROOM));
        toServer.clear();
        heard.clear();
    }

    private static boolean shaking(SSLEngine engine) {
        return engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING;
    }

    private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
        switch (engine.getHandshakeStatus()) {
            case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
            case NEED_TASK -> {
                for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                    task.run();
                }
            }
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> read(engine, in, ByteBuffer.allocate(ROOM));
            default -> {
                // The other side has data to send.
            }
        }
    }

    /** Reads at most one record. */
    private static void read(SSLEngine engine, ByteBuffer in, ByteBuffer heard) throws SSLException {
        in.flip();
        engine.unwrap(in, heard);
        in.compact();
    }

    private void say(String text) throws SSLException {
        client.wrap(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), toServer);
    }

    private static String text(ByteBuffer buffer) {
        return new String(buffer.array(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void what_was_heard_is_overwritten_when_the_caller_has_taken_it() throws Exception {
        say("first words");
        say("and more of them");
        toServer.flip();
        ByteBuffer incoming = ByteBuffer.allocate(ROOM).put(toServer).flip();

        server.unwrap(incoming, heard);
        assertThat(text(incoming)).doesNotContain("first words");
        server.unwrap(incoming, heard);

        assertThat(text(incoming)).doesNotContain("and more");
        heard.flip();
        assertThat(StandardCharsets.US_ASCII.decode(heard).toString()).isEqualTo("first wordsand more of them");
        heard.clear();
        server.wrap(ByteBuffer.allocate(0), toClient);
        assertThat(text(heard)).doesNotContain("words", "more");
    }

    @Test
    void what_was_heard_before_is_overwritten_by_the_next_record_too() throws Exception {
        say("a rather long line of words");
        read(server, toServer, heard);
        heard.clear();
        say("short");
        read(server, toServer, heard);

        heard.flip();
        assertThat(StandardCharsets.US_ASCII.decode(heard).toString()).isEqualTo("short");
        assertThat(text(heard)).doesNotContain("long line");
    }

    @Test
    void what_was_said_is_overwritten_at_once() throws Exception {
        ByteBuffer answer = ByteBuffer.wrap("an answer of words".getBytes(StandardCharsets.US_ASCII));
        toClient.clear();

        server.wrap(answer, toClient);

        assertThat(text(answer)).doesNotContain("words");
        ByteBuffer arrived = ByteBuffer.allocate(ROOM);
        read(client, toClient, arrived);
        assertThat(text(arrived)).startsWith("an answer of words");
    }
}
