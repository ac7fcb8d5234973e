package org.chainwalletd.wire;

/** Result that is valid JSON already and is written unchanged. */
public final class RawJson {
    private final String text;

    public RawJson(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
