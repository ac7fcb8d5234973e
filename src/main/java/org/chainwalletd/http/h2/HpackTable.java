package org.chainwalletd.http.h2;

import java.util.ArrayList;
import java.util.List;

/** Static and dynamic table of HPACK (RFC 7541, section 2.3): the static fields, then those that the client has added. */
final class HpackTable {
    /** Default table size; the daemon advertises no more. */
    static final int SIZE = 4096;

    /** Bytes counted for a field in addition to its characters (section 4.1). */
    static final int OVERHEAD = 32;

    /** Header field; each character is one octet. */
    record Field(String name, String value) {
        int size() {
            return name.length() + value.length() + OVERHEAD;
        }
    }

    /** Appendix A. */
    private static final List<Field> STATIC = List.of(
            new Field(":authority", ""),
            new Field(":method", "GET"),
            new Field(":method", "POST"),
            new Field(":path", "/"),
            new Field(":path", "/index.html"),
            new Field(":scheme", "http"),
            new Field(":scheme", "https"),
            new Field(":status", "200"),
            new Field(":status", "204"),
            new Field(":status", "206"),
            new Field(":status", "304"),
            new Field(":status", "400"),
            new Field(":status", "404"),
            new Field(":status", "500"),
            new Field("accept-charset", ""),
            new Field("accept-encoding", "gzip, deflate"),
            new Field("accept-language", ""),
            new Field("accept-ranges", ""),
            new Field("accept", ""),
            new Field("access-control-allow-origin", ""),
            new Field("age", ""),
            new Field("allow", ""),
            new Field("authorization", ""),
            new Field("cache-control", ""),
            new Field("content-disposition", ""),
            new Field("content-encoding", ""),
            new Field("content-language", ""),
            new Field("content-length", ""),
            new Field("content-location", ""),
            new Field("content-range", ""),
            new Field("content-type", ""),
            new Field("cookie", ""),
            new Field("date", ""),
            new Field("etag", ""),
            new Field("expect", ""),
            new Field("expires", ""),
            new Field("from", ""),
            new Field("host", ""),
            new Field("if-match", ""),
            new Field("if-modified-since", ""),
            new Field("if-none-match", ""),
            new Field("if-range", ""),
            new Field("if-unmodified-since", ""),
            new Field("last-modified", ""),
            new Field("link", ""),
            new Field("location", ""),
            new Field("max-forwards", ""),
            new Field("proxy-authenticate", ""),
            new Field("proxy-authorization", ""),
            new Field("range", ""),
            new Field("referer", ""),
            new Field("refresh", ""),
            new Field("retry-after", ""),
            new Field("server", ""),
            new Field("set-cookie", ""),
            new Field("strict-transport-security", ""),
            new Field("transfer-encoding", ""),
            new Field("user-agent", ""),
            new Field("vary", ""),
            new Field("via", ""),
            new Field("www-authenticate", ""));

    /** Newest first. */
    private final List<Field> added = new ArrayList<>();

    private int size;
    private int limit = SIZE;

    /** @throws Http2Violation when there is no such field */
    Field at(int index) {
        if (index >= 1 && index <= STATIC.size()) {
            return STATIC.get(index - 1);
        }
        int place = index - STATIC.size() - 1;
        if (place < 0 || place >= added.size()) {
            throw Http2Violation.of(Http2Violation.Code.COMPRESSION_ERROR, "a field refers to none in the table");
        }
        return added.get(place);
    }

    void add(Field field) {
        shrinkTo(limit - field.size());
        if (field.size() <= limit) {
            added.add(0, field);
            size += field.size();
        }
    }

    /** @throws Http2Violation when the size exceeds the advertised one */
    void limit(int bytes) {
        if (bytes > SIZE) {
            throw Http2Violation.of(Http2Violation.Code.COMPRESSION_ERROR, "a larger table than was offered");
        }
        limit = bytes;
        shrinkTo(limit);
    }

    private void shrinkTo(int bytes) {
        while (size > Math.max(0, bytes)) {
            size -= added.remove(added.size() - 1).size();
        }
    }
}
