package org.chainwalletd.devnet.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/** One connection on which one request is read and answered. Touched by the selector thread alone. */
final class RpcConnection {
    private static final int FIRST_BUFFER_BYTES = 2_048;

    final SocketChannel channel;
    final SelectionKey key;
    final InetAddress peer;
    /** When the connection is cut, in milliseconds of the node's clock. */
    long deadline;

    Phase phase = Phase.HEAD;

    private byte[] in = new byte[FIRST_BUFFER_BYTES];
    private int received;
    private RequestHead.Post post;
    private ByteBuffer out;
    private boolean leftovers;

    /** How far the exchange has come. */
    enum Phase {
        HEAD,
        BODY,
        WORKING,
        WRITING,
        /** Answered; what the client still sends is thrown away, so that the answer is not lost in a reset. */
        DRAINING
    }

    RpcConnection(SocketChannel channel, SelectionKey key, InetAddress peer, long deadline) {
        this.channel = channel;
        this.key = key;
        this.peer = peer;
        this.deadline = deadline;
    }

    /** Reads what is there; false at the end of the stream. */
    boolean fill() throws IOException {
        while (true) {
            if (received == in.length) {
                in = Arrays.copyOf(in, capacity());
            }
            int count = channel.read(ByteBuffer.wrap(in, received, in.length - received));
            if (count <= 0) {
                return count == 0;
            }
            received += count;
            if (received < in.length || isComplete()) {
                return true;
            }
        }
    }

    private int capacity() {
        if (post != null) {
            return Math.min(4 * in.length, post.headLength() + post.bodyLength() + 1);
        }
        return Math.min(4 * in.length, RequestHead.MAX_BYTES + FIRST_BUFFER_BYTES);
    }

    private boolean isComplete() {
        return post != null && received >= post.headLength() + post.bodyLength()
                || post == null && received >= RequestHead.MAX_BYTES;
    }

    RequestHead head() {
        RequestHead head = RequestHead.read(in, received);
        if (head instanceof RequestHead.Post announced) {
            post = announced;
            phase = Phase.BODY;
        }
        return head;
    }

    boolean hasBody() {
        return received >= post.headLength() + post.bodyLength();
    }

    /** The body; the connection's own buffer is given up. */
    byte[] takeBody() {
        int end = post.headLength() + post.bodyLength();
        leftovers = received > end;
        byte[] body = Arrays.copyOfRange(in, post.headLength(), end);
        in = null;
        phase = Phase.WORKING;
        return body;
    }

    /** Begins the answer of a request whose body was not read. */
    void refuse(HttpText.Refusal refusal) {
        leftovers = true;
        answer(HttpText.refusal(refusal));
    }

    void answer(ByteBuffer bytes) {
        out = bytes;
        phase = Phase.WRITING;
    }

    /** Writes what the socket takes; true when all is written. */
    boolean write() throws IOException {
        channel.write(out);
        return !out.hasRemaining();
    }

    /** After the answer: whether the client sent more than was read, so that closing at once would reset the connection. */
    boolean mustDrain() throws IOException {
        return leftovers || channel.read(ByteBuffer.allocate(1)) > 0;
    }

    /** Throws away what arrives; false at the end of the stream. */
    boolean drain() throws IOException {
        ByteBuffer waste = ByteBuffer.allocate(16_384);
        int count;
        do {
            waste.clear();
            count = channel.read(waste);
        } while (count > 0);
        return count == 0;
    }
}
