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
 * State of a client's connection: the order of its requests and responses ({@link ResponseOrder}), the bytes buffered on behalf of the client,
 * and when the connection ends ({@link Ending} has the ways to end it). The byte level ({@link ConnectionGuard}) and the request level
 * ({@link RequestStage}) report here, from different threads when TLS lies between them; {@link Listener} periodically closes the connections
 * whose client takes too long. Pekko HTTP has no such defence against slow clients: its idle timeout restarts with every byte.
 */
public final class Connection implements AddressShares.Holder {
    /** Knowledge of the layer above that this class does not have, such as the streams of HTTP/2. Callable from any thread. */
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

        /** Whether a request or its answer is in progress. */
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
    /** Whether the bytes below this level are HTTP/1 without TLS. */
    private boolean bareHttp1;
    /** Whether the client of the current request understands interim answers. */
    private boolean hearsInterim;

    private Optional<Runnable> overfull = Optional.empty();
    private Runnable closed = () -> {};
    private Above above = Above.NOTHING;
    private boolean gone;
    private Consumer<String> cutOff = reason -> {};

    /**
     * @param budget of this connection, charged with all bytes buffered on behalf of its client
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

    /** Returns the peer's address without its port. */
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

    /** @param closed runs when the connection has been closed */
    synchronized void whenClosed(Runnable closed) {
        this.closed = closed;
    }

    /** @param cutOff receives the reason why the connection is cut off: head, field, target, malformed, memory */
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

    /** Records that the client is cut off for {@code reason}: later input is dropped, and the bytes buffered so far are released. */
    public void refused(String reason) {
        Consumer<String> telling;
        synchronized (this) {
            telling = cutOff;
            share.close();
        }
        telling.accept(reason);
    }

    /** Whether no answer is in progress, so that a refusal in HTTP/1 cannot be mistaken for a part of one. */
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
            // Queued bodies count until they are dropped, which presence.leave() has done.
            share.close();
            after.run();
            last.run();
        }
    }

    /** Bytes that the daemon may buffer for this connection. */
    public ByteBudget budget() {
        return budget;
    }

    /** Whether HTTP/2 was negotiated: bytes then also arrive without a request, so only whole requests count as progress. */
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
     * Reserves memory for bytes read from the socket before the stream has asked for them.
     *
     * @return false when the budget has no room for them
     */
    boolean readAhead(int bytes) {
        return share.tryGrow(bytes);
    }

    void handedOver(int bytes) {
        share.shrink(bytes);
    }

    /** @param overfull answers the client with a refusal in its protocol; callable from any thread */
    public synchronized void whenOverfull(Runnable overfull) {
        this.overfull = Optional.of(overfull);
    }

    /**
     * Reports received bytes for which the budget has no room.
     *
     * @return whether the layer above answers the client; otherwise the caller must cut it off
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
     * Reserves memory for received bytes of HTTP/1, of any number of requests.
     *
     * @return false when the budget has no room for them
     */
    public boolean arrived(int bytes) {
        return share.tryGrow(bytes);
    }

    /** Records that some of these bytes, all of one request, are being read. */
    public synchronized void letThrough(int bytes) {
        order.requestIsRead();
        request.read(bytes);
    }

    /** Records that a request's head is complete and its body follows. */
    public synchronized void headArrived() {
        request.headEnded();
    }

    /** Moves bytes of the current request's body from the connection's reservation to {@code body}, which outlives the connection. */
    public void bodyRead(int bytes, MemoryReservation body) {
        body.takeAnyway(bytes);
        synchronized (this) {
            request.takenOver(bytes);
        }
    }

    /** Drops the body of the current request as it is read. */
    public synchronized void dropBody() {
        request.dropBody();
    }

    /** Records that the last byte of a request has arrived. */
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

    /** Records the start of an answer without an end, such as an event stream: the connection is not idle while it is sent. */
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

    /** Records that the connection carries HTTP/1 without TLS. */
    public synchronized void speaksHttp1() {
        bareHttp1 = true;
    }

    /** @param hears whether the client of the current request must understand interim answers, as HTTP/1.1 requires (RFC 9110, section 15.2) */
    public synchronized void mayHearInterim(boolean hears) {
        hearsInterim = hears;
    }

    /**
     * Whether an interim answer may be written now: the client has closed its sending side and waits for the answer to a complete request, and no
     * byte of that answer has been written.
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

    /** @param written runs when the next answer over HTTP/1 has been written, or the connection is closed */
    public void whenWritten(Runnable written) {
        Runnable before;
        synchronized (this) {
            before = gone ? written : writes.whenWritten(written);
        }
        before.run();
    }

    /** Records that the last piece of the answer is on its way to the socket. */
    public synchronized void lastPiece() {
        writes.lastPiece();
    }

    /**
     * Inspects bytes of an HTTP/1 answer from the layer above. When they belong to no answer of the daemon, Pekko's parser has refused a
     * request, and the refusal is counted.
     */
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

    /** Returns the status of the status line at the start of an HTTP/1 answer (RFC 9112, section 4); empty for any other bytes. */
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
     * Returns the time since which the daemon has waited for the client: for a request, or for a client that has stopped reading or does not
     * close. Empty while a request is in progress or an answer is being sent.
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

    /** Closes the connection if its client is late, or if it is draining and has nothing left to send. Returns what the client was late with. */
    Optional<String> closeIfLate(long now) {
        Optional<String> seenAbove = above().late(now);
        if (seenAbove.isPresent()) {
            ending.abort();
            return seenAbove;
        }
        boolean streams = above().atWork();
        Runnable end;
        Optional<String> reason;
        synchronized (this) {
            if (order.isHttp2() ? streams : writes.isUnderWay()) {
                order.answerGoesOut(now);
            }
            if (ending.draining() && order.hasReadTheLast(now)) {
                // The last answer has been sent, so there is no need to wait for the peer; nor is this counted as its
                // fault.
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
     * Bytes reserved for the current request of an HTTP/1 connection until its body is read ({@link RpcHandler} counts the body that it has read).
     * A dropped body does not count.
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

        /** Records that bytes already counted in the share are being read. */
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

        /** Releases bytes of the body that are counted elsewhere from now on. */
        void takenOver(int bytes) {
            share.shrink(bytes);
            request -= bytes;
            body = Math.max(0, body - bytes);
        }

        /** Releases the body read so far, and whatever follows of it as it is read. */
        public void dropBody() {
            dropping = true;
            share.shrink(body);
            request -= body;
            body = 0;
        }

        /** Releases the request when it has been answered. */
        void release() {
            share.shrink(request);
            request = 0;
            body = 0;
            inBody = false;
            dropping = false;
        }
    }

    /** Actions that end a connection from outside its streams. Thread-safe; each action runs on the caller's thread. */
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
         * @param abort resets the connection; also callable from any thread at any time
         */
        void opened(Runnable hangUp, Runnable abort) {
            this.finish = hangUp;
            this.hangUp = hangUp;
            this.abort = abort;
        }

        /** @param finish ends the connection when pending output has been written; callable from any thread */
        void finishesBy(Runnable finish) {
            this.finish = finish;
        }

        /** @param goodbye shuts the connection down gracefully in a protocol that needs more than closing the socket; callable from any thread */
        public void saysGoodbyeBy(Runnable goodbye) {
            this.goodbye = Optional.of(goodbye);
        }

        /** @param lastWord drops further input and ends the connection shortly afterwards; callable from any thread */
        void saysLastWordBy(Runnable lastWord) {
            this.lastWord = lastWord;
        }

        /** Returns the action that drops further input and ends the connection shortly afterwards. */
        public Runnable lastWord() {
            return lastWord;
        }

        /** @param giveUp answers the request in progress, if any, with 503; callable from any thread */
        public void givesUpBy(Runnable giveUp) {
            this.giveUp = giveUp;
        }

        /** Makes the connection end after the response in progress. */
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

        /** Returns the action that ends a draining connection after its last response; a no-op where the response's stream ends it. */
        Runnable afterTheLast() {
            return draining ? goodbye.orElse(NOTHING) : NOTHING;
        }

        /** Returns the action that ends the connection when pending output has been written. */
        Runnable finish() {
            return finish;
        }

        /** Answers the request in progress, if any, with 503. */
        void giveUp() {
            giveUp.run();
        }

        /** Closes the connection immediately; no request may be in progress. */
        void hangUp() {
            hangUp.run();
        }

        /** Resets the connection immediately, even with a request in progress. */
        void abort() {
            abort.run();
        }
    }
}
