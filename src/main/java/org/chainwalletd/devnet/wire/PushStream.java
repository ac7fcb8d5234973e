package org.chainwalletd.devnet.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import org.chainwalletd.devnet.wire.PushHub.Event;

/**
 * Open push stream with its bounded buffer. Reading is off: like a node it detects a disconnected client only when it writes.
 * Touched by the selector thread alone.
 */
final class PushStream {
    /** Events that may wait for a slow reader. */
    static final int BUFFER_EVENTS = 1_024;

    final SocketChannel channel;
    final SelectionKey key;
    final InetAddress peer;
    final PushQuery query;
    long nextHeartbeat;

    private final Deque<ByteBuffer> pending = new ArrayDeque<>();
    private boolean lost;

    PushStream(SocketChannel channel, SelectionKey key, InetAddress peer, PushQuery query) {
        this.channel = channel;
        this.key = key;
        this.peer = peer;
        this.query = query;
    }

    /** Queues an event; when the buffer is full it is lost, and the next one that fits is preceded by {@code resync}. */
    void offer(Event event) {
        if (pending.size() >= BUFFER_EVENTS) {
            lost = true;
            return;
        }
        if (lost) {
            lost = false;
            offerRaw(Event.RESYNC.text());
        }
        offerRaw(event.text());
    }

    /** Queues bytes that are no event: the head, a heartbeat. */
    void offerRaw(byte[] bytes) {
        pending.add(ByteBuffer.wrap(bytes));
    }

    /** Writes as much as the socket accepts. */
    void flush() throws IOException {
        while (!pending.isEmpty()) {
            ByteBuffer next = pending.peek();
            channel.write(next);
            if (next.hasRemaining()) {
                key.interestOps(SelectionKey.OP_WRITE);
                return;
            }
            pending.remove();
        }
        key.interestOps(0);
    }
}
