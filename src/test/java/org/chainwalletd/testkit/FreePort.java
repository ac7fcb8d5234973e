package org.chainwalletd.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Port of the loopback address for a listener that starts later, or never. A port that the system has assigned and released would not do: the
 * system may assign it again at any time, also to an outgoing connection of concurrent tests.
 */
public final class FreePort {
    /** Below the ephemeral ports of Linux (32768), macOS and Windows (49152), above the ports of well-known services. */
    private static final int LOWEST = 12_000;

    private static final int BEYOND_HIGHEST = 32_000;
    private static final int TRIES = 1_000;

    private FreePort() {}

    /** Returns a port without a listener; the next higher one has none either, because a development node's indexer uses it. */
    public static int any() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND_HIGHEST);
            if (isFree(port) && isFree(port + 1)) {
                return port;
            }
        }
        throw new AssertionError("no free port in " + TRIES + " tries");
    }

    /** Returns such a port with the loopback address. */
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
