package org.chainwalletd.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.chainwalletd.testkit.Dial;

/** A proxy before a PostgreSQL server that cuts a connection at its next COMMIT, of which the server hears or not, and the client never. */
final class CommitCutter implements Closeable {
    private static final String COMMIT = "COMMIT\0";

    private final ServerSocket door;
    private final int server;
    private final boolean arrives;
    private volatile boolean cuts;

    /** @param arrives whether the server hears of the COMMIT */
    CommitCutter(int server, boolean arrives) throws IOException {
        this.server = server;
        this.arrives = arrives;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    void cutNext() {
        cuts = true;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "commit-cutter");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                Socket behind = Dial.socket(new InetSocketAddress(InetAddress.getLoopbackAddress(), server));
                start(() -> pass(client, behind, true));
                start(() -> pass(behind, client, false));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void pass(Socket from, Socket to, boolean asking) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            byte[] some = new byte[65_536];
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                byte[] message = Arrays.copyOf(some, read);
                if (asking && cuts && new String(message, StandardCharsets.ISO_8859_1).contains(COMMIT)) {
                    cuts = false;
                    from.shutdownInput();
                    from.setSoLinger(true, 0);
                    from.close();
                    if (arrives) {
                        to.getOutputStream().write(message);
                        to.shutdownOutput();
                        while (to.getInputStream().read() >= 0) {
                            continue;
                        }
                    }
                    return;
                }
                to.getOutputStream().write(message);
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
