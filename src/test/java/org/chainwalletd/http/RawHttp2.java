package org.chainwalletd.http;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** HTTP/2 client on a plain socket that sends individual frames, including ones that no HTTP library would send (RFC 9113). */
public final class RawHttp2 implements Closeable {
    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PUSH_PROMISE = 5;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;
    public static final int END_STREAM = 1;
    public static final int END_HEADERS = 4;
    public static final int PADDED = 8;
    /** Default maximum frame size. */
    private static final int LONGEST_FRAME = 16_384;

    /** @param type one of the frame types of RFC 9113, section 6 */
    public record Frame(int type, int flags, int stream, byte[] payload) {}

    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;

    /** Sends the preface and empty settings. */
    public RawHttp2(Socket socket) throws IOException {
        this(socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    }

    /** Sends the preface and these settings: pairs of an identifier and a value. */
    public static RawHttp2 with(Socket socket, int... settings) throws IOException {
        return new RawHttp2(socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", settings);
    }

    /** Continues on a socket on which the preface was already sent. */
    public static RawHttp2 after(Socket socket) throws IOException {
        return new RawHttp2(socket, "");
    }

    private RawHttp2(Socket socket, String preface, int... settings) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(60_000);
        this.out = socket.getOutputStream();
        this.in = new DataInputStream(socket.getInputStream());
        out.write(preface.getBytes(StandardCharsets.US_ASCII));
        send(SETTINGS, 0, 0, settings(settings));
    }

    /** Encodes settings: pairs of an identifier and a value. */
    public static byte[] settings(int... pairs) {
        ByteBuffer bytes = ByteBuffer.allocate(pairs.length * 3);
        for (int i = 0; i < pairs.length; i += 2) {
            bytes.putShort((short) pairs[i]).putInt(pairs[i + 1]);
        }
        return bytes.array();
    }

    public static byte[] number(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    public Socket socket() {
        return socket;
    }

    public void send(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload);
        out.write(frame.array());
        out.flush();
    }

    /** Sends a complete {@code POST /}. */
    public void post(int stream, String token, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        send(HEADERS, END_HEADERS, stream, head(token, bytes.length));
        int at = 0;
        for (; bytes.length - at > LONGEST_FRAME; at += LONGEST_FRAME) {
            send(DATA, 0, stream, Arrays.copyOfRange(bytes, at, at + LONGEST_FRAME));
        }
        send(DATA, END_STREAM, stream, Arrays.copyOfRange(bytes, at, bytes.length));
    }

    /** Resets the stream of a request. */
    public void reset(int stream) throws IOException {
        int cancel = 8;
        send(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(cancel).array());
    }

    public static byte[] head(String token, int length) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        literal(head, ":method", "POST");
        literal(head, ":scheme", "https");
        literal(head, ":path", "/");
        literal(head, ":authority", "localhost");
        literal(head, "authorization", "Bearer " + token);
        literal(head, "content-type", "application/json");
        literal(head, "content-length", Integer.toString(length));
        return head.toByteArray();
    }

    /** Writes a field that is not indexed and not compressed (RFC 7541, section 6.2.2). */
    public static void literal(ByteArrayOutputStream to, String name, String value) {
        to.write(0);
        to.write(name.length());
        to.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        to.write(value.length());
        to.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    public Frame read() throws IOException {
        int lengthAndType = in.readInt();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        return new Frame(lengthAndType & 0xff, flags, stream, in.readNBytes(lengthAndType >>> 8));
    }

    /** Reads the first body frame on {@code stream}. */
    public String readBody(int stream) throws IOException {
        for (Frame frame = read(); ; frame = read()) {
            if (frame.type() == DATA && frame.stream() == stream) {
                return new String(frame.payload(), StandardCharsets.UTF_8);
            }
        }
    }

    /** Waits for the end of the connection. Returns the error code of its GOAWAY, or -1 if there was none. */
    public int goAway() throws IOException {
        try {
            for (Frame frame = read(); ; frame = read()) {
                if (frame.type() == GOAWAY) {
                    return ByteBuffer.wrap(frame.payload()).getInt(4);
                }
            }
        } catch (EOFException | SocketException e) {
            return -1;
        }
    }

    /** Sends bytes that are not a frame. */
    public void sendRaw(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** Waits for an answer on {@code stream}, or for the end of the connection. */
    public boolean isAnswered(int stream) throws IOException {
        try {
            for (Frame frame = read(); ; frame = read()) {
                if (frame.type() == HEADERS && frame.stream() == stream) {
                    return true;
                }
            }
        } catch (EOFException | SocketException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
