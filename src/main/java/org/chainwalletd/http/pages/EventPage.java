package org.chainwalletd.http.pages;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.NotUsed;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpMethods;
import org.apache.pekko.http.javadsl.model.HttpProtocol;
import org.apache.pekko.http.javadsl.model.HttpProtocols;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.access.Grant;
import org.chainwalletd.event.EventFeed;
import org.chainwalletd.http.door.Callers;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.Refusals;
import org.chainwalletd.http.door.Responses;
import org.chainwalletd.net.ByteBudget;

/**
 * {@code GET /events}: server-sent events for a token of any scope. Over HTTP/1 the connection ends with the stream, so that a shutdown
 * has no idle connection to notify.
 */
public record EventPage(EventFeed feed, Callers callers, Refusals refusals, Executor executor) implements Router.Page {
    static final String PATH = "/events";
    private static final String ALLOWS = "GET, OPTIONS";
    private static final String LAST_EVENT_ID = "last-event-id";

    private static final Set<HttpProtocol> HTTP_1 = Set.of(HttpProtocols.HTTP_1_0, HttpProtocols.HTTP_1_1);

    /** Headers that keep the stream out of caches and proxy buffers. */
    private static final List<HttpHeader> LIVE =
            List.of(RawHeader.create("Cache-Control", "no-store"), RawHeader.create("X-Accel-Buffering", "no"));

    private static EventFeed.Memory memoryOf(ByteBudget budget) {
        return new EventFeed.Memory() {
            @Override
            public boolean take(long bytes) {
                return budget.tryTake(bytes);
            }

            @Override
            public void giveBack(long bytes) {
                budget.give(bytes);
            }
        };
    }

    @Override
    public CompletionStage<HttpResponse> answer(HttpRequest request, Connection connection) {
        if (!request.method().equals(HttpMethods.GET)) {
            return CompletableFuture.completedFuture(Responses.wrongMethod(ALLOWS));
        }
        Callers.Caller caller = callers.of(request, connection);
        if (caller.grant().isEmpty()) {
            return refusals.unauthorized(caller.client());
        }
        Grant grant = caller.grant().get();
        Optional<HttpResponse> refusal = Responses.refusal(grant, PATH);
        if (refusal.isPresent()) {
            return CompletableFuture.completedFuture(refusal.get());
        }
        boolean closes = HTTP_1.contains(request.protocol());
        return feed.open(lastEventId(request), grant.owner(), memoryOf(connection.budget()))
                .thenComposeAsync(opening -> answer(opening, connection, grant, closes), executor);
    }

    /** Treats an empty header as absent: clients without an id send it empty. */
    private static Optional<String> lastEventId(HttpRequest request) {
        for (HttpHeader header : request.getHeaders()) {
            if (header.is(LAST_EVENT_ID)) {
                return Optional.of(header.value().strip()).filter(id -> !id.isEmpty());
            }
        }
        return Optional.empty();
    }

    private CompletionStage<HttpResponse> answer(
            EventFeed.Opening opening, Connection connection, Grant grant, boolean closes) {
        if (opening instanceof EventFeed.Opened opened) {
            HttpResponse response = stream(opened.bytes(), connection, grant);
            return CompletableFuture.completedFuture(closes ? response.addHeader(Responses.CLOSE) : response);
        }
        if (opening instanceof EventFeed.Full) {
            return refusals.tooManyStreams();
        }
        if (opening instanceof EventFeed.ShareTaken) {
            return refusals.tooManyStreamsOfToken();
        }
        if (opening instanceof EventFeed.NoMemory) {
            return CompletableFuture.completedFuture(refusals.tooMuch());
        }
        if (opening instanceof EventFeed.UnknownId) {
            return CompletableFuture.completedFuture(Responses.refusal(
                    400,
                    "Last-Event-ID is no cursor of these books at min_confirmations 0, or from before what is kept"));
        }
        return CompletableFuture.completedFuture(Responses.shuttingDown());
    }

    /** Response that streams events until the client disconnects or its token ends. */
    private HttpResponse stream(Source<ByteString, NotUsed> bytes, Connection connection, Grant grant) {
        Source<ByteString, NotUsed> watched = bytes.viaMat(KillSwitches.<ByteString>single(), Keep.right())
                .watchTermination((ending, end) -> {
                    connection.streamBegan();
                    Runnable registered = grant.whenEnded(ending::shutdown);
                    end.whenCompleteAsync(
                            (done, failure) -> {
                                registered.run();
                                connection.streamEnded();
                            },
                            executor);
                    return NotUsed.getInstance();
                });
        return HttpResponse.create()
                .addHeaders(LIVE)
                .withEntity(HttpEntities.createChunked(MediaTypes.TEXT_EVENT_STREAM.toContentType(), watched));
    }
}
