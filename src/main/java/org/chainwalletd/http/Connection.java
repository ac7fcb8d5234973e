package org.chainwalletd.http;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.rpc.ClientPresence;

/**
 * One connection: whose turn it is ({@link Turn}), what its client makes the daemon hold, and when it ends ({@link Ending} says how). The byte
 * level ({@link ConnectionGuard}) and the request level ({@link RequestStage}) report here, from different threads when TLS lies between them;
 * {@link Listener} sweeps over all connections and closes those whose client takes too long. This is the defence against slow clients that
 * Pekko HTTP leaves to its user: its idle timeout starts anew with every byte.
 */
final class Connection implements AddressShares.Holder {
    /** The layer above as far as it sees more than this class. Asked by any thread. */
    interface Above {
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

        /** What the client is late with. */
        Optional<String> late(long now);

        /** Whether a request or its answer is on its way. */
        boolean atWork();
    }

    private final InetSocketAddress remote;
    private final String peer;
    private final HttpLimits limits;
    private final Lane lane;
    private final ByteBudget budget;
    private final ByteBudget.Share share;
    private final ClientPresence presence = new ClientPresence();
    private final Turn turn = new Turn();
    private final RequestBytes request;
    private final AnswerWrites writes = new AnswerWrites();
    private final Ending ending = new Ending();
    private final Deadlines deadlines;
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
     * @param lane where its streams run
     */
    Connection(InetSocketAddress remote, HttpLimits limits, ByteBudget budget, Lane lane) {
        this.lane = lane;
        this.budget = budget;
        this.share = budget.share();
        this.request = new RequestBytes(share);
        this.remote = remote;
        this.peer = remote.getAddress().getHostAddress();
        this.limits = limits;
        this.deadlines = new Deadlines(turn, writes, limits);
    }

    InetSocketAddress remote() {
        return remote;
    }

    /** The peer's address without its port. */
    String peer() {
        return peer;
    }

    /** Of whoever is at the other end: it has left when the connection is closed. */
    ClientPresence presence() {
        return presence;
    }

    /** How it is ended from outside. */
    Ending ending() {
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

    synchronized void isBelow(Above above) {
        this.above = above;
    }

    private synchronized Above above() {
        return above;
    }

    HttpLimits limits() {
        return limits;
    }

    Lane lane() {
        return lane;
    }

    /** To count by what a layer above keeps of this client's bytes, or for it. */
    Held holder() {
        return new Held(budget, 0);
    }

    /** The client is cut off for {@code reason}: what comes from now on is dropped, and what has come is not needed any more. */
    void refused(String reason) {
        Consumer<String> telling;
        synchronized (this) {
            telling = cutOff;
            share.close();
        }
        telling.accept(reason);
    }

    /** Whether nothing is being answered, so that a refusal in HTTP/1 can be taken for nothing else. */
    synchronized boolean isClients() {
        return turn.isClients() && !turn.isStreaming() && !writes.isUnderWay();
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

    /** What this connection may make the daemon hold. */
    ByteBudget budget() {
        return budget;
    }

    /** HTTP/2 was negotiated: bytes arrive also without a request, so only whole requests count as progress from here on. */
    synchronized boolean isHttp2() {
        return turn.isHttp2();
    }

    synchronized void speaksHttp2() {
        turn.speaksHttp2();
    }

    synchronized void bytesArrived() {
        turn.bytesArrived();
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
    synchronized void whenOverfull(Runnable overfull) {
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
            telling = turn.isHttp2() ? Optional.empty() : overfull;
        }
        telling.ifPresent(Runnable::run);
        return telling.isPresent();
    }

    /**
     * Bytes of HTTP/1 have come, of any number of requests.
     *
     * @return false when the daemon holds too much to hold them too
     */
    boolean arrived(int bytes) {
        return share.tryGrow(bytes);
    }

    /** Some of these bytes, all of one request, are being read. */
    synchronized void letThrough(int bytes) {
        turn.requestIsRead();
        request.read(bytes);
    }

    /** A request's head is complete; what comes is its body. */
    synchronized void headArrived() {
        request.headEnded();
    }

    /** Bytes of the present request's body count against {@code body} from now on, which outlives the connection. */
    void bodyRead(int bytes, Held body) {
        body.takeAnyway(bytes);
        synchronized (this) {
            request.takenOver(bytes);
        }
    }

    /** Nobody wants the body of the present request: it is read and forgotten. */
    synchronized void dropBody() {
        request.dropBody();
    }

    /** The last byte of a request is here. */
    synchronized void requestArrived() {
        turn.requestArrived();
    }

    void answered() {
        Runnable after;
        synchronized (this) {
            turn.answered();
            if (!turn.isHttp2()) {
                writes.answerGiven();
            }
            request.release();
            after = turn.isAllAnswered() ? ending.afterTheLast() : () -> {};
        }
        after.run();
    }

    /** An answer that has no end of its own goes out: the connection is not idle. */
    synchronized void streamBegan() {
        turn.streamBegan();
    }

    void streamEnded() {
        Runnable after;
        synchronized (this) {
            turn.streamEnded();
            after = turn.isIdle() && turn.isAllAnswered() ? ending.afterTheLast() : () -> {};
        }
        after.run();
    }

    synchronized void peerClosed() {
        turn.peerClosed();
    }

    /** HTTP/1 without TLS. */
    synchronized void speaksHttp1() {
        bareHttp1 = true;
    }

    /** @param hears whether the client whose request has begun has to understand interim answers, as HTTP/1.1 asks (RFC 9110, section 15.2) */
    synchronized void mayHearInterim(boolean hears) {
        hearsInterim = hears;
    }

    /**
     * Whether an interim answer may be written now: the client has closed its sending side, waits for the answer to a whole request, and
     * nothing of that answer is out.
     */
    synchronized boolean mayBeProbed() {
        return bareHttp1 && hearsInterim && turn.isOneRequestOfHalfClosed() && !writes.writing();
    }

    synchronized void outputEnded() {
        turn.outputEnded();
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
    void whenWritten(Runnable written) {
        Runnable before;
        synchronized (this) {
            before = gone ? written : writes.whenWritten(written);
        }
        before.run();
    }

    /** The last piece of the answer is on its way to the socket. */
    synchronized void lastPiece() {
        writes.lastPiece();
    }

    /** Bytes of an HTTP/1 answer come from above. Where it is nobody's answer, Pekko's parser has refused a request by itself. */
    void answerGoesOut(ByteString piece) {
        Optional<String> reason = Optional.empty();
        Consumer<String> telling;
        synchronized (this) {
            boolean ours = writes.isOfAnAnswer() || turn.isStreaming();
            telling = cutOff;
            if (!ours) {
                reason = StatusLine.of(piece).flatMap(Refusals::reasonOf);
            }
        }
        reason.ifPresent(telling);
    }

    /** From now on the connection ends with the answer it works on; at once when there is none. */
    void drain() {
        Runnable politely;
        synchronized (this) {
            ending.drains();
            politely = turn.isIdle() ? ending.politely() : () -> {};
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
            return deadlines.quietSince(now);
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
            if (ending.draining() && deadlines.hasReadTheLast(now)) {
                // Nothing is left to be said, so nobody has to wait for the peer; it has done nothing wrong either.
                end = ending.finish();
                reason = Optional.empty();
            } else {
                reason = deadlines.late(now);
                end = reason.isEmpty() ? () -> {} : ending::abort;
                if (reason.isEmpty() && deadlines.idleTooLong(now)) {
                    turn.outputEnded();
                    reason = Optional.of("idle");
                    end = ending.politely();
                }
            }
        }
        end.run();
        return reason;
    }
}
