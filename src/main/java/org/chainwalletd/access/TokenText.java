package org.chainwalletd.access;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.Json;
import org.chainwalletd.wire.WireException;

/** Serialization of all named tokens as one UTF-8 JSON document. */
public final class TokenText {
    private static final int VERSION = 1;
    private static final ObjectMapper READER = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Binder<Content> BINDER = Binder.strict(Content.class);

    private TokenText() {}

    private record Content(long version, List<NamedToken> tokens) {}

    /**
     * Parses a document.
     *
     * @param place its location, for messages
     * @throws IOException when it is damaged, or written by a newer release
     */
    public static List<NamedToken> read(byte[] bytes, String place) throws IOException {
        try {
            Content content = BINDER.bind(READER.readTree(bytes));
            if (content.version() != VERSION) {
                throw new IOException(place + " has version " + content.version()
                        + ", written by a newer release; this one knows " + VERSION);
            }
            Set<String> names = new HashSet<>();
            Set<Hash256> values = new HashSet<>();
            for (NamedToken token : content.tokens()) {
                boolean fresh = names.add(token.name())
                        && token.values().stream().allMatch(value -> values.add(value.sha256()));
                if (!fresh || NamedToken.objectionTo(token.name()).isPresent()) {
                    throw new IOException(
                            place + " is damaged: " + token.name() + " stands there twice, or is no name");
                }
            }
            return content.tokens();
        } catch (WireException | JsonProcessingException e) {
            throw new IOException(place + " is damaged: " + e.getMessage(), e);
        }
    }

    public static byte[] write(List<NamedToken> tokens) {
        return Json.write(new Content(VERSION, tokens));
    }
}
