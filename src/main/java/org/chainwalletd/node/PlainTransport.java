package org.chainwalletd.node;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Requests to a node at an {@code http} URL, over the sockets of a {@link SocketLoop}. */
final class PlainTransport implements NodeTransport {
    private final SocketLoop loop;
    private final TimeOuts timeOuts;
    private final PostHead head;
    private final boolean addressed;
    private final ThreadPoolExecutor names;
    private final int maxBody;

    /**
     * @param maxBody longest answer body in bytes
     */
    PlainTransport(SocketLoop loop, TimeOuts timeOuts, URI url, int maxBody) {
        this.loop = loop;
        this.timeOuts = timeOuts;
        this.head = new PostHead(url);
        this.addressed = head.host().contains(":") || head.host().matches("[0-9.]+");
        this.names = nameThread(head.host());
        this.maxBody = maxBody;
    }

    /** A look-up can block for long: it has a thread of its own while there is something to look up. */
    private static ThreadPoolExecutor nameThread(String host) {
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "walletd-name-of-" + host);
                    thread.setDaemon(true);
                    return thread;
                });
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    @Override
    public CompletableFuture<HttpAnswer> post(byte[] body, Duration timeout, Runnable closed) {
        CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
        PlainExchange exchange = new PlainExchange(
                loop, timeOuts, head.port(), head.with(body), new HttpAnswerReader(maxBody), answer, closed);
        try {
            loop.execute(() -> {
                exchange.begin(timeout);
                find(exchange);
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new NoAnswerException(e.getMessage(), false));
            closed.run();
        }
        return answer;
    }

    private void find(PlainExchange exchange) {
        if (addressed) {
            look(exchange);
        } else {
            names.execute(() -> look(exchange));
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
        }
    }
}
