package org.chainwalletd.http;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.chainwalletd.testkit.Dial;

/** HTTP/1 client on a plain socket, which can also send input that no HTTP library would. */
public final class RawClient implements Closeable {
    public record Response(int status, Map<String, String> headers, byte[] body) {
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        public String header(String name) {
            return headers.get(name);
        }
    }

    private final Socket socket;
    private final InputStream in;

    public RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = socket.getInputStream();
    }

    public static RawClient to(InetSocketAddress address) throws IOException {
        return new RawClient(Dial.socket(address));
    }

    /** Creates a client with a small receive buffer. */
    public static RawClient deaf(InetSocketAddress address) throws IOException {
        Socket socket = Dial.unconnected();
        socket.setReceiveBufferSize(4096);
        socket.connect(address);
        return new RawClient(socket);
    }

    /** @param from an address of this machine; on Linux any of 127.0.0.0/8 */
    public static RawClient to(InetSocketAddress address, String from) throws IOException {
        Socket socket = Dial.unconnected();
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(address);
        return new RawClient(socket);
    }

    public Socket socket() {
        return socket;
    }

    public RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    public RawClient post(String token, String body) throws IOException {
        return send(postText(token, body));
    }

    public static String postText(String token, String body) {
        String authorization = token == null ? "" : "Authorization: Bearer " + token + "\r\n";
        return "POST / HTTP/1.1\r\nHost: localhost\r\n" + authorization
                + "Content-Type: application/json\r\nContent-Length: " + body.getBytes(StandardCharsets.UTF_8).length
                + "\r\n\r\n" + body;
    }

    public Response read() throws IOException {
        return read(false);
    }

    public Response read(boolean head) throws IOException {
        String status = line();
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        String length = headers.get("content-length");
        byte[] body = head ? new byte[0] : length == null ? new byte[0] : in.readNBytes(Integer.parseInt(length));
        return new Response(Integer.parseInt(status.split(" ")[1]), headers, body);
    }

    /** Waits until the server has closed the connection in any way. Returns the remaining output. */
    public String readToEnd() throws IOException {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try {
            in.transferTo(said);
        } catch (SocketException e) {
            said.write(new byte[0]);
        }
        return said.toString(StandardCharsets.ISO_8859_1);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("closed after '" + line + "'");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
