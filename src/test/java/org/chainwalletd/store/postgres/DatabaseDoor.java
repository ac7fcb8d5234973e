package org.chainwalletd.store.postgres;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Dial;

/**
 * Connection of one daemon to a {@link TestDatabase} that it shares with others: can be closed, paused, cut at a COMMIT, or change the text of
 * statements.
 */
public final class DatabaseDoor implements Closeable {
    private static final String COMMIT = "COMMIT\0";

    private final TestDatabase database;
    private final Map<String, String> otherWords;
    private final ServerSocket door;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicReference<Cut> next = new AtomicReference<>(Cut.NONE);
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger exchanged = new AtomicInteger();
    private volatile boolean away;
    private volatile boolean silent;
    /** Text of the message at which forwarding pauses; null for none. */
    private volatile String last;
    /** Text of the message at which all connections are cut; null for none. */
    private volatile String leaving;

    private enum Cut {
        NONE,
        BEFORE,
        AFTER
    }

    /**
     * @param otherWords parts of statements and their replacements, as read by the server
     */
    public DatabaseDoor(TestDatabase database, Map<String, String> otherWords) {
        this.database = database;
        this.otherWords = Map.copyOf(otherWords);
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ServerMessages.start(this::accept);
    }

    /** Returns the value of {@code --store}. */
    public String url() {
        return database.url(door.getLocalPort());
    }

    /** Cuts all connections, and each new one, until {@link #back}. */
    public void leave() {
        away = true;
        cut();
    }

    /** Withholds all further messages, on connections that stay open, until {@link #speak} or {@link #back}. */
    public void fallSilent() {
        silent = true;
    }

    /** Pauses as {@link #fallSilent} does, from the next message that contains {@code words}. */
    public void fallSilentAt(String words) {
        last = words;
    }

    /** Cuts connections as {@link #leave} does, from the next message that contains {@code words}. */
    public void leaveAt(String words) {
        leaving = words;
    }

    public boolean isAway() {
        return away;
    }

    public boolean isSilent() {
        return silent;
    }

    /** Forwards the withheld messages; a closed door stays closed. */
    public void speak() {
        silent = false;
    }

    /** Loses the response to the next COMMIT. */
    public void loseNextCommit(boolean arrives) {
        next.set(arrives ? Cut.AFTER : Cut.BEFORE);
    }

    public void back() {
        away = false;
        last = null;
        leaving = null;
        silent = false;
        next.set(Cut.NONE);
    }

    /** Returns the number of commits without a response. */
    public int cuts() {
        return cuts.get();
    }

    /** Returns the number of statements whose text was changed. */
    public int exchanged() {
        return exchanged.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                Socket server = Dial.unconnected();
                sockets.addAll(List.of(client, server));
                if (away) {
                    cut();
                    continue;
                }
                server.setSoTimeout(0);
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), PostgresServer.port()));
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                ServerMessages.start(() -> ask(client, server));
                ServerMessages.start(() -> {
                    ServerMessages.carry(server, client, () -> awaitVoice(server));
                    sockets.removeAll(List.of(client, server));
                });
            }
        } catch (IOException e) {
            // The connection is closed.
        }
    }

    private void ask(Socket from, Socket to) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream()));
            OutputStream out = to.getOutputStream();
            out.write(ServerMessages.read(in, new byte[0]));
            while (true) {
                byte[] message = ServerMessages.read(in, new byte[] {in.readByte()});
                String text = new String(message, StandardCharsets.ISO_8859_1);
                String words = last;
                if (words != null && text.contains(words)) {
                    last = null;
                    silent = true;
                }
                awaitVoice(from);
                words = leaving;
                if (words != null && text.contains(words)) {
                    leave();
                    return;
                }
                Cut cut = text.contains(COMMIT) ? next.getAndSet(Cut.NONE) : Cut.NONE;
                if (cut != Cut.NONE) {
                    cuts.incrementAndGet();
                    ServerMessages.cut(from, to, message, in, cut == Cut.AFTER);
                    return;
                }
                out.write(otherWords.isEmpty() ? message : exchange(text));
            }
        } catch (IOException e) {
            // Either side has closed.
        }
    }

    private byte[] exchange(String text) {
        String read = text;
        for (Map.Entry<String, String> words : otherWords.entrySet()) {
            read = read.replace(words.getKey(), words.getValue());
        }
        if (!read.equals(text)) {
            exchanged.incrementAndGet();
        }
        byte[] message = read.getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer.wrap(message).putInt(1, message.length - 1);
        return message;
    }

    private void awaitVoice(Socket from) {
        if (silent) {
            Await.until("the database speaks again", () -> !silent || from.isClosed());
        }
    }

    private void cut() {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        sockets.removeIf(Socket::isClosed);
    }

    @Override
    public void close() throws IOException {
        door.close();
        leave();
    }
}
