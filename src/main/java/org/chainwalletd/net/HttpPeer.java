package org.chainwalletd.net;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.SourceShape;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * HTTP/1.1 requests to one peer, each on a new connection, because a node reads only one request per connection (chain protocol, section 10.1). The
 * certificate of an {@code https} peer is checked against the name or address in its URL. Thread-safe; never blocks the caller; keeps no connection
 * between requests.
 */
public final class HttpPeer {
    /** Time for a node to close first after its answer, so that it no longer counts the connection when the next one arrives. */
    private static final Duration LINGER = Duration.ofMillis(250);

    /** Maximum number of queued look-ups, above the number of concurrent requests to a peer. */
    private static final int MAX_LOOK_UPS = 1024;

    private final Exchange.Resources resources;
    private final Optional<Supplier<SSLContext>> trust;
    private final String host;
    private final int port;
    private final boolean hasAddress;
    private final String ownTarget;
    private final String path;
    private final String headers;
    private final ThreadPoolExecutor names;

    HttpPeer(Exchange.Resources resources, URI url, Optional<String> bearer, Supplier<SSLContext> trust) {
        this.resources = resources;
        boolean secure = url.getScheme().equalsIgnoreCase("https");
        this.trust = secure ? Optional.of(trust) : Optional.empty();
        String named = url.getHost();
        this.host = named.startsWith("[") ? named.substring(1, named.length() - 1) : named;
        this.hasAddress = host.contains(":") || host.matches("[0-9.]+");
        this.port = url.getPort() >= 0 ? url.getPort() : secure ? 443 : 80;
        String own = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        this.ownTarget = url.getRawQuery() == null ? own : own + "?" + url.getRawQuery();
        this.path = own.replaceAll("/+$", "");
        String authority = url.getPort() >= 0 ? named + ":" + url.getPort() : named;
        this.headers = "Host: " + authority + "\r\n"
                + bearer.map(token -> "Authorization: Bearer " + token + "\r\n").orElse("");
        this.names = nameThread(host);
    }

    /** Creates the thread for name look-ups, which may block for long. It exists only while there are look-ups. */
    private static ThreadPoolExecutor nameThread(String host) {
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_LOOK_UPS), work -> {
                    Thread thread = new Thread(work, "walletd-name-of-" + host);
                    thread.setDaemon(true);
                    return thread;
                });
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    /**
     * Sends {@code body} as a POST to the peer's URL. After its answer the peer gets a moment to close the connection first.
     *
     * @param listener receives the answer or the failure, then the end of the connection
     */
    public void post(byte[] body, ExchangeLimits limits, ExchangeListener listener) {
        begin(HttpRequest.post(body), limits.deadline(), LINGER, new WholeAnswer(limits, listener));
    }

    /**
     * Sends {@code request}, and closes the connection as soon as the answer has arrived.
     *
     * @param executor runs {@code read}
     * @param read converts the answer, whatever its status; the answer is closed afterwards
     * @param closed run when the connection is closed
     * @return the result of {@code read}, or its failure, or {@link NoAnswerException}
     */
    public <T> CompletableFuture<T> ask(
            HttpRequest request,
            ExchangeLimits limits,
            Executor executor,
            Function<HttpAnswer, T> read,
            Runnable closed) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        ExchangeListener listener = new ExchangeListener() {
            @Override
            public void answered(HttpAnswer answer) {
                try {
                    executor.execute(() -> settle(outcome, read, answer));
                } catch (RejectedExecutionException e) {
                    answer.close();
                    failed(new NoAnswerException("no thread is free to read its answer", true));
                }
            }

            @Override
            public void failed(NoAnswerException failure) {
                outcome.completeExceptionally(failure);
            }

            @Override
            public void closed() {
                closed.run();
            }
        };
        begin(request, limits.deadline(), Duration.ZERO, new WholeAnswer(limits, listener));
        return outcome;
    }

    private static <T> void settle(CompletableFuture<T> outcome, Function<HttpAnswer, T> read, HttpAnswer answer) {
        try (answer) {
            outcome.complete(read.apply(answer));
        } catch (RuntimeException | StackOverflowError e) {
            outcome.completeExceptionally(e);
        }
    }

    /**
     * Streams the body of an answer with status 200, for as long as the peer sends. At most one piece of 16 KiB is buffered while the stream is not
     * pulled; further bytes are held back by TCP flow control. Fails with {@link HttpAnswer.RefusedException} for any other status, and with {@link
     * NoAnswerException}.
     *
     * @param answerWithin from the first step, connecting included, to the end of the answer's head
     * @param opened run before the first piece, on the stream's thread
     */
    public Source<ByteString, NotUsed> stream(HttpRequest request, Duration answerWithin, Runnable opened) {
        return Source.fromGraph(
                new AnswerStream(receiver -> begin(request, answerWithin, Duration.ZERO, receiver), opened));
    }

    private Exchange begin(HttpRequest request, Duration deadline, Duration linger, Exchange.Receiver receiver) {
        ByteBuffer wire = ByteBuffer.wrap(request.wire(ownTarget, path, headers));
        Exchange exchange = new Exchange(resources, port, wire, deadline, linger, receiver);
        try {
            resources.loop().execute(() -> begin(exchange));
        } catch (RejectedExecutionException e) {
            receiver.failed(new NoAnswerException(e.getMessage(), false));
            receiver.closed();
        }
        return exchange;
    }

    /** Starts an exchange. A bug must cost the caller only this call, and must not leave it without an outcome. */
    private void begin(Exchange exchange) {
        try {
            exchange.begin();
            if (trust.isPresent()) {
                resources.executor().execute(() -> setUpTls(exchange, trust.get()));
            } else {
                resolve(exchange);
            }
        } catch (RejectedExecutionException e) {
            exchange.connectionFailed("no thread is free for it");
        } catch (RuntimeException e) {
            exchange.connectionFailed(e.toString());
            throw e;
        }
    }

    /** Sets up TLS: reads certificates from disk the first time, and generates the keys of the handshake. */
    private void setUpTls(Exchange exchange, Supplier<SSLContext> context) {
        try {
            String name = host.replaceFirst("\\.$", "");
            SSLEngine engine = context.get().createSSLEngine(name, port);
            engine.setUseClientMode(true);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            if (!hasAddress) {
                // Set explicitly, because the JDK by default sends only names that contain a dot.
                parameters.setServerNames(List.of(new SNIHostName(name)));
            }
            engine.setSSLParameters(parameters);
            engine.beginHandshake();
            resources.loop().execute(() -> {
                exchange.useTls(engine);
                resolve(exchange);
            });
        } catch (SSLException | RuntimeException e) {
            resources.loop().execute(() -> exchange.connectionFailed(e.toString()));
        }
    }

    private void resolve(Exchange exchange) {
        if (hasAddress) {
            lookUp(exchange);
            return;
        }
        try {
            names.execute(() -> lookUp(exchange));
        } catch (RejectedExecutionException e) {
            exchange.connectionFailed(MAX_LOOK_UPS + " requests wait for the name " + host);
        }
    }

    private void lookUp(Exchange exchange) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(host);
            if (hasAddress) {
                exchange.connect(addresses);
            } else {
                resources.loop().execute(() -> exchange.connect(addresses));
            }
        } catch (UnknownHostException e) {
            resources.loop().execute(() -> exchange.connectionFailed("the name " + host + " is not known"));
        } catch (RuntimeException e) {
            resources
                    .loop()
                    .execute(() -> exchange.connectionFailed("the name " + host + " cannot be looked up: " + e));
        }
    }

    /** Collects a whole answer. */
    private static final class WholeAnswer extends WholeBody implements Exchange.Receiver {
        private final ExchangeListener listener;

        WholeAnswer(ExchangeLimits limits, ExchangeListener listener) {
            super(limits);
            this.listener = listener;
        }

        @Override
        public boolean wantsMore() {
            return true;
        }

        @Override
        public void complete() {
            listener.answered(answer());
        }

        @Override
        public void failed(NoAnswerException failure) {
            drop();
            listener.failed(failure);
        }

        @Override
        public void closed() {
            listener.closed();
        }
    }

    /** Body of an answer as a source of pieces on demand: see {@link HttpPeer#stream}. */
    private static final class AnswerStream extends GraphStage<SourceShape<ByteString>> {
        private static final int OK = 200;

        private final Outlet<ByteString> out = Outlet.create("answer.out");
        private final SourceShape<ByteString> shape = SourceShape.of(out);
        private final Function<Exchange.Receiver, Exchange> connect;
        private final Runnable opened;

        /**
         * @param connect starts an exchange whose answer goes to its argument
         * @param opened run when the head has arrived, before the first piece
         */
        AnswerStream(Function<Exchange.Receiver, Exchange> connect, Runnable opened) {
            this.connect = connect;
            this.opened = opened;
        }

        @Override
        public SourceShape<ByteString> shape() {
            return shape;
        }

        @Override
        public GraphStageLogic createLogic(Attributes attributes) {
            return new Logic();
        }

        /** Receives the exchange's events on the loop's thread and passes them to the stream's thread. */
        private final class Logic extends GraphStageLogic implements Exchange.Receiver {
            private final AsyncCallback<Runnable> handOver = createAsyncCallback(Runnable::run);
            private final ByteArrayOutputStream piece = new ByteArrayOutputStream();
            private Exchange exchange;

            Logic() {
                super(shape);
                setHandler(out, new AbstractOutHandler() {
                    @Override
                    public void onPull() {
                        exchange.resume();
                    }
                });
            }

            @Override
            public void preStart() {
                exchange = connect.apply(this);
            }

            @Override
            public void postStop() {
                exchange.abandon();
            }

            @Override
            public boolean isStream() {
                return true;
            }

            @Override
            public void begin(int status, long length) {
                handOver.invoke(() -> {
                    if (status == OK) {
                        opened.run();
                    } else {
                        failStage(new HttpAnswer.RefusedException(status));
                    }
                });
            }

            @Override
            public void expect(long more) {
                // The length does not matter: the body is passed on in pieces.
            }

            @Override
            public void append(byte[] bytes, int from, int count) {
                piece.write(bytes, from, count);
            }

            @Override
            public boolean wantsMore() {
                if (piece.size() == 0) {
                    return true;
                }
                ByteString bytes = ByteString.fromArrayUnsafe(piece.toByteArray());
                piece.reset();
                handOver.invoke(() -> emit(out, bytes));
                return false;
            }

            @Override
            public void complete() {
                handOver.invoke(() -> complete(out));
            }

            @Override
            public void failed(NoAnswerException failure) {
                handOver.invoke(() -> failStage(failure));
            }

            @Override
            public void closed() {
                // The stream already knows the reason.
            }
        }
    }

    /** Receives the result of one exchange, on a thread of this package that must not be blocked: long work belongs on an executor. */
    public interface ExchangeListener {
        /** Called with the complete answer, whatever its status. The listener must close it. */
        void answered(HttpAnswer answer);

        /** Called if there will be no answer. */
        void failed(NoAnswerException failure);

        /** Called once, after one of the other two, when the connection is closed. */
        void closed();
    }
}
