package org.chainwalletd.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port of the loopback address for a listener that begins later, or never. One that the system has chosen and taken back would not do: it
 * gives such a port to the next who asks for any, also to an outgoing connection, of tests that run beside this one.
 */
public final class FreePort {
    /** Below the ports that Linux (32768), macOS and Windows (49152) choose from, above those of well-known services. */
    private static final int LOWEST = 12_000;

    private static final int BEYOND_HIGHEST = 32_000;
    private static final int TRIES = 1_000;

    private FreePort() {}

    /** A port where nobody listens, nor at the one above it, where a development node has its indexer. */
    public static int any() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND_HIGHEST);
            if (isFree(port) && isFree(port + 1)) {
                return port;
            }
        }
        throw new AssertionError("no free port in " + TRIES + " tries");
    }

    /** The same with the loopback address. */
    public static InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), any());
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (BindException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
