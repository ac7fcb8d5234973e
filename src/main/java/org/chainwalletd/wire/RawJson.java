package org.chainwalletd.wire;

/** A result that is valid JSON already and is written as it stands. */
public final class RawJson {
    private final String text;

    public RawJson(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
