package org.chainwalletd.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS client over a socket. Buffers two records of at most {@link javax.net.ssl.SSLSession#getPacketBufferSize} bytes. Long steps of the handshake,
 * such as checking the certificate, run on another executor; meanwhile nothing here touches the engine. Renegotiation is refused, and so is a peer
 * that sends too many records without content.
 */
final class TlsWire implements Wire {
    private static final Logger LOG = LoggerFactory.getLogger(TlsWire.class);

    /** Maximum length of a handshake; even long certificate chains need less. */
    private static final int MAX_HANDSHAKE_BYTES = 256 * 1024;
    /** Maximum run of records without content after the handshake, such as key updates, which are expensive; a few session tickets need less. */
    private static final int MAX_BYTES_WITHOUT_CONTENT = 16 * 1024;

    private static final int NOTHING_YET = 0;
    private static final int END = -1;
    private static final int CHANGED = -2;
    private static final ByteBuffer NO_CONTENT = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final SocketLoop loop;
    private final SocketChannel channel;
    private final SSLEngine engine;
    private final Executor executor;
    private final Runnable resume;
    /** Encrypted records received, in read mode. */
    private final ByteBuffer incoming;
    /** An encrypted record not yet written, in read mode. */
    private final ByteBuffer outgoing;

    private boolean taskRunning;
    /** Set by a long step before it ends. */
    private volatile boolean broken;

    private boolean handshakeDone;
    private boolean needsInput;
    private boolean endProven;
    private int withoutContent;

    /**
     * @param engine in client mode, with the checks of the peer's certificate configured and the handshake begun
     * @param executor runs the long steps
     * @param resume run on the loop's thread after a long step
     */
    TlsWire(SocketLoop loop, SocketChannel channel, SSLEngine engine, Executor executor, Runnable resume) {
        this.loop = loop;
        this.channel = channel;
        this.engine = engine;
        this.executor = executor;
        this.resume = resume;
        int record = engine.getSession().getPacketBufferSize();
        this.incoming = ByteBuffer.allocate(record).limit(0);
        this.outgoing = ByteBuffer.allocate(record).limit(0);
    }

    @Override
    public boolean open() throws IOException {
        if (broken) {
            throw new SSLException("the certificate of the peer cannot be read");
        }
        while (!taskRunning && flush()) {
            switch (engine.getHandshakeStatus()) {
                case NOT_HANDSHAKING, FINISHED -> {
                    if (!handshakeDone) {
                        handshakeDone = true;
                        withoutContent = 0;
                    }
                    return true;
                }
                case NEED_WRAP -> wrap(NO_CONTENT);
                case NEED_TASK -> {
                    refuseRenegotiation();
                    startTask();
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    refuseRenegotiation();
                    int got = unwrap();
                    if (got == NOTHING_YET) {
                        return false;
                    }
                    if (got != CHANGED) {
                        throw new SSLException("the peer ended the TLS handshake");
                    }
                }
            }
        }
        return false;
    }

    private void refuseRenegotiation() throws SSLException {
        if (handshakeDone) {
            throw new SSLException("the peer wants another TLS handshake");
        }
    }

    private void startTask() throws SSLException {
        Runnable first = engine.getDelegatedTask();
        if (first == null) {
            throw new SSLException("the TLS handshake does not go on");
        }
        taskRunning = true;
        try {
            executor.execute(() -> {
                try {
                    for (Runnable task = first; task != null; task = engine.getDelegatedTask()) {
                        task.run();
                    }
                } catch (RuntimeException | StackOverflowError e) {
                    // The JDK parses nested parts of a certificate recursively, so a crafted one can overflow the
                    // stack.
                    broken = true;
                } finally {
                    reportTaskEnd();
                }
            });
        } catch (RejectedExecutionException e) {
            throw new SSLException("no thread is free for the TLS handshake");
        }
    }

    private void reportTaskEnd() {
        try {
            loop.execute(this::taskEnded);
        } catch (RejectedExecutionException e) {
            LOG.debug("a TLS handshake was dropped: {}", e.getMessage());
        }
    }

    private void taskEnded() {
        taskRunning = false;
        resume.run();
    }

    /** Returns whether all outgoing bytes are written. */
    private boolean flush() throws IOException {
        if (outgoing.hasRemaining()) {
            channel.write(outgoing);
        }
        return !outgoing.hasRemaining();
    }

    private void wrap(ByteBuffer content) throws SSLException {
        outgoing.clear();
        try {
            SSLEngineResult result = engine.wrap(content, outgoing);
            if (result.getStatus() != SSLEngineResult.Status.OK && outgoing.position() == 0 && content.hasRemaining()) {
                throw new SSLException("nothing can be sent any more: " + result.getStatus());
            }
        } finally {
            outgoing.flip();
        }
    }

    /** @return number of content bytes in the loop's scratch buffer, or one of the constants above */
    private int unwrap() throws IOException {
        while (true) {
            ByteBuffer content = ByteBuffer.wrap(loop.scratch());
            SSLEngineResult result = engine.unwrap(incoming, content);
            switch (result.getStatus()) {
                case OK -> {
                    if (result.bytesProduced() > 0) {
                        withoutContent = 0;
                        return result.bytesProduced();
                    }
                    withoutContent += result.bytesConsumed();
                    if (withoutContent > (handshakeDone ? MAX_BYTES_WITHOUT_CONTENT : MAX_HANDSHAKE_BYTES)) {
                        throw new SSLException("TLS records without content");
                    }
                    return CHANGED;
                }
                case CLOSED -> {
                    endProven = true;
                    return END;
                }
                case BUFFER_UNDERFLOW -> {
                    int count = fill();
                    if (count <= 0) {
                        return count;
                    }
                }
                case BUFFER_OVERFLOW -> throw new SSLException("a TLS record that is too long");
            }
        }
    }

    private int fill() throws IOException {
        incoming.compact();
        try {
            if (!incoming.hasRemaining()) {
                throw new SSLException("a TLS record that is too long");
            }
            int count = channel.read(incoming);
            needsInput = count <= 0;
            return count;
        } finally {
            incoming.flip();
        }
    }

    @Override
    public boolean write(ByteBuffer content) throws IOException {
        while (open()) {
            if (!content.hasRemaining()) {
                return true;
            }
            wrap(content);
        }
        return false;
    }

    @Override
    public int read(int most, SocketLoop.PieceReader reader) throws IOException {
        // Reads the peer's records even while a record of ours is not written yet: the peer may answer before it has
        // read everything.
        while (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING || open()) {
            int got = unwrap();
            if (got > 0) {
                needsInput = false;
                reader.accept(loop.scratch(), got);
            }
            if (got != CHANGED) {
                return got;
            }
        }
        return NOTHING_YET;
    }

    @Override
    public boolean isEndProven() {
        return endProven;
    }

    @Override
    public boolean mayHoldMore() {
        return !needsInput && incoming.hasRemaining();
    }

    @Override
    public int awaited(boolean reading, boolean writing) {
        if (taskRunning) {
            return 0;
        }
        boolean blocked = outgoing.hasRemaining();
        if (engine.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING) {
            return blocked ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        }
        return (reading ? SelectionKey.OP_READ : 0) | (writing || blocked ? SelectionKey.OP_WRITE : 0);
    }

    @Override
    public void end() {
        if (taskRunning || outgoing.hasRemaining()) {
            return;
        }
        try {
            engine.closeOutbound();
            wrap(NO_CONTENT);
            flush();
        } catch (IOException | RuntimeException e) {
            // The connection is closed either way.
            outgoing.limit(0);
        }
    }
}
