package org.chainwalletd.http.h1;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.NotUsed;
import org.apache.pekko.http.javadsl.model.HttpProtocols;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.HttpHandler;
import org.chainwalletd.http.door.Responses;
import org.chainwalletd.rpc.ClientPresence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Request level of one HTTP/1 connection: one request at a time; an answer that is ready immediately is sent without switching threads. */
public final class RequestStage extends GraphStage<FlowShape<HttpRequest, HttpResponse>> {
    private static final Logger LOG = LoggerFactory.getLogger(RequestStage.class);

    /** Executor that runs on the completing thread, which only hands the response over to the stage's own thread. */
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    private final Inlet<HttpRequest> requests = Inlet.create("requests");
    private final Outlet<HttpResponse> responses = Outlet.create("responses");
    private final FlowShape<HttpRequest, HttpResponse> shape = FlowShape.of(requests, responses);
    private final Connection connection;
    private final HttpHandler handler;

    public RequestStage(Connection connection, HttpHandler handler) {
        this.connection = connection;
        this.handler = handler;
    }

    @Override
    public FlowShape<HttpRequest, HttpResponse> shape() {
        return shape;
    }

    @Override
    public GraphStageLogic createLogic(Attributes attributes) {
        return new Logic();
    }

    /** HTTP/1 above the bytes of a connection; {@code http1} is Pekko's layer, as {@link PekkoHttp#plain} makes it. */
    public static Flow<ByteString, ByteString, NotUsed> http1(
            Connection connection,
            BidiFlow<HttpResponse, ByteString, ByteString, HttpRequest, NotUsed> http1,
            HttpHandler handler) {
        return BidiFlow.fromGraph(new RequestGate(connection))
                .join(http1.reversed().join(Flow.fromGraph(new RequestStage(connection, handler))));
    }

    /** Returns the answer of {@code handler}, or a failed stage when it throws. */
    public static CompletionStage<HttpResponse> answer(
            HttpHandler handler, HttpRequest request, Connection connection, ClientPresence presence) {
        try {
            return handler.handle(request, connection, presence);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    public static HttpResponse orFailure(HttpResponse response, Throwable failure) {
        if (failure == null) {
            return response;
        }
        LOG.error("A request failed", failure);
        return Responses.refusal(500, "internal error");
    }

    private final class Logic extends GraphStageLogic {
        private final AsyncCallback<HttpResponse> later = createAsyncCallback(this::send);
        private boolean answering;

        Logic() {
            super(shape);
            setHandler(requests, new Requests());
            setHandler(responses, new AbstractOutHandler() {
                @Override
                public void onPull() {
                    if (!answering && !isClosed(requests) && !hasBeenPulled(requests)) {
                        pull(requests);
                    }
                }
            });
        }

        @Override
        public void preStart() {
            connection.ending().givesUpBy(() -> later.invoke(Responses.shuttingDown()));
        }

        private void send(HttpResponse response) {
            if (!answering) {
                return;
            }
            answering = false;
            connection.answered();
            boolean last = connection.ending().draining();
            push(responses, last ? response.addHeader(Responses.CLOSE) : response);
            if (last || isClosed(requests)) {
                completeStage();
            }
        }

        private final class Requests extends AbstractInHandler {
            @Override
            public void onPush() {
                answering = true;
                connection.headArrived();
                HttpRequest request = grab(requests);
                connection.mayHearInterim(request.protocol().equals(HttpProtocols.HTTP_1_1));
                CompletionStage<HttpResponse> answer = answer(handler, request, connection, connection.presence());
                if (answer instanceof CompletableFuture<HttpResponse> future
                        && future.isDone()
                        && !future.isCompletedExceptionally()) {
                    send(future.join());
                } else {
                    answer.whenCompleteAsync(
                            (response, failure) -> later.invoke(orFailure(response, failure)), ON_COMPLETING_THREAD);
                }
            }

            @Override
            public void onUpstreamFinish() {
                if (!answering) {
                    completeStage();
                }
            }
        }
    }
}
