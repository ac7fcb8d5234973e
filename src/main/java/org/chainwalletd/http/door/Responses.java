package org.chainwalletd.http.door;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.NotUsed;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.model.headers.Connection;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.access.Grant;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.RpcAnswer;

/** HTTP responses: answers of {@code rpc}, and refusals below JSON-RPC. */
public final class Responses {
    public static final HttpHeader CLOSE = Connection.create("close");

    private static final ContentType METRICS = ContentTypes.parse("text/plain; version=0.0.4; charset=utf-8");
    private static final ContentType PEM =
            MediaTypes.applicationBinary("x-pem-file", true).toContentType();
    private static final HttpHeader CHALLENGE = RawHeader.create("WWW-Authenticate", "Bearer");
    private static final HttpResponse OK = HttpResponse.create();

    private static final int PIECE = 16 << 10;

    private Responses() {}

    /** Creates a response with an answer of {@code rpc}. An empty body has no content type (204). */
    public static HttpResponse json(int status, byte[] body) {
        if (body.length == 0) {
            return HttpResponse.create().withStatus(status);
        }
        return base(status)
                .withEntity(HttpEntities.create(ContentTypes.APPLICATION_JSON, ByteString.fromArrayUnsafe(body)));
    }

    /**
     * Creates a response that streams a long answer of {@code rpc} piece by piece.
     *
     * @param sent runs when the last piece has been consumed, or the connection or stream has failed before that
     */
    public static HttpResponse json(RpcAnswer answer, Runnable sent) {
        List<ByteString> pieces = new ArrayList<>();
        for (byte[] piece : answer.pieces()) {
            ByteString bytes = ByteString.fromArrayUnsafe(piece);
            for (int at = 0; at < piece.length; at += PIECE) {
                pieces.add(bytes.slice(at, Math.min(at + PIECE, piece.length)));
            }
        }
        Source<ByteString, NotUsed> source = Source.from(pieces).watchTermination((none, ended) -> {
            ended.whenCompleteAsync((done, failure) -> sent.run(), Runnable::run);
            return none;
        });
        return base(answer.status())
                .withEntity(HttpEntities.create(ContentTypes.APPLICATION_JSON, answer.length(), source));
    }

    private static HttpResponse base(int status) {
        return switch (status) {
            case 200 -> OK;
            case 401 -> OK.withStatus(401).addHeader(CHALLENGE);
            default -> OK.withStatus(status);
        };
    }

    /**
     * Creates a refusal below JSON-RPC, which is no JSON-RPC error object: {@code {"message": …}}.
     *
     * @param message as it stands between the quotes of a JSON string
     */
    public static HttpResponse refusal(int status, String message) {
        return json(status, ("{\"message\":\"" + message + "\"}").getBytes(StandardCharsets.UTF_8));
    }

    /** 403 for a page that the policy of the token does not allow. */
    public static Optional<HttpResponse> refusal(Grant grant, String page) {
        return grant.objectionTo(page, Scope.READ)
                .map(refusal -> refusal(
                        403, String.valueOf(JsonStringEncoder.getInstance().quoteAsString(refusal.message()))));
    }

    public static HttpResponse shuttingDown() {
        return refusal(503, "the daemon is shutting down");
    }

    public static HttpResponse wrongMethod(String allowed) {
        return refusal(405, "method not allowed; allowed are " + allowed).addHeader(RawHeader.create("Allow", allowed));
    }

    public static HttpResponse options(String allowed) {
        return HttpResponse.create().withStatus(StatusCodes.NO_CONTENT).addHeader(RawHeader.create("Allow", allowed));
    }

    public static HttpResponse text(String body) {
        return HttpResponse.create().withEntity(ContentTypes.TEXT_PLAIN_UTF8, body);
    }

    public static HttpResponse metrics(String body) {
        return HttpResponse.create().withEntity(HttpEntities.create(METRICS, ByteString.fromString(body)));
    }

    public static HttpResponse certificate(byte[] pem) {
        return HttpResponse.create().withEntity(HttpEntities.create(PEM, pem));
    }
}
