package org.chainwalletd.store.postgres;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Reads and forwards the messages between a PostgreSQL client and its server (PostgreSQL 17 manual, chapter 53). */
final class ServerMessages {
    /** Type of the message that ends a group which the server answers together. */
    static final char SYNC = 'S';

    private ServerMessages() {}

    static void start(Runnable work) {
        Thread thread = new Thread(work, "database-door");
        thread.setDaemon(true);
        thread.start();
    }

    /** Reads the length and the body of a message. */
    static byte[] read(DataInputStream in, byte[] type) throws IOException {
        int length = in.readInt();
        ByteBuffer message = ByteBuffer.allocate(type.length + length).put(type).putInt(length);
        in.readFully(message.array(), message.position(), length - Integer.BYTES);
        return message.array();
    }

    /** Resets the connection of a client at its COMMIT, which may or may not reach the server. */
    static void cut(Socket from, Socket to, byte[] commit, DataInputStream in, boolean arrives) throws IOException {
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

    /**
     * Forwards all bytes until either side closes.
     *
     * @param before run before each chunk
     */
    static void carry(Socket from, Socket to, Runnable before) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            byte[] some = new byte[65_536];
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                before.run();
                to.getOutputStream().write(some, 0, read);
            }
        } catch (IOException e) {
            // Either side has closed.
        }
    }
}
