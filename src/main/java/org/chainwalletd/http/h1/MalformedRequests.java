package org.chainwalletd.http.h1;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import org.apache.pekko.event.LoggingAdapter;
import org.apache.pekko.http.ParsingErrorHandler;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.scaladsl.model.ErrorInfo;
import org.apache.pekko.http.scaladsl.model.StatusCode;
import org.apache.pekko.http.scaladsl.settings.ServerSettings;
import org.chainwalletd.http.door.Responses;

/**
 * Answers requests that are not valid HTTP with the daemon's usual form of refusal, and logs nothing: unparsable input may contain a token.
 *
 * <p>Pekko HTTP finds it by its class name and, as it expects an object of Scala, by the field {@code MODULE$}.
 */
public final class MalformedRequests extends ParsingErrorHandler {
    public static final MalformedRequests MODULE$ = new MalformedRequests();

    private MalformedRequests() {}

    @Override
    public HttpResponse handle(StatusCode status, ErrorInfo info, LoggingAdapter log, ServerSettings settings) {
        return Responses.refusal(
                status.intValue(),
                String.valueOf(JsonStringEncoder.getInstance().quoteAsString(info.summary())));
    }
}
