package org.chainwalletd.http.door;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.h1.RequestStage;
import org.chainwalletd.http.pages.RpcHandler;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.ClientPresence;

/**
 * Connection of a client: the order of its requests and responses ({@link ResponseOrder}), the bytes buffered on behalf of its client, and when it ends ({@link Ending} says how). The byte
 * level ({@link ConnectionGuard}) and the request level ({@link RequestStage}) report here, from different threads when TLS lies between them;
 * {@link Listener} sweeps over all connections and closes those whose client takes too long. This is the defence against slow clients that
 * Pekko HTTP leaves to its user: its idle timeout starts anew with every byte.
 */
public final class Connection implements AddressShares.Holder {
    /** The layer above as far as it sees more than this class. Asked by any thread. */
    public interface Above {
        Above NOTHING = new Above() {
            @Override
            public Optional<String> late(long now) {
                return Optional.empty();
            }

            @Override
            public boolean atWork() {
                return false;
            }
        };

        /** Names what the client is late with. */
        Optional<String> late(long now);

        /** Whether a request or its answer is on its way. */
        boolean atWork();
    }

    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\...([0-9]{3})", Pattern.DOTALL);
    private static final int STATUS_LINE_BYTES = 12;

    private final InetSocketAddress remote;
    private final String peer;
    private final HttpLimits limits;
    private final ConnectionClass.Threads threads;
    private final ByteBudget budget;
    private final ByteBudget.Share share;
    private final ClientPresence presence = new ClientPresence();
    private final ResponseOrder order;
    private final RequestBytes request;
    private final ResponseOrder.Writes writes;
    private final Ending ending = new Ending();
    /** The bytes below this level are HTTP/1 itself, not those of TLS. */
    private boolean bareHttp1;
    /** The client of the request in work knows interim answers. */
    private boolean hearsInterim;

    private Optional<Runnable> overfull = Optional.empty();
    private Runnable closed = () -> {};
    private Above above = Above.NOTHING;
    private boolean gone;
    private Consumer<String> cutOff = reason -> {};

    /**
     * @param budget of this connection: everything that its client makes the daemon hold counts against it
     * @param threads where its streams run
     */
    Connection(InetSocketAddress remote, HttpLimits limits, ByteBudget budget, ConnectionClass.Threads threads) {
        this.threads = threads;
        this.budget = budget;
        this.share = budget.share();
        this.request = new RequestBytes(share);
        this.remote = remote;
        this.peer = remote.getAddress().getHostAddress();
        this.limits = limits;
        this.order = new ResponseOrder(limits);
        this.writes = order.writes();
    }

    InetSocketAddress remote() {
        return remote;
    }

    /** The peer's address without its port. */
    String peer() {
        return peer;
    }

    /** Presence of the client at the other end: it has left when the connection is closed. */
    public ClientPresence presence() {
        return presence;
    }

    /** Returns the handle by which the connection is ended from outside. */
    public Ending ending() {
        return ending;
    }

    /** @param closed runs when the connection is gone */
    synchronized void whenClosed(Runnable closed) {
        this.closed = closed;
    }

    /** @param cutOff told why the connection is cut off: head, field, target, malformed, memory */
    synchronized void whenCutOff(Consumer<String> cutOff) {
        this.cutOff = cutOff;
    }

    public synchronized void isBelow(Above above) {
        this.above = above;
    }

    private synchronized Above above() {
        return above;
    }

    public HttpLimits limits() {
        return limits;
    }

    public ConnectionClass.Threads threads() {
        return threads;
    }

    /** Returns a reservation with which a layer above counts the bytes that it buffers on behalf of this client. */
    public MemoryReservation holder() {
        return new MemoryReservation(budget, 0);
    }

    /** The client is cut off for {@code reason}: what comes from now on is dropped, and what has come is not needed any more. */
    public void refused(String reason) {
        Consumer<String> telling;
        synchronized (this) {
            telling = cutOff;
            share.close();
        }
        telling.accept(reason);
    }

    /** Whether nothing is being answered, so that a refusal in HTTP/1 can be taken for nothing else. */
    public synchronized boolean isClients() {
        return order.isClients() && !order.isStreaming() && !writes.isUnderWay();
    }

    void closed() {
        Runnable after;
        Runnable last;
        synchronized (this) {
            after = closed;
            last = writes.end();
            gone = true;
        }
        try {
            presence.leave();
        } finally {
            // Bodies that waited for their turn count until they are dropped, which they are by now.
            share.close();
            after.run();
            last.run();
        }
    }

    /** Bytes that the daemon may buffer for this connection. */
    public ByteBudget budget() {
        return budget;
    }

    /** HTTP/2 was negotiated: bytes arrive also without a request, so only whole requests count as progress from here on. */
    public synchronized boolean isHttp2() {
        return order.isHttp2();
    }

    public synchronized void speaksHttp2() {
        order.speaksHttp2();
    }

    synchronized void bytesArrived() {
        order.bytesArrived();
    }

    /**
     * Bytes wait at the socket until somebody asks for them.
     *
     * @return false when the daemon holds too much to hold them too
     */
    boolean readAhead(int bytes) {
        return share.tryGrow(bytes);
    }

    void handedOver(int bytes) {
        share.shrink(bytes);
    }

    /** @param overfull refuses the client in words that it understands; callable from any thread */
    public synchronized void whenOverfull(Runnable overfull) {
        this.overfull = Optional.of(overfull);
    }

    /**
     * Bytes came that cannot be held.
     *
     * @return whether the layer above tells the client; else it has to be cut off
     */
    boolean toldOverfull() {
        Optional<Runnable> telling;
        synchronized (this) {
            telling = order.isHttp2() ? Optional.empty() : overfull;
        }
        telling.ifPresent(Runnable::run);
        return telling.isPresent();
    }

    /**
     * Bytes of HTTP/1 have come, of any number of requests.
     *
     * @return false when the daemon holds too much to hold them too
     */
    public boolean arrived(int bytes) {
        return share.tryGrow(bytes);
    }

    /** Some of these bytes, all of one request, are being read. */
    public synchronized void letThrough(int bytes) {
        order.requestIsRead();
        request.read(bytes);
    }

    /** A request's head is complete; what comes is its body. */
    public synchronized void headArrived() {
        request.headEnded();
    }

    /** Bytes of the present request's body count against {@code body} from now on, which outlives the connection. */
    public void bodyRead(int bytes, MemoryReservation body) {
        body.takeAnyway(bytes);
        synchronized (this) {
            request.takenOver(bytes);
        }
    }

    /** The body of the present request is not wanted: it is read and dropped. */
    public synchronized void dropBody() {
        request.dropBody();
    }

    /** The last byte of a request is here. */
    public synchronized void requestArrived() {
        order.requestArrived();
    }

    public void answered() {
        Runnable after;
        synchronized (this) {
            order.answered();
            if (!order.isHttp2()) {
                writes.answerGiven();
            }
            request.release();
            after = order.isAllAnswered() ? ending.afterTheLast() : () -> {};
        }
        after.run();
    }

    /** An answer that has no end of its own goes out: the connection is not idle. */
    public synchronized void streamBegan() {
        order.streamBegan();
    }

    public void streamEnded() {
        Runnable after;
        synchronized (this) {
            order.streamEnded();
            after = order.isIdle() && order.isAllAnswered() ? ending.afterTheLast() : () -> {};
        }
        after.run();
    }

    synchronized void peerClosed() {
        order.peerClosed();
    }

    /** HTTP/1 without TLS. */
    public synchronized void speaksHttp1() {
        bareHttp1 = true;
    }

    /** @param hears whether the client whose request has begun has to understand interim answers, as HTTP/1.1 asks (RFC 9110, section 15.2) */
    public synchronized void mayHearInterim(boolean hears) {
        hearsInterim = hears;
    }

    /**
     * Whether an interim answer may be written now: the client has closed its sending side, waits for the answer to a whole request, and
     * nothing of that answer is out.
     */
    synchronized boolean mayBeProbed() {
        return bareHttp1 && hearsInterim && order.isOneRequestOfHalfClosed() && !writes.writing();
    }

    synchronized void outputEnded() {
        order.outputEnded();
    }

    synchronized void writeStarted() {
        writes.started();
    }

    void writeDone() {
        Runnable after;
        synchronized (this) {
            after = writes.done();
        }
        after.run();
    }

    /** @param written runs when the answer that is about to go out over HTTP/1 is out, or the connection is gone */
    public void whenWritten(Runnable written) {
        Runnable before;
        synchronized (this) {
            before = gone ? written : writes.whenWritten(written);
        }
        before.run();
    }

    /** The last piece of the answer is on its way to the socket. */
    public synchronized void lastPiece() {
        writes.lastPiece();
    }

    /** Bytes of an HTTP/1 answer come from above. Where it is nobody's answer, Pekko's parser has refused a request by itself. */
    public void answerGoesOut(ByteString piece) {
        Optional<String> reason = Optional.empty();
        Consumer<String> telling;
        synchronized (this) {
            boolean ours = writes.isOfAnAnswer() || order.isStreaming();
            telling = cutOff;
            if (!ours) {
                reason = status(piece).flatMap(Refusals::reasonOf);
            }
        }
        reason.ifPresent(telling);
    }

    /** The status that an HTTP/1 answer begins with (RFC 9112, section 4); empty for any other bytes. */
    private static Optional<Integer> status(ByteString answer) {
        Matcher line = STATUS_LINE.matcher(answer.take(STATUS_LINE_BYTES).decodeString(StandardCharsets.ISO_8859_1));
        return line.matches() ? Optional.of(Integer.valueOf(line.group(1))) : Optional.empty();
    }

    /** Drains the connection: it ends with the response in progress, or at once when there is none. */
    void drain() {
        Runnable politely;
        synchronized (this) {
            ending.drains();
            politely = order.isIdle() ? ending.politely() : () -> {};
        }
        politely.run();
    }

    /**
     * Since when the daemon owes the client nothing: it waits for a request, or for a client that does not go on with reading or closing.
     * Empty while a request of it is in work, or an answer goes out.
     */
    @Override
    public OptionalLong quietSince(long now) {
        if (above().atWork()) {
            return OptionalLong.empty();
        }
        synchronized (this) {
            return order.quietSince(now);
        }
    }

    @Override
    public boolean giveWay(long now) {
        if (quietSince(now).isEmpty()) {
            return false;
        }
        ending.hangUp();
        return true;
    }

    /** Closes the connection if its client is late, or a stop waits for nothing else. Returns what the client was late with. */
    Optional<String> closeIfLate(long now) {
        Optional<String> seenAbove = above().late(now);
        if (seenAbove.isPresent()) {
            ending.abort();
            return seenAbove;
        }
        Runnable end;
        Optional<String> reason;
        synchronized (this) {
            if (ending.draining() && order.hasReadTheLast(now)) {
                // Nothing is left to be said, so nobody has to wait for the peer; it has done nothing wrong either.
                end = ending.finish();
                reason = Optional.empty();
            } else {
                reason = order.late(now);
                end = reason.isEmpty() ? () -> {} : ending::abort;
                if (reason.isEmpty() && order.idleTooLong(now)) {
                    order.outputEnded();
                    reason = Optional.of("idle");
                    end = ending.politely();
                }
            }
        }
        end.run();
        return reason;
    }

    /**
     * Bytes that the request in work on an HTTP/1 connection has of its share, until its body is read ({@link RpcHandler} counts that); what is dropped
     * unread does not count.
     */
    private static final class RequestBytes {
        private final ByteBudget.Share share;
        private long request;
        private long body;
        private boolean inBody;
        private boolean dropping;

        RequestBytes(ByteBudget.Share share) {
            this.share = share;
        }

        /** Bytes that the share has already are being read. */
        void read(int bytes) {
            if (dropping) {
                share.shrink(bytes);
            } else {
                request += bytes;
                body += inBody ? bytes : 0;
            }
        }

        /** Records that the request's head is complete and its body follows. */
        void headEnded() {
            inBody = true;
        }

        /** These bytes of the body are counted elsewhere from now on. */
        void takenOver(int bytes) {
            share.shrink(bytes);
            request -= bytes;
            body = Math.max(0, body - bytes);
        }

        /** The body is not wanted. */
        public void dropBody() {
            dropping = true;
            share.shrink(body);
            request -= body;
            body = 0;
        }

        /** The request is answered. */
        void release() {
            share.shrink(request);
            request = 0;
            body = 0;
            inBody = false;
            dropping = false;
        }
    }

    /** The ways in which one connection can be ended from outside of its streams. Safe for threads; what ends a connection runs on the caller's. */
    public static final class Ending {
        private static final Runnable NOTHING = () -> {};

        private volatile Runnable finish = NOTHING;
        private volatile Runnable hangUp = NOTHING;
        private volatile Runnable abort = NOTHING;
        private volatile Runnable giveUp = NOTHING;
        private volatile Runnable lastWord = NOTHING;
        private volatile Optional<Runnable> goodbye = Optional.empty();
        private volatile boolean draining;

        /**
         * @param hangUp closes the connection; callable from any thread, also later
         * @param abort resets it, likewise
         */
        void opened(Runnable hangUp, Runnable abort) {
            this.finish = hangUp;
            this.hangUp = hangUp;
            this.abort = abort;
        }

        /** @param finish ends the connection once what is being written is out; callable from any thread */
        void finishesBy(Runnable finish) {
            this.finish = finish;
        }

        /** @param goodbye ends the connection politely where more than the end of the bytes belongs to that; callable from any thread */
        public void saysGoodbyeBy(Runnable goodbye) {
            this.goodbye = Optional.of(goodbye);
        }

        /** @param lastWord has what still comes dropped, and ends the connection in a moment; callable from any thread */
        void saysLastWordBy(Runnable lastWord) {
            this.lastWord = lastWord;
        }

        /** Returns the action that ends a connection from which nothing more is read. */
        public Runnable lastWord() {
            return lastWord;
        }

        /** @param giveUp answers the request in work with 503, if there is one; callable from any thread */
        public void givesUpBy(Runnable giveUp) {
            this.giveUp = giveUp;
        }

        /** Makes the connection end with the response in progress. */
        void drains() {
            draining = true;
        }

        public boolean draining() {
            return draining;
        }

        /** Returns the action that ends an idle connection. */
        Runnable politely() {
            return goodbye.orElse(finish);
        }

        /** Returns the action that ends a draining connection after its last response; nothing where the response's stream ends it. */
        Runnable afterTheLast() {
            return draining ? goodbye.orElse(NOTHING) : NOTHING;
        }

        /** Once what is being written is out. */
        Runnable finish() {
            return finish;
        }

        /** Answers what is still in work with 503. */
        void giveUp() {
            giveUp.run();
        }

        /** Closes the connection at once; nothing of it may be in work. */
        void hangUp() {
            hangUp.run();
        }

        /** Ends the connection at once, whatever it is doing. */
        void abort() {
            abort.run();
        }
    }
}
