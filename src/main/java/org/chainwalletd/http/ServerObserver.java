package org.chainwalletd.http;

/** Sees what the server refuses before any method is reached: for metrics. Must not block. */
public interface ServerObserver {
    ServerObserver NONE = reason -> {};

    /** @param reason one of a few fixed words: unauthorized, busy, streams, overload, address, head, malformed, memory, request, reading, closing, gone, idle */
    void refused(String reason);
}
