package org.chainwalletd.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Requests to a peer at an {@code http} URL, over the sockets of a {@link SocketLoop}. */
final class PlainPeer implements HttpPeer {
    /** More than a peer is asked at a time. */
    private static final int MAX_LOOK_UPS = 1024;

    private final SocketLoop loop;
    private final TimeOuts timeOuts;
    private final PostHead head;
    private final boolean addressed;
    private final ThreadPoolExecutor names;

    PlainPeer(SocketLoop loop, TimeOuts timeOuts, PostHead head) {
        this.loop = loop;
        this.timeOuts = timeOuts;
        this.head = head;
        this.addressed = head.host().contains(":") || head.host().matches("[0-9.]+");
        this.names = nameThread(head.host());
    }

    /** A look-up can block for long: it has a thread of its own while there is something to look up. */
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

    @Override
    public void post(byte[] body, ExchangeLimits limits, ExchangeListener listener) {
        PlainExchange exchange = new PlainExchange(loop, timeOuts, head.port(), head.with(body), limits, listener);
        try {
            loop.execute(() -> begin(exchange));
        } catch (RejectedExecutionException e) {
            listener.failed(new NoAnswerException(e.getMessage(), false));
            listener.closed();
        }
    }

    /** A fault of ours costs the caller its call, but never its answer. */
    private void begin(PlainExchange exchange) {
        try {
            exchange.begin();
            find(exchange);
        } catch (RuntimeException e) {
            exchange.noConnection(e.toString());
            throw e;
        }
    }

    private void find(PlainExchange exchange) {
        if (addressed) {
            look(exchange);
        } else {
            lookElsewhere(exchange);
        }
    }

    private void lookElsewhere(PlainExchange exchange) {
        try {
            names.execute(() -> look(exchange));
        } catch (RejectedExecutionException e) {
            exchange.noConnection(MAX_LOOK_UPS + " requests wait for the name " + head.host());
        }
    }

    private void look(PlainExchange exchange) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(head.host());
            if (addressed) {
                exchange.connect(addresses);
            } else {
                loop.execute(() -> exchange.connect(addresses));
            }
        } catch (UnknownHostException e) {
            loop.execute(() -> exchange.noConnection("the name " + head.host() + " is not known"));
        } catch (RuntimeException e) {
            loop.execute(() -> exchange.noConnection("the name " + head.host() + " cannot be looked up: " + e));
        }
    }
}
