package org.chainwalletd.indexer;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;

/** Writes the parameters of one call: a JSON object in ASCII. */
final class Params {
    private final StringBuilder text = new StringBuilder("{");

    /**
     * @param value anything, as it comes from callers
     */
    Params string(String name, String value) {
        name(name).append('"');
        char[] quoted = JsonStringEncoder.getInstance().quoteAsString(value);
        for (char character : quoted) {
            if (character < 0x7f) {
                text.append(character);
            } else {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
            }
        }
        text.append('"');
        return this;
    }

    Params hash(String name, Optional<Hash256> value) {
        value.ifPresent(hash -> string(name, hash.hex()));
        return this;
    }

    /** Unsigned. */
    Params number(String name, long value) {
        name(name).append(U64.toString(value));
        return this;
    }

    /** The lower-case words of some constants; nothing when there are none. */
    Params words(String name, Collection<? extends Enum<?>> values) {
        if (!values.isEmpty()) {
            name(name)
                    .append(values.stream()
                            .map(value -> value.name().toLowerCase(Locale.ROOT))
                            .sorted()
                            .collect(Collectors.joining("\",\"", "[\"", "\"]")));
        }
        return this;
    }

    String text() {
        return text + "}";
    }

    private StringBuilder name(String name) {
        return text.append(text.length() > 1 ? "," : "")
                .append('"')
                .append(name)
                .append("\":");
    }
}
