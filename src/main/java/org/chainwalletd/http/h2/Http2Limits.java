package org.chainwalletd.http.h2;

import org.chainwalletd.config.Settings;

/**
 * Limits of one HTTP/2 connection.
 *
 * @param streams requests at a time
 * @param headerBytes of a request, decoded, as RFC 9113 counts them (section 6.5.2): names, values and 32 for each field
 * @param controlPerSecond frames of each kind that carry no request any further
 */
public record Http2Limits(int streams, int headerBytes, int controlPerSecond) {
    public static Http2Limits of(Settings.Http2 settings) {
        return new Http2Limits(settings.maxStreams(), settings.maxHeaderBytes(), settings.maxControlPerSecond());
    }
}
