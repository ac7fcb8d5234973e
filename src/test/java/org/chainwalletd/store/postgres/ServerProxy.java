package org.chainwalletd.store.postgres;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
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
 * Proxy before the test server that reads the client's messages (PostgreSQL 17 manual, chapter 53): it can be closed or paused, change the text of
 * statements, count the round trips of each transaction, and cut a connection at a COMMIT, which may or may not reach the server, and whose response
 * never reaches the client.
 */
class ServerProxy implements Closeable {
    private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";
    private static final String COMMIT = "COMMIT\0";
    private static final char QUERY = 'Q';
    /** Type of the message that ends a group which the server answers together. */
    private static final char SYNC = 'S';

    private final Map<String, String> otherWords;
    private final ServerSocket door;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicReference<Cut> next = new AtomicReference<>();
    private final AtomicInteger exchanged = new AtomicInteger();
    private final List<Integer> roundTrips = new CopyOnWriteArrayList<>();
    private volatile boolean away;
    private volatile boolean silent;
    /** Text of the message at which forwarding pauses; null for none. */
    private volatile String last;
    /** Text of the message at which all connections are cut; null for none. */
    private volatile String leaving;

    private volatile int connections;
    /** Number of connections, counted from the first, that are half-open. */
    private volatile int halfOpen;

    /**
     * COMMIT to be cut.
     *
     * @param statement part of a statement of its transaction
     * @param arrives whether the COMMIT reaches the server
     */
    private record Cut(String statement, boolean arrives) {}

    /**
     * @param otherWords parts of statements and their replacements, as read by the server
     */
    ServerProxy(Map<String, String> otherWords) {
        this.otherWords = Map.copyOf(otherWords);
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    final int port() {
        return door.getLocalPort();
    }

    /** Cuts all connections, and each new one, until {@link #back}. */
    public final void leave() {
        away = true;
        cut();
    }

    /** Withholds all further messages, on connections that stay open, until {@link #speak} or {@link #back}. */
    public final void fallSilent() {
        silent = true;
    }

    /** Pauses as {@link #fallSilent} does, from the next message that contains {@code words}. */
    public final void fallSilentAt(String words) {
        last = words;
    }

    /** Cuts connections as {@link #leave} does, from the next message that contains {@code words}. */
    public final void leaveAt(String words) {
        leaving = words;
    }

    public final boolean isAway() {
        return away;
    }

    public final boolean isSilent() {
        return silent;
    }

    /** Forwards the withheld messages; a closed proxy stays closed. */
    public final void speak() {
        silent = false;
    }

    /**
     * Cuts the next COMMIT of a transaction with a statement that contains {@code statement}; others, such as those that only poll for changes, pass.
     */
    public final void loseNextCommit(String statement, boolean arrives) {
        next.set(new Cut(statement, arrives));
    }

    public final void back() {
        away = false;
        last = null;
        leaving = null;
        silent = false;
        next.set(null);
    }

    /** Blocks all further data of the existing connections to the server without closing them. */
    final void halfOpen() {
        halfOpen = connections;
    }

    /** Returns the number of statements whose text was changed. */
    public final int exchanged() {
        return exchanged.get();
    }

    /** Returns, for each writing transaction, how often its client waited for a response, including BEGIN and COMMIT. */
    final List<Integer> roundTrips() {
        return roundTrips;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "server-proxy");
        thread.setDaemon(true);
        thread.start();
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
                int number = connections + 1;
                connections = number;
                start(() -> ask(client, server, number));
                start(() -> answer(server, client));
            }
        } catch (IOException e) {
            // The connection is closed.
        }
    }

    /** Forwards all bytes of the server until either side closes. */
    private void answer(Socket server, Socket client) {
        try (server;
                client) {
            InputStream in = server.getInputStream();
            byte[] some = new byte[65_536];
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                awaitVoice(server);
                client.getOutputStream().write(some, 0, read);
            }
        } catch (IOException e) {
            // Either side has closed.
        }
        sockets.removeAll(List.of(client, server));
    }

    private void ask(Socket from, Socket to, int number) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream()));
            OutputStream out = to.getOutputStream();
            out.write(read(in, new byte[0]));
            int trips = -1;
            boolean meant = false;
            while (true) {
                byte type = in.readByte();
                byte[] message = read(in, new byte[] {type});
                if (number <= halfOpen) {
                    continue;
                }
                String text = new String(message, StandardCharsets.ISO_8859_1);
                if (contains(text, last)) {
                    last = null;
                    silent = true;
                }
                awaitVoice(from);
                if (contains(text, leaving)) {
                    leave();
                    return;
                }
                if (text.contains(BEGIN)) {
                    trips = 0;
                    meant = false;
                }
                Cut cut = next.get();
                meant |= cut != null && text.contains(cut.statement());
                boolean ends = text.contains(COMMIT);
                if (ends && meant && cut != null && next.compareAndSet(cut, null)) {
                    cut(from, to, message, in, cut.arrives());
                    return;
                }
                if (ends && trips >= 0) {
                    roundTrips.add(trips + 1);
                    trips = -1;
                }
                if (trips >= 0 && (type == SYNC || type == QUERY)) {
                    trips++;
                }
                out.write(otherWords.isEmpty() ? message : exchange(text));
            }
        } catch (IOException e) {
            // Either side has closed.
        }
    }

    private static boolean contains(String text, String words) {
        return words != null && text.contains(words);
    }

    /** Reads the length and the body of a message. */
    private static byte[] read(DataInputStream in, byte[] type) throws IOException {
        int length = in.readInt();
        ByteBuffer message = ByteBuffer.allocate(type.length + length).put(type).putInt(length);
        in.readFully(message.array(), message.position(), length - Integer.BYTES);
        return message.array();
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

    /** Resets the connection of a client at its COMMIT, which may or may not reach the server. */
    private static void cut(Socket from, Socket to, byte[] commit, DataInputStream in, boolean arrives)
            throws IOException {
        if (arrives) {
            to.getOutputStream().write(commit);
            byte type;
            do {
                type = in.readByte();
                to.getOutputStream().write(read(in, new byte[] {type}));
            } while (type != SYNC);
        }
        from.setSoLinger(true, 0);
        from.close();
        if (arrives) {
            to.shutdownOutput();
            while (to.getInputStream().read() >= 0) {
                continue;
            }
        }
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
    }
}
