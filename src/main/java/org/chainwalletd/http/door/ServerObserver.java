package org.chainwalletd.http.door;

/** Sees what the server refuses before any method is reached: for metrics. Must not block. */
public interface ServerObserver {
    ServerObserver NONE = reason -> {};

    /**
     * @param reason one of a few fixed words: unauthorized, busy, streams, overload, address, head, field, target, malformed, path, method, type,
     *     length, memory, request, reading, closing, gone, idle, place, http2, http2-excess
     */
    void refused(String reason);
}
