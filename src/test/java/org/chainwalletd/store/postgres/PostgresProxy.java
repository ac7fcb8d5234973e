package org.chainwalletd.store.postgres;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.testkit.Dial;

/**
 * Proxy before a PostgreSQL server that reads the client's messages: it counts the round trips of each transaction, and cuts a connection at a
 * COMMIT, which may or may not reach the server, and whose response never reaches the client.
 */
final class PostgresProxy implements Closeable {
    private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";
    private static final String COMMIT = "COMMIT\0";
    private static final char QUERY = 'Q';

    private final ServerSocket door;
    private final SharedStores database;
    private final boolean arrives;
    private final List<Integer> roundTrips = new CopyOnWriteArrayList<>();
    /** Text of a statement in the transaction whose COMMIT is cut; null for none. */
    private volatile String cuts;

    private volatile int connections;
    /** Number of connections, counted from the first, that are half-open. */
    private volatile int halfOpen;

    /**
     * @param arrives whether a COMMIT that is cut reaches the server
     */
    PostgresProxy(SharedStores database, boolean arrives) throws IOException {
        this.database = database;
        this.arrives = arrives;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ServerMessages.start(this::accept);
    }

    Postgres.Connector database() {
        return database.through(() -> PostgresServer.connect(door.getLocalPort(), database.name(), ""));
    }

    /** Opens the store through the proxy. */
    PostgresStore open() {
        return SharedStores.open(database(), OptionalLong.empty(), true);
    }

    /** Opens the store as the daemon with this datadir does. */
    PostgresStore open(Path folder) {
        return PostgresStore.open(folder, Optional.empty(), database(), Optional.empty(), true, SentLog.LEAST_TO_PRUNE);
    }

    /** Cuts the next COMMIT. */
    void cutNext() {
        cutNext("");
    }

    /**
     * Cuts the next COMMIT of a transaction with a statement that contains {@code statement}; others, such as those that only poll for changes, pass.
     */
    void cutNext(String statement) {
        cuts = statement;
    }

    /** Returns, for each writing transaction, how often its client waited for a response, including BEGIN and COMMIT. */
    List<Integer> roundTrips() {
        return roundTrips;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                Socket behind =
                        Dial.socket(new InetSocketAddress(InetAddress.getLoopbackAddress(), PostgresServer.port()));
                client.setTcpNoDelay(true);
                behind.setTcpNoDelay(true);
                int number = connections + 1;
                connections = number;
                ServerMessages.start(() -> ask(client, behind, number));
                ServerMessages.start(() -> ServerMessages.carry(behind, client, () -> {}));
            }
        } catch (IOException e) {
            // The connection is closed.
        }
    }

    /** Blocks all further data of the existing connections to the server without closing them. */
    void halfOpen() {
        halfOpen = connections;
    }

    private void ask(Socket from, Socket to, int number) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            OutputStream out = to.getOutputStream();
            out.write(ServerMessages.read(in, new byte[0]));
            int trips = -1;
            boolean meant = false;
            while (true) {
                byte type = in.readByte();
                byte[] message = ServerMessages.read(in, new byte[] {type});
                if (number <= halfOpen) {
                    continue;
                }
                String text = new String(message, StandardCharsets.ISO_8859_1);
                boolean ends = text.contains(COMMIT);
                if (text.contains(BEGIN)) {
                    trips = 0;
                    meant = false;
                }
                String wanted = cuts;
                meant |= wanted != null && text.contains(wanted);
                if (ends && meant) {
                    cuts = null;
                    ServerMessages.cut(from, to, message, in, arrives);
                    return;
                }
                if (ends && trips >= 0) {
                    roundTrips.add(trips + 1);
                    trips = -1;
                }
                if (trips >= 0 && (type == ServerMessages.SYNC || type == QUERY)) {
                    trips++;
                }
                out.write(message);
            }
        } catch (IOException e) {
            // Either side has closed.
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
