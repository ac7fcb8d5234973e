package org.chainwalletd.observe;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.nio.charset.StandardCharsets;

/**
 * Each event as a JSON object on a line of its own. JSON itself escapes what ends a line for most readers only: the rest of {@link Printable}
 * stands inside of its strings alone, and is written the same way.
 */
public final class JsonLines extends JsonEncoder {
    public JsonLines() {
        // Otherwise a line holds the text with {} in it and its values apart, and nobody can search for what was said.
        setWithFormattedMessage(true);
        // They are in the text, and would be there in full length again.
        setWithArguments(false);
    }

    @Override
    protected void appenderMember(StringBuilder to, String key, String value) {
        super.appenderMember(to, key, Printable.shortened(value));
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        String line = new String(super.encode(event), StandardCharsets.UTF_8);
        String printable = Printable.text(line.stripTrailing()) + System.lineSeparator();
        return printable.getBytes(StandardCharsets.UTF_8);
    }
}
